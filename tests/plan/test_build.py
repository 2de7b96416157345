"""What plans come to: the ten edits that everyone makes, what others did, and what may not be."""

from __future__ import annotations

import pytest

from provision.arm import SCALE_SETS
from provision.plan import Action, Plan
from tests.support.worlds import QUICK, World, destruction, plan, standing

SECOND_POOL = """\
  infer:
    size: Standard_ND96isr_H100_v5
    nodes: 1
    ssh_public_key_file: key.pub
"""
SET = "quick-train-0"


def told(plan: Plan) -> list[tuple[str, str, int]]:
    """Return (action, resource, nodes) of each change."""
    return [(change.action.label, change.id.name, change.nodes) for change in plan.changes]


def test_an_empty_world_gets_everything_created_in_order() -> None:
    made = plan(QUICK, World())

    assert told(made) == [
        ("create", "quick-home", 0),
        ("create", "quick-southcentralus", 0),
        ("create", "quick-southcentralus-nodes-nsg", 0),
        ("create", "quick-southcentralus-nat-ip-0", 0),
        ("create", "quick-southcentralus-nat", 0),
        ("create", "quick-southcentralus-vnet", 0),
        ("create", "nodes", 0),
        ("create", SET, 2),
    ]
    assert [(operation.id, operation.after) for operation in made.operations] == [
        ("group quick-home", ()),
        ("group quick-southcentralus", ()),
        ("stack southcentralus/network", ("group quick-southcentralus",)),
        ("stack southcentralus/train-0", ("group quick-southcentralus", "stack southcentralus/network")),
    ]


def test_what_stands_as_stated_needs_nothing() -> None:
    assert plan(QUICK, standing()).changes == ()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(("nodes: 2", "nodes: 4"), [("update", SET, 2)], id="grow"),
        pytest.param(("nodes: 2", "nodes: 1"), [("scale-in", SET, 1)], id="shrink"),
        pytest.param(
            ("{owner: ml}", "{owner: ml, team: a}"),
            [
                ("update", "quick-home", 0),
                ("update", "quick-southcentralus", 0),
                ("update", "quick-southcentralus-nodes-nsg", 0),
                ("update", "quick-southcentralus-nat-ip-0", 0),
                ("update", "quick-southcentralus-nat", 0),
                ("update", "quick-southcentralus-vnet", 0),
                ("update", SET, 0),
            ],
            id="new tag",
        ),
        pytest.param(
            ("    nodes: 2\n", "    nodes: 2\n    image: microsoft-dsvm:ubuntu-hpc:2204:22.04.2026080101\n"),
            [("update-model", SET, 2)],
            id="image version",
        ),
        pytest.param(
            ("203.0.113.0/24", "198.51.100.0/24"),
            [("update", "quick-southcentralus-nodes-nsg", 0)],
            id="other SSH prefix",
        ),
        pytest.param(("pools:\n", "pools:\n" + SECOND_POOL), [("create", "quick-infer-0", 1)], id="second pool"),
        pytest.param(
            ("pools:\n", '  westus3: {zone: "2"}\npools:\n'),
            [
                ("create", "quick-westus3", 0),
                ("create", "quick-westus3-nodes-nsg", 0),
                ("create", "quick-westus3-nat-ip-0", 0),
                ("create", "quick-westus3-nat", 0),
                ("create", "quick-westus3-vnet", 0),
                ("create", "nodes", 0),
                ("create", SET, 2),
            ],
            id="second region",
        ),
        pytest.param(("version: 1\n", "# a comment\nversion: 1\n"), [], id="comment only"),
        pytest.param(
            (
                "tags: {owner: ml}\nnetwork: {ssh_from: [203.0.113.0/24]}\n",
                "network: {ssh_from: [203.0.113.0/24]}\ntags: {owner: ml}\n",
            ),
            [],
            id="key order only",
        ),
        pytest.param(("{zone: \"1\"}", "{zone: \"2\"}"), [("replace", SET, 2)], id="another zone"),
        pytest.param(("isr_H100", "isr_H200"), [("replace", SET, 2)], id="another size"),
    ],
)  # fmt: skip
def test_an_edit_shows_what_it_does_to_azure(edit: tuple[str, str], expected: list[tuple[str, str, int]]) -> None:
    assert edit[0] in QUICK
    # H200 and the zone test need a region that has both.
    region = "southcentralus" if edit[0] != "isr_H100" else "eastus2"
    before = QUICK.replace("southcentralus", region)
    after = before.replace(*edit)

    assert told(plan(after, standing(before))) == expected


def test_a_pool_that_is_removed_has_its_set_deleted_and_its_stack_forgotten() -> None:
    made = plan(QUICK, standing(QUICK + SECOND_POOL))

    assert told(made) == [("delete", "quick-infer-0", 1)]
    assert [operation.kind for operation in made.operations] == ["delete", "delete-stack"]
    assert made.consents == ("delete",)


def test_shrinking_past_a_set_deletes_the_last_one_only() -> None:
    before = QUICK.replace("nodes: 2", "nodes: 6\n    domain_size: 2")
    after = before.replace("nodes: 6", "nodes: 3")

    assert told(plan(after, standing(before))) == [("scale-in", "quick-train-1", 1), ("delete", "quick-train-2", 2)]


HERE = 'southcentralus: {zone: "1", pools: {train: {image: "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026071501"}}}'


@pytest.mark.parametrize(
    ("before", "after", "path", "origin"),
    [
        pytest.param("nodes: 2", "nodes: 4", "sku.capacity", "quick.yaml:11 pools.train.nodes", id="one number"),
        pytest.param(
            "nodes: 2",
            "nodes: {southcentralus: 4}",
            "sku.capacity",
            "quick.yaml:11 pools.train.nodes.southcentralus",
            id="a region's number",
        ),
        pytest.param(
            HERE,
            HERE.replace("22.04.2026071501", "22.04.2026061001"),
            "properties.virtualMachineProfile.storageProfile.imageReference.version",
            "quick.yaml:7 regions.southcentralus.pools.train.image",
            id="a region's own value",
        ),
        pytest.param(
            "nodes: 2",
            "nodes: 2\n    cloud_init_file: boot.yaml",
            "properties.virtualMachineProfile.osProfile.customData",
            "quick.yaml:12 pools.train.cloud_init_file",
            id="a file that is merged",
        ),
        pytest.param(
            HERE,
            HERE.replace("{zone", "{address_space: 10.9.0.0/16, zone"),
            "properties.addressPrefix",
            "quick.yaml:7 regions.southcentralus.address_space",
            id="a region's own range",
        ),
    ],
)
def test_each_edit_names_the_line_that_caused_it(before: str, after: str, path: str, origin: str) -> None:
    text = QUICK.replace('southcentralus: {zone: "1"}', HERE) if "southcentralus" in before else QUICK
    assert before in text

    made = plan(text.replace(before, after), standing(text))

    assert {edit.origin for change in made.changes for edit in change.edits if edit.path == path} == {origin}


def test_a_disk_that_is_taken_away_is_told_to_take_its_data_along() -> None:
    disks = "nodes: 2\n    data_disks: [{size_gib: 64}, {size_gib: 128}]"
    text = QUICK.replace("nodes: 2", disks)

    made = plan(text.replace(", {size_gib: 128}", ""), standing(text))

    (edit,) = made.changes[0].edits
    assert edit.reason == "nodes lose the disk, and all that is on it, when they are upgraded"


def test_taking_the_way_out_away_deletes_the_gateway_after_the_subnet_has_let_it_go() -> None:
    made = plan(QUICK.replace("{ssh_from", "{outbound: none, ssh_from"), standing())

    assert told(made) == [
        ("update", "nodes", 0),
        ("delete", "quick-southcentralus-nat-ip-0", 0),
        ("delete", "quick-southcentralus-nat", 0),
    ]
    kinds = [(operation.kind, operation.target.name) for operation in made.operations]
    assert kinds == [
        ("put-stack", "quick.network"),
        ("delete", "quick-southcentralus-nat"),
        ("delete", "quick-southcentralus-nat-ip-0"),
    ]
    assert made.operations[1].after == (made.operations[0].id,)


def test_another_address_space_replaces_the_network_and_the_nodes_in_it() -> None:
    made = plan(QUICK.replace("{ssh_from", "{address_space: 10.0.0.0/12, ssh_from"), standing())

    assert told(made) == [
        ("replace", "quick-southcentralus-vnet", 0),
        ("replace", "nodes", 0),
        ("replace", SET, 2),
    ]
    assert [operation.kind for operation in made.operations] == [
        "delete",
        "await-empty",
        "delete",
        "delete",
        "put-stack",
        "put-stack",
    ]


def test_what_azure_fills_in_and_how_it_spells_is_no_change() -> None:
    world = standing()
    body = world.resource(SET)
    body["location"] = "South Central US"
    body["sku"]["name"] = "standard_nd96isr_h100_v5"
    body["properties"]["provisioningState"] = "Succeeded"
    body["properties"]["virtualMachineProfile"]["osProfile"]["secrets"] = []
    network = body["properties"]["virtualMachineProfile"]["networkProfile"]["networkInterfaceConfigurations"][0]
    reference = network["properties"]["ipConfigurations"][0]["properties"]["subnet"]
    reference["id"] = reference["id"].upper().replace("/SUBSCRIPTIONS/", "/subscriptions/")
    del body["properties"]["automaticRepairsPolicy"]

    assert plan(QUICK, world).changes == ()


def test_what_others_added_is_carried_and_told_as_kept() -> None:
    world = standing()
    world.resource(SET)["tags"]["billing"] = "42"
    group = world.resource("quick-southcentralus-nodes-nsg")
    theirs = {
        "name": "theirs",
        "id": "x",
        "etag": "y",
        "properties": {"priority": 200, "provisioningState": "Succeeded"},
    }
    group["properties"]["securityRules"].append(theirs)

    assert plan(QUICK, world).changes == ()
    made = plan(QUICK.replace("{owner: ml}", "{owner: other}"), world)

    assert [(kept.id.name, kept.path) for kept in made.kept] == [
        ("quick-southcentralus-nodes-nsg", "properties.securityRules[theirs]"),
        (SET, "tags.billing"),
    ]
    bodies = {operation.unit: operation.body for operation in made.operations if operation.kind == "put-stack"}
    network, train = bodies["network"], bodies["train-0"]
    assert network is not None
    assert train is not None
    rules = network["properties"]["template"]["resources"][0]["properties"]["securityRules"]
    assert rules[1] == {"name": "theirs", "properties": {"priority": 200}}
    assert train["properties"]["template"]["resources"][0]["tags"]["billing"] == "42"


def test_a_fraction_that_others_have_set_is_carried_and_their_text_is_no_expression() -> None:
    world = standing()
    settings = {"share": 0.5, "note": "[x]"}
    theirs = {"name": "theirs", "properties": {"publisher": "p", "type": "t", "settings": settings}}
    profile = world.resource(SET)["properties"]["virtualMachineProfile"]
    profile["extensionProfile"] = {"extensions": [theirs]}

    made = plan(QUICK.replace("{owner: ml}", "{owner: other}"), world)

    (body,) = (operation.body for operation in made.operations if operation.unit == "train-0")
    assert body is not None
    sent = body["properties"]["template"]["resources"][0]["properties"]["virtualMachineProfile"]
    assert sent["extensionProfile"]["extensions"][0]["properties"]["settings"] == {"share": 0.5, "note": "[[x]"}


def test_what_others_changed_is_told_as_drift_that_is_reverted() -> None:
    world = standing()
    world.resource(SET)["sku"]["capacity"] = 40

    made = plan(QUICK, world)

    (change,) = made.changes
    assert (change.action, change.nodes, change.edits[0].drift) == (Action.SCALE_IN, 38, True)
    assert made.consents == ("delete",)


def test_a_tag_that_is_no_longer_stated_goes_and_another_persons_stays() -> None:
    world = standing(QUICK.replace("{owner: ml}", "{owner: ml, team: a}"))
    world.resource(SET)["tags"]["billing"] = "42"

    made = plan(QUICK, world)

    change = next(change for change in made.changes if change.id.name == SET)
    assert [(edit.path, edit.after) for edit in change.edits] == [("tags.team", None)]
    body = next(operation.body for operation in made.operations if operation.unit == "train-0")
    assert body is not None
    assert body["properties"]["template"]["resources"][0]["tags"] == {
        "owner": "ml",
        "provision": "quick/train-0",
        "billing": "42",
    }


def test_a_resource_of_our_name_without_our_mark_is_refused() -> None:
    world = standing()
    del world.resource(SET)["tags"]["provision"]

    made = plan(QUICK, world)

    assert [(change.action, change.id.name) for change in made.refused] == [(Action.REFUSED, SET)]


def test_a_group_of_our_name_without_our_mark_is_refused() -> None:
    world = World()
    id = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quick-southcentralus"
    world.groups[id.lower()] = {"id": id, "location": "southcentralus", "tags": {}}

    assert [change.id.name for change in plan(QUICK, world).refused] == ["quick-southcentralus"]


@pytest.mark.parametrize("edit", [("nodes: 2", "nodes: 1"), ("isr_H100", "isr_H200"), ("train:", "other:")])
def test_a_protected_pool_loses_no_node_even_if_the_same_edit_lifts_the_protection(edit: tuple[str, str]) -> None:
    open_ = QUICK.replace("southcentralus", "eastus2")
    protected = open_ + "    protect: true\n"

    made = plan(open_.replace(*edit), standing(protected))

    assert [change.id.name for change in made.refused] == [SET]


def test_a_stack_whose_deployment_failed_is_sent_again_though_nothing_differs() -> None:
    world = standing()
    stack = next(body for key, body in world.stacks.items() if key.endswith("train-0"))
    stack["properties"]["provisioningState"] = "failed"

    made = plan(QUICK, world)

    assert told(made) == [("record", "quick.train-0", 0)]
    assert [operation.kind for operation in made.operations] == ["put-stack"]


def test_changed_cloud_init_is_seen_though_azure_never_shows_it() -> None:
    world = standing()
    text = QUICK.replace("isr_H100", "isr_H200").replace("southcentralus", "eastus2")
    assert plan(text, standing(text)).changes == ()

    for body in world.stacks.values():
        value = body["properties"]["parameters"]["provision"]["value"]
        if value["unit"] == "train-0":
            value["stated"] = _with_other_custom_data(value["stated"])
    made = plan(QUICK, world)

    (change,) = made.changes
    assert (change.action, change.edits[0].path.rpartition(".")[2]) == (Action.UPDATE_MODEL, "customData")


def test_limits_that_a_plan_would_break_are_named() -> None:
    text = QUICK + "limits: {delete_nodes: 0, usd_per_hour_increase: 100}\n"

    assert plan(text.replace("nodes: 2", "nodes: 1"), standing(text)).breaches == (
        "it deletes 1 running nodes; limits.delete_nodes allows 0",
    )
    assert plan(text.replace("nodes: 2", "nodes: 3"), standing(text)).breaches == (
        "it adds 117.97 USD an hour; limits.usd_per_hour_increase allows 100.00",
    )


def test_destroying_deletes_sets_before_networks_and_the_home_group_last() -> None:
    made = destruction(standing())

    assert [(operation.kind, operation.target.name) for operation in made.operations] == [
        ("delete", SET),
        ("delete-stack", "quick.train-0"),
        ("await-empty", "nodes"),
        ("delete", "nodes"),
        ("delete", "quick-southcentralus-vnet"),
        ("delete", "quick-southcentralus-nat"),
        ("delete", "quick-southcentralus-nat-ip-0"),
        ("delete", "quick-southcentralus-nodes-nsg"),
        ("delete-stack", "quick.network"),
        ("delete-group", "quick-southcentralus"),
        ("delete-group", "quick-home"),
    ]


def test_destroying_leaves_a_network_in_which_others_have_a_subnet_and_what_that_uses() -> None:
    world = standing()
    network = world.resource("quick-southcentralus-vnet")
    id = f"{network['id']}/subnets/theirs"
    gateway = world.resource("quick-southcentralus-nat")["id"]
    world.resources[id.lower()] = {"id": id, "type": "x", "properties": {"natGateway": {"id": gateway}}}

    made = destruction(world)

    deleted = [operation.target.name for operation in made.operations if operation.kind.startswith("delete")]
    assert deleted == [SET, "quick.train-0", "nodes", "quick-southcentralus-nodes-nsg", "quick.network", "quick-home"]
    assert [(kept.id.name, kept.reason) for kept in made.kept] == [
        ("quick-southcentralus-vnet", "theirs in it is not ours"),
        ("quick-southcentralus-nat", "theirs uses it"),
        ("quick-southcentralus-nat-ip-0", "quick-southcentralus-nat uses it"),
        ("theirs", "not ours"),
        ("quick-southcentralus", "quick-southcentralus-nat-ip-0 stays in it"),
    ]


def test_nodes_whose_stack_somebody_deleted_are_still_ours_to_count_and_to_destroy() -> None:
    world = standing()
    world.stacks.clear()

    again = plan(QUICK, world)
    # Nobody knows any more with which custom data the nodes were made.
    assert told(again) == [("record", "quick.network", 0), ("update-model", "quick-train-0", 2)]
    assert [edit.before for edit in again.changes[1].edits] == ["not shown by Azure"]
    assert (again.assessment.nodes_before, again.assessment.nodes_after) == (2, 2)
    assert again.assessment.usd_per_hour_before == again.assessment.usd_per_hour_after
    gone = destruction(world)
    assert [operation.target.name for operation in gone.operations] == [
        operation.target.name for operation in destruction(standing()).operations
    ]


def test_a_pool_that_is_removed_after_its_stack_was_lost_is_deleted() -> None:
    world = standing(QUICK + SECOND_POOL)
    world.stacks = {key: body for key, body in world.stacks.items() if not key.endswith("infer-0")}

    assert told(plan(QUICK, world)) == [("delete", "quick-infer-0", 1)]


def test_a_subnet_in_which_somebody_elses_nodes_stand_stays_with_what_it_uses() -> None:
    world = standing()
    subnet = world.resource("nodes")
    guest = f"{subnet['id'].partition('/providers/')[0]}/providers/Microsoft.Compute/virtualMachineScaleSets/theirs"
    interface = f"{guest}/virtualMachines/0/networkInterfaces/nic/ipConfigurations/ip"
    subnet["properties"]["ipConfigurations"] = [{"id": interface}]
    world.resources[guest.lower()] = {"id": guest, "type": SCALE_SETS, "location": "southcentralus", "tags": {}}

    made = destruction(world)

    deleted = [operation.target.name for operation in made.operations if operation.kind.startswith("delete")]
    assert deleted == [SET, "quick.train-0", "quick.network", "quick-home"]
    assert [(kept.id.name, kept.reason) for kept in made.kept][:2] == [
        ("nodes", "theirs stands in it and is not ours"),
        ("quick-southcentralus-vnet", "theirs stands in it and is not ours"),
    ]


def test_an_interface_that_lingers_after_its_set_has_gone_keeps_nothing() -> None:
    world = standing()
    subnet = world.resource("nodes")
    gone = f"{subnet['id'].partition('/providers/')[0]}/providers/Microsoft.Compute/virtualMachineScaleSets/gone"
    interface = f"{gone}/virtualMachines/0/networkInterfaces/nic/ipConfigurations/ip"
    subnet["properties"]["ipConfigurations"] = [{"id": interface}]

    made = destruction(world)

    assert made.kept == ()
    assert "await-empty" in {operation.kind for operation in made.operations}


def test_nodes_that_come_wait_for_those_that_go() -> None:
    made = plan(QUICK.replace("  train:", "  trane:"), standing())

    create = next(operation for operation in made.operations if operation.kind == "put-stack")
    delete = next(operation for operation in made.operations if operation.kind == "delete")
    assert create.unit == "trane-0"
    assert create.after == (delete.id,)


def test_a_set_that_shrinks_and_changes_besides_counts_only_those_that_are_deleted() -> None:
    after = QUICK.replace("nodes: 2", "nodes: 1\n    image: microsoft-dsvm:ubuntu-hpc:2204:22.04.2026080101")

    made = plan(after, standing())

    assert told(made) == [("scale-in", SET, 1)]
    assert made.assessment.nodes_deleted == 1


def test_what_a_failed_apply_did_not_reach_is_not_called_somebody_elses_doing() -> None:
    world = standing(QUICK.replace("nodes: 2", "nodes: 4"))
    world.resource(SET)["sku"]["capacity"] = 2
    stack = next(body for key, body in world.stacks.items() if key.endswith("train-0"))
    stack["properties"]["provisioningState"] = "failed"

    (change,) = plan(QUICK.replace("nodes: 2", "nodes: 4"), world).changes

    assert [(edit.path, edit.drift) for edit in change.edits] == [("sku.capacity", False)]


def test_what_somebody_put_into_a_rule_of_ours_is_shown_because_it_goes() -> None:
    world = standing()
    (rule,) = world.resource("quick-southcentralus-nodes-nsg")["properties"]["securityRules"]
    rule["properties"]["sourceAddressPrefixes"] = []
    rule["properties"]["sourceAddressPrefix"] = "*"

    (change,) = plan(QUICK, world).changes

    assert [(edit.path.rpartition(".")[2], edit.before, edit.after) for edit in change.edits] == [
        ("sourceAddressPrefixes", [], ["203.0.113.0/24"]),
        ("sourceAddressPrefix", "*", None),
    ]


def test_a_region_that_is_removed_goes_with_its_group_and_home_stays() -> None:
    two = QUICK.replace("pools:\n", "  westus3: {}\npools:\n")

    made = plan(QUICK, standing(two))

    assert {change.region for change in made.changes} == {"westus3"}
    assert told(made)[-1] == ("delete", "quick-westus3", 0)
    assert made.operations[-1].kind == "delete-group"


def _with_other_custom_data(stated: str) -> str:
    import base64
    import json
    import zlib

    bodies = json.loads(zlib.decompress(base64.b64decode(stated)))
    for id, body in bodies.items():
        if SCALE_SETS in id:
            body["properties"]["virtualMachineProfile"]["osProfile"]["customData"] = "sha256:other"
    return base64.b64encode(zlib.compress(json.dumps(bodies).encode())).decode()
