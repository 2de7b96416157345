"""Ten edits that everyone makes: each plan shows the right action, apply does just that, and then nothing is left."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.e2e.conftest import Azure, Shell
from tests.support.worlds import QUICK

SECOND_POOL = """\
  infer:
    size: Standard_ND96isr_H100_v5
    nodes: 1
    ssh_public_key_file: key.pub
"""
GROUP = "resourceGroups/quick-southcentralus"
STACKS = f"{GROUP}/providers/Microsoft.Resources/deploymentStacks"
TRAIN, NETWORK, INFER = (("PUT", f"{STACKS}/quick.{unit}") for unit in ("train-0", "network", "infer-0"))
NODES = ("POST", f"{GROUP.lower()}/providers/microsoft.compute/virtualmachinescalesets/quick-train-0/delete")
LOCK = f"{GROUP.replace('southcentralus', 'home')}/providers/Microsoft.Resources/deploymentStacks/provision-lock-quick"


@dataclass(frozen=True)
class Edit:
    """An edit of the file: what it changes, (action, resource) of the plan, the writes of the apply but the lock's."""

    before: str
    after: str
    changes: list[tuple[str, str]]
    writes: list[tuple[str, str]]
    capacity: dict[str, int] = field(default_factory=lambda: {"quick-train-0": 2})
    allow: tuple[str, ...] = ()


def west(path: str) -> str:
    return path.replace("southcentralus", "westus3")


EDITS = {
    "grow": Edit("nodes: 2", "nodes: 4", [("update", "quick-train-0")], [TRAIN], {"quick-train-0": 4}),
    "shrink": Edit(
        "nodes: 2",
        "nodes: 1",
        [("scale-in", "quick-train-0")],
        [NODES, TRAIN],
        {"quick-train-0": 1},
        ("--allow", "delete"),
    ),
    "new tag": Edit(
        "{owner: ml}",
        "{owner: ml, team: a}",
        [
            ("update", "quick-home"),
            ("update", "quick-southcentralus"),
            ("update", "quick-southcentralus-nodes-nsg"),
            ("update", "quick-southcentralus-nat-ip-0"),
            ("update", "quick-southcentralus-nat"),
            ("update", "quick-southcentralus-vnet"),
            ("update", "quick-train-0"),
        ],
        [("PUT", "resourcegroups/quick-home"), ("PUT", "resourcegroups/quick-southcentralus"), NETWORK, TRAIN],
    ),
    "image version": Edit(
        "    nodes: 2\n",
        "    nodes: 2\n    image: microsoft-dsvm:ubuntu-hpc:2204:22.04.2026080101\n",
        [("update-model", "quick-train-0")],
        [TRAIN],
    ),
    "other SSH prefix": Edit(
        "203.0.113.0/24", "198.51.100.0/24", [("update", "quick-southcentralus-nodes-nsg")], [NETWORK]
    ),
    "second pool": Edit(
        "pools:\n",
        "pools:\n" + SECOND_POOL,
        [("create", "quick-infer-0")],
        [INFER],
        {"quick-train-0": 2, "quick-infer-0": 1},
    ),
    "second region": Edit(
        "pools:\n",
        "  westus3: {}\npools:\n",
        [
            ("create", "quick-westus3"),
            ("create", "quick-westus3-nodes-nsg"),
            ("create", "quick-westus3-nat-ip-0"),
            ("create", "quick-westus3-nat"),
            ("create", "quick-westus3-vnet"),
            ("create", "nodes"),
            ("create", "quick-train-0"),
        ],
        [("PUT", "resourcegroups/quick-westus3"), ("PUT", west(NETWORK[1])), ("PUT", west(TRAIN[1]))],
        {"quick-train-0": 4},
    ),
    "comment only": Edit("version: 1\n", "# why\nversion: 1 # what\n", [], []),
    "key order only": Edit(
        "tags: {owner: ml}\nnetwork: {ssh_from: [203.0.113.0/24]}\n",
        "network: {ssh_from: [203.0.113.0/24]}\ntags: {owner: ml}\n",
        [],
        [],
    ),
}


def capacities(azure: Azure) -> dict[str, int]:
    """Return the nodes of each scale set, those of equal names in several regions added up."""
    found: dict[str, int] = {}
    for body in azure.world["resources"]:
        if body["type"] == "Microsoft.Compute/virtualMachineScaleSets":
            found[body["name"]] = found.get(body["name"], 0) + body["sku"]["capacity"]
    return found


def plain(writes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted((method, path.lower()) for method, path in writes if path.lower() != LOCK.lower())


@pytest.mark.parametrize("name", EDITS)
def test_the_plan_of_an_edit_is_right_and_apply_does_just_that(name: str, azure: Azure, provision: Shell) -> None:
    edit = EDITS[name]
    assert edit.before in QUICK
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK.replace(edit.before, edit.after))
    azure.forget()

    plan = provision.json("plan", "quick.yaml")
    assert [(change["action"], change["id"].rpartition("/")[2]) for change in plan["changes"]] == edit.changes
    assert azure.writes() == []

    assert provision("apply", "quick.yaml", "--yes", *edit.allow) == 0, provision.err
    assert plain(azure.writes()) == plain(edit.writes)
    assert capacities(azure) == edit.capacity
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out


def test_a_pool_that_is_removed_is_deleted_and_nothing_else_is(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK + SECOND_POOL)
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK)
    azure.forget()

    plan = provision.json("plan", "quick.yaml")
    assert [(change["action"], change["nodes"]) for change in plan["changes"]] == [("delete", 1)]
    assert provision("apply", "quick.yaml", "--yes") == 6
    assert azure.writes() == []
    assert provision("apply", "quick.yaml", "--yes", "--allow", "delete") == 0, provision.err
    assert plain(azure.writes()) == plain(
        [
            ("DELETE", f"{GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/quick-infer-0"),
            ("DELETE", INFER[1]),
        ]
    )
    assert capacities(azure) == {"quick-train-0": 2}
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out
