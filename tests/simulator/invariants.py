"""What holds of a simulated world whatever was asked of it. Each check yields what is wrong, in words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from ipaddress import IPv4Network, ip_network
from typing import Any

from provision.simulator.compute import capacity, quota
from provision.simulator.network import instance_addresses, private_addresses
from provision.simulator.network.prefixes import prefixes_of
from provision.simulator.settle import EFFECTS, MOVES
from provision.simulator.state import instances
from provision.simulator.state.facts import regions, sizes
from provision.simulator.state.ids import parse
from provision.simulator.state.world import Resource, ScaleSet, World

BUSY = frozenset({"Creating", "Updating", "Deleting"})
OVER = frozenset({"Succeeded", "Failed", "Canceled"})


def violations(world: World) -> list[str]:
    """Return everything that does not hold."""
    return [f"{check.__name__}: {found}" for check in CHECKS for found in check(world)]


# --- what stands where ---


def everything_is_where_it_belongs(world: World) -> Iterator[str]:
    for key, row in _rows(world):
        if key != row.key or parse(row.id) is None:
            yield f"{row.id} is kept under {key}"
        if row.rid.group_key not in world.groups:
            yield f"{row.id} is in no group"
        parent = world.resources.get(row.rid.parent.key) if row.rid.parent is not None else None
        if row.rid.parent is not None and parent is None:
            yield f"{row.id} has no parent"
        if parent is not None and parent.location != row.location:
            yield f"{row.id} is in {row.location}, its parent in {parent.location}"
        if row.location not in regions():
            yield f"{row.id} is in {row.location}, which is no region"
    for table in (world.stacks, world.deployments, world.locks):
        for key in table:
            if "/resourcegroups/" in key and "/".join(key.split("/")[:5]) not in world.groups:
                yield f"{key} is in no group"


def what_is_kept_at_hand_is_true(world: World) -> Iterator[str]:
    """The tables by group, parent, region and reference are those that the rows give."""
    rows = [row for _, row in _rows(world)]
    for group in world.groups:
        mine = {row.key for row in rows if row.rid.group_key == group}
        if {row.key for row in world.resources.members(group)} != mine:
            yield f"the members of {group}"
    for row in rows:
        children = {each.key for each in rows if each.rid.parent is not None and each.rid.parent.key == row.key}
        if {each.key for each in world.resources.children(row.key)} != children:
            yield f"the children of {row.id}"
    sets = sorted(row.key for row in rows if isinstance(row, ScaleSet))
    if sorted(row.key for row in world.resources.scale_sets()) != sets:
        yield "the scale sets"
    for row in rows:
        for target in _referred(row.body):
            if target in world.resources and target != row.key:
                users = {each.key for each in world.resources.users(target)}
                if row.key not in users:
                    yield f"{row.id} is no user of {target}"


def nothing_in_use_is_gone(world: World) -> Iterator[str]:
    """What is used inside a group cannot be deleted, and so is there; across groups, a group's deletion may tear."""
    for _, row in _rows(world):
        for target in _referred({key: each for key, each in row.body.items() if key != "identity"}):
            known = parse(target)
            inside = known is not None and known.group_key == row.rid.group_key
            kept = known is not None and known.namespace == "Microsoft.Network"
            if inside and kept and "virtualnetworkpeerings" not in row.key and target not in world.resources:
                yield f"{row.id} uses {target}, which is gone"


# --- operations ---


def operations_are_sane(world: World) -> Iterator[str]:
    due = {(at, name) for at, _, name in world.agenda}
    for key, row in ((key, world.operations[key]) for key in world.operations):
        if key != row.name or row.kind not in {**EFFECTS, **MOVES}:
            yield f"{row.kind} {row.name} is kept under {key}"
        if row.status not in {"InProgress", *OVER}:
            yield f"{row.kind} {row.name} is {row.status}"
        if (row.status == "InProgress") == (row.ended is not None):
            yield f"{row.kind} {row.name} is {row.status} and ended {row.ended}"
        waits = row.status == "InProgress" and row.due is not None and not row.detail.get("endless")
        if waits and (row.due, key) not in due:
            yield f"nothing brings {row.kind} {row.name} to its end"
        if row.status == "InProgress" and row.due is not None and row.due < world.now:
            yield f"{row.kind} {row.name} is overdue"
        if row.outcome is not None and not {"code", "message"} <= set(row.outcome):
            yield f"{row.kind} {row.name} ends with {row.outcome}"
    if sorted(world.agenda)[:1] != world.agenda[:1]:
        yield "the agenda does not begin with what is due first"


def a_state_is_its_operations(world: World) -> Iterator[str]:
    for _, row in _rows(world):
        running = _running(world, row.operation)
        if row.operation and not running:
            yield f"{row.id} names {row.operation}, which does not run"
        if row.state not in BUSY | OVER:
            yield f"{row.id} is {row.state}"
        if (row.state in BUSY) != running:
            yield f"{row.id} is {row.state} and {'has an' if running else 'has no'} operation"
    for stack in world.stacks.values():
        running = _running(world, stack.operation)
        if running == (stack.state.lower() in ("succeeded", "failed", "canceled")):
            yield f"{stack.id} is {stack.state} and {'has an' if running else 'has no'} operation"
    for group in world.groups.values():
        deleting = any(
            row.kind == "group-delete" and row.target.lower() == group.key and row.status == "InProgress"
            for row in world.operations.values()
        )
        if deleting != (group.state == "Deleting"):
            yield f"{group.id} is {group.state}"
    for linger in world.lingers:
        if not _running(world, linger):
            yield f"interfaces linger without end: {linger}"


# --- scale sets ---


def instances_belong_to_their_set(world: World) -> Iterator[str]:
    for row in world.resources.scale_sets():
        live = instances.live(row)
        if len(set(live)) != len(live) or live != sorted(live):
            yield f"{row.id} has the instances {live}"
        if instances.count(row) != len(live):
            yield f"{row.id} counts {instances.count(row)} of {len(live)} instances"
        if live and live[-1] >= row.next_instance:
            yield f"{row.id} would give out {row.next_instance} again"
        if strays := set(row.touched) - set(map(str, live)):
            yield f"{row.id} remembers {sorted(strays)}, which it does not have"
        if len(row.gone) != len(set(row.gone)):
            yield f"{row.id} has lost {row.gone}"
        still = not row.operation and row.state == "Succeeded" and not _acting(row)
        if still and instances.stated(row) != len(live):
            yield f"{row.id} states {instances.stated(row)} instances and has {len(live)}"
        for number in live:
            if instances.model_of(row, number) not in (row.model, *map(int, row.old_models)):
                yield f"{row.id} has forgotten the model of {number}"
        busy = [key for key, differs in row.touched.items() if "busy" in differs]
        if busy and not any(_about(row, each) for each in world.operations.values() if each.status == "InProgress"):
            yield f"nothing is done to the busy instances {busy} of {row.id}"


def quota_adds_up(world: World) -> Iterator[str]:
    used: Counter[tuple[str, str, str]] = Counter()
    for row in world.resources.scale_sets():
        size = sizes().get(str(row.body["sku"]["name"]).lower())
        without = len(instances.unallocated(row))
        cores = (len(instances.live(row)) - without) * size.vcpus if size is not None else 0
        spot = row.properties.get("virtualMachineProfile", {}).get("priority") in ("Spot", "Low")
        names = ["lowPriorityCores"] if spot else ["cores", *([size.family] if size and size.family else [])]
        for name in names:
            used[row.rid.subscription.lower(), row.location, name] += cores
        used[row.rid.subscription.lower(), row.location, "virtualMachineScaleSets"] += 1
    for subscription, location in {(one, two) for one, two, _ in used}:
        shown = {each["name"]["value"]: each for each in quota.usages(world, subscription, location)["value"]}
        for (one, two, name), total in used.items():
            if (one, two) == (subscription, location) and name in shown and shown[name]["currentValue"] != total:
                yield f"{location} {name}: {shown[name]['currentValue']} is shown, {total} is used"


def no_cluster_holds_more_than_it_has(world: World) -> Iterator[str]:
    for row in world.resources.scale_sets():
        over = capacity.overfull(world, row.location, capacity.size_of(row))
        if over:
            yield f"{row.location} holds too many of {capacity.size_of(row)}: {over}"


def hardware_is_counted_right(world: World) -> Iterator[str]:
    for row in world.resources.scale_sets():
        one_by_one = Counter(instances.cluster_of(row, number) for number in instances.holding(row))
        if +instances.by_cluster(row) != one_by_one:
            yield f"{row.id} holds {one_by_one}, not {instances.by_cluster(row)}"


# --- addresses ---


def no_address_is_given_twice(world: World) -> Iterator[str]:
    public = Counter(
        str(row.properties["ipAddress"]) for _, row in _rows(world) if row.properties.get("ipAddress") is not None
    )
    for address, times in public.items():
        if times > 1:
            yield f"{address} is given {times} times"


def no_public_address_of_a_node_is_held_twice(world: World) -> Iterator[str]:
    holders: dict[int, str] = {}
    for row in world.resources.scale_sets():
        for offset in instance_addresses.held(row):
            if offset in holders:
                yield f"{holders[offset]} and {row.id} both have public address {offset}"
            holders[offset] = row.id


def every_node_has_its_public_addresses(world: World) -> Iterator[str]:
    for row in world.resources.scale_sets():
        profile = row.properties.get("virtualMachineProfile", {}).get("networkProfile", {})
        asked = sum(
            "publicIPAddressConfiguration" in address["properties"]
            for interface in profile.get("networkInterfaceConfigurations", [])
            for address in interface["properties"]["ipConfigurations"]
        )
        if len(list(instance_addresses.held(row))) != asked * len(instances.live(row)):
            yield f"{row.id} asks for {asked} public addresses a node and has {row.public_addresses}"


def no_address_of_a_subnet_is_held_twice(world: World) -> Iterator[str]:
    subnets = [row for _, row in _rows(world) if row.type.lower().endswith("/subnets")]
    for subnet in subnets:
        holders: dict[int, str] = {}
        for holder, offsets in private_addresses.held(world, subnet.key):
            for offset in offsets:
                if offset in holders:
                    yield f"{holders[offset]} and {holder} both have address {offset} of {subnet.id}"
                holders[offset] = holder


def every_node_has_its_addresses(world: World) -> Iterator[str]:
    for row in world.resources.scale_sets():
        for interface, configuration, subnet in instances.configurations(row):
            there = world.resources.get(subnet)
            ranges = prefixes_of(there.properties) if there is not None else []
            for number in instances.live(row) if ranges else []:
                if private_addresses.of(row, number, f"{subnet}|{interface}|{configuration}", ranges) is None:
                    yield f"{row.id} has no address for {number} in {subnet}"


def subnets_of_services_hold_nothing_else(world: World) -> Iterator[str]:
    kept = ("azurebastionsubnet", "gatewaysubnet", "azurefirewallsubnet", "routeserversubnet")
    for _, row in _rows(world):
        if row.type.lower().endswith("/subnets") and row.rid.name.lower() in kept:
            for holder, offsets in private_addresses.held(world, row.key):
                if any(True for _ in offsets):
                    yield f"{holder} is in {row.id}"


def what_serves_one_serves_no_other(world: World) -> Iterator[str]:
    """A NAT gateway is on one network's subnets, and a public address with one holder."""
    for _, row in _rows(world):
        users = world.resources.users(row.key)
        if row.type.lower().endswith("/natgateways"):
            networks = {user.rid.parent.key for user in users if user.rid.parent is not None}
            if len(networks) > 1:
                yield f"{row.id} is on {sorted(networks)}"
        elif row.type.lower().endswith("/publicipaddresses") and len(users) > 1:
            yield f"{row.id} is held by {[user.id for user in users]}"


def ranges_are_inside_and_apart(world: World) -> Iterator[str]:
    for _, row in _rows(world):
        if row.type.lower() != "microsoft.network/virtualnetworks":
            continue
        space = _networks(row.properties["addressSpace"]["addressPrefixes"])
        taken: list[tuple[IPv4Network, str]] = []
        for child in world.resources.children(row.key):
            if not child.type.lower().endswith("/subnets"):
                continue
            given = child.properties
            for each in _networks(given.get("addressPrefixes") or [given.get("addressPrefix")]):
                if not any(each.subnet_of(whole) for whole in space):
                    yield f"{child.id} is outside of its network: {each}"
                taken += [(each, child.id)]
        for index, (one, name) in enumerate(taken):
            for other, named in taken[index + 1 :]:
                if one.overlaps(other):
                    yield f"{name} and {named} overlap: {one}, {other}"


# --- records ---


def every_record_can_be_saved(world: World) -> Iterator[str]:
    for place, table in world.tables().items():
        for key in table:
            row = table[key]
            if not is_dataclass(row):
                yield f"{place} {key} is no record"
            elif json.loads(json.dumps(vars(row))) != vars(row):
                odd = [
                    each.name
                    for each in fields(row)
                    if json.loads(json.dumps(vars(row)[each.name])) != vars(row)[each.name]
                ]
                yield f"{place} {key} changes when it is saved: {odd}"


CHECKS: list[Callable[[World], Iterator[str]]] = [
    everything_is_where_it_belongs,
    what_is_kept_at_hand_is_true,
    nothing_in_use_is_gone,
    operations_are_sane,
    a_state_is_its_operations,
    instances_belong_to_their_set,
    quota_adds_up,
    no_cluster_holds_more_than_it_has,
    hardware_is_counted_right,
    no_address_is_given_twice,
    no_public_address_of_a_node_is_held_twice,
    every_node_has_its_public_addresses,
    no_address_of_a_subnet_is_held_twice,
    every_node_has_its_addresses,
    subnets_of_services_hold_nothing_else,
    what_serves_one_serves_no_other,
    ranges_are_inside_and_apart,
    every_record_can_be_saved,
]


def _rows(world: World) -> list[tuple[str, Resource]]:
    return [(key, world.resources[key]) for key in world.resources]


def _running(world: World, name: str) -> bool:
    row = world.operations.get(name) if name else None
    return row is not None and row.status == "InProgress"


def _acting(row: ScaleSet) -> bool:
    return any("busy" in differs for differs in row.touched.values())


def _about(row: ScaleSet, operation: Any) -> bool:
    return str(operation.target).lower().startswith(row.key)


def _networks(prefixes: list[Any]) -> list[IPv4Network]:
    found = [ip_network(str(each), strict=False) for each in prefixes if each]
    return [each for each in found if isinstance(each, IPv4Network)]


def _referred(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        target = value.get("id")
        if isinstance(target, str) and "/providers/" in target:
            yield target.lower()
        for inner in value.values():
            yield from _referred(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _referred(inner)
