"""Whatever a client sends about scripts, images, upgrades, groups and reservations, the simulator answers."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulator.azure import SIZE, SUBSCRIPTION, Azure, azure_with_a_network, path_of
from tests.simulator.test_any_body import ANYTHING, changed, places
from tests.simulator.test_scale_set_requests import HEALTH

SET = "virtualMachineScaleSets/train"
NODE = f"{SET}/virtualMachines/0"
TERMS = (
    f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/p"
    "/offers/o/plans/n/agreements/current?api-version=2021-01-01"
)
SMALL = "Standard_D8s_v5"
RESERVATION = {"location": "eastus", "sku": {"name": SMALL, "capacity": 2}, "properties": {}, "tags": {"a": "b"}}
REQUESTS: list[tuple[str, str, Any]] = [
    ("PUT", path_of(NODE), {"tags": {"a": "b"}, "properties": {"protectionPolicy": {"protectFromScaleIn": True}}}),
    (
        "POST",
        path_of(f"{NODE}/runCommand"),
        {"commandId": "RunShellScript", "script": ["echo a"], "parameters": [{"name": "a", "value": "b"}]},
    ),
    (
        "PUT",
        path_of(f"{NODE}/runCommands/new"),
        {"location": "eastus", "properties": {"source": {"script": "echo"}, "timeoutInSeconds": 60}},
    ),
    ("PATCH", path_of(f"{NODE}/runCommands/old"), {"properties": {"source": {"script": "echo"}}, "tags": {"a": "b"}}),
    ("POST", path_of(f"{SET}/setOrchestrationServiceState"), {"serviceName": "AutomaticRepairs", "action": "Suspend"}),
    ("POST", path_of(f"{SET}/convertToSinglePlacementGroup"), {"activePlacementGroupId": "x"}),
    ("POST", path_of(f"{SET}/reimage"), {"instanceIds": ["0"], "tempDisk": True, "exactVersion": "1", "osProfile": {}}),
    ("PUT", path_of(f"{SET}/extensions/health"), {"properties": HEALTH["properties"]}),
    ("PATCH", path_of(f"{SET}/extensions/health"), {"properties": {"settings": {"port": 1}}}),
    (
        "PUT",
        path_of("proximityPlacementGroups/p"),
        {
            "location": "eastus",
            "zones": ["1"],
            "properties": {"proximityPlacementGroupType": "Standard", "intent": {"vmSizes": [SIZE]}},
        },
    ),
    ("PATCH", path_of("proximityPlacementGroups/old"), {"tags": {"a": "b"}}),
    ("PUT", path_of("capacityReservationGroups/g"), {"location": "eastus", "zones": ["1"], "properties": {}}),
    ("PUT", path_of("capacityReservationGroups/old/capacityReservations/new"), RESERVATION),
    ("PATCH", path_of("capacityReservationGroups/old/capacityReservations/r"), {"sku": {"capacity": 3}}),
    ("PUT", TERMS, {"properties": {"publisher": "p", "product": "o", "plan": "n", "accepted": True}}),
    (
        "PUT",
        "/_simulator/world",
        {"settings": {"images": {"a:b:c": {"versions": ["1"], "plan": "p"}}, "missingImages": ["a:b:c"]}},
    ),
    (
        "PUT",
        "/_simulator/world",
        {"settings": {"commandOutputs": [{"script": "a", "stdout": "b", "exitCode": 1, "seconds": 2}]}},
    ),
]
READS = (
    path_of(f"{NODE}/runCommands").replace("?", "?$expand=instanceView&"),
    path_of(f"{SET}/rollingUpgrades/latest"),
    path_of(f"{SET}/osUpgradeHistory"),
    path_of(f"{SET}/extensions"),
    path_of("proximityPlacementGroups"),
    path_of("capacityReservationGroups"),
    f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/locations/eastus/publishers?api-version=2025-11-01",
    "/_simulator/world",
)


def standing() -> Azure:
    azure = azure_with_a_network()
    azure.make_scale_set(
        nodes=2,
        properties={"upgradePolicy": {"mode": "Rolling"}, "automaticRepairsPolicy": {"enabled": True}},
        profile={"extensionProfile": {"extensions": [HEALTH]}},
    )
    command = {"location": "eastus", "properties": {"source": {"script": "echo"}}}
    azure.ask("PUT", path_of(f"{NODE}/runCommands/old"), command)
    azure.ask("PUT", path_of("proximityPlacementGroups/old"), {"location": "eastus"})
    azure.ask("PUT", path_of("capacityReservationGroups/old"), {"location": "eastus"})
    azure.ask("PUT", path_of("capacityReservationGroups/old/capacityReservations/r"), RESERVATION)
    azure.wait(300)
    return azure


def test_these_requests_are_taken_as_they_are() -> None:
    # Else the test below would only ever look at refusals.
    refused = {"new", "convertToSinglePlacementGroup"}
    for method, path, body in REQUESTS:
        answer = standing().ask(method, path, body)
        expected = any(path.split("?")[0].endswith(f"/{each}") and "runCommands" not in path for each in refused)
        assert (answer.status >= 400) == expected, (path, answer.body)


@settings(derandomize=True, deadline=None, max_examples=250, database=None)
@given(st.data())
def test_any_body_is_answered(data: st.DataObject) -> None:
    azure = standing()
    method, path, body = data.draw(st.sampled_from(REQUESTS))
    place = data.draw(st.sampled_from(places(body)))

    answer = azure.ask(method, path, changed(body, place, data.draw(ANYTHING)))
    azure.wait(1000)

    assert answer.status < 500
    assert [azure.ask("GET", read).status < 500 for read in READS] == [True] * len(READS)
    assert azure.ask("GET", path_of(f"{SET}/virtualMachines")).status == 200
