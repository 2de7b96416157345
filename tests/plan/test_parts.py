"""What plans come to for what an environment may have beside its nodes: peerings, bastions, storage, given things."""

from __future__ import annotations

from typing import Any

import pytest

from provision.arm import PEERINGS, SUBNETS
from provision.plan import Plan
from tests.support.topologies import IDENTITY, SUBNET
from tests.support.worlds import QUICK, SUBSCRIPTION, World, destruction, plan, standing

SET = "quick-train-0"
WEST = ("pools:\n", "  westus3: {}\npools:\n")
THREE = QUICK.replace("pools:\n", "  westus3: {}\n  eastus2: {}\npools:\n").replace(
    "{ssh_from", "{peering: mesh, ssh_from"
)
LUSTRE = "{kind: managed-lustre, region: southcentralus, tier: 250, size_tib: 8, zone: '1', mount: /lustre}"
STORED = QUICK + f"storage:\n  data: {LUSTRE}\n"
BASTION = QUICK.replace("{ssh_from", "{bastion: true, ssh_from")
GIVEN = QUICK.replace('{zone: "1"}', '{zone: "1", resource_group: rg-given}')
EXISTING = QUICK.replace('{zone: "1"}', f'{{zone: "1", subnets: {{nodes: {SUBNET}}}}}')
EXTERNAL = QUICK + "    capacity: external\n"


def told(plan: Plan) -> list[tuple[str, str]]:
    """Return (action, resource) of each change."""
    return [(change.action.label, change.id.name) for change in plan.changes]


def done(plan: Plan, *kinds: str) -> list[str]:
    """Return what operations of these kinds, or all, are about, in order."""
    return [operation.target.name for operation in plan.operations if not kinds or operation.kind in kinds]


def before(plan: Plan, one: str, other: str) -> bool:
    """Return whether the operation whose id ends so, no wait, always comes before the other."""
    after = {operation.id: operation.after for operation in plan.operations}
    ends = {id: "" if id.startswith("await ") else id for id in after}
    (first,) = (id for id, end in ends.items() if end.endswith(one.lower()))
    (last,) = (id for id, end in ends.items() if end.endswith(other.lower()))
    open_ = [last]
    while open_:
        id = open_.pop()
        if id == first:
            return True
        open_ += after[id]
    return False


def given_world(text: str = GIVEN) -> World:
    """Return the world of an environment whose group was made by others."""
    world = standing(text)
    id = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-given"
    world.groups[id.lower()] = {"id": id, "location": "southcentralus", "tags": {"owner": "others"}}
    theirs = f"{id}/providers/Microsoft.Network/networkSecurityGroups/theirs"
    world.resources[theirs.lower()] = {"id": theirs, "type": "Microsoft.Network/networkSecurityGroups", "tags": {}}
    return world


def test_a_mesh_states_each_half_in_its_region_after_both_networks() -> None:
    made = plan(THREE, World())

    halves = [change for change in made.changes if change.id.type == PEERINGS]
    assert sorted((half.region, half.id.name) for half in halves) == [
        ("eastus2", "to-southcentralus"),
        ("eastus2", "to-westus3"),
        ("southcentralus", "to-eastus2"),
        ("southcentralus", "to-westus3"),
        ("westus3", "to-eastus2"),
        ("westus3", "to-southcentralus"),
    ]
    for region in ("eastus2", "southcentralus", "westus3"):
        for other in ("eastus2", "southcentralus", "westus3"):
            assert before(made, f"stack {region}/network", f"stack {other}/peering")
    assert plan(THREE, standing(THREE)).changes == ()


def test_the_other_regions_halves_go_before_the_network_of_a_region_that_goes() -> None:
    made = plan(THREE.replace("  eastus2: {}\n", ""), standing(THREE))

    halves = [op.target for op in made.operations if op.kind == "delete" and op.target.type == PEERINGS]
    assert sorted(f"{half.parent.name}/{half.name}" for half in halves) == [
        "quick-eastus2-vnet/to-southcentralus",
        "quick-eastus2-vnet/to-westus3",
        "quick-southcentralus-vnet/to-eastus2",
        "quick-westus3-vnet/to-eastus2",
    ]
    for half in halves:
        assert before(made, str(half), "quick-eastus2-vnet")
    assert {change.region for change in made.changes if change.id.type != PEERINGS} == {"eastus2"}


def test_halves_that_are_torn_are_both_made_again_and_nothing_else_is_touched() -> None:
    world = standing(THREE)
    lost, torn = (
        next(key for key in world.resources if key.endswith(end))
        for end in (
            "quick-eastus2-vnet/virtualnetworkpeerings/to-westus3",
            "westus3-vnet/virtualnetworkpeerings/to-eastus2",
        )
    )
    del world.resources[lost]
    world.resources[torn]["properties"]["peeringState"] = "Disconnected"

    made = plan(THREE, world)

    assert told(made) == [("create", "to-westus3"), ("replace", "to-eastus2")]
    assert done(made) == ["to-eastus2", "quick.peering", "quick.peering"]
    assert made.consents == ("replace",)
    assert all(before(made, torn, f"stack {region}/peering") for region in ("eastus2", "westus3"))


def test_a_given_group_is_neither_made_nor_marked_nor_deleted() -> None:
    made = plan(GIVEN.replace("owner: ml", "owner: other"), given_world())

    assert "rg-given" not in done(made)
    assert done(made, "put-group") == ["quick-home"]
    gone = destruction(given_world(), GIVEN)
    assert done(gone, "delete-group") == ["quick-home"]
    assert "theirs" not in done(gone)
    assert SET in done(gone, "delete")


def test_what_others_do_in_a_given_group_makes_no_plan_stale_and_what_happens_to_ours_does() -> None:
    world = given_world()
    before = world.observed.digests()

    theirs = next(body for key, body in world.resources.items() if key.endswith("/theirs"))
    theirs["tags"]["team"] = "network"
    assert world.observed.digests() == before
    world.resource(SET)["tags"]["team"] = "network"
    assert [id for id, digest in world.observed.digests().items() if before[id] != digest] == [
        world.resource(SET)["id"].lower()
    ]


def test_a_given_group_that_is_missing_is_refused_with_the_line_that_names_it() -> None:
    (change,) = plan(GIVEN, World()).refused

    assert (change.id.name, change.origin) == (
        "rg-given",
        "quick.yaml:7 regions.southcentralus.resource_group",
    )
    assert "is not made" in change.reason


def test_a_region_whose_group_was_given_goes_without_its_group_and_without_what_others_have_in_it() -> None:
    two = GIVEN.replace(*WEST)
    text = QUICK.replace('  southcentralus: {zone: "1"}\n', "  westus3: {}\n")

    made = plan(text, given_world(two))

    assert {change.action.label for change in made.changes} == {"delete"}
    assert SET in done(made, "delete")
    assert not {"rg-given", "theirs"} & set(done(made))


def test_an_existing_subnet_gets_nodes_and_no_network() -> None:
    made = plan(EXISTING, World())

    assert told(made) == [("create", "quick-home"), ("create", "quick-southcentralus"), ("create", SET)]
    gone = destruction(standing(EXISTING), EXISTING)
    assert not [op for op in gone.operations if op.target.type == SUBNETS]


def test_an_autoscalers_nodes_stay_while_a_tag_changes() -> None:
    world = standing(EXTERNAL)
    world.resource(SET)["sku"]["capacity"] = 40

    assert plan(EXTERNAL, world).changes == ()
    made = plan(EXTERNAL.replace("owner: ml", "owner: other"), world)

    change = next(change for change in made.changes if change.id.name == SET)
    assert (change.action.label, change.nodes, [edit.path for edit in change.edits]) == ("update", 0, ["tags.owner"])
    assert made.consents == ()
    assert sent(made)["sku"]["capacity"] == 40


def test_without_external_capacity_the_same_is_a_scale_in_that_needs_consent() -> None:
    world = standing()
    world.resource(SET)["sku"]["capacity"] = 40

    made = plan(QUICK.replace("owner: ml", "owner: other"), world)

    change = next(change for change in made.changes if change.id.name == SET)
    assert (change.action.label, change.nodes) == ("scale-in", 38)
    assert made.consents == ("delete",)


def test_capacity_that_becomes_external_keeps_the_nodes_and_back_is_a_scale_in() -> None:
    world = standing()
    world.resource(SET)["sku"]["capacity"] = 40

    assert [action for action, _ in told(plan(EXTERNAL, world))] in ([], ["record"])
    back = standing(EXTERNAL)
    back.resource(SET)["sku"]["capacity"] = 40
    assert plan(QUICK, back).consents == ("delete",)


def test_a_file_system_is_made_after_the_network_and_another_size_loses_its_data() -> None:
    made = plan(STORED, World())
    assert before(made, "stack southcentralus/network", "stack southcentralus/storage")

    resized = plan(STORED.replace("size_tib: 8", "size_tib: 16"), standing(STORED))

    (change,) = (change for change in resized.changes if change.action.label == "replace")
    (edit,) = change.edits
    assert (change.id.name, edit.path, edit.before, edit.after) == (
        "quick-data",
        "properties.storageCapacityTiB",
        8,
        16,
    )
    assert "all that it holds is lost" in edit.reason
    assert edit.origin.endswith("storage.data.size_tib")
    assert "replace" in resized.consents


def test_storage_that_is_removed_is_deleted_before_its_subnet() -> None:
    made = plan(QUICK, standing(STORED))

    assert ("delete", "quick-data") in told(made)
    assert ("delete", "lustre") in told(made)
    assert made.consents == ("delete",)
    assert before(made, "amlfilesystems/quick-data", "subnets/lustre")


def test_a_bastion_comes_with_its_subnet_and_address_and_goes_with_them() -> None:
    parts = ["AzureBastionSubnet", "quick-southcentralus-bastion", "quick-southcentralus-bastion-ip"]

    on, off = plan(BASTION, standing()), plan(QUICK, standing(BASTION))

    assert sorted(told(on)) == [("create", name) for name in parts]
    assert sorted(told(off)) == [("delete", name) for name in parts]
    assert before(off, "bastionhosts/quick-southcentralus-bastion", "subnets/azurebastionsubnet")
    assert before(off, "bastionhosts/quick-southcentralus-bastion", "publicipaddresses/quick-southcentralus-bastion-ip")


def test_another_address_space_takes_all_that_stands_in_it_along() -> None:
    text = STORED.replace("{ssh_from", "{bastion: true, ssh_from")

    made = plan(text.replace("{bastion", "{address_space: 10.0.0.0/12, bastion"), standing(text))

    replaced = sorted(change.id.name for change in made.changes if change.action.label == "replace")
    assert replaced == [
        "AzureBastionSubnet",
        "lustre",
        "nodes",
        "quick-data",
        "quick-southcentralus-bastion",
        "quick-southcentralus-vnet",
        SET,
    ]
    for guest in ("quick-data", "quick-southcentralus-bastion", SET):
        assert before(made, f"/{guest}", "virtualnetworks/quick-southcentralus-vnet")


def sent(made: Plan, unit: str = "train-0") -> dict[str, Any]:
    """Return the first resource that a unit's stack is sent with."""
    body = next(operation.body for operation in made.operations if operation.unit == unit and operation.body)
    resource: dict[str, Any] = body["properties"]["template"]["resources"][0]
    return resource


ADDED = {
    "identities": f"    identities: [{IDENTITY}]\n",
    "extensions": "    extensions: {monitor: {publisher: P, type: T, version: '1.0'}}\n",
    "data disks": "    data_disks: [{size_gib: 64}]\n",
    "public address": "    public_ip: true\n",
}


@pytest.mark.parametrize("name", ADDED)
def test_what_a_pool_no_longer_has_is_stated_as_gone_because_a_put_merges(name: str) -> None:
    more = QUICK + ADDED[name]

    there, gone = sent(plan(more, standing())), sent(plan(QUICK, standing(more)))

    assert plan(more, standing(more)).changes == ()
    assert {change.action.label for change in plan(QUICK, standing(more)).changes} <= {"update", "update-model"}
    match name:
        case "identities":
            assert there["identity"]["type"] == "UserAssigned"
            assert gone["identity"] == {"type": "None"} | gone["identity"]
        case "extensions":
            names = [each["name"] for each in profile(gone)["extensionProfile"]["extensions"]]
            assert "monitor" not in names
        case "data disks":
            assert profile(gone)["storageProfile"]["dataDisks"] in ([], None)
        case _:
            (interface,) = profile(gone)["networkProfile"]["networkInterfaceConfigurations"]
            (address,) = interface["properties"]["ipConfigurations"]
            assert address["properties"].get("publicIPAddressConfiguration") is None


def profile(body: dict[str, Any]) -> dict[str, Any]:
    """Return a scale set's profile of its nodes."""
    found: dict[str, Any] = body["properties"]["virtualMachineProfile"]
    return found


def test_the_environments_own_prices_win_in_the_plans_cost() -> None:
    listed = plan(QUICK, World()).assessment.usd_per_hour_after
    own = plan(QUICK + "prices: {standard_nd96isr_h100_v5: 61.5}\n", standing()).assessment

    assert listed == pytest.approx(2 * 117.9733, abs=1)
    assert (own.usd_per_hour_before, own.usd_per_hour_after) == (123.0, 123.0)
