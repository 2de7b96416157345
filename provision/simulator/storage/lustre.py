"""Managed Lustre file systems of Microsoft.StorageCache: what a write, a deletion and a read of one do."""

from __future__ import annotations

import base64
import math

from provision.simulator.access import identities
from provision.simulator.bodies import bodies, immutables
from provision.simulator.bodies.reading import How
from provision.simulator.network import lustre_sizes, private_addresses, subnets
from provision.simulator.network.network import Written
from provision.simulator.network.network_uses import check_reference
from provision.simulator.network.prefixes import prefixes_of
from provision.simulator.network.runs import Runs
from provision.simulator.refusals import errors
from provision.simulator.refusals.compute_errors import no_zone
from provision.simulator.state import operations
from provision.simulator.state.durations import LUSTRE_CREATE_S, LUSTRE_DELETE_S, LUSTRE_UPDATE_S
from provision.simulator.state.facts import LustreTier, lustre_tiers, regions
from provision.simulator.state.ids import ResourceId, resource_id
from provision.simulator.state.limits import limit_of
from provision.simulator.state.operations import STORAGE_CACHE, Origin
from provision.simulator.state.world import Operation, Resource, World, guid_of
from provision.simulator.tables.storage import FILE_SYSTEM
from provision.simulator.wire.messages import Json

TYPE = lustre_sizes.TYPE
COUNT_QUOTA = "amlFilesystems"
MOST_FILE_SYSTEMS = 4
"""How many a subscription may have in a region before it asks for more: seen in a refusal (microsoft/mcp#1165)."""

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin) -> Written:
    given = bodies.read(rid.type, body, origin.text, How(origin.version))
    before = world.resources.get(rid.key)
    location = bodies.location_of(given, rid.type)
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    if before is not None and operations.running(world, before.operation) is not None:
        raise errors.concurrent_request()
    stored = filled(given)
    identities.check(world, rid.text, stored, before)
    _check(world, rid, location, stored, before)
    stored["addresses"] = addresses(world, rid.key, stored) if before is None else before.body["addresses"]
    text, made = (before.id, before.made) if before is not None else (rid.text, at)
    row = Resource(text, rid.type, location, stored, made, "Updating" if before else "Creating", "")
    seconds = LUSTRE_UPDATE_S if before else LUSTRE_CREATE_S
    operation = operations.start(
        world, at, row, kind="lustre-put", dialect=STORAGE_CACHE, seconds=seconds, origin=origin
    )
    row.operation = operation.name
    world.resources.put(row.key, row)
    return Written(200 if before else 201, row, operation)


def filled(body: Json) -> Json:
    """Return what is kept of a body; refuse a tier that does not exist."""
    kept: Json = {key: body[key] for key in ("sku", "zones", "identity") if key in body}
    tier = check_tier(str(kept["sku"]["name"]))
    return {**kept, "sku": {"name": tier.name}, "tags": body.get("tags", {}), "properties": body["properties"]}


def check_tier(name: str) -> LustreTier:
    """Return the tier of a name; refuse one that does not exist."""
    tier = lustre_tiers().get(name.lower())
    if tier is None:
        names = ", ".join(each.name for each in lustre_tiers().values())
        raise errors.bad_parameter("sku.name", f"The SKU name '{name}' is not valid. The valid names are: {names}.")
    return tier


def check_subnet(world: World, subscription: str, wanted: Json) -> None:
    """Refuse the subnet of a file system that is to be made, as its PUT would. `wanted`: its body, as far as known."""
    text = str(wanted["properties"].get("filesystemSubnet"))
    found = world.resources.get(text.lower())
    group = "" if found is None else found.rid.group
    location = wanted.get("location") or ("" if found is None else found.location)
    subnet = check_reference(world, "subnet", text, location, resource_id(subscription, group, TYPE, "amlfilesystem"))
    subnets.refuse_others(subnet)
    subnets.refuse_full(world, subnet, lustre_sizes.addresses_needed(wanted), without="")


def addresses(world: World, key: str, stored: Json, first: str = "") -> Runs:
    """Return the addresses that a new file system has in its subnet, that of the management server first.

    Where that one is stated, as a tester may, raise ValueError if it cannot be.
    """
    subnet = str(stored["properties"]["filesystemSubnet"]).lower()
    return private_addresses.reserve(world, key, subnet, lustre_sizes.addresses_needed(stored), first)


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation:
    row = world.resources[rid.key]
    operations.preempt(world, row.operation, at)
    operation = operations.start(
        world,
        at,
        row,
        kind="lustre-delete",
        dialect=STORAGE_CACHE,
        seconds=LUSTRE_DELETE_S,
        origin=origin,
        method="DELETE",
    )
    row.operation, row.state = operation.name, "Deleting"
    world.resources.put(row.key, row)
    return operation


def render(world: World, row: Resource) -> Json:
    tier, capacity = lustre_sizes.tier_of(row.body), row.properties["storageCapacityTiB"]
    rest = {key: value for key, value in row.body.items() if key not in ("properties", "addresses")}
    if "identity" in rest:
        rest["identity"] = identities.shown(world, rest["identity"])
    properties = {
        **row.properties,
        "provisioningState": row.state,
        "throughputProvisionedMBps": math.ceil(capacity * tier.throughput_mbps_per_tib),
        "health": _health(row),
    }
    if row.state not in ("Creating", "Failed"):
        properties["clientInfo"] = _client_info(world, row)
    body = {"id": row.id, "name": row.rid.name, "type": row.type, "location": row.location}
    return {**body, **rest, "properties": properties}


def _check(world: World, rid: ResourceId, location: str, stored: Json, before: Resource | None) -> None:
    if before is not None:
        changed = immutables.first_change(FILE_SYSTEM, before.body, stored)
        if changed is not None:
            raise immutables.refusal(changed)
    _check_capacity(world, rid.subscription, location, stored)
    _check_window(stored["properties"]["maintenanceWindow"])
    _check_zones(location, stored.get("zones") or [])
    subnet = check_reference(world, "subnet", stored["properties"]["filesystemSubnet"], location, rid)
    subnets.refuse_others(subnet)
    subnets.refuse_full(world, subnet, lustre_sizes.addresses_needed(stored), without=rid.key)
    if before is None:
        _check_number(world, rid, location)


def _check_capacity(world: World, subscription: str, location: str, stored: Json) -> None:
    tier, capacity = lustre_sizes.tier_of(stored), stored["properties"]["storageCapacityTiB"]
    most = limit_of(world, subscription, location, tier.name, tier.most_tib)
    if not math.isfinite(capacity) or not tier.step_tib <= capacity <= most or capacity % tier.step_tib:
        text = (
            f"The value '{capacity}' of parameter 'storageCapacityTiB' is invalid for SKU {tier.name}: it must be a "
            f"multiple of {tier.step_tib} between {tier.step_tib} and {most}."
        )
        raise errors.bad_parameter("storageCapacityTiB", text)


def _check_window(window: Json) -> None:
    day, time = window.get("dayOfWeek"), str(window.get("timeOfDayUTC", ""))
    hour, _, minute = time.partition(":")
    in_time = hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60
    if day not in _DAYS or not in_time or len(time) != len("22:00"):
        text = "The maintenanceWindow must have a dayOfWeek and a timeOfDayUTC of the form HH:MM."
        raise errors.bad_parameter("maintenanceWindow", text)


def _check_zones(location: str, zones: list[str]) -> None:
    offered = regions()[location].zones
    if len(zones) > 1 or (offered and not zones):
        text = f"Exactly one availability zone must be specified in location '{location}'."
        raise errors.bad_parameter("zones", text)
    for zone in zones:
        if zone not in offered:
            raise no_zone(zone, location)


def _check_number(world: World, rid: ResourceId, location: str) -> None:
    here = f"/subscriptions/{rid.subscription}/".lower()
    rows = [row for row in world.resources.values() if row.type.lower() == TYPE and row.location == location]
    held = sum(1 for row in rows if row.key.startswith(here))
    most = limit_of(world, rid.subscription, location, COUNT_QUOTA, MOST_FILE_SYSTEMS)
    if held + 1 > most:
        raise errors.not_allowed(
            f"Operation results in exceeding quota limits of resource type AmlFilesystem. Maximum allowed: {most}, "
            f"Current in use: {held}, Additional requested: 1."
        )


def _health(row: Resource) -> Json:
    if row.state == "Creating":
        return {"state": "Transitioning", "statusCode": "", "statusDescription": "amlFilesystem is being created."}
    if row.state == "Failed":
        return {"state": "Unavailable", "statusCode": "Failed", "statusDescription": "amlFilesystem has failed."}
    return {"state": "Available", "statusCode": "", "statusDescription": "amlFilesystem is ok."}


def _client_info(world: World, row: Resource) -> Json:
    subnet = world.resources.get(str(row.properties["filesystemSubnet"]).lower())
    ranges = prefixes_of(subnet.properties) if subnet is not None else []
    address = private_addresses.among(row.body["addresses"], 0, ranges) or ""
    name = row.rid.name
    source = f"{address}@tcp:/lustrefs"
    volume = (
        f"apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: pv.azurelustre.csi.{name}\nspec:\n  csi:\n"
        f"    driver: azurelustre.csi.azure.com\n    volumeHandle: {guid_of(row.key, 'volume')}\n"
        f"    volumeAttributes:\n      fs-name: lustrefs\n      mgs-ip-address: {address}\n"
    )
    claim = f"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: pvc.azurelustre.csi.{name}\n"
    storage = f"apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: sc.azurelustre.csi.{name}\n"
    return {
        "mgsAddress": address,
        "mountCommand": f"mount -t lustre -o noatime,flock {source} /lustre/lustrefs",
        "lustreVersion": "2.15.5",
        "containerStorageInterface": {
            "persistentVolumeClaim": _base64(claim),
            "persistentVolume": _base64(volume),
            "storageClass": _base64(storage),
        },
    }


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
