"""What nodes do at their first boot, by their size."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml

from provision.adapters.files import load_catalog
from provision.catalog import Size
from provision.render import scratch
from provision.render.cloud_init import custom_data
from provision.render.errors import RenderError

LIMIT = load_catalog().limits["custom_data_bytes"]


def a_size(nvme_disks: int = 0, **nccl: str) -> Size:
    return Size("Standard_Test", False, None, None, None, nvme_disks, None, nccl, "")


def decoded(size: Size) -> str:
    data = custom_data(size, pool="train", limit=LIMIT)
    assert data is not None
    return base64.b64decode(data).decode()


def read(size: Size) -> Any:
    return yaml.safe_load(decoded(size))


def test_an_h100_node_gets_its_nccl_settings_limits_and_scratch_space() -> None:
    config = read(load_catalog().sizes["Standard_ND96isr_H100_v5"])

    assert config == {
        "write_files": [
            {
                "path": "/etc/nccl.conf",
                "permissions": "0644",
                "content": "NCCL_IB_PCI_RELAXED_ORDERING=1\n"
                "NCCL_TOPO_FILE=/opt/microsoft/ndv5/topo.xml\n"
                "NCCL_IGNORE_CPU_AFFINITY=1\n",
            },
            {
                "path": "/etc/security/limits.d/90-provision.conf",
                "permissions": "0644",
                "content": "* soft memlock unlimited\n* hard memlock unlimited\n"
                "* soft nofile 1048576\n* hard nofile 1048576\n"
                "root soft memlock unlimited\nroot hard memlock unlimited\n"
                "root soft nofile 1048576\nroot hard nofile 1048576\n",
            },
            {"path": "/usr/local/sbin/provision-scratch", "permissions": "0755", "content": scratch.SCRIPT},
            {
                "path": "/etc/systemd/system/provision-scratch.service",
                "permissions": "0644",
                "content": scratch.unit(8),
            },
        ],
        "runcmd": [
            ["systemctl", "daemon-reload"],
            ["systemctl", "enable", "--now", "provision-scratch.service"],
        ],
    }


def test_a_size_without_local_disks_gets_no_scratch_space() -> None:
    assert decoded(a_size(NCCL_A="1")) == (
        "#cloud-config\n"
        "write_files:\n"
        "- path: /etc/nccl.conf\n"
        "  permissions: '0644'\n"
        "  content: |\n"
        "    NCCL_A=1\n"
        "- path: /etc/security/limits.d/90-provision.conf\n"
        "  permissions: '0644'\n"
        "  content: |\n"
        "    * soft memlock unlimited\n"
        "    * hard memlock unlimited\n"
        "    * soft nofile 1048576\n"
        "    * hard nofile 1048576\n"
        "    root soft memlock unlimited\n"
        "    root hard memlock unlimited\n"
        "    root soft nofile 1048576\n"
        "    root hard nofile 1048576\n"
    )


def test_a_size_that_needs_nothing_gets_no_custom_data() -> None:
    assert custom_data(a_size(), pool="login", limit=LIMIT) is None


def test_nothing_is_folded_or_cut_so_that_every_file_is_written_as_it_is() -> None:
    config = read(a_size(2, NCCL_LONG="x" * 5000, NCCL_TEXT="a: b # c 'é' \u2028"))

    assert config["write_files"][0]["content"] == f"NCCL_LONG={'x' * 5000}\nNCCL_TEXT=a: b # c 'é' \u2028\n"


def test_custom_data_up_to_azure_s_limit_is_taken_and_one_byte_more_is_refused() -> None:
    rest = len(decoded(a_size(NCCL_A="")).encode())
    largest, larger = (a_size(NCCL_A="x" * (LIMIT - rest + more)) for more in (0, 1))

    assert len(custom_data(largest, pool="train", limit=LIMIT) or "") == 87_380
    with pytest.raises(RenderError) as raised:
        custom_data(larger, pool="train", limit=LIMIT)
    error = raised.value
    assert error.file == "cloud-init of pool train"
    assert error.message == (
        "the custom data is 65536 bytes, 87384 after base64; Azure takes 65535, 87380 after base64; its largest parts: "
        f"/etc/nccl.conf ({LIMIT - rest + 9}), /etc/security/limits.d/90-provision.conf (200)"
    )


def test_the_limit_counts_bytes_and_not_characters() -> None:
    rest = len(decoded(a_size(NCCL_A="")).encode())
    characters = (LIMIT - rest) // 2 + 1

    with pytest.raises(RenderError):
        custom_data(a_size(NCCL_A="é" * characters), pool="train", limit=LIMIT)
    assert custom_data(a_size(NCCL_A="e" * characters), pool="train", limit=LIMIT) is not None
