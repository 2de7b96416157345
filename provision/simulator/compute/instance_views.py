"""How Compute shows the instances of a scale set: one of them, its instance view, and the view of them all."""

from __future__ import annotations

import hashlib
from collections import Counter

from provision.simulator.compute import guest_views
from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet, guid_of
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import iso_offset

PLACEMENT_GROUP_SIZE = 100
"""How many instances one placement group takes where a set has several."""


def render(row: ScaleSet, number: int, now: float, *, view: bool = False) -> Json:
    model = instances.model_of(row, number)
    old = row.old_models.get(str(model))
    profile = _profile(row, number)
    sku = old["sku"] if old else row.body["sku"]
    name = row.rid.name
    network = profile.get("networkProfile", {})
    interfaces = network.get("networkInterfaceConfigurations", [])
    properties: Json = {
        "latestModelApplied": model == row.model,
        "modelDefinitionApplied": "VirtualMachineScaleSet",
        "networkProfileConfiguration": {"networkInterfaceConfigurations": interfaces},
        "provisioningState": instances.state(row, number, now),
        "hardwareProfile": {"vmSize": sku["name"]},
        "vmId": guid_of(row.unique_id, "vm", str(number)),
        "storageProfile": _storage(row, number, profile),
    }
    if "osProfile" in profile:
        os_profile = {key: value for key, value in profile["osProfile"].items() if key != "computerNamePrefix"}
        properties["osProfile"] = {"computerName": computer_name(row, number), **os_profile}
    properties["networkProfile"] = {
        "networkInterfaces": [
            {"id": f"{row.id}/virtualMachines/{number}/networkInterfaces/{interface['name']}"}
            for interface in interfaces
        ]
    }
    if protection := row.touched.get(str(number), {}).get("protection"):
        properties["protectionPolicy"] = protection
    properties["timeCreated"] = iso_offset(instances.batch_of(row, number)["start"])
    if view:
        properties["instanceView"] = instance_view(row, number, now)
    body: Json = {
        "name": f"{name}_{number}",
        "id": f"{row.id}/virtualMachines/{number}",
        "type": "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
        "location": row.location,
        "tags": row.body.get("tags", {}),
        "instanceId": str(number),
        "sku": {"name": sku["name"], "tier": sku["tier"]},
        "etag": f'"{row.writes}"',
        "properties": properties,
    }
    if resources := [_resource(row, number, each, properties["provisioningState"]) for each in _extensions(profile)]:
        body["resources"] = resources
    if zone := instances.zone_of(row, number):
        body["zones"] = [zone]
    return body


def _extensions(profile: Json) -> list[Json]:
    found: list[Json] = profile.get("extensionProfile", {}).get("extensions", [])
    return found


def _resource(row: ScaleSet, number: int, extension: Json, state: str) -> Json:
    """Return an extension as the resource that an instance shows it as: with the id of one of a machine of its own."""
    node = f"{row.rid.group_text}/providers/Microsoft.Compute/virtualMachines/{row.rid.name}_{number}"
    return {
        "name": extension["name"],
        "id": f"{node}/extensions/{extension['name']}",
        "type": "Microsoft.Compute/virtualMachines/extensions",
        "location": row.location,
        "properties": {**extension["properties"], "provisioningState": state},
    }


def instance_view(row: ScaleSet, number: int, now: float) -> Json:
    present, differs, batch = (
        instances.state(row, number, now),
        row.touched.get(str(number), {}),
        instances.batch_of(row, number),
    )
    power = differs.get("power", "running")
    statuses = [guest_views.provisioning_status(present, differs.get("failed"), iso_offset(min(now, batch["end"])))]
    body: Json = {}
    if present == "Creating" or number in instances.unallocated(row):
        body["statuses"] = statuses
        return body
    if power != "deallocated":
        body["placementGroupId"] = placement_group(row, number)
        body["platformUpdateDomain"] = number % 5
        body["platformFaultDomain"] = instances.fault_domain(row, number)
    body["computerName"] = computer_name(row, number)
    if power == "running":
        error = differs.get("failed") if present == "Failed" else None
        body |= guest_views.reported(_profile(row, number), differs, error, iso_offset(now))
    disk = {
        "name": _disk_name(row, number),
        "statuses": [guest_views.provisioning_status("Succeeded", None, iso_offset(batch["end"]))],
    }
    body["disks"] = [disk]
    body["hyperVGeneration"] = "V2"
    body["statuses"] = [
        *statuses,
        {"code": f"PowerState/{power}", "level": "Info", "displayStatus": f"VM {power}"},
    ]
    return body


def set_view(row: ScaleSet, now: float) -> Json:
    states = {number: instances.state(row, number, now) for number in instances.live(row)}
    tally = Counter(states.values())
    summary = [{"code": f"ProvisioningState/{name.lower()}", "count": tally[name]} for name in sorted(tally)]
    body: Json = {"virtualMachine": {"statusesSummary": summary}}
    without = set(instances.unallocated(row))
    failed = {number: row.touched[str(number)]["failed"] for number in states if states[number] == "Failed"}
    running = [error for number, error in failed.items() if number not in without]
    ready = tally["Succeeded"] + tally["Updating"]
    profile = row.properties["virtualMachineProfile"]
    if extensions := guest_views.tally_of_extensions(profile, ready, running):
        body["extensions"] = extensions
    return {
        **body,
        "statuses": [guest_views.provisioning_status(row.state, next(iter(failed.values()), None), iso_offset(now))],
        "orchestrationServices": _services(row),
    }


def _services(row: ScaleSet) -> list[Json]:
    """Return the services that look after a set: automatic repairs, where its model says anything of them."""
    policy = row.properties.get("automaticRepairsPolicy")
    if policy is None:
        return []
    running = "Suspended" if row.repairs_suspended else "Running"
    return [{"serviceName": "AutomaticRepairs", "serviceState": running if policy.get("enabled") else "NotRunning"}]


def computer_name(row: ScaleSet, number: int) -> str:
    """Return the name that the system of an instance has; the prefix never changes."""
    profile = row.properties["virtualMachineProfile"].get("osProfile", {})
    return f"{profile.get('computerNamePrefix', row.rid.name)}{_base36(number)}"


def placement_group(row: ScaleSet, number: int) -> str:
    """Return the group of an instance: one for all, or several that grow with the ids, none above its size.

    No group lies in two hardware clusters.
    """
    if row.properties.get("singlePlacementGroup", True) or number < row.one_group_below:
        return guid_of(row.unique_id, "placement group", "0")
    return guid_of(
        row.unique_id, "placement group", str(number // PLACEMENT_GROUP_SIZE), instances.cluster_of(row, number)
    )


def _storage(row: ScaleSet, number: int, profile: Json) -> Json:
    storage: Json = dict(profile.get("storageProfile", {}))
    if "imageReference" in storage:
        image = storage["imageReference"]
        if "version" in image:
            storage["imageReference"] = {**image, "exactVersion": instances.image_of(row, number, image["version"])}
    if "osDisk" in storage:
        rid, disk = row.rid, _disk_name(row, number)
        # The group stands in capitals in the ids of disks: clients have to compare without case.
        group = f"/subscriptions/{rid.subscription}/resourceGroups/{rid.group.upper()}"
        os_disk = storage["osDisk"]
        managed = {**os_disk.get("managedDisk", {}), "id": f"{group}/providers/Microsoft.Compute/disks/{disk}"}
        storage["osDisk"] = {"name": disk, **os_disk, "managedDisk": managed}
    return {**storage, "dataDisks": [_data_disk(row, number, each) for each in storage.get("dataDisks", [])]}


def _data_disk(row: ScaleSet, number: int, disk: Json) -> Json:
    rid = row.rid
    generation = row.touched.get(str(number), {}).get("data", 1)
    text = f"{row.unique_id}/{number}/lun {disk['lun']}/{generation}"
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    name = f"{rid.name}_{rid.name}_{number}_disk{disk['lun'] + 2}_{digest}"
    group = f"/subscriptions/{rid.subscription}/resourceGroups/{rid.group.upper()}"
    managed = {**disk.get("managedDisk", {}), "id": f"{group}/providers/Microsoft.Compute/disks/{name}"}
    return {**disk, "name": name, "managedDisk": managed}


def _profile(row: ScaleSet, number: int) -> Json:
    """Return the profile of the model that an instance was made from."""
    old = row.old_models.get(str(instances.model_of(row, number)))
    profile: Json = old["virtualMachineProfile"] if old else row.properties["virtualMachineProfile"]
    return profile


def _disk_name(row: ScaleSet, number: int) -> str:
    generation = row.touched.get(str(number), {}).get("disk", 1)
    digest = hashlib.blake2b(f"{row.unique_id}/{number}/{generation}".encode(), digest_size=16).hexdigest()
    name = row.rid.name
    return f"{name}_{name}_{number}_OsDisk_1_{digest}"


def _base36(number: int) -> str:
    """Return the six characters that Azure appends to a computer name."""
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest] + digits
    return digits.rjust(6, "0")
