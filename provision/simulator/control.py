"""The tester's side: the world seen and set as a whole, and faults. Nothing here is Azure's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from provision.simulator import adoption, settings
from provision.simulator.access import locks, role_assignments
from provision.simulator.compute import capacity, eviction
from provision.simulator.deployments import stack_bodies
from provision.simulator.network import security_groups
from provision.simulator.resources import groups, providers
from provision.simulator.settle import settle
from provision.simulator.state import faults, instances, lag, operations
from provision.simulator.state.world import Operation, ScaleSet, World
from provision.simulator.storage import lustre, stored
from provision.simulator.wire.messages import Json

PARTS = (
    "resourceGroups",
    "resources",
    "stacks",
    "locks",
    "roleAssignments",
    "registrations",  # by a provider's namespace, or namespace/feature: Registered, NotRegistered, and what is between
    "operations",
    "quota",
    "capacity",
    "restrictions",
    "settings",
)
NODE_STATES = ("power", "health", "failed")


def world_view(world: World) -> Json:
    """Return the world as lists of full bodies, by id, and what the tester has set."""
    # Rules are shown inside of their group.
    shown = [row for row in world.resources.values() if row.type.lower() != security_groups.RULE]
    resources = sorted(shown, key=lambda row: row.key)
    running = [row for row in world.operations.values() if row.status == "InProgress" and not row.hidden]
    return {
        "resourceGroups": [groups.render(row) for row in sorted(world.groups.values(), key=lambda row: row.key)],
        "resources": [providers.render(world, row) for row in resources],
        "stacks": [stack_bodies.render(row) for row in sorted(world.stacks.values(), key=lambda row: row.key)],
        "locks": [locks.render(row) for row in sorted(world.locks.values(), key=lambda row: row.key)],
        "roleAssignments": [
            role_assignments.render(row) for row in sorted(world.role_assignments.values(), key=lambda row: row.key)
        ],
        "registrations": {row.name: row.state for row in sorted(world.registrations.values(), key=lambda row: row.key)},
        "operations": [operations.view(row) for row in sorted(running, key=lambda row: row.number)],
        "quota": world.quota,
        "capacity": world.capacity,
        "restrictions": world.restrictions,
        "settings": world.settings,
    }


def put_world(world: World, at: float, body: Any) -> None:
    """Replace the parts that are given; raise ValueError, having changed nothing, where they make no sense.

    Groups, resources and stacks replace all that exist of their kind, and what is under way about it ends; `operations`
    may only be the empty list, which ends all that runs.
    """
    if not isinstance(body, dict):
        raise ValueError("the world is an object")
    if unknown := set(body) - set(PARTS):
        raise ValueError(f"the world has no {sorted(unknown)}; it has {', '.join(PARTS)}")
    _check(body)
    trial = World(world.seed)
    trial.counter = world.counter
    trial.settings = body.get("settings", world.settings)
    # Interfaces that Azure still keeps of nodes that are gone outlive the resources, and hold addresses.
    for name in () if "operations" in body else world.lingers:
        trial.lingers.put(name, world.lingers[name])
    for row in () if "resourceGroups" in body else world.groups.values():
        trial.groups.put(row.key, row)
    _adopt(trial, at, body)
    world.counter = trial.counter
    if "operations" in body:
        _drop_operations(world, at)
    tables: list[Any] = [
        table
        for part, table in (
            ("resourceGroups", world.groups),
            ("resources", world.resources),
            ("stacks", world.stacks),
        )
        if part in body
    ]
    # What is replaced has nothing under way. Interfaces that linger are no part of it.
    _end_operations(
        world, at, lambda row: row.kind != "linger" and any(row.target.lower() in table for table in tables)
    )
    for part, table, made in (
        ("resourceGroups", world.groups, trial.groups),
        ("resources", world.resources, trial.resources),
        ("stacks", world.stacks, trial.stacks),
        ("locks", world.locks, trial.locks),
        ("roleAssignments", world.role_assignments, trial.role_assignments),
        ("registrations", world.registrations, trial.registrations),
    ):
        if part in body:
            _replace(table, made)
    world.quota = body.get("quota", world.quota)
    world.capacity = body.get("capacity", world.capacity)
    world.restrictions = body.get("restrictions", world.restrictions)
    world.settings = body.get("settings", world.settings)
    lag.begin(world)
    if "capacity" in body or "resources" in body:
        capacity.house(world)
        eviction.make_room_everywhere(world, at)


def add_faults(world: World, body: Any) -> None:
    """Add one fault or a list of them; raise ValueError, having added none, where one is wrong."""
    added = [faults.checked(fault) for fault in (body if isinstance(body, list) else [body])]
    world.faults.extend(added)


def play(world: World, at: float, scenario: Json) -> None:
    """Take over a scenario's parts of the world, and its faults in place of those that there are, or raise ValueError.

    What is checked first is what can be wrong in a fault; a world that makes no sense changes nothing either.
    """
    given = scenario.get("faults", [])
    if not isinstance(given, list):
        raise ValueError("faults is a list")
    added = [faults.checked(fault) for fault in given]
    put_world(world, at, scenario.get("world", {}))
    world.faults = added


def store_types(world: World, body: Any) -> Json:
    """Let resources of more types in, stored as they are sent: `{store: [type, …]}`; return those that were unknown.

    Raise ValueError, having changed nothing, where it is no list of types.
    """
    wanted = body.get("store") if isinstance(body, dict) else None
    settings.check_types(wanted)
    assert isinstance(wanted, list)
    unknown = [type_ for type_ in wanted if type_.lower() not in (*providers.TYPES, *stored.TYPES)]
    before = stored.added(world)
    new = [type_ for type_ in unknown if not stored.known(world, type_)]
    if new:
        world.settings = {**world.settings, stored.SETTING: [*before, *new]}
    return {"stored": unknown}


def set_nodes(world: World, body: Any) -> list[Json]:
    """Put nodes into a state that no request brings about; return what was set, or raise ValueError, having set none.

    One entry, or a list of them: `{scaleSet, instances, power?, health?, failed?}`. `power` is running, stopped or
    deallocated, `health` what the health extension reports, `failed` the error `{code, message}` of a node that did
    not come up. Null takes `health` and `failed` away.
    """
    entries = [_node_entry(world, entry) for entry in (body if isinstance(body, list) else [body])]
    for row, numbers, change in entries:
        for number in numbers:
            differs = row.touched.setdefault(str(number), {})
            differs.update(change)
            row.touched[str(number)] = {key: value for key, value in differs.items() if value not in (None, "running")}
        row.touched = {key: differs for key, differs in row.touched.items() if differs}
        world.resources.put(row.key, row)
    return [
        {"scaleSet": row.id, "instances": [str(number) for number in numbers], **change}
        for row, numbers, change in entries
    ]


def _node_entry(world: World, entry: Any) -> tuple[ScaleSet, list[int], Json]:
    if not isinstance(entry, dict) or set(entry) - {"scaleSet", "instances", *NODE_STATES}:
        raise ValueError("an entry has scaleSet and instances, and may have power, health and failed")
    row = world.resources.get(str(entry.get("scaleSet")).lower())
    if not isinstance(row, ScaleSet):
        raise ValueError(f"there is no scale set {entry.get('scaleSet')}")
    named = entry.get("instances")
    numbers = [instances.number_of(row, str(each)) for each in named] if isinstance(named, list) else []
    found = [number for number in numbers if number is not None]
    if not found or len(found) != len(numbers):
        raise ValueError(f"instances is a list of ids that {row.rid.name} has")
    if entry.get("power", "running") not in ("running", "stopped", "deallocated"):
        raise ValueError("power is running, stopped or deallocated")
    if entry.get("health", "healthy") not in ("healthy", "unhealthy", "unknown", "initializing", None):
        raise ValueError("health is healthy, unhealthy, unknown, initializing or null")
    failed = entry.get("failed")
    if failed is not None and not (isinstance(failed, dict) and {"code", "message"} == set(failed)):
        raise ValueError("failed holds code and message, or is null")
    return row, found, {key: entry[key] for key in NODE_STATES if key in entry}


def _check(body: Json) -> None:
    for part in ("resourceGroups", "resources", "stacks", "locks", "roleAssignments", "operations", "restrictions"):
        if part in body and not isinstance(body[part], list):
            raise ValueError(f"{part} is a list")
        if not all(isinstance(each, dict) for each in body.get(part, [])):
            raise ValueError(f"{part} is a list of objects")
    if body.get("operations"):
        raise ValueError("operations can only be emptied")
    for region, limits in _object(body, "quota").items():
        numbers = isinstance(limits, dict) and all(isinstance(value, int) for value in limits.values())
        if not numbers:
            raise ValueError(f"quota.{region} holds whole numbers by name")
    for region, sizes in _object(body, "capacity").items():
        if not isinstance(sizes, dict) or not all(capacity.is_stated(each) for each in sizes.values()):
            raise ValueError(
                f"capacity.{region} holds, by size, a whole number or a list of {{nodes, zone?, cluster?}}"
            )
    settings.check(_object(body, "settings"))
    for restriction in body.get("restrictions", []):
        if not all(isinstance(restriction.get(key), str) for key in ("location", "size")):
            raise ValueError("a restriction has location and size, and may have zones and reasonCode")


def _object(body: Json, part: str) -> Json:
    found = body.get(part, {})
    if not isinstance(found, dict):
        raise ValueError(f"{part} is an object")
    return found


def _adopt(trial: World, at: float, body: Json) -> None:
    for each in body.get("resourceGroups", []):
        adoption.group(trial, at, each)
    for each in sorted(body.get("resources", []), key=_rank):
        adoption.resource(trial, at, each)
    for each in body.get("stacks", []):
        adoption.stack(trial, at, each)
    for each in body.get("locks", []):
        adoption.lock(trial, each)
    for each in body.get("roleAssignments", []):
        adoption.role_assignment(trial, at, each)
    for name, state in _object(body, "registrations").items():
        adoption.registration(trial, name, state)


def _rank(body: Json) -> tuple[int, int]:
    """Return where a resource comes whatever the order of the list: parents before their children, and behind what has
    addresses to give whoever takes some, first those who say which.
    """
    resource_id, properties = str(body.get("id", "")).lower(), body.get("properties")
    if "/virtualmachinescalesets/" in resource_id:
        turn = 3
    elif f"/{lustre.TYPE}/" in resource_id:
        turn = 1 if isinstance(properties, dict) and "clientInfo" in properties else 2
    else:
        turn = 0
    return turn, resource_id.count("/")


def _replace(table: Any, made: Any) -> None:
    for key in list(table):
        table.remove(key)
    for key in made:
        table.put(key, made[key])


def _drop_operations(world: World, at: float) -> None:
    """End what runs and forget it all."""
    _end_operations(world, at, lambda row: True)
    for name in list(world.operations):
        world.operations.remove(name)
    world.agenda.clear()


def _end_operations(world: World, at: float, chosen: Callable[[Operation], bool]) -> None:
    """End those that are chosen as if something newer had taken their place, with all that begins on the way."""
    while names := [row.name for row in world.operations.values() if row.status == "InProgress" and chosen(row)]:
        for name in names:
            operations.preempt(world, name, at)
        settle(world, at)
