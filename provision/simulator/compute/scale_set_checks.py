"""What Compute refuses in a write of a scale set, before anything is done."""

from __future__ import annotations

from provision.simulator.access import identities
from provision.simulator.bodies import bodies, immutables
from provision.simulator.bodies.manners import compute
from provision.simulator.compute import (
    allocation,
    proximity,
    quota,
    reservations,
    restrictions,
    scale_set_machines,
    scale_set_parts,
    scale_set_policies,
)
from provision.simulator.network import subnets
from provision.simulator.network.network_uses import check_reference, references
from provision.simulator.refusals import errors
from provision.simulator.refusals.compute_errors import no_zone
from provision.simulator.state import instances
from provision.simulator.state.facts import limit, regions, sizes
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import Origin
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.tables.compute import SCALE_SET
from provision.simulator.wire.messages import Json

STANDARD_SECURITY_SINCE = "2025-11-01"


def check(
    world: World, rid: ResourceId, before: ScaleSet | None, after: ScaleSet, request: Json, origin: Origin
) -> None:
    if before is not None:
        immutables.check_scale_set(before.body, after.body)
    _check_security_type(request, origin.version)
    _check_size(world, before, after)
    _check_zones(after)
    _check_count(world, rid, before, after)
    _check_references(world, rid, after)
    proximity.check_set(world, rid, before, after)
    reservations.check_set(world, rid, after)
    scale_set_policies.check(after)
    scale_set_machines.check(after)
    scale_set_parts.check(world, after)
    identities.check(world, rid.text, after.body, before)
    if before is None or instances.stated(after) > instances.count(before) or _moves(before, after):
        _check_addresses(world, after)


def check_whole(row: ScaleSet) -> None:
    """Refuse a model, merged and with its defaults, that lacks something or has it in the wrong form."""
    bodies.fit(SCALE_SET, {**row.body, "location": row.location}, manner=compute)
    if not isinstance(row.body["sku"].get("name"), str):
        raise errors.missing_parameter("sku.name")
    nodes = row.body["sku"].get("capacity")
    if not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 0:
        raise errors.bad_parameter("sku.capacity", f"The value '{nodes}' of parameter 'sku.capacity' is invalid.")
    if "virtualMachineProfile" not in row.properties:
        raise errors.missing_parameter("virtualMachineProfile")


def _check_security_type(request: Json, version: str) -> None:
    """Refuse `Standard` below the api-version that lets everybody state it."""
    path = "securityProfile.securityType"
    stated = bodies.at_path(request, f"properties.virtualMachineProfile.{path}")
    if stated == "Standard" and version and version < STANDARD_SECURITY_SINCE:
        text = (
            f"The value 'Standard' is not available for property '{path}' until you register for the feature "
            "'UseStandardSecurityType'."
        )
        raise errors.bad_parameter(path, text)


def _check_size(world: World, before: ScaleSet | None, after: ScaleSet) -> None:
    name = str(after.body["sku"]["name"])
    if before is not None and before.body["sku"]["name"].lower() == name.lower():
        return
    size = sizes().get(name.lower())
    offered = sorted(each.name for each in sizes().values() if after.location in each.regions)
    if size is None or after.location not in size.regions:
        text = (
            f"The requested VM size {name} is not available in the current region. The sizes available in the current "
            f"region are: {','.join(offered)}. Find out more on the available VM sizes in each region at "
            "https://aka.ms/azure-regions."
        )
        raise errors.bad_parameter("vmSize", text)
    if restrictions.refuses(world, after.location, size.name, after.body.get("zones") or []):
        raise errors.size_not_available(size.name, after.location)


def _check_zones(after: ScaleSet) -> None:
    for zone in after.body.get("zones") or []:
        if zone not in regions()[after.location].zones:
            raise no_zone(zone, after.location)


def _check_count(world: World, rid: ResourceId, before: ScaleSet | None, after: ScaleSet) -> None:
    nodes = instances.stated(after)
    single = after.properties["singlePlacementGroup"]
    most = quota.placement_group_limit(world, rid.subscription, after.location) if single else limit("scale_set_nodes")
    held = 0 if before is None else instances.count(before)
    if nodes > most and nodes > held:
        raise errors.too_many_instances(rid.name, most)
    quota.refuse_excess(world, before, after)


def _moves(before: ScaleSet, after: ScaleSet) -> bool:
    return instances.configurations(before) != instances.configurations(after)


def _check_references(world: World, rid: ResourceId, after: ScaleSet) -> None:
    network = after.properties["virtualMachineProfile"].get("networkProfile", {})
    for name, target in sorted(references(network)):
        found = check_reference(world, name, target, after.location, rid)
        if name == "subnet":
            subnets.refuse_others(found)


def _check_addresses(world: World, after: ScaleSet) -> None:
    """Refuse more nodes than the subnets have addresses for. Counting costs a look at every set in them."""
    nodes = instances.stated(after)
    nodes += allocation.extra_nodes(after, max(0, nodes - instances.count(after)))
    wanted: dict[str, int] = {}
    for _, _, subnet in instances.configurations(after):
        wanted[subnet] = wanted.get(subnet, 0) + nodes
    for subnet, number in wanted.items():
        subnets.refuse_full(world, world.resources[subnet], number, without=after.key)
