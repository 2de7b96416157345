"""Thirty edits that everyone makes: each plan is as reviewed, apply does just that, and then nothing is left.

The plans stand in tests/golden/edits, as text and as JSON. That running nodes fare as a plan says is looked at besides.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Golden
from tests.e2e.conftest import Azure, Shell
from tests.support.topologies import IDENTITY
from tests.support.worlds import QUICK

GOLDEN = Path(__file__).parents[1] / "golden" / "edits"
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE7a2pR4n8dQn7VYwq9mXgq3b1c0dE5fG6hI7jK8lM9n other@example.com\n"
SECOND_POOL = """\
  infer:
    size: Standard_ND96isr_H100_v5
    nodes: 1
    ssh_public_key_file: key.pub
"""
LOGIN = "  login: {size: Standard_D8s_v5, nodes: 2, ssh_public_key_file: key.pub}\n"
LUSTRE = "{kind: managed-lustre, region: southcentralus, tier: 250, size_tib: 8, zone: '1', mount: /lustre}"
STORAGE = f"storage:\n  data: {LUSTRE}\n"
IMAGE = "    image: microsoft-dsvm:ubuntu-hpc:2204:22.04.2026080101\n"
ROLLING = "    upgrade: rolling\n"
DISKS = "    data_disks: [{size_gib: 1024}]\n"
BOOT = "    cloud_init_file: boot.yaml\n"
MONITOR = "    extensions: {monitor: {publisher: P, type: T, version: '1.0', settings: {level: 1}}}\n"
SPLIT = QUICK.replace("nodes: 2", "nodes: 4\n    domain_size: 2")
WEST = ("pools:\n", "  westus3: {}\npools:\n")
GROUP = "resourceGroups/quick-southcentralus"
SETS = f"{GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets"
STACKS = f"{GROUP}/providers/Microsoft.Resources/deploymentStacks"
TRAIN, NETWORK, INFER = (("PUT", f"{STACKS}/quick.{unit}") for unit in ("train-0", "network", "infer-0"))
NODES = ("POST", f"{SETS}/quick-train-0/delete")
LOCK = f"{GROUP.replace('southcentralus', 'home')}/providers/Microsoft.Resources/deploymentStacks/provision-lock-quick"


@dataclass(frozen=True)
class Edit:
    """An edit of the file: the file before and after, and what an apply needs consent for.

    `writes`: those of the apply but the lock's, where there are so few that they can be named.
    """

    before: str
    after: str
    allow: tuple[str, ...] = ()
    writes: list[tuple[str, str]] | None = None
    files: dict[str, str] = field(default_factory=dict)
    refused: bool = False


def west(path: str) -> str:
    return path.replace("southcentralus", "westus3")


def of(before: str, after: str, *allow: str, base: str = QUICK, **more: Any) -> Edit:
    """Return the edit that puts one text in the place of another."""
    assert before in base, before
    return Edit(base, base.replace(before, after), allow, **more)


def adding(text: str, *allow: str, base: str = QUICK, **more: Any) -> Edit:
    """Return the edit that adds lines to the pool, which comes last."""
    return Edit(base, base + text, allow, **more)


def without(edit: Edit, *allow: str) -> Edit:
    """Return the edit that takes another one back."""
    return Edit(edit.after, edit.before, allow, files=edit.files)


GROUPS = [("PUT", "resourcegroups/quick-home"), ("PUT", "resourcegroups/quick-southcentralus")]
WEST_WRITES = [
    ("PUT", "resourcegroups/quick-westus3"),
    ("PUT", west(NETWORK[1])),
    ("PUT", west(TRAIN[1])),
]
EDITS = {
    "grow": of("nodes: 2", "nodes: 4", writes=[TRAIN]),
    "shrink": of("nodes: 2", "nodes: 1", "delete", writes=[NODES, TRAIN]),
    "spare node": adding("    spares: 1\n", writes=[]),
    "new tag": of("{owner: ml}", "{owner: ml, team: a}", writes=[*GROUPS, NETWORK, TRAIN]),
    "tag goes": of("{owner: ml}", "{}", writes=[*GROUPS, NETWORK, TRAIN]),
    "image version": adding(IMAGE, writes=[TRAIN]),
    "image version, rolling": adding(IMAGE, base=QUICK + ROLLING, writes=[TRAIN]),
    "other system": adding("    image: microsoft-dsvm:ubuntu-hpc:2404:latest\n", writes=[TRAIN]),
    "other offer": adding("    image: almalinux:almalinux-hpc:8_10-hpc-gen2:latest\n", "replace"),
    "rolling upgrades": adding(ROLLING, writes=[TRAIN]),
    "other SSH prefix": of("203.0.113.0/24", "198.51.100.0/24", writes=[NETWORK]),
    "other SSH key": of("key.pub", "other.pub", files={"other.pub": OTHER_KEY}, writes=[TRAIN]),
    "other administrator": adding("    admin_user: hpc\n", "replace"),
    "first boot script": adding(BOOT, files={"boot.yaml": "#cloud-config\npackages: [tmux]\n"}, writes=[TRAIN]),
    "data disk": adding(DISKS, writes=[TRAIN]),
    "data disk goes": without(adding(DISKS)),
    "larger system disk": adding("    os_disk: {size_gib: 256}\n", writes=[TRAIN]),
    "ephemeral system disk": adding("    os_disk: {kind: ephemeral}\n", "replace"),
    "identity": adding(f"    identities: [{IDENTITY}]\n", writes=[TRAIN]),
    "identity goes": without(adding(f"    identities: [{IDENTITY}]\n")),
    "extension": adding(MONITOR, writes=[TRAIN]),
    "extension setting": of("level: 1", "level: 2", base=QUICK + MONITOR, writes=[TRAIN]),
    "extension goes": without(adding(MONITOR)),
    "public addresses": adding("    public_ip: true\n", writes=[TRAIN]),
    "larger login nodes": of("D8s", "D16s", base=QUICK + LOGIN),
    "other GPU size": of("ND96isr_H100_v5", "ND96amsr_A100_v4", "replace"),
    "other zone": of('zone: "1"', 'zone: "3"', "replace"),
    "zone comes": of("{}", '{zone: "1"}', "replace", base=QUICK.replace('{zone: "1"}', "{}")),
    "second pool": of("pools:\n", "pools:\n" + SECOND_POOL, writes=[INFER]),
    "pool goes": Edit(
        QUICK + SECOND_POOL,
        QUICK,
        ("delete",),
        [("DELETE", f"{SETS}/quick-infer-0"), ("DELETE", INFER[1])],
    ),
    "pool renamed": of("  train:", "  trane:", "delete"),
    "second region": of(*WEST, writes=WEST_WRITES),
    "region goes": without(of(*WEST), "delete"),
    "fewer, larger domains": of("domain_size: 2", "domain_size: 4", "delete", base=SPLIT),
    "bastion": of("{ssh_from", "{bastion: true, ssh_from"),
    "second way out": of("{ssh_from", "{outbound: {nat_gateway: {addresses: 2}}, ssh_from", writes=[NETWORK]),
    "file system": Edit(QUICK, QUICK + STORAGE),
    "larger file system": of("size_tib: 8", "size_tib: 16", "replace", base=QUICK + STORAGE),
    "other addresses": of("{ssh_from", "{address_space: 10.64.0.0/12, ssh_from", "replace,delete"),
    "protected": adding("    protect: true\n", writes=[TRAIN]),
    "protected pool shrinks": of("nodes: 2", "nodes: 1", base=QUICK + "    protect: true\n", refused=True),
    "autoscaler": adding("    capacity: external\n", writes=[]),
    "comment only": of("version: 1\n", "# why\nversion: 1 # what\n", writes=[]),
    "key order only": of(
        "tags: {owner: ml}\nnetwork: {ssh_from: [203.0.113.0/24]}\n",
        "network: {ssh_from: [203.0.113.0/24]}\ntags: {owner: ml}\n",
        writes=[],
    ),
}  # fmt: skip


def nodes(azure: Azure) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the nodes of each scale set, by the set's id and the node's own."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for body in azure.world["resources"]:
        if body["type"] == "Microsoft.Compute/virtualMachineScaleSets":
            of_set = found.setdefault(body["id"].lower(), {})
            path = f"{body['id']}/virtualMachines?api-version=2025-11-01"
            while path:
                azure.pass_time(30)  # until there is something in the budget again
                page = azure.ask("GET", path)
                of_set |= {node["properties"]["vmId"]: node["properties"] for node in page["value"]}
                path = page.get("nextLink", "").removeprefix(azure.endpoint)
    return found


def plain(writes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted((method, path.lower()) for method, path in writes if path.lower() != LOCK.lower())


def shown(plan: dict[str, Any]) -> str:
    """Return what of a plan's JSON reviewers read."""
    keys = ("environment", "changes", "drift", "kept", "domains", "summary")
    return json.dumps({key: plan[key] for key in keys}, indent=1, ensure_ascii=False) + "\n"


def as_planned(plan: dict[str, Any], before: Any, after: Any) -> list[str]:
    """Return the sets whose nodes did not fare as the plan says: which were kept, and which have the latest model."""
    actions = {change["id"].lower(): change["action"] for change in plan["changes"]}
    wrong = []
    for id, there in before.items():
        left = {vm: node for vm, node in after.get(id, {}).items() if vm in there}
        action = actions.get(id, "nothing")
        kept = len(left) == len(there) if action not in ("scale-in", "delete", "replace") else len(left) < len(there)
        models = {node["latestModelApplied"] for node in left.values()}
        latest = models == {False} if action == "update-model" else models <= {True}
        wrong += [] if kept and latest else [f"{id} {action}"]
    return wrong


@pytest.mark.parametrize("name", EDITS)
def test_the_plan_of_an_edit_is_as_reviewed_and_apply_does_just_that(
    name: str, azure: Azure, provision: Shell, golden: Golden
) -> None:
    edit, file = EDITS[name], name.replace(",", "").replace(" ", "-")
    azure.put(IDENTITY.partition("/providers/")[0], {"location": "southcentralus"}, "2025-04-01")
    azure.put(IDENTITY, {"location": "southcentralus"}, "2024-11-30")
    for path, text in edit.files.items():
        provision.write(text, path)
    provision.write(edit.before)
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(edit.after)
    azure.forget()
    before = nodes(azure)

    plan = provision.json("plan", "quick.yaml")
    golden(GOLDEN / f"{file}.json", shown(plan))
    assert provision("plan", "quick.yaml") == (6 if edit.refused else 0), provision.err
    golden(GOLDEN / f"{file}.txt", provision.out)
    assert azure.writes() == []

    if edit.refused or edit.allow:
        assert provision("apply", "quick.yaml", "--yes") == 6
        assert (azure.writes(), nodes(azure)) == ([], before)
    if edit.refused:
        return
    allow = ("--allow", ",".join(edit.allow)) if edit.allow else ()
    assert provision("apply", "quick.yaml", "--yes", *allow) == 0, provision.err
    if edit.writes is not None:
        assert plain(azure.writes()) == plain(edit.writes)
    assert as_planned(plan, before, nodes(azure)) == []
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out


def test_every_reviewed_plan_is_of_an_edit() -> None:
    files = {name.replace(",", "").replace(" ", "-") for name in EDITS}

    assert {path.stem for path in GOLDEN.iterdir()} == files
    assert len(files) >= 30
