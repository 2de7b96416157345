"""Builders for what planning rests on: an environment as text, and an Azure in which it stands as it was stated."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from provision.adapters.files import environments_root, load_catalog
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates, read_templates
from provision.arm import MADE, ResourceId
from provision.pipeline import Checked, check, planned, rendered
from provision.plan import Chosen, Context, Observed, Plan, plan_of_destroying
from provision.plan.stated import stated_in

KEY = (Path(__file__).resolve().parents[2] / "environments" / "keys" / "example.pub").read_text()
SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
QUICK = """\
version: 1
name: quick
subscription: 00000000-0000-0000-0000-000000000001
tags: {owner: ml}
network: {ssh_from: [203.0.113.0/24]}
regions:
  southcentralus: {zone: "1"}
pools:
  train:
    size: Standard_ND96isr_H100_v5
    nodes: 2
    ssh_public_key_file: key.pub
"""


#: The file `boot.yaml` beside every environment; all others are keys.
BOOT = "#cloud-config\npackages: [tmux]\n"

#: The same with a unit of its own, of the sample's template.
NETAPP = "2025-06-01"
HOMES = (
    QUICK
    + """\
templates: own-templates
units:
  home:
    template: netapp-volume
    resources:
      account: {type: Microsoft.NetApp/netAppAccounts, api_version: "2025-06-01", name: homes}
      pool: {type: Microsoft.NetApp/netAppAccounts/capacityPools, api_version: "2025-06-01", name: homes/fast}
      volume:
        {type: Microsoft.NetApp/netAppAccounts/capacityPools/volumes, api_version: "2025-06-01", name: homes/fast/home}
    values: {service_level: Premium, pool_bytes: 4, volume_bytes: 2, export_path: home, subnet_id: /subscriptions/s}
    in_place: [properties.usageThreshold]
"""
)


def checked(text: str = QUICK, file: str = "quick.yaml", templates: Mapping[str, str] | None = None) -> Checked:
    """Return an environment's text, checked; it must be without errors. Its own `templates` are the sample's."""
    files = {file: text, "boot.yaml": BOOT}
    found = check(
        file,
        lambda path: files.get(path, KEY),
        load_catalog(),
        read_folder=lambda folder: templates or read_templates(str(environments_root() / "own-templates")),
    )
    assert found.topology is not None, found.findings
    return found


@dataclass
class World:
    """Azure as a test says it is; nothing in it by default."""

    groups: dict[str, Any] = field(default_factory=dict)
    resources: dict[str, Any] = field(default_factory=dict)
    stacks: dict[str, Any] = field(default_factory=dict)

    @property
    def observed(self) -> Observed:
        """Return the world as it is observed."""
        ours = {type.lower() for type in MADE}
        own = [key for key, body in self.resources.items() if ResourceId(body["id"]).type.lower() not in ours]
        return Observed(self.groups, self.resources, self.stacks, (), dict.fromkeys(own, NETAPP))

    def resource(self, name: str) -> dict[str, Any]:
        """Return the one resource of a name, to be changed by the test."""
        found = [body for key, body in self.resources.items() if key.endswith(f"/{name}".lower())]
        assert len(found) == 1, (name, list(self.resources))
        body: dict[str, Any] = found[0]
        return body


def plan(text: str, world: World, chosen: Chosen | None = None) -> Plan:
    """Return the plan of an environment's text, or a part of it, against a world."""
    return plan_for(checked(text), world, chosen)


def plan_for(each: Checked, world: World, chosen: Chosen | None = None) -> Plan:
    """Return the plan of an environment that is checked, or a part of it, against a world."""
    units = rendered(each, load_catalog(), load_templates())
    return planned(each, units, world.observed, load_catalog(), load_policies(), chosen)


def destruction(world: World, text: str = QUICK, chosen: Chosen | None = None) -> Plan:
    """Return the plan that destroys the environment."""
    each = checked(text)
    assert each.environment is not None
    name = each.environment.name
    locate = each.source.located
    context = Context(name, SUBSCRIPTION, world.observed, load_policies(), load_catalog(), locate)
    return plan_of_destroying(context, chosen)


def standing(text: str = QUICK) -> World:
    """Return the world in which an environment stands just as it was stated."""
    return standing_of(checked(text))


def standing_of(each: Checked, groups: Mapping[str, Any] | None = None) -> World:
    """Return the world in which an environment that is checked stands; `groups`: those that it takes for given."""
    world = World(groups=dict(groups or {}))
    units = rendered(each, load_catalog(), load_templates())
    made = plan_for(each, world)
    for operation in made.operations:
        body = copy.deepcopy(dict(operation.body or {}))
        if operation.kind == "put-group":
            world.groups[operation.target.key] = {"id": str(operation.target), **body}
        elif operation.kind == "put-stack":
            body["properties"]["provisioningState"] = "succeeded"
            world.stacks[operation.target.key] = {"id": str(operation.target), **body}
    for unit in units:
        for stated in stated_in(unit, SUBSCRIPTION):
            world.resources[stated.id.key] = {"id": str(stated.id), "type": stated.id.type, **_as_azure(stated.body)}
    return world


def _as_azure(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body as Azure gives it back: without what it never shows."""
    found = copy.deepcopy(dict(body))
    found.get("properties", {}).get("virtualMachineProfile", {}).get("osProfile", {}).pop("customData", None)
    return found
