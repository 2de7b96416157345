"""Custom data: what it is made of, how large it is, and what each region mounts."""

from __future__ import annotations

import base64

import pytest

from provision.adapters.files import load_catalog
from provision.boot import CustomData, custom_data_of
from provision.environment import BootFiles, boot_files_of
from provision.findings import Problem
from provision.rules.custom_data_too_large import custom_data_too_large
from provision.topology import Topology, topology_of
from tests.support.topologies import IDENTITY, SUBSCRIPTION, a_pool, an_environment

CATALOG = load_catalog()
STORAGE = {"kind": "managed-lustre", "region": "westus3", "tier": 250, "size_tib": 512, "mount": "/lustre"}


def a_topology(theirs: str | None = None, **pool: object) -> Topology:
    file = {} if theirs is None else {"cloud_init_file": "boot.yaml"}
    environment = an_environment(
        regions={"westus3": {}, "eastus": {}}, storage={"data": STORAGE}, pools={"train": a_pool(**file, **pool)}
    )
    return topology_of(environment, CATALOG, {} if theirs is None else {"boot.yaml": theirs})


def data_in(topology: Topology, region: str) -> CustomData | None:
    (place,) = (each for each in topology.regions if each.name == region)
    (pool,) = (each for each in topology.pools if each.region == region)
    return custom_data_of(topology, place, pool, CATALOG)


def too_large(theirs: str) -> list[Problem]:
    assert custom_data_too_large.check is not None
    return list(custom_data_too_large.check(a_topology(theirs, size="Standard_D8s_v5"), CATALOG))


def test_it_is_a_cloud_config_in_base64_and_its_parts_are_its_files() -> None:
    data = data_in(a_topology(), "eastus")

    assert data is not None
    assert data.text.startswith("#cloud-config\nwrite_files:\n- path: /etc/nccl.conf\n")
    assert base64.b64decode(data.encoded).decode() == data.text
    assert list(data.parts) == [
        "/etc/nccl.conf",
        "/etc/security/limits.d/90-provision.conf",
        "/etc/apt/apt.conf.d/99-provision",
        "/usr/local/sbin/provision-scratch",
        "/usr/local/sbin/provision-check",
        "/etc/systemd/system/provision-scratch.service",
        "/etc/systemd/system/provision-check.service",
    ]


def test_a_size_that_needs_nothing_gets_none_and_its_own_cloud_init_as_it_is() -> None:
    assert data_in(a_topology(size="Standard_D8s_v5"), "eastus") is None

    data = data_in(a_topology("#!/bin/sh\nls\n", size="Standard_D8s_v5"), "eastus")
    assert data == CustomData("#!/bin/sh\nls\n", {"boot.yaml": 13})


def test_storage_is_mounted_in_its_own_region_by_nodes_with_an_identity() -> None:
    without, elsewhere, there = (
        data_in(a_topology(size="Standard_D8s_v5"), "westus3"),
        data_in(a_topology(size="Standard_D8s_v5", identities=(IDENTITY,)), "eastus"),
        data_in(a_topology(size="Standard_D8s_v5", identities=(IDENTITY,)), "westus3"),
    )

    assert (without, elsewhere) == (None, None)
    assert there is not None
    assert (
        f'ExecStart=/usr/local/sbin/provision-lustre "https://management.azure.com/subscriptions/{SUBSCRIPTION}'
        "/resourceGroups/h100-test-westus3/providers/Microsoft.StorageCache/amlFilesystems/h100-test-data"
        f'?api-version=2025-07-01" {IDENTITY} /lustre\n'
    ) in there.text


@pytest.mark.parametrize("letter", ["x", "é"])
def test_65_535_bytes_are_taken_and_one_more_is_refused_however_many_letters_they_are(letter: str) -> None:
    start = "#!/bin/sh\n# "
    rest = 65_535 - len(start)
    largest = start + letter * (rest // len(letter.encode())) + "x" * (rest % len(letter.encode()))

    assert too_large(largest) == []
    assert too_large(largest + "x") == [
        Problem(
            at=("pools", "train", "cloud_init_file"),
            message="the custom data of pool train is 65536 bytes, 87384 after base64; "
            "Azure takes 65535, 87380 after base64",
            fix="shorten its largest parts: boot.yaml (65536 bytes)",
        )
    ]


def test_a_file_is_read_once_from_beside_the_environment_without_mark_and_carriage_returns() -> None:
    environment = an_environment(
        pools={name: a_pool(cloud_init_file="boot/all.yaml") for name in ("train", "eval")},
    )
    asked = []

    def read(path: str) -> str:
        asked.append(path)
        return "\ufeff#cloud-config\r\nruncmd: [[ls]]\r\n"

    assert boot_files_of(environment, "environments/train.yaml", read) == BootFiles(
        environment, {"boot/all.yaml": "#cloud-config\nruncmd: [[ls]]\n"}, {}, {}
    )
    assert asked == ["environments/boot/all.yaml"]
