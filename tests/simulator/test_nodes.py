"""Nodes in states that the tester sets, and their health."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, Json, a_scale_set, azure_with_a_network, set_id
from tests.simulator.test_scale_set_parts import HEALTH, extensions

BROKEN = {"code": "VMExtensionProvisioningError", "message": "VM has reported a failure when processing extension 'x'."}


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=3, profile=extensions(HEALTH))
    return made


def set_nodes(azure: Azure, *instances: str, **state: Any) -> Any:
    return azure.ask("POST", "/_simulator/nodes", {"scaleSet": set_id(), "instances": list(instances), **state})


def view(azure: Azure, number: int) -> Json:
    found: Json = azure.nodes()[number]["properties"]["instanceView"]
    return found


def codes(azure: Azure, number: int) -> list[str]:
    return [status["code"] for status in view(azure, number)["statuses"]]


def health(azure: Azure) -> list[str | None]:
    return [view(azure, number).get("vmHealth", {}).get("status", {}).get("code") for number in range(3)]


def test_nodes_are_healthy_where_the_health_extension_runs(azure: Azure) -> None:
    azure.make_scale_set("plain", nodes=1)

    assert health(azure) == ["HealthState/healthy"] * 3
    assert "vmHealth" not in azure.nodes("plain")[0]["properties"]["instanceView"]


def test_a_node_can_be_sick_and_is_well_after_a_reimage(azure: Azure) -> None:
    set_nodes(azure, "1", health="unhealthy")
    sick = health(azure)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_reimage, "rg", "train", {"instanceIds": ["1"]})
    azure.wait(200)

    assert sick == ["HealthState/healthy", "HealthState/unhealthy", "HealthState/healthy"]
    assert health(azure) == ["HealthState/healthy"] * 3


@pytest.mark.parametrize("power", ["stopped", "deallocated"])
def test_a_node_can_be_off(azure: Azure, power: str) -> None:
    set_nodes(azure, "0", power=power)

    assert codes(azure, 0) == ["ProvisioningState/succeeded", f"PowerState/{power}"]
    assert health(azure)[0] is None


def test_a_node_can_have_failed_and_the_next_write_tries_it_again(azure: Azure) -> None:
    set_nodes(azure, "2", failed=BROKEN)
    failed = (azure.nodes()[2]["properties"]["provisioningState"], codes(azure, 2))
    azure.put_scale_set("train", a_scale_set(nodes=3, profile=extensions(HEALTH)))
    azure.wait(600)

    assert failed == ("Failed", [f"ProvisioningState/failed/{BROKEN['code']}", "PowerState/running"])
    assert azure.nodes()[2]["properties"]["provisioningState"] == "Succeeded"


def test_a_state_can_be_taken_back(azure: Azure) -> None:
    set_nodes(azure, "0", "1", power="stopped", health="unhealthy", failed=BROKEN)
    set_nodes(azure, "0", "1", power="running", health=None, failed=None)

    assert health(azure) == ["HealthState/healthy"] * 3
    assert codes(azure, 0) == ["ProvisioningState/succeeded", "PowerState/running"]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"scaleSet": "no"}, "there is no scale set no"),
        ({"scaleSet": set_id(), "instances": ["9"]}, "instances is a list of ids that train has"),
        ({"scaleSet": set_id(), "instances": []}, "instances is a list of ids that train has"),
        ({"scaleSet": set_id(), "instances": ["0"], "power": "odd"}, "power is running, stopped or deallocated"),
        (
            {"scaleSet": set_id(), "instances": ["0"], "health": "odd"},
            "health is healthy, unhealthy, unknown, initializing or null",
        ),
        ({"scaleSet": set_id(), "instances": ["0"], "failed": {}}, "failed holds code and message, or is null"),
        ([1], "an entry has scaleSet and instances, and may have power, health and failed"),
    ],
)
def test_a_state_that_makes_no_sense_is_refused(azure: Azure, entry: Any, text: str) -> None:
    answer = azure.ask("POST", "/_simulator/nodes", entry)

    assert (answer.status, answer.json()) == (400, {"error": text})
