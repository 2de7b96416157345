"""Makes the plan of an environment: stated against observed against recorded, unit by unit, then in order.

Leaves to others: what happens to groups (`groups.py`) and to a unit's resources (`units.py`), what is deleted and in
which order (`deletions.py`), what it costs (`assess.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from provision.arm import SCALE_SETS, ResourceId, group_id
from provision.environment.model import Limits
from provision.plan import deletions
from provision.plan.assess import assess, breaches
from provision.plan.context import Context, capacity
from provision.plan.groups import group_changes
from provision.plan.ignored import of_autoscalers
from provision.plan.model import CONSENT, Action, Change, Domain, Drifted, Kept, Operation, Plan
from provision.plan.observed import Observed, is_marked, mark_of
from provision.plan.order import in_sequence
from provision.plan.partial import Chosen, Cut, cut
from provision.plan.units import Work, going_first, spread_replacements, stack_body, work_on
from provision.render import Unit
from provision.topology import Topology
from provision.topology.names import MARK, home_group


def plan_of(
    context: Context, topology: Topology, units: tuple[Unit, ...], limits: Limits, chosen: Chosen | None = None
) -> Plan:
    """Return the plan that makes Azure what the environment states, or a part of it that is chosen."""
    context = replace(context, ignored=(*context.ignored, *of_autoscalers(topology)))
    changes, operations, kept, drift = group_changes(context, topology)
    works = [work_on(context, unit) for unit in units]
    spread_replacements(context, works)
    for work in works:
        changes += work.changes
        kept += work.kept
        drift += work.drift
    operations += _unit_operations(context, works, operations, _with_boot_files(topology))
    stated_groups = {group_id(context.subscription, region.group).key for region in topology.regions}
    stated_stacks = {work.stack.key for work in works}
    return _with_removals(
        context, topology, changes, operations, kept, drift, limits, stated_stacks, stated_groups, chosen
    )


def plan_of_destroying(context: Context, chosen: Chosen | None = None) -> Plan:
    """Return the plan that deletes everything that the environment has made, or a part of it that is chosen."""
    plan = replace(_with_removals(context, None, [], [], [], [], Limits(), set(), set(), chosen), destroys=True)
    if plan.empty or plan.home.key in context.observed.groups:
        return plan
    # Somebody has deleted the home group: without it there is no lock, so it is there as long as this takes.
    location = next(str(body["location"]) for body in context.observed.groups.values())
    body = {"location": location, "tags": {MARK: plan.environment}}
    made = Operation(f"group {plan.home.name}", "put-group", plan.home, "", "", (), body)
    operations = [made, *plan.operations]
    operations += deletions.group_operations([plan.home], operations, plan.home, plan.environment)
    return replace(plan, home_location=location, operations=tuple(operations))


def _with_removals(
    context: Context,
    topology: Topology | None,
    changes: list[Change],
    operations: list[Operation],
    kept: list[Kept],
    drift: list[Drifted],
    limits: Limits,
    stated_stacks: set[str],
    stated_groups: set[str],
    chosen: Chosen | None,
) -> Plan:
    """Return the plan with what is no longer stated: whole units and groups."""
    observed, environment = context.observed, context.environment
    home = group_id(context.subscription, home_group(environment))
    removed = deletions.removals(observed, environment, stated_stacks)
    changes += [change for unit in removed for change in _removal_changes(context, unit, topology is None)]
    operations += deletions.operations(observed, removed, environment)
    kept += [entry for unit in removed for entry in unit.kept]
    kept += _foreign(context, removed, changes)
    groups, groups_kept = deletions.emptied_groups(observed, environment, context.subscription, stated_groups, removed)
    for id in groups:
        region = next((unit.record.region for unit in removed if unit.stack.group.lower() == id.name.lower()), "")
        changes.append(context.change(id, Action.DELETE, "nothing is left in it", ("regions",), region=region))
    operations += deletions.group_operations(groups, operations, home, environment)
    kept += groups_kept
    rest = cut(chosen, changes, operations, home, observed.remotes()) if chosen else Cut(changes, operations)
    changes, left = rest.changes, {change.id.key for change in rest.left}
    ordered = in_sequence(rest.operations, changes, observed.remotes())
    marked = observed.marked(environment)
    # What goes on where a part has nothing to do is no reason to take it for overtaken.
    ground = observed.within({home.key, *(change.id.group_id.key for change in changes)}) if chosen else observed
    assessment = assess(topology, marked, tuple(changes), ordered, context.catalog, context.prices, rest.left)
    there = observed.groups.get(home.key, {})
    return Plan(
        environment=environment,
        subscription=context.subscription,
        home=home,
        home_location=str(there.get("location") or (topology.home_location if topology else "")),
        changes=tuple(changes),
        operations=ordered,
        kept=tuple(dict.fromkeys(kept)),
        drift=tuple(drifted for drifted in drift if drifted.id.key not in left),
        domains=tuple(
            domain
            for domain in (_domains(topology) if topology else ())
            if chosen is None or chosen.has(domain.region, domain.pool)
        ),
        assessment=assessment,
        consents=tuple(sorted({CONSENT[change.action] for change in changes if change.action in CONSENT})),
        breaches=breaches(assessment, limits),
        read=ground.digests(),
        own=_own(observed, topology),
        part=rest.part,
    )


def _own(observed: Observed, topology: Topology | None) -> dict[ResourceId, str]:
    """Return what units of one's own state, and what they have made besides, in order of making."""
    found = dict(topology.own_resources()) if topology else {}
    stated = {id.key for id in found}
    made = {ResourceId(observed.resources[key]["id"]): version for key, version in observed.versions.items()}
    return {**found, **{id: version for id, version in made.items() if id.key not in stated}}


def _with_boot_files(topology: Topology) -> frozenset[tuple[str, str]]:
    """Return the pools, as (region, pool), whose nodes boot with a file of the user's, which may hold anything."""
    return frozenset((pool.region, pool.name) for pool in topology.pools if pool.cloud_init is not None)


def _unit_operations(
    context: Context, works: list[Work], groups: list[Operation], private: frozenset[tuple[str, str]]
) -> list[Operation]:
    """Return the operations of the units that are written: what replacements delete, the stack, what it gives up.

    `private`: pools, as (region, pool), of which a plan file holds only hashes of what Azure itself never shows.
    """
    hidden = context.policies.of(SCALE_SETS).hidden
    made = {operation.target.key: operation.id for operation in groups}
    puts = {(w.unit.region, w.unit.name): f"stack {w.unit.region}/{w.unit.name}" for w in works if w.written}
    replaced: dict[str, list[tuple[str, ResourceId]]] = {}
    first = going_first(context, works)
    for work in works:
        for id in work.in_order_of_making((*work.replaced, *(id for id in work.leaving if id.key in first))):
            replaced.setdefault(work.unit.region, []).append((work.unit.name, id))
    operations = deletions.before_replacing(context.observed, replaced, context.environment)
    freed = {operation.target.key: operation.id for operation in operations if operation.kind == "delete"}
    for work in works:
        if not work.written:
            continue
        unit = work.unit
        group = made.get(group_id(context.subscription, unit.group).key)
        needs = [*([group] if group else []), *(puts[key] for key in unit.after if key in puts)]
        needs += [freed[id.key] for id in (*work.replaced, *work.leaving) if id.key in freed]
        origin = context.locate(unit.origin)
        shrinking = _instances_going(context, work, tuple(needs))
        operations += shrinking
        needs += [operation.id for operation in shrinking]
        put = Operation(
            id=puts[(unit.region, unit.name)],
            kind="put-stack",
            target=work.stack,
            unit=unit.name,
            region=unit.region,
            after=tuple(needs),
            sends=partial(stack_body, context, work),
            origin=origin,
            withheld=hidden if (unit.region, unit.pool) in private else (),
        )
        operations.append(put)
        mark = context.mark(unit.name)
        leaving = [id for id in work.leaving if id.key not in first]
        operations += deletions.in_order(context.observed, leaving, unit.name, unit.region, mark, (put.id,), origin)
    return operations


def _instances_going(context: Context, work: Work, after: tuple[str, ...]) -> list[Operation]:
    """Return the deletion of the nodes that a shrinking set gives up, which comes before its smaller capacity."""
    return [
        Operation(
            id=f"delete nodes of {work.unit.region}/{change.id.name}",
            kind="delete-instances",
            target=change.id,
            unit=work.unit.name,
            region=work.unit.region,
            after=after,
            sends={"instanceIds": list(change.instances)},
            mark=context.mark(work.unit.name),
            origin=change.origin,
        )
        for change in work.changes
        if change.action is Action.SCALE_IN and change.instances
    ]


def _removal_changes(context: Context, unit: deletions.Removed, destroying: bool) -> list[Change]:
    record = unit.record
    origin = ("pools",) if record.pool else ("units",) if record.versions else ("regions",)
    changes = []
    for id in unit.resources:
        nodes = capacity(context.found(id))
        action, reason = Action.DELETE, "" if destroying else "no longer stated"
        if not context.is_ours(id, record.unit, record):
            action, reason = Action.REFUSED, context.not_ours(id, record.unit, record)
        elif record.protect and nodes:
            action = Action.REFUSED
            reason = f"pool {record.pool} is protected, and this would delete {nodes} of its nodes"
        changes.append(
            context.change(
                id, action, reason, origin, unit=record.unit, region=record.region, pool=record.pool, nodes=nodes
            )
        )
    if not changes:
        reason = "what it deployed is gone" if not unit.kept else "others use what it deployed, which stays"
        changes.append(
            context.change(unit.stack, Action.DELETE, reason, origin, unit=record.unit, region=record.region)
        )
    return changes


def _foreign(context: Context, removed: Sequence[deletions.Removed], changes: list[Change]) -> list[Kept]:
    """Return what is in the environment's groups and not ours: nothing happens to it."""
    observed, environment = context.observed, context.environment
    ours = {id for _, record in observed.records(environment) for id in record.ids()}
    ours |= {id for unit in removed for id in unit.record.ids()}
    ours |= {change.id.key for change in changes}
    ours |= {ResourceId(body["id"]).key for body in observed.marked(environment)}
    there = [ResourceId(body["id"]) for key, body in sorted(observed.resources.items()) if key not in ours]
    # In a group that was given almost everything is others', and goes without saying but for what is in ours.
    groups = {key for key, body in observed.groups.items() if mark_of(body) == environment}
    inside = {id for id in there if is_marked(observed.resources.get(id.parent.key, {}), environment)}
    kept = [Kept(id, "", "not ours") for id in (*there, *observed.others) if id.group_id.key in groups or id in inside]
    lost = "carries our mark, but its stack is lost and with it the API version: state its unit again, or delete it"
    stray = "carries our mark, but no stack of ours recorded it and the file does not name it; take the tag off"
    kept += [Kept(id, "", stray) for id in observed.strays(environment)]
    return [*kept, *(Kept(id, "", lost) for id in observed.lost)]


def _domains(topology: Topology) -> tuple[Domain, ...]:
    needed = {region.name: sum(s.nodes for s in region.scale_sets) for region in topology.regions}
    # Azure keeps five addresses of each subnet for itself.
    addresses = {
        region.name: 2 ** (32 - int(region.network.nodes.range.rpartition("/")[2])) - 5
        for region in topology.regions
        if region.network is not None
    }
    return tuple(
        Domain(
            scale_set=s.name,
            region=s.region,
            pool=s.pool,
            nodes=s.nodes,
            limit=s.settings.placement_group_limit,
            zone=s.zone,
            single_placement_group=s.infiniband,
            subnet_addresses=addresses.get(s.region),
            subnet_needed=needed[s.region],
        )
        for s in topology.scale_sets()
        if s.infiniband
    )
