"""Clusters that exist or were published, R1 to R8: what provision has to make of each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

import pytest

from provision.arm import SCALE_SETS
from provision.observe.status import read_status
from provision.plan import Action
from provision.report.findings import as_text
from provision.report.plan import plan_as_text
from provision.topology import Topology
from tests.clusters.clusters import HERE, WRONG, applied, azure_for, checked, messages, plan, topology
from tests.conftest import Golden
from tests.support.azure import Azure


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_published_cluster_is_said_in_full(name: str, golden: Golden) -> None:
    golden(HERE / "expected" / f"{name}.txt", as_text(checked(name).findings))


def sets_of(made: Topology) -> list[int]:
    return [scale_set.nodes for scale_set in made.scale_sets()]


def vcpus(made: Topology) -> dict[str, int]:
    """Return the vCPUs that a cluster needs, by the quota's family."""
    found: dict[str, int] = {}
    for scale_set in made.scale_sets():
        family = scale_set.size.quota_family
        assert family is not None
        assert scale_set.size.vcpus is not None
        found[family] = found.get(family, 0) + scale_set.nodes * scale_set.size.vcpus
    return found


# --- R1: MLPerf 3.1, GPT-3 175B on 1,344 nodes ---


@pytest.mark.parametrize(
    ("name", "sets"), [("mlperf-gpt3", [96] * 14), ("mlperf-gpt3-raised", [300, 300, 300, 300, 144])]
)
def test_r1_is_1344_nodes_and_129024_vcpus(name: str, sets: list[int]) -> None:
    made = topology(name)

    assert sets_of(made) == sets
    assert sum(sets) == 1344
    assert vcpus(made) == {"standardNDSH100v5Family": 129_024}


def test_r1_does_not_fit_a_22_and_fits_a_21() -> None:
    narrow, wide = (f"regions.southcentralus.subnets.nodes=10.20.0.0/{prefix}" for prefix in (22, 21))

    assert messages("mlperf-gpt3", narrow) == [
        (
            "subnet-too-small",
            "the nodes of southcentralus need 1344 of train addresses; the subnet 10.20.0.0/22 has 1019 to give",
        )
    ]
    assert messages("mlperf-gpt3", wide) == []
    network = topology("mlperf-gpt3").regions[0].network
    assert network is not None
    assert IPv4Network(network.nodes.range).prefixlen == 21


def test_r1_is_shown_as_14_infiniband_domains_and_never_as_one() -> None:
    text = plan_as_text(plan(azure_for("mlperf-gpt3"), "mlperf-gpt3"))

    _, _, domains = text.partition("InfiniBand domains\n")
    assert domains.count("  ok mlperf-gpt3-train-") == 14
    assert domains.count(": 96 of at most 100 nodes, one placement group, zone 1, subnet 1344 of 2043 addresses") == 14


def test_r1_one_job_over_all_nodes_is_refused_rather_than_split() -> None:
    assert messages("mlperf-gpt3", "pools.train.job_size=1344") == [
        ("job-exceeds-placement-group", "pool train runs jobs of 1344 nodes; one placement group holds 100")
    ]


def test_r1_status_counts_1344_nodes_over_many_pages() -> None:
    azure = azure_for("mlperf-gpt3")
    applied(azure, "mlperf-gpt3")
    azure.control("PUT", "world", {"settings": {"instancePageSize": 40}})
    azure.control("DELETE", "log")

    (status,) = read_status(azure.arm, topology("mlperf-gpt3"))

    assert (status.stated, status.running, status.healthy, status.complete) == (1344, 1344, 1344, True)
    pages = [path for _, path, _ in azure.requests("GET") if path.endswith("/virtualMachines")]
    assert len(pages) == 14 * 3


# --- R2: Eagle ---


@pytest.mark.parametrize(("name", "sets"), [("eagle", [100] * 18), ("eagle-raised", [300] * 6)])
def test_r2_is_1800_nodes_and_172800_vcpus_and_never_one_set(name: str, sets: list[int]) -> None:
    made = topology(name)

    assert sets_of(made) == sets
    assert vcpus(made) == {"standardNDSH100v5Family": 172_800}


def test_r2_a_domain_of_all_nodes_is_no_value_and_one_of_1000_is_refused() -> None:
    assert [rule for rule, _ in messages("eagle", "pools.compute.domain_size=1800")] == ["invalid-value"]
    assert messages("eagle", "pools.compute.domain_size=1000") == [
        (
            "domain-exceeds-placement-group",
            "pool compute wants scale sets of 1000 nodes; its placement_group_limit is 100 "
            "(10 scale sets of 100 would fit)",
        )
    ]


def test_r2_a_quota_that_is_one_vcpu_short_says_what_is_needed() -> None:
    azure = Azure()
    azure.control("PUT", "world", {"quota": {"*": {"standardNDSH100v5Family": 172_799}}})

    run = azure.carry_out(plan(azure, "eagle"))

    ((operation, detail),) = run.named("operation-failed")
    assert operation.startswith("stack southcentralus/compute-")
    assert "172800" in detail


def test_r2_is_checked_and_planned_in_seconds() -> None:
    azure = Azure()
    began = time.process_time()

    plan(azure, "eagle")

    assert time.process_time() - began < 5


# --- R3: one node, and eight ---


def test_r3_one_node_gives_no_finding_and_eight_are_one_domain() -> None:
    assert messages("benchmark-node") == []
    assert sets_of(topology("benchmark-node")) == [1]
    assert sets_of(topology("benchmark-8-nodes")) == [8]


@pytest.mark.parametrize("name", ["benchmark-node", "benchmark-8-nodes"])
def test_r3_versions_reach_azure_as_they_are_written(name: str) -> None:
    azure = azure_for(name)
    applied(azure, name)

    found = [row for row in azure.control("GET", "world")["resources"] if row["type"] == SCALE_SETS]

    versions = {"os": "22.04.2", "driver": "530.30.02", "cuda": "12.1", "nccl": "2.17.1", "ofed": "5.4"}
    assert [{key: row["tags"][key] for key in versions} for row in found] == [versions]


# --- R4: CycleCloud Workspace for Slurm, the network of its form ---

FORM = {
    "management": "10.0.0.0/29",
    "scheduler": "10.0.0.16/28",
    "netapp": "10.0.0.32/29",
    "database": "10.0.0.40/29",
    "lustre": "10.0.0.48/28",
}


def test_r4_our_subnets_keep_clear_of_each_other_and_of_the_form_s() -> None:
    network = topology("cyclecloud-network").regions[0].network
    assert network is not None

    ours = [subnet.range for subnet in (*network.subnets(), *network.reserved)]

    assert ours == ["10.0.0.128/25", "10.0.0.64/26", "10.0.0.48/28"]
    for one, other in combinations([*map(IPv4Network, ours), *(IPv4Network(FORM[key]) for key in list(FORM)[:-1])], 2):
        assert not one.overlaps(other)


# The form says 506 for a /23; we count as Azure does: 512 addresses less 5 are 507.
@pytest.mark.parametrize(
    ("space", "subnet", "most"),
    [
        ("10.0.0.0/24", "10.0.0.128/25", 123),
        ("10.0.0.0/23", "10.0.1.0/24", 251),
        ("10.0.0.0/22", "10.0.2.0/23", 507),
        ("10.0.0.0/21", "10.0.4.0/22", 1019),
    ],
)
def test_r4_the_compute_subnet_holds_as_many_nodes_as_it_has_addresses_less_5(
    space: str, subnet: str, most: int
) -> None:
    here = (
        f"regions.westus3.address_space={space}",
        f"regions.westus3.subnets.nodes={subnet}",
        "regions.westus3.subnets.bastion=10.0.0.64/26",
    )

    assert messages("cyclecloud-network", *here, f"pools.gpu.max_nodes={most}") == []
    assert messages("cyclecloud-network", *here, f"pools.gpu.max_nodes={most + 1}") == [
        (
            "subnet-too-small",
            f"the nodes of westus3 need {most + 1} of gpu (max_nodes) addresses; "
            f"the subnet {subnet} has {most} to give",
        )
    ]


IDENTITY = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/s/providers/Microsoft.ManagedIdentity"
LUSTRE = (
    "storage.data={kind: managed-lustre, region: westus3, tier: 500, size_tib: 4, mount: /data, zone: '1'}",
    f"pools.gpu.identities=[{IDENTITY}/userAssignedIdentities/reader]",
)


def test_r4_lustre_in_a_network_of_24_is_one_error() -> None:
    assert messages("cyclecloud-network", *LUSTRE) == [
        (
            "lustre-subnet-too-small",
            "data (tier 500, 4 TiB) of westus3 takes 27 addresses; the subnet 10.0.0.48/28 has 11 to give",
        )
    ]


def test_r4_in_a_network_of_23_the_form_s_lustre_and_database_overlap() -> None:
    # Ours has no database; its range is told of as one that is kept, in the place of the bastion's.
    here = (
        "regions.westus3.address_space=10.0.0.0/23",
        "regions.westus3.subnets.nodes=10.0.1.0/24",
        "regions.westus3.subnets.lustre=10.0.0.128/25",
        "regions.westus3.subnets.bastion=10.0.0.224/28",
    )

    assert "overlap in 10.0.0.224/28" in dict(messages("cyclecloud-network", *here))["subnets-overlap"]


@pytest.mark.parametrize("space", ["10.0.0.0/7", "10.0.0.0/27"])
def test_r4_a_network_larger_than_azure_s_largest_or_too_small_for_subnets_is_refused(space: str) -> None:
    assert "invalid-value" in [
        rule for rule, _ in messages("cyclecloud-network", f"regions.westus3.address_space={space}")
    ]


# --- R5 is wrong as it is published: its findings, in full, are in expected/cyclecloud-ci.txt ---


def test_r5_the_errors_are_124_nodes_for_123_addresses_and_lustre_in_a_28() -> None:
    errors = [f.rule for f in checked("cyclecloud-ci").findings if f.severity == "error"]

    assert errors == ["subnet-too-small", "lustre-subnet-too-small"]


# --- R6: GPT-3 175B with managed Lustre ---


def test_r6_is_6144_vcpus_of_gpu_nodes_and_2048_for_the_data() -> None:
    made = topology("gpt3-175b")

    assert vcpus(made) == {"standardNDSH100v5Family": 64 * 96, "standardDDSv5Family": 32 * 64}
    assert 64 * 96 == 6144


def test_r6_the_network_is_a_23_for_nodes_and_a_24_for_lustre() -> None:
    network = topology("gpt3-175b").regions[0].network
    assert network is not None
    assert network.lustre is not None

    assert (network.nodes.range, network.lustre.range) == ("10.40.0.0/23", "10.40.2.0/24")


# The example's table: tier, TiB, what it says of the throughput.
@pytest.mark.parametrize(
    ("tier", "size", "gb_per_s"), [(40, 480, 19.2), (125, 512, 64), (250, 512, 128), (500, 512, 256)]
)
def test_r6_each_row_of_the_table_of_tiers_is_allowed(tier: int, size: int, gb_per_s: float) -> None:
    assert messages("gpt3-175b", f"storage.data.tier={tier}", f"storage.data.size_tib={size}") == []
    assert tier * size / 1000 == pytest.approx(gb_per_s)


def test_r6_a_size_between_the_steps_is_refused() -> None:
    assert messages("gpt3-175b", "storage.data.size_tib=510") == [
        ("lustre-size-steps", "data is 510 TiB; tier 250 comes in steps of 8 TiB")
    ]


# The form asks for a /22 of every tier; we reckon that a tier of half the throughput has half the servers.
def test_r6_the_fastest_lustre_of_512_tib_does_not_fit_a_network_of_23() -> None:
    assert messages("gpt3-175b", "regions.westus3.address_space=10.40.0.0/23", "storage.data.tier=500") == [
        (
            "lustre-subnet-too-small",
            "data (tier 500, 512 TiB) of westus3 takes 251 addresses; the subnet 10.40.1.0/25 has 123 to give",
        )
    ]


def test_r6_a_smoke_test_on_2_nodes_is_the_same_file_with_two_settings() -> None:
    assert sets_of(topology("gpt3-175b", "pools.gpu.nodes=2", "pools.gpu.job_size=2")) == [2, 32]


# --- R7: azurehpc's simple Slurm cluster; as published, its findings are in expected/ ---


def test_r7_repaired_has_a_head_node_with_an_address_and_disks_and_nodes_without() -> None:
    azure = azure_for("azurehpc-slurm")
    applied(azure, "azurehpc-slurm")

    found = {
        row["id"].rpartition("/")[2]: row["properties"]["virtualMachineProfile"]
        for row in azure.control("GET", "world")["resources"]
        if row["type"] == SCALE_SETS
    }
    head, compute = found["azurehpc-slurm-head-0"], found["azurehpc-slurm-compute-0"]
    assert [disk["diskSizeGB"] for disk in head["storageProfile"]["dataDisks"]] == [1024, 1024]
    assert "publicIPAddressConfiguration" in str(head["networkProfile"])
    assert "publicIPAddressConfiguration" not in str(compute["networkProfile"])


# --- R8: NeMo Megatron, one pool that is resized ---


def sizes(*counts: int) -> Iterator[tuple[str, str]]:
    for count in counts:
        yield f"pools.train.nodes={count}", f"pools.train.job_size={count}"


@pytest.mark.parametrize("count", [1, 2, 4, 8, 10, 16, 20, 32, 36, 96, 105, 128, 140, 175])
def test_r8_each_run_has_all_its_nodes_in_one_domain_once_the_raise_is_declared(count: int) -> None:
    (settings,) = sizes(count)

    assert sets_of(topology("nemo-scaling", *settings)) == [count]


@pytest.mark.parametrize("count", [105, 128, 140, 175])
def test_r8_without_a_declared_raise_a_job_past_100_nodes_is_refused(count: int) -> None:
    (settings,) = sizes(count)

    assert messages("nemo-scaling", *settings, "pools.train.placement_group_limit=100") == [
        ("job-exceeds-placement-group", f"pool train runs jobs of {count} nodes; one placement group holds 100"),
        (
            "spares-missing",
            f"pool train keeps none of its {count} nodes in southcentralus free; "
            "when one breaks, a job that needs them all waits for its repair",
        ),
    ]


def test_r8_resizing_up_is_in_place_and_down_a_scale_in_that_wants_consent() -> None:
    azure = azure_for("nemo-scaling")
    applied(azure, "nemo-scaling")

    for settings in sizes(96, 128, 175):
        made = plan(azure, "nemo-scaling", *settings)
        assert [(change.id.type, change.action) for change in made.changes] == [(SCALE_SETS, Action.UPDATE)]
        assert (made.consents, made.assessment.nodes_deleted) == ((), 0)
        applied(azure, "nemo-scaling", *settings)

    (status,) = read_status(azure.arm, topology("nemo-scaling", *settings))
    assert (status.running, [len(each.placement_groups) for each in status.scale_sets]) == (175, [1])

    made = plan(azure, "nemo-scaling")
    assert [(change.id.type, change.action, change.nodes) for change in made.changes] == [
        (SCALE_SETS, Action.SCALE_IN, 139)
    ]
    assert made.consents == ("delete",)
    assert made.assessment.nodes_deleted == 139
    applied(azure, "nemo-scaling")
    assert plan(azure, "nemo-scaling").changes == ()
