"""Children that the body of their parent may state: a virtual network's subnets and peerings, a group's rules.

A virtual network whose body says nothing of its subnets keeps them; one that states them has those and no others. A
security group has the rules that its body states, and none where it states none.
"""

from __future__ import annotations

from dataclasses import dataclass

from provision.simulator.bodies import manners
from provision.simulator.network import names, network_defaults, network_uses, peerings, security_groups, subnets
from provision.simulator.refusals import network_errors
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource, World
from provision.simulator.wire.messages import Json

SUBNET = subnets.TYPE
RULE = security_groups.RULE
_VNET = "microsoft.network/virtualnetworks"
_GROUP = "microsoft.network/networksecuritygroups"


@dataclass(frozen=True, slots=True)
class Children:
    """What a body states of its children, checked. None: it says nothing, and they stay."""

    subnets: list[Resource] | None = None
    rules: list[Resource] | None = None
    peerings: list[tuple[Resource, Resource | None]] | None = None
    """Each half with what it was before."""


_NOTHING = Children()


def read(world: World, rid: ResourceId, given: Json, parent: Resource) -> Children:
    """Return the children that a body states; refuse those that do not fit. The world is not touched."""
    type_ = rid.type.lower()
    if type_ == _VNET:
        return Children(
            subnets=_subnets(world, rid, given.get("subnets"), parent),
            peerings=_halves(world, rid, given.get("virtualNetworkPeerings"), parent),
        )
    if type_ == _GROUP:
        return Children(rules=_rules(world, rid, given.get("securityRules") or [], parent))
    return _NOTHING


def look(world: World, rid: ResourceId, given: Json) -> None:
    """Refuse children that could not be whatever else there is."""
    for entry in given.get("subnets") or []:
        child, _ = _child(world, rid, "subnets", entry)
        network_defaults.subnet(world, child, {"properties": entry.get("properties", {})}, None)
    for entry in given.get("securityRules") or []:
        child, _ = _child(world, rid, "securityRules", entry)
        security_groups.rule(child.text, entry["properties"])


def write(world: World, parent: Resource, children: Children) -> None:
    """Make the children those given, as part of the operation that writes their parent."""
    if children.subnets is not None:
        _replace(world, parent, subnets.of(world, parent.key), children.subnets)
    if children.rules is not None:
        _replace(world, parent, rules_of(world, parent.key), children.rules)
    if children.peerings is not None:
        gone = _replace(world, parent, peerings.of(world, parent.key), [half for half, _ in children.peerings])
        peerings.lost(world, gone)
        for half, before in children.peerings:
            peerings.begin(world, half, before, sync=False)
            world.resources.put(half.key, half)


def rules_of(world: World, group_key: str) -> list[Resource]:
    """Return a group's rules in the order in which they were stated."""
    rows = [child for child in world.resources.children(group_key) if child.type.lower() == RULE]
    return sorted(rows, key=lambda row: int(row.body["place"]))


def place(world: World, rid: ResourceId, before: Resource | None) -> int:
    """Return where a rule that is written alone stands: where it stood, else behind all others."""
    if before is not None:
        return int(before.body["place"])
    assert rid.parent is not None
    return max((int(row.body["place"]) for row in rules_of(world, rid.parent.key)), default=-1) + 1


def check_rules(world: World, group: Resource, made: list[Resource], *, whole: bool) -> None:
    """Refuse rules that stand in each other's places. `whole`: there will be no others in the group."""
    others = [] if whole else rules_of(world, group.key)
    stated = {row.key for row in made}
    rows = [*(row for row in others if row.key not in stated), *made]
    security_groups.check_together((row.rid.name, row.properties) for row in rows)


def _replace(world: World, parent: Resource, before: list[Resource], made: list[Resource]) -> list[Resource]:
    """Put the children given in the place of those that were there; return those that are gone."""
    stated = {row.key for row in made}
    gone = [row for row in before if row.key not in stated]
    for row in gone:
        world.resources.remove(row.key)
    for row in made:
        row.operation = parent.operation
        world.resources.put(row.key, row)
    return gone


def _subnets(world: World, rid: ResourceId, given: list[Json] | None, vnet: Resource) -> list[Resource] | None:
    if given is None:
        subnets.check_all(vnet, vnet.properties["addressSpace"]["addressPrefixes"], subnets.of(world, rid.key))
        return None
    _refuse_twice(rid, given)
    made = []
    for entry in given:
        child, before = _child(world, rid, "subnets", entry)
        properties = network_defaults.subnet(world, child, {"properties": entry.get("properties", {})}, before)
        network_uses.check_references(world, child, vnet.location, {"properties": properties})
        made.append(_row(child, before, vnet, {"properties": properties}))
    subnets.check_replacement(world, vnet, made)
    return made


def _rules(world: World, rid: ResourceId, given: list[Json], group: Resource) -> list[Resource]:
    _refuse_twice(rid, given)
    made = []
    for index, entry in enumerate(given):
        child, before = _child(world, rid, "securityRules", entry)
        properties = security_groups.rule(child.text, entry["properties"])
        made.append(_row(child, before, group, {"place": index, "properties": properties}))
    check_rules(world, group, made, whole=True)
    return made


def _halves(
    world: World, rid: ResourceId, given: list[Json] | None, vnet: Resource
) -> list[tuple[Resource, Resource | None]] | None:
    if given is None:
        return None
    _refuse_twice(rid, given)
    made: list[tuple[Resource, Resource | None]] = []
    for entry in given:
        child, before = _child(world, rid, "virtualNetworkPeerings", entry)
        properties = network_defaults.peering(world, child, entry, before)
        network_uses.check_references(world, child, vnet.location, {"properties": properties})
        peerings.check(world, child, vnet, properties, before)
        half = _row(child, before, vnet, {"properties": properties})
        if any(peerings.remote_of(half) == peerings.remote_of(each) for each, _ in made):
            raise network_errors.peered_already(child.text, made[0][0].id, properties["remoteVirtualNetwork"]["id"])
        made.append((half, before))
    return made


def _child(world: World, rid: ResourceId, kind: str, entry: Json) -> tuple[ResourceId, Resource | None]:
    child = rid.child(kind, entry["name"])
    before = world.resources.get(child.key)
    if before is None:
        names.check(child)
    return child, before


def _row(child: ResourceId, before: Resource | None, parent: Resource, body: Json) -> Resource:
    text = before.id if before is not None else child.text
    return Resource(text, child.type, parent.location, body, parent.made, "Updating", parent.etag)


def _refuse_twice(rid: ResourceId, given: list[Json]) -> None:
    seen: set[str] = set()
    for entry in given:
        name = entry["name"]
        if name.lower() in seen:
            message = f"Resource {rid.text} has two child resources with the same name ({name})."
            raise manners.unreadable("DuplicateResourceName", message)
        seen.add(name.lower())
