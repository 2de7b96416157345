"""Units of one's own in a plan: their types are in no table, so what is not said to be harmless is the worst case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from provision.adapters.files import environments_root, load_catalog
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates, read_templates
from provision.arm import NAT_GATEWAYS, ResourceId
from provision.pipeline import planned, rendered
from provision.plan import Observed
from provision.plan.document import plan_in, text_of
from provision.plan.model import Action, Plan
from provision.plan.record import record_in
from tests.support.worlds import HOMES, NETAPP, QUICK, World, checked, destruction, plan, standing

RESOURCES = ("homes", "fast", "home")


def changes(made: Plan) -> list[tuple[str, str]]:
    """Return (action, name) of each change."""
    return [(change.action.label, change.id.name) for change in made.changes]


def deletions(made: Plan) -> list[str]:
    """Return the names of what is deleted, in order."""
    return [operation.target.name for operation in made.operations if operation.kind == "delete"]


def edits(made: Plan) -> list[tuple[str, str, str]]:
    return [(edit.path, edit.action.label, edit.reason) for change in made.changes for edit in change.edits]


def with_properties(name: str, **properties: Any) -> World:
    """Return the world as stated, but for some properties of one resource."""
    world = standing(HOMES)
    world.resource(name)["properties"].update(properties)
    return world


def test_what_is_not_there_is_made_and_what_is_there_as_stated_is_left() -> None:
    made = plan(HOMES, World())

    assert [change for change in changes(made) if change[1] in RESOURCES] == [("create", name) for name in RESOURCES]
    put = next(operation for operation in made.operations if operation.id == "stack southcentralus/home")
    assert put.after == ("group quick-southcentralus", "stack southcentralus/network")
    assert plan(HOMES, standing(HOMES)).empty


def test_a_property_counts_as_the_worst_case_but_for_those_that_the_file_knows_better() -> None:
    made = plan(HOMES.replace("volume_bytes: 2", "volume_bytes: 3"), standing(HOMES))
    assert changes(made) == [("update", "home")]
    assert edits(made) == [
        (
            "properties.usageThreshold",
            "update",
            "Azure changes it in place: the environment file says so, in `in_place`",
        )
    ]
    assert made.changes[0].edits[0].origin.endswith(" units.home")

    made = plan(HOMES.replace("export_path: home", "export_path: other"), standing(HOMES))
    assert changes(made) == [("replace", "home")]
    assert edits(made) == [
        (
            "properties.creationToken",
            "replace",
            "properties.creationToken is not in our table of changes, so the worst case is assumed",
        )
    ]
    assert (made.consents, deletions(made)) == (("replace",), ["home"])


def test_tags_change_in_place_and_others_tags_are_carried() -> None:
    world = standing(HOMES)
    world.resource("home")["tags"]["Theirs"] = "1"

    made = plan(HOMES.replace("owner: ml", "owner: others"), world)

    assert {change for change in changes(made) if change[1] in RESOURCES} == {("update", name) for name in RESOURCES}
    put = next(operation for operation in made.operations if operation.id == "stack southcentralus/home")
    assert put.body is not None
    assert put.body["properties"]["template"]["resources"][2]["tags"] == {
        "owner": "others",
        "provision": "quick/home",
        "Theirs": "1",
    }


def test_what_azure_hides_or_writes_in_its_own_case_is_no_difference_and_another_value_is() -> None:
    world = with_properties("home", serviceLevel="PREMIUM")
    del world.resource("home")["properties"]["creationToken"]
    del world.resource("home")["properties"]["protocolTypes"]
    world.resource("fast")["location"] = "South Central US"
    assert plan(HOMES, world).empty

    made = plan(HOMES, with_properties("home", serviceLevel="Ultra"))
    assert changes(made) == [("replace", "home")]
    assert made.changes[0].edits[0].drift


def test_what_is_hidden_and_stated_otherwise_than_recorded_is_a_change() -> None:
    world = standing(HOMES)
    del world.resource("home")["properties"]["creationToken"]

    made = plan(HOMES.replace("export_path: home", "export_path: HOME"), world)

    assert [(path, action) for path, action, _ in edits(made)] == [("properties.creationToken", "replace")]


def test_what_stands_in_a_replaced_resource_is_replaced_too_from_the_inside_out() -> None:
    made = plan(HOMES, with_properties("fast", qosType="Manual"))

    assert changes(made) == [("replace", "fast"), ("replace", "home")]
    assert made.changes[1].reason == "fast around it is replaced"
    assert deletions(made) == ["home", "fast"]
    assert [operation.api_version for operation in made.operations if operation.kind == "delete"] == [NETAPP] * 2
    ids = [operation.id for operation in made.operations]
    assert ids[-1] == "stack southcentralus/home"
    assert set(made.operations[-1].after) >= set(ids[:-1])
    assert made.operations[1].after == (ids[0],)


def test_what_refers_to_a_network_that_is_replaced_is_replaced_before_it() -> None:
    group = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quick-southcentralus"
    subnet = f"{group}/providers/Microsoft.Network/virtualNetworks/quick-southcentralus-vnet/subnets/nodes"
    text = HOMES.replace("/subscriptions/s", subnet)
    world = standing(text)
    world.resource("nodes")["properties"]["addressPrefix"] = "10.99.0.0/24"

    made = plan(text, world)

    assert ("replace", "home") in changes(made)
    assert ("replace", "fast") not in changes(made)
    assert deletions(made) == ["quick-train-0", "home", "nodes"]


def test_a_resource_that_is_no_longer_stated_goes_after_the_deployment_and_before_what_is_replaced() -> None:
    text = HOMES.replace("name: homes/fast}", "name: homes/slow}").replace("homes/fast/home}", "homes/slow/home}")
    made = plan(text, standing(HOMES))

    assert [change for change in changes(made) if change[0] == "delete"] == [("delete", "fast"), ("delete", "home")]
    assert [operation.target.name for operation in made.operations] == ["quick.home", "home", "fast"]


def test_when_something_is_replaced_all_that_the_unit_gives_up_goes_first() -> None:
    world = standing(HOMES)
    world.resource("homes")["location"] = "westus3"
    text = HOMES.replace("name: homes/fast}", "name: homes/slow}").replace("homes/fast/home}", "homes/slow/home}")

    made = plan(text, world)

    assert [operation.target.name for operation in made.operations] == ["home", "fast", "homes", "quick.home"]


def test_a_unit_that_is_no_longer_stated_is_deleted_the_last_that_was_made_first_and_then_forgotten() -> None:
    made = plan(QUICK, standing(HOMES))

    assert changes(made) == [("delete", name) for name in RESOURCES]
    assert [(operation.kind, operation.target.name) for operation in made.operations] == [
        ("delete", "home"),
        ("delete", "fast"),
        ("delete", "homes"),
        ("delete-stack", "quick.home"),
    ]
    assert [operation.mark for operation in made.operations] == ["quick/home"] * 3 + [""]
    assert made.consents == ("delete",)


def test_in_a_destruction_units_of_one_s_own_go_before_the_network() -> None:
    made = destruction(standing(HOMES), HOMES)

    gone = [operation.target.name for operation in made.operations if operation.kind == "delete"]
    assert gone.index("homes") < gone.index("nodes")
    network = next(op for op in made.operations if op.kind == "delete" and op.target.type == NAT_GATEWAYS)
    assert network.api_version == ""


def test_a_stack_remembers_the_api_versions_also_of_what_it_has_still_to_delete() -> None:
    text = HOMES.replace(
        '      account: {type: Microsoft.NetApp/netAppAccounts, api_version: "2025-06-01", name: homes}\n',
        '      account: {type: Microsoft.NetApp/netAppAccounts, api_version: "2025-07-01", name: homes}\n',
    )
    made = plan(text, standing(HOMES))
    assert changes(made) == [("record", "quick.home")]
    record = record_in(made.operations[0].body or {})
    assert record is not None
    assert record.versions == {
        "microsoft.netapp/netappaccounts": "2025-07-01",
        "microsoft.netapp/netappaccounts/capacitypools": NETAPP,
        "microsoft.netapp/netappaccounts/capacitypools/volumes": NETAPP,
    }
    assert list(record.own().values()) == ["2025-07-01", NETAPP, NETAPP]


@pytest.mark.parametrize("tags", [None, {}, {"owner": "them"}, {"provision": "other/home"}])
def test_what_exists_without_our_mark_is_refused(tags: dict[str, str] | None) -> None:
    world = standing(HOMES)
    world.stacks = {key: body for key, body in world.stacks.items() if not key.endswith("quick.home")}
    world.resource("homes")["tags"] = tags

    refused = plan(HOMES, world).refused

    assert [change.id.name for change in refused] == ["homes"]
    assert refused[0].reason.startswith("exists, but is not ours")


def without_tags(world: World) -> World:
    """Return a world in which the unit was stated without tags, and so has none."""
    for name in RESOURCES:
        world.resource(name).pop("tags", None)
    return world


UNTAGGED = HOMES.replace("template: netapp-volume", "template: untagged")


def planned_of(text: str, observed: Observed, templates: Mapping[str, str] | None = None) -> Plan:
    each = checked(text, templates=templates)
    units = rendered(each, load_catalog(), load_templates())
    return planned(each, units, observed, load_catalog(), load_policies())


def untagged(text: str, world: World) -> Plan:
    """Return the plan of an environment whose template states no tags."""
    texts = read_templates(str(environments_root() / "own-templates"))
    cut = {
        name.replace("netapp-volume", "untagged"): text.replace('      "tags": {{ unit.tags }},\n', "")
        for name, text in texts.items()
    }
    return planned_of(text, world.observed, cut)


def test_what_states_no_tags_is_ours_when_recorded_and_refused_when_not() -> None:
    made = untagged(UNTAGGED, World())
    world = without_tags(standing(HOMES))
    for operation in made.operations:
        if operation.kind == "put-stack":
            body = dict(operation.body or {})
            properties = {**body["properties"], "provisioningState": "succeeded"}
            world.stacks[operation.target.key] = {"id": str(operation.target), **body, "properties": properties}

    assert untagged(UNTAGGED, world).empty
    gone = plan(QUICK, world)
    assert [(operation.target.name, operation.mark) for operation in gone.operations] == [
        ("home", ""),
        ("fast", ""),
        ("homes", ""),
        ("quick.home", ""),
    ]
    world.stacks = {key: body for key, body in world.stacks.items() if not key.endswith("quick.home")}
    assert [change.id.name for change in untagged(UNTAGGED, world).refused] == list(RESOURCES)


def test_a_lost_stack_of_a_unit_that_is_stated_is_made_again_and_what_it_made_can_be_destroyed() -> None:
    world = standing(HOMES)
    world.stacks = {key: body for key, body in world.stacks.items() if not key.endswith("quick.home")}

    assert changes(plan(HOMES, world)) == [("record", "quick.home")]
    made = destruction(world, HOMES)
    assert [change.id.name for change in made.changes if change.unit == "home"] == list(RESOURCES)
    gone = [operation for operation in made.operations if operation.kind == "delete" and operation.unit == "home"]
    assert [(operation.target.name, operation.api_version) for operation in gone] == [
        ("home", NETAPP),
        ("fast", NETAPP),
        ("homes", NETAPP),
    ]


def test_a_lost_stack_of_a_unit_that_nothing_states_is_told_for_what_it_is() -> None:
    world = standing(QUICK)
    group = next(ResourceId(body["id"]) for key, body in world.groups.items() if key.endswith("southcentralus"))
    lost = ResourceId(f"{group}/providers/Microsoft.NetApp/netAppAccounts/homes")

    made = planned_of(QUICK, replace(world.observed, lost=(lost,)))

    assert made.empty
    assert [(kept.id, kept.reason) for kept in made.kept] == [
        (
            lost,
            "carries our mark, but its stack is lost and with it the API version: state its unit again, or delete it",
        )
    ]


def test_a_saved_plan_keeps_the_api_versions() -> None:
    made = plan(QUICK, standing(HOMES))

    found = plan_in(text_of(made))

    assert found is not None
    assert [(operation.target.name, operation.api_version) for operation in found.operations] == [
        ("home", NETAPP),
        ("fast", NETAPP),
        ("homes", NETAPP),
        ("quick.home", ""),
    ]
    assert found.operations == made.operations


def test_nothing_of_ours_is_deleted_by_an_api_version_of_a_user_s() -> None:
    made = plan(HOMES.replace("nodes: 2", "nodes: 0"), standing(HOMES))

    assert [change.action for change in made.changes] == [Action.DELETE]
    assert {operation.api_version for operation in made.operations} == {""}
