"""The scenarios that come with the simulator: each does to a client what its summary says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError
from azure.mgmt.compute.models import VirtualMachineScaleSet
from azure.mgmt.network.models import NetworkSecurityGroup

from provision.simulator import scenarios
from provision.simulator.clients import SimulatedAzure
from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    a_security_group,
    network_id,
    refusal,
    set_id,
    subnet_id,
)
from tests.simulator.processes import control, endpoint_of, process

HERE = "southcentralus"
SHOWN = (
    "calm",
    "drift",
    "expired-token",
    "flaky-network",
    "full-region",
    "partial-allocation",
    "policy-deny",
    "slow-region",
    "spot-storm",
    "throttled",
)
"""Each has a test below."""


def in_scenario(name: str, location: str = HERE) -> Azure:
    """Return a simulator with a group and a network, and the scenario on them."""
    azure = Azure()
    azure.make_network(location=location)
    azure.control.play(name)
    azure.control.forget()
    return azure


def codes(azure: Azure, name: str = "train") -> list[str]:
    return [node["properties"]["provisioningState"] for node in azure.nodes(name)]


def test_these_are_all() -> None:
    assert scenarios.names() == sorted(SHOWN)
    assert set(Azure().control.ask("GET", "scenarios")) == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_each_says_in_a_sentence_what_goes_wrong(name: str) -> None:
    summary = scenarios.named(name)["summary"]

    assert summary.endswith(".")
    assert Azure().control.ask("GET", "scenarios")[name] == summary


def test_full_region() -> None:
    azure = in_scenario("full-region")

    failed = azure.make_scale_set(nodes=1, location=HERE)

    assert azure.ask("GET", failed.poll).json()["error"]["code"] == "AllocationFailed"
    azure.make_network("there", location="westus3")
    body = VirtualMachineScaleSet(a_scale_set(nodes=1, location="westus3", subnet=subnet_id(group="there")))
    made = azure.compute.virtual_machine_scale_sets.begin_create_or_update("there", "train", body).result()
    assert made.as_dict()["properties"]["provisioningState"] == "Succeeded"


def test_partial_allocation() -> None:
    azure = in_scenario("partial-allocation")

    started = azure.make_scale_set(nodes=16, location=HERE)

    assert azure.status_of(started) == "Failed"
    assert codes(azure) == ["Succeeded"] * 14 + ["Failed"] * 2


def test_throttled() -> None:
    azure = in_scenario("throttled")
    patient = SimulatedAzure(azure.simulator)

    for _ in range(30):
        patient.resources.resource_groups.get("rg")

    statuses = [row["status"] for row in azure.control.log]
    assert statuses.count(200) == 30
    assert statuses.count(429) > 0


def test_flaky_network() -> None:
    azure = in_scenario("flaky-network")
    patient = SimulatedAzure(azure.simulator)

    for number in range(150):
        assert patient.resources.resource_groups.get("rg").name == "rg", number

    met = {fault for row in azure.control.log for fault in row.get("faults", [])}
    assert met == {"drop", "refuse"}


def test_slow_region() -> None:
    azure = in_scenario("slow-region")
    azure.make_group("there", location="westus3")
    seconds = []
    for group, location in (("rg", HERE), ("there", "westus3")):
        before = azure.control.now
        body = NetworkSecurityGroup({**a_security_group(), "location": location})
        SimulatedAzure(azure.simulator).network.network_security_groups.begin_create_or_update(
            group, "nsg", body, polling_interval=1
        ).result()
        seconds.append(azure.control.now - before)

    assert seconds[0] > 5 * seconds[1]


def test_expired_token() -> None:
    azure = in_scenario("expired-token")
    groups = azure.resources.resource_groups
    for _ in range(12):
        groups.get("rg")
    with pytest.raises(ClientAuthenticationError, match="ExpiredAuthenticationToken"):
        groups.get("rg")
    for _ in range(12):
        groups.get("rg")

    started = azure.put_scale_set("train", a_scale_set(nodes=1, location=HERE))
    poll = started.headers["Azure-AsyncOperation"]
    polls = [azure.ask("GET", poll).status for _ in range(6)]
    assert polls == [200] * 5 + [401]


def test_policy_deny() -> None:
    azure = in_scenario("policy-deny")
    address = {"location": HERE, "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}}

    status, code, message = refusal(azure.network.public_ip_addresses.begin_create_or_update, "rg", "ip", address)

    assert (status, code) == (403, "RequestDisallowedByPolicy")
    assert "disallowed by policy" in message
    assert azure.put(network_id("networkSecurityGroups/nsg"), {**a_security_group(), "location": HERE}).status == 201


def test_spot_storm() -> None:
    azure = Azure()
    azure.make_network(location=HERE)
    spot = {"priority": "Spot", "evictionPolicy": "Delete"}
    azure.make_scale_set(nodes=10, location=HERE, profile=spot, properties={"singlePlacementGroup": False})
    azure.make_scale_set("regular", nodes=2, location=HERE)
    azure.control.play("spot-storm")

    counts = []
    for _ in range(10):
        azure.nodes("regular")
        counts.append(len(azure.nodes()))
        azure.wait(60)

    assert counts == [10, 9, 8, 7, 6, 5, 4, 3, 2, 2]
    assert azure.scale_set()["sku"]["capacity"] == 2
    assert codes(azure, "regular") == ["Succeeded", "Succeeded"]
    failed = azure.put_scale_set("train", {"location": HERE, "sku": {"capacity": 3}})
    azure.wait(900)
    assert azure.ask("GET", failed.headers["Azure-AsyncOperation"]).json()["status"] == "Failed"


def test_drift() -> None:
    azure = Azure()
    azure.make_network(location=HERE)
    azure.put(network_id("networkSecurityGroups/nsg"), {**a_security_group(), "location": HERE})
    azure.make_scale_set(nodes=2, location=HERE)
    azure.control.play("drift")

    nsg = azure.network.network_security_groups.get("rg", "nsg").as_dict()
    network = azure.network.virtual_networks.get("rg", "net").as_dict()
    scale_set = azure.get(set_id())

    assert [rule["name"] for rule in nsg["properties"]["securityRules"]] == ["open"]
    assert network["tags"] == {"touched-by": "somebody"}
    assert [subnet["name"] for subnet in network["properties"]["subnets"]] == ["nodes"]
    assert scale_set["properties"]["upgradePolicy"]["mode"] == "Automatic"
    assert azure.control.faults == []


def test_calm_takes_back_what_others_have_set() -> None:
    azure = in_scenario("full-region")
    azure.control.play("throttled")
    azure.control.play("flaky-network")
    before = azure.world["resources"]

    azure.control.play("calm")

    world = azure.world
    assert [world[part] for part in ("quota", "capacity", "restrictions", "settings")] == [{}, {}, [], {}]
    assert azure.control.faults == []
    assert world["resources"] == before


# --- how one is taken over ---


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"name": "sunny"}, "there is no scenario sunny; there are calm, drift, "),
        ([], "the scenario sent is no map"),
        ({"fault": []}, "the scenario sent has no fault; it has summary, world, faults"),
        ({"faults": {}}, "faults is a list"),
        ({"world": {"settings": {"pageSize": 5}}, "faults": [{"effect": "melt"}]}, "effect is one of "),
        ({"world": {"settings": {"pages": 5}}, "faults": []}, "there are no settings ['pages']"),
    ],
)
def test_one_that_makes_no_sense_changes_nothing(body: Any, words: str) -> None:
    azure = Azure()
    azure.control.fault("slow", seconds=1)

    answer = azure.ask("POST", "/_simulator/scenario", body)

    assert answer.status == 400
    assert answer.json()["error"].startswith(words)
    assert (len(azure.control.faults), azure.world["settings"]) == (1, {})


def test_ones_own_comes_from_a_file(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "summary: Mine.\nworld: {settings: {pageSize: 2}}\nfaults: [{effect: refuse, code: Odd, count: 1}]\n"
    )
    azure = Azure()

    azure.control.play(str(mine))

    assert azure.world["settings"] == {"pageSize": 2}
    with pytest.raises(HttpResponseError, match="Odd"):
        azure.make_group()


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "cannot read the scenario"), ("a: [", "is no YAML"), ("faults: [{effect: melt}]", "effect is one of")],
)
def test_a_process_begins_with_a_scenario_or_says_what_is_wrong(tmp_path: Path, text: str | None, words: str) -> None:
    mine = tmp_path / "mine.yaml"
    if text is not None:
        mine.write_text(text)

    with process("--scenario", str(mine)) as running:
        _, error = running.communicate(timeout=20)

    assert running.returncode == 64
    assert words in error.decode()


def test_a_process_plays_it_anew_at_each_start(tmp_path: Path) -> None:
    options = ("--state", str(tmp_path / "world.db"), "--scenario", "expired-token")
    for _ in range(2):
        with process(*options) as running:
            endpoint = endpoint_of(running)
            found = control(endpoint, "GET", "faults")
            control(endpoint, "DELETE", "faults")
        assert [fault["effect"] for fault in found] == ["expire-token", "expire-token"]
        assert SUBSCRIPTION not in str(found)
