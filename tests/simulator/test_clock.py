"""Time that passes by itself, for people and for clients that know nothing of a simulator."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from azure.mgmt.compute.models import VirtualMachineScaleSet

from provision.simulator import Simulator
from tests.simulator.azure import Azure, a_scale_set, azure_with_a_network, network_id, path_of
from tests.simulator.processes import process, resources_at, served
from tests.simulator.test_server import GROUP, ask

FAST = ("--clock", "real", "--speed", "1000000")


def test_a_real_clock_passes_by_itself() -> None:
    network: dict[str, Any] = {
        "location": "eastus",
        "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}},
    }
    path = f"{network_id('virtualNetworks/net')}?api-version=2025-05-01"
    with process(*FAST) as running:
        answers = ask(
            running,
            [
                ("GET", "/_simulator/clock", None),
                ("PUT", GROUP, {"location": "eastus"}),
                ("PUT", path, network),
                ("GET", path, None),
                ("GET", "/_simulator/clock", None),
            ],
        )

    statuses, bodies = zip(*answers, strict=True)
    assert statuses == (200, 201, 201, 200, 200)
    assert (bodies[0]["virtual"], bodies[0]["speed"]) == (False, 1_000_000)
    assert bodies[2]["properties"]["provisioningState"] == "Updating"
    assert bodies[3]["properties"]["provisioningState"] == "Succeeded"
    assert bodies[4]["now"] > bodies[0]["now"]


def test_a_real_clock_can_be_moved_forward_besides_and_never_back() -> None:
    azure = Azure(Simulator(speed=1.0))

    moved = azure.ask("POST", "/_simulator/clock", {"to": "2026-12-01T06:00:00Z"}).json()
    back = azure.ask("POST", "/_simulator/clock", {"to": "2026-12-01T01:00:00Z"}).json()

    assert (moved["virtual"], moved["now"][:16]) == (False, "2026-12-01T06:00")
    assert back["now"] >= moved["now"]


def test_microsofts_pollers_end_on_a_real_clock() -> None:
    azure = Azure(Simulator(speed=1000.0))
    azure.make_network()
    poller = azure.compute.virtual_machine_scale_sets.begin_create_or_update(
        "rg", "train", VirtualMachineScaleSet(a_scale_set(nodes=2))
    )

    assert poller.result().as_dict()["properties"]["provisioningState"] == "Succeeded"


def test_time_passes_in_a_process_for_a_client_that_only_reads() -> None:
    body = {"location": "eastus", "properties": {}}
    versioned: dict[str, Any] = {"api_version": "2025-05-01"}
    with served(*FAST) as endpoint:
        client = resources_at(endpoint)
        client.resource_groups.create_or_update("rg", {"location": "eastus"})
        nsg = network_id("networkSecurityGroups/nsg")
        client.resources.begin_create_or_update_by_id(nsg, body, polling=False, **versioned)

        found: Any = client.resources.get_by_id(nsg, **versioned).properties
        assert found["provisioningState"] == "Succeeded"


def test_things_take_of_virtual_time_about_what_they_take_in_azure() -> None:
    azure = azure_with_a_network()
    sets = azure.compute.virtual_machine_scale_sets

    def seconds_of(begin: Any, *args: Any) -> float:
        before = azure.control.now
        azure.finish(begin, *args)
        return azure.control.now - before

    body = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}}}
    network = seconds_of(azure.network.virtual_networks.begin_create_or_update, "rg", "other", body)
    hundred = seconds_of(sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=100))
    growth = seconds_of(sets.begin_create_or_update, "rg", "more", a_scale_set(nodes=1))
    group = seconds_of(azure.resources.resource_groups.begin_delete, "rg")

    assert network <= 30  # the first poll of a client that is not told when
    assert 240 < growth < hundred < 900
    assert 120 < group < 900


def test_a_world_goes_on_where_its_file_stopped_with_either_clock(tmp_path: Any) -> None:
    state = tmp_path / "world.db"
    first = Azure(Simulator(state=state))
    first.make_network()
    first.put_scale_set("train", a_scale_set(nodes=2))
    first.simulator.close()

    second = Azure(Simulator(state=state, speed=1_000_000.0))
    seen = set()
    for _ in range(10_000):
        seen.add(second.ask("GET", path_of("virtualMachineScaleSets/train")).json()["properties"]["provisioningState"])
        if "Succeeded" in seen:
            break

    assert "Succeeded" in seen
    assert second.simulator.now > first.simulator.now


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "inf", "fast"])
def test_time_neither_stands_still_nor_runs_backwards_by_itself(speed: str) -> None:
    command = [sys.executable, "-m", "provision.simulator", "--clock", "real", "--speed", speed]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)

    assert done.returncode == 2
    assert "--speed: it is a number above 0" in done.stderr
