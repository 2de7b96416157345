"""The tester's side: world, log and clock."""

from __future__ import annotations

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from provision.simulator import Simulator
from tests.simulator.azure import (
    HOST,
    SIZE,
    Azure,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    group_id,
    lustre_id,
    path_of,
    refusal,
    set_id,
)
from tests.simulator.invariants import violations

STACK = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"


def test_an_untouched_world_is_empty() -> None:
    assert Azure().world == {
        "resourceGroups": [],
        "resources": [],
        "stacks": [],
        "locks": [],
        "roleAssignments": [],
        "registrations": {},
        "operations": [],
        "quota": {},
        "capacity": {},
        "restrictions": [],
        "settings": {},
    }


def test_the_world_shows_what_runs_until_it_ends() -> None:
    azure = azure_with_a_network()
    started = azure.start(
        azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", a_scale_set(2)
    )

    running = azure.world["operations"]
    azure.wait(600)

    assert running == [
        {
            "name": started.headers["x-ms-request-id"],
            "kind": "scale-set-put",
            "target": set_id(),
            "status": "InProgress",
            "started": "2026-12-01T00:01:00.0000000+00:00",
            "due": "2026-12-01T00:05:02.0000000+00:00",
        }
    ]
    assert azure.world["operations"] == []


def test_the_world_is_empty_again_after_everything_is_deleted() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    azure.ask("PUT", STACK, a_stack(a_security_group()))
    azure.wait(60)
    azure.ask("DELETE", f"{group_id()}?api-version=2025-04-01")
    azure.wait(300)

    assert azure.world == Azure().world


def test_a_world_can_be_carried_over() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3, tags={"a": "b"})
    azure.ask("PUT", STACK, a_stack(a_security_group()))
    azure.wait(60)
    parts = azure.world
    other = Azure()

    other.set_world(**{**parts, "quota": {"eastus": {"cores": 1000}}, "capacity": {"eastus": {SIZE: 3}}})

    def without_ids(world: Any) -> Any:
        made = {"etag", "uniqueId", "timeCreated", "duration", "systemData"}
        if isinstance(world, dict):
            return {key: without_ids(value) for key, value in world.items() if key not in made}
        return [without_ids(value) for value in world] if isinstance(world, list) else world

    assert without_ids(other.world) == {
        **without_ids(parts),
        "quota": {"eastus": {"cores": 1000}},
        "capacity": {"eastus": {SIZE: 3}},
    }
    assert [node["instanceId"] for node in other.nodes()] == ["0", "1", "2"]
    assert other.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 4}}).status == 200
    assert other.ask("PUT", STACK, a_stack()).status == 200


def test_parts_that_are_not_given_stay() -> None:
    azure = azure_with_a_network()
    azure.set_world(quota={"eastus": {"cores": 1}})
    azure.set_world(settings={"pageSize": 5})
    azure.set_world(resources=[], operations=[])

    world = azure.world
    assert (world["quota"], world["settings"], world["resources"]) == ({"eastus": {"cores": 1}}, {"pageSize": 5}, [])
    assert [group["name"] for group in world["resourceGroups"]] == ["rg"]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "the world is an object"),
        ({"quotas": {}}, "the world has no ['quotas']"),
        ({"quota": {"eastus": 5}}, "quota.eastus holds whole numbers by name"),
        (
            {"capacity": {"eastus": {SIZE: "many"}}},
            "capacity.eastus holds, by size, a whole number or a list of {nodes, zone?, cluster?}",
        ),
        ({"resources": {}}, "resources is a list"),
        ({"operations": [{}]}, "operations can only be emptied"),
        ({"settings": {"colour": 1}}, "there are no settings ['colour']"),
        ({"restrictions": [{"size": SIZE}]}, "a restriction has location and size"),
        (
            {"resources": [{"id": set_id("x", "none"), "location": "eastus"}]},
            f"{set_id('x', 'none')} is in a resource group",
        ),
        ({"resources": [{"id": "/x"}]}, "/x is no id of a type that is simulated"),
        ({"resourceGroups": [{"name": "rg"}]}, "a body does not fit: missing: id"),
        ({"stacks": [{"id": "/x"}]}, "/x is no id of a deployment stack"),
    ],
)
def test_a_world_that_cannot_be_is_refused_and_changes_nothing(parts: Any, words: str) -> None:
    azure = azure_with_a_network()
    before = azure.world

    answer = azure.ask("PUT", "/_simulator/world", parts)

    assert (answer.status, answer.json()["error"][: len(words)]) == (400, words)
    assert azure.world == before


def test_the_log_holds_every_request_to_azure_and_no_other() -> None:
    azure = Azure()
    azure.make_group()
    azure.wait(61.5)
    azure.ask("GET", "/nowhere")

    log = azure.ask("GET", "/_simulator/log").json()
    emptied = azure.ask("DELETE", "/_simulator/log").json()

    assert log == [
        {
            "at": "2026-12-01T00:00:00.0000000Z",
            "method": "PUT",
            "url": f"{HOST}{group_id().replace('resourceGroups', 'resourcegroups')}?api-version=2025-04-01",
            "status": 201,
        },
        {"at": "2026-12-01T00:01:01.5000000Z", "method": "GET", "url": f"{HOST}/nowhere", "status": 404},
    ]
    assert (emptied, azure.simulator.log) == ([], [])


def test_the_clock_moves_forward_and_never_back() -> None:
    azure = Azure()

    moved = [
        azure.ask("POST", "/_simulator/clock", {"to": f"2026-12-01T00:{minute}:00Z"}).json() for minute in ("10", "05")
    ]

    assert moved == [{"now": "2026-12-01T00:10:00.0000000Z", "virtual": True}] * 2
    assert azure.ask("GET", "/_simulator/clock").json() == moved[0]


@pytest.mark.parametrize("body", [None, {}, {"to": 5}, {"to": "tomorrow"}, {"to": "2026-12-01T00:00:00"}])
def test_a_time_that_cannot_be_is_refused(body: Any) -> None:
    assert Azure().ask("POST", "/_simulator/clock", body).status == 400


def test_control_needs_no_token_and_says_what_there_is() -> None:
    answer = Simulator().handle("GET", f"{HOST}/_simulator/nothing", {})

    assert answer.status == 404
    assert "GET /_simulator/world" in answer.json()["error"]


def test_time_can_pass_by_itself() -> None:
    simulator = Simulator(speed=1_000_000)
    first = simulator.now

    assert simulator.now > first
    assert simulator.advance_to(first + 10**9) >= first + 10**9
    assert simulator.handle("GET", f"{HOST}/_simulator/clock", {}).json()["virtual"] is False


def test_a_world_that_was_set_is_as_strict_as_one_that_grew() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    azure.set_world(**azure.world)

    assert refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes")[1] == "InUseSubnetCannotBeDeleted"
    assert azure.ask("GET", path_of("virtualMachineScaleSets/train")).headers["ETag"] == '"1"'


def private_addresses(azure: Azure) -> list[Any]:
    nics: Any = azure.network.network_interfaces.list_virtual_machine_scale_set_network_interfaces("rg", "train")
    return [each.properties.ip_configurations[0].private_ip_address for each in nics]


def file_system_address(azure: Azure) -> str:
    found: Any = azure.resources.resources.get_by_id(lustre_id(), api_version="2025-07-01")
    return str(found.properties["clientInfo"]["mgsAddress"])


def test_a_file_system_keeps_the_address_that_it_is_put_with_and_nobody_else_has_it() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3)
    azure.put(lustre_id(), a_file_system())
    seen = azure.world["resources"]

    for resources in (seen, seen[::-1]):
        azure.set_world(resources=resources)

        assert file_system_address(azure) == "10.0.0.7"
        assert private_addresses(azure) == ["10.0.0.4", "10.0.0.5", "10.0.0.6"]
        assert violations(azure.simulator._world) == []


def test_an_address_that_cannot_be_a_file_systems_is_refused() -> None:
    azure = azure_with_a_network()
    azure.put(lustre_id(), a_file_system())
    seen = azure.world["resources"]
    (system,) = (each for each in seen if each["id"] == lustre_id())
    twin = {**system, "id": lustre_id("twin")}
    system["properties"]["clientInfo"]["mgsAddress"] = "10.1.0.4"

    with pytest.raises(ValueError, match="no address of"):
        azure.set_world(resources=seen)
    system["properties"]["clientInfo"]["mgsAddress"] = "10.0.0.9"
    twin["properties"] = {**system["properties"]}
    with pytest.raises(ValueError, match="in use"):
        azure.set_world(resources=[*seen, twin])
    assert file_system_address(azure) == "10.0.0.4"


def test_interfaces_that_linger_keep_their_addresses_from_what_is_put() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    seen = azure.world["resources"]
    azure.compute.virtual_machine_scale_sets.begin_delete("rg", "train").result()

    azure.set_world(resources=seen)
    lingering = azure.network.subnets.get("rg", "net", "nodes").ip_configurations
    first = private_addresses(azure)
    azure.set_world(resources=seen, operations=[])

    assert (len(lingering or []), first) == (4, ["10.0.0.6", "10.0.0.7"])
    assert private_addresses(azure) == ["10.0.0.4", "10.0.0.5"]
    assert violations(azure.simulator._world) == []


def test_types_that_a_tester_added_can_be_put_back_as_they_were_seen() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.set(plainTypes=["Microsoft.Odd/things"])
    thing = f"{group_id()}/providers/Microsoft.Odd/things/x"
    begin = azure.resources.resources.begin_create_or_update_by_id
    azure.finish(begin, thing, {"location": "eastus", "properties": {"a": 1}}, api_version="2024-01-01")

    azure.set_world(resources=azure.world["resources"])

    found: Any = azure.resources.resources.get_by_id(thing, api_version="2024-01-01")
    assert found.properties["a"] == 1


def stack_state(azure: Azure) -> str:
    found: Any = azure.stacks.deployment_stacks.get_at_resource_group("rg", "unit")
    return str(found.properties.provisioning_state.value)


def begin_everything(azure: Azure) -> None:
    """Leave something of each kind under way."""
    azure.start(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=2))
    stack = azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group
    azure.start(stack, "rg", "unit", a_stack(a_security_group()))
    deployment = {"properties": {"mode": "Incremental", "template": a_template(a_security_group("other"))}}
    azure.start(azure.deployments.deployments.begin_create_or_update, "rg", "unit", deployment)
    azure.make_group("gone")
    azure.start(azure.resources.resource_groups.begin_delete, "gone")
    azure.wait(6)


def test_operations_that_are_dropped_leave_nothing_at_work() -> None:
    azure = azure_with_a_network()
    begin_everything(azure)

    azure.set_world(operations=[])

    sets = azure.compute.virtual_machine_scale_sets
    found: Any = sets.get("rg", "train")
    assert found.properties.provisioning_state == "Failed"
    assert stack_state(azure) == "failed"
    group: Any = azure.resources.resource_groups.get("gone")
    assert group.properties.provisioning_state == "Succeeded"
    assert (azure.world["operations"], violations(azure.simulator._world)) == ([], [])
    assert azure.finish(sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=2)).name == "train"


def test_a_world_seen_at_work_can_be_put_and_stands_still() -> None:
    azure = azure_with_a_network()
    begin_everything(azure)
    seen = azure.world

    azure.set_world(**{part: seen[part] for part in ("resourceGroups", "resources", "stacks")})
    azure.wait(3600)

    found: Any = azure.compute.virtual_machine_scale_sets.get("rg", "train")
    assert found.properties.provisioning_state == "Succeeded"
    assert stack_state(azure) == "succeeded"
    assert [group.name for group in azure.resources.resource_groups.list()] == ["gone", "rg"]
    assert violations(azure.simulator._world) == []


def test_a_stack_whose_template_was_refused_can_be_put_as_it_was_seen() -> None:
    azure = Azure()
    azure.make_group()
    stacks = azure.stacks.deployment_stacks
    body = a_stack(a_security_group(), parameters={"unknown": {"value": 1}})
    with pytest.raises(HttpResponseError):
        stacks.begin_create_or_update_at_resource_group("rg", "unit", body).result()

    azure.set_world(stacks=azure.world["stacks"])

    assert stack_state(azure) == "failed"
