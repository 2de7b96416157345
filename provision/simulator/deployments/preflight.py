"""What a deployment finds out before it starts: permissions, providers, policies, bodies, quotas, closed sizes."""

from __future__ import annotations

from provision.simulator.access import access, errors_access, policies, registrations
from provision.simulator.bodies.bodies import at_path
from provision.simulator.compute import capacity, quota, restrictions, scale_sets
from provision.simulator.deployments import preflight_bodies
from provision.simulator.deployments.nested import all_steps, leaves
from provision.simulator.deployments.step_types import described
from provision.simulator.refusals import errors
from provision.simulator.refusals.errors_deployments import policies_deny, preflight_failed
from provision.simulator.state.facts import location_name, sizes
from provision.simulator.state.ids import parse
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json


def check(world: World, caller: Caller, name: str, steps: list[Json], *, roles: bool = True) -> None:
    """Refuse a template of which something may not be, before anything starts; nested deployments are looked into.

    Asked in ARM's order: what the caller may do (not without `roles`), which providers there are, what policies deny,
    then bodies that cannot be, quotas and sizes. Everything else is left to the providers.
    """
    if roles:
        _refuse_forbidden(world, caller, list(all_steps(steps)))
    for namespace in unregistered(world, steps):
        if not access.allowed(world, caller, f"{namespace}/register/action", _subscription(steps[0])):
            raise errors_access.not_registered(namespace)
    resources = list(leaves(steps))
    denied = [_denied(world, step) for step in resources]
    if any(denied):
        raise policies_deny([each for each in denied if each])
    sets = [step for step in resources if step["type"].lower() == scale_sets.TYPE]
    found = [preflight_bodies.misfit(world, step) for step in resources]
    # Of a set whose body cannot be read nobody asks for cores.
    details = [each for each in found if each is not None] or [*_over_quota(world, sets), *_closed(world, sets)]
    if details:
        raise preflight_failed(name, world.guid(), details)


def unregistered(world: World, steps: list[Json]) -> list[str]:
    """Return the providers that some step needs and that the subscription is not registered for, by name."""
    named = {step["type"].partition("/")[0] for step in all_steps(steps)} - registrations.FREE
    return sorted(name for name in named if registrations.state(world, name) != registrations.REGISTERED)


def _refuse_forbidden(world: World, caller: Caller, steps: list[Json]) -> None:
    missing = []
    for step in steps:
        asked = access.action_of("PUT", step["id"])
        if asked is not None and not access.allowed(world, caller, *asked):
            missing.append((described(step["id"])[1], step["type"], *asked))
    if missing:
        raise errors_access.not_authorized_in_template(caller, missing)


def _denied(world: World, step: Json) -> Json | None:
    # Policies know groups by the type of their path, which is not the one that templates write.
    type_ = step["type"] if parse(step["id"]) is not None else policies.GROUPS
    refusal = policies.refusal(world, step["id"], type_, step["body"])
    return refusal.error if refusal is not None else None


def _subscription(step: Json) -> str:
    return "/".join(step["id"].split("/")[:3])


def _over_quota(world: World, steps: list[Json]) -> list[Json]:
    wanted: dict[tuple[str, str, str], int] = {}
    for step in steps:
        rid = parse(step["id"])
        assert rid is not None
        for counter, cores in _cores(world, step).items():
            place = (rid.subscription, _location(step), counter)
            wanted[place] = wanted.get(place, 0) + cores
    found = []
    for (subscription, location, counter), cores in wanted.items():
        used = quota.usage(world, subscription, location).get(counter, 0)
        text = quota.excess_text(world, subscription, location, counter, used, cores)
        if text is not None:
            found.append({"code": "QuotaExceeded", "message": text})
    return found


def _cores(world: World, step: Json) -> dict[str, int]:
    """Return the vCPUs that a scale set of the template adds, by counter. What it leaves out stays as it is."""
    body, before = step["body"], _before(world, step)
    name, nodes = at_path(body, "sku.name"), at_path(body, "sku.capacity")
    priority = at_path(body, "properties.virtualMachineProfile.priority")
    if not isinstance(nodes, int) or not isinstance(name, str):
        return {}
    spot = capacity.is_spot(before) if before is not None and priority is None else priority in capacity.SPOT
    return quota.added(before, name, nodes, spot=spot)


def _closed(world: World, steps: list[Json]) -> list[Json]:
    found = []
    for step in steps:
        size, before = sizes().get(str(at_path(step["body"], "sku.name")).lower()), _before(world, step)
        if size is None or (before is not None and capacity.size_of(before).lower() == size.name.lower()):
            continue
        zones = step["body"].get("zones")
        if restrictions.refuses(world, _location(step), size.name, zones if isinstance(zones, list) else []):
            found.append(errors.size_not_available(size.name, _location(step)).error)
    return found


def _before(world: World, step: Json) -> ScaleSet | None:
    row = world.resources.get(step["id"].lower())
    return row if isinstance(row, ScaleSet) else None


def _location(step: Json) -> str:
    return location_name(str(step["body"].get("location")))
