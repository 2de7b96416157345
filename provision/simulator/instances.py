"""The instances of a scale set, computed from its record: which exist, in what state, and how Compute shows them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from provision.simulator.durations import FIRST_NODE_AFTER
from provision.simulator.messages import Json
from provision.simulator.times import iso_offset
from provision.simulator.world import ScaleSet, guid_of

LATEST_IMAGE_VERSION = "22.04.2026071501"
"""What `latest` means; the simulator keeps no list of images."""

AGENT_VERSION = "2.13.1.1"
PLACEMENT_GROUP_SIZE = 100
"""How many instances one placement group takes where a set has several."""


def live(row: ScaleSet) -> list[int]:
    """Return the ids that exist, lowest first."""
    gone = set(row.gone)
    return [number for batch in row.batches for number in _span(batch) if number not in gone]


def count(row: ScaleSet) -> int:
    return sum(int(batch["count"]) for batch in row.batches) - len(row.gone)


def stated(row: ScaleSet) -> int:
    """Return how many instances the set is to have."""
    return int(row.body["sku"]["capacity"])


def number_of(row: ScaleSet, text: str) -> int | None:
    """Return the instance that `text` names, or None where the set has none such."""
    if not text.isdecimal() or str(int(text)) != text:
        return None
    number = int(text)
    return number if number not in row.gone and any(number in _span(batch) for batch in row.batches) else None


def add(row: ScaleSet, wanted: int, start: float, end: float, skipped: int = 0) -> list[int]:
    """Add a batch and return its ids. `skipped`: how many ids overprovisioning used up and gave back."""
    total = wanted + skipped
    if not total:
        return []
    first = row.next_instance
    row.next_instance += total
    row.batches.append({"first": first, "count": total, "model": row.model, "start": start, "end": end})
    row.gone.extend(first + 1 + index * (total // skipped) for index in range(skipped))
    return [number for number in range(first, first + total) if number not in row.gone]


def remove(row: ScaleSet, numbers: Iterable[int]) -> None:
    """Take instances away. Ids at the edge of a batch shrink it, so that scaling in leaves nothing behind."""
    gone = set(row.gone) | set(numbers)
    for number in numbers:
        row.touched.pop(str(number), None)
    kept = []
    for batch in row.batches:
        while batch["count"] and batch["first"] + batch["count"] - 1 in gone:
            batch["count"] -= 1
            gone.discard(batch["first"] + batch["count"])
        while batch["count"] and batch["first"] in gone:
            gone.discard(batch["first"])
            batch["first"] += 1
            batch["count"] -= 1
        if batch["count"]:
            kept.append(batch)
    row.batches = kept
    row.gone = sorted(gone)
    drop_unused_models(row)


def victims(row: ScaleSet, wanted: int) -> list[int]:
    """Return the instances that a scale-in takes: the newest, which are those with the highest ids.

    Azure's Default policy balances zones and fault domains first; with one zone and max spreading that comes to the
    same. OldestVM takes the lowest.
    """
    rules = row.properties.get("scaleInPolicy", {}).get("rules", ["Default"])
    ids = live(row)
    return ids[:wanted] if rules == ["OldestVM"] else ids[len(ids) - wanted :]


def give_model(row: ScaleSet, numbers: Iterable[int] | None) -> None:
    """Give instances the present model; None means all of them."""
    if numbers is None:
        for batch in row.batches:
            batch["model"] = row.model
        for key, differs in list(row.touched.items()):
            differs.pop("model", None)
            if not differs:
                del row.touched[key]
    else:
        for number in numbers:
            row.touched.setdefault(str(number), {})["model"] = row.model
    drop_unused_models(row)


def drop_unused_models(row: ScaleSet) -> None:
    used = {batch["model"] for batch in row.batches} | {row.touched[key].get("model") for key in row.touched}
    row.old_models = {key: model for key, model in row.old_models.items() if int(key) in used}


def model_of(row: ScaleSet, number: int) -> int:
    differs = row.touched.get(str(number), {})
    return int(differs["model"] if "model" in differs else _batch(row, number)["model"])


def state(row: ScaleSet, number: int, now: float) -> str:
    batch, differs = _batch(row, number), row.touched.get(str(number), {})
    if "busy" in differs:
        return str(differs["busy"])
    if "failed" in differs:
        return "Creating" if now < batch["end"] else "Failed"
    return "Creating" if now < _ready(batch, number) else "Succeeded"


def allocated(row: ScaleSet) -> int:
    """Return how many instances hold hardware: neither failed nor deallocated."""
    without = sum(1 for differs in row.touched.values() if "failed" in differs or differs.get("power") == "deallocated")
    return count(row) - without


def failed(row: ScaleSet) -> list[int]:
    return sorted(int(key) for key, differs in row.touched.items() if "failed" in differs)


# --- network interfaces ---


def configurations(row: ScaleSet) -> list[list[str]]:
    """Return `[interface, ip configuration, subnet key]` for each address that an instance takes."""
    profile = row.properties.get("virtualMachineProfile", {}).get("networkProfile", {})
    return [
        [interface["name"], address["name"], address["properties"]["subnet"]["id"].lower()]
        for interface in profile.get("networkInterfaceConfigurations", [])
        for address in interface["properties"]["ipConfigurations"]
        if address["properties"].get("subnet")
    ]


def addresses(set_id: str, numbers: Iterable[int], configs: Iterable[list[str]], subnet: str) -> Iterator[str]:
    """Yield the ids of the ip configurations that the instances have in a subnet."""
    here = [(interface, address) for interface, address, key in configs if key == subnet]
    for number in numbers:
        for interface, address in here:
            yield f"{set_id}/virtualMachines/{number}/networkInterfaces/{interface}/ipConfigurations/{address}"


# --- what Compute shows ---


def render(row: ScaleSet, number: int, now: float, *, view: bool = False) -> Json:
    model = model_of(row, number)
    old = row.old_models.get(str(model))
    profile = old["virtualMachineProfile"] if old else row.properties["virtualMachineProfile"]
    sku = old["sku"] if old else row.body["sku"]
    name = row.rid.name
    prefix = profile["osProfile"]["computerNamePrefix"] if "osProfile" in profile else name
    network = profile.get("networkProfile", {})
    interfaces = network.get("networkInterfaceConfigurations", [])
    properties: Json = {
        "latestModelApplied": model == row.model,
        "modelDefinitionApplied": "VirtualMachineScaleSet",
        "networkProfileConfiguration": {"networkInterfaceConfigurations": interfaces},
        "provisioningState": state(row, number, now),
        "hardwareProfile": {"vmSize": sku["name"]},
        "vmId": guid_of(row.unique_id, "vm", str(number)),
        "storageProfile": _storage(row, number, profile),
    }
    if "osProfile" in profile:
        os_profile = {key: value for key, value in profile["osProfile"].items() if key != "computerNamePrefix"}
        properties["osProfile"] = {"computerName": f"{prefix}{_base36(number)}", **os_profile}
    properties["networkProfile"] = {
        "networkInterfaces": [
            {"id": f"{row.id}/virtualMachines/{number}/networkInterfaces/{interface['name']}"}
            for interface in interfaces
        ]
    }
    properties["timeCreated"] = iso_offset(_batch(row, number)["start"])
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
    if zones := row.body.get("zones"):
        body["zones"] = [zones[number % len(zones)]]
    return body


def instance_view(row: ScaleSet, number: int, now: float) -> Json:
    present, differs, batch = state(row, number, now), row.touched.get(str(number), {}), _batch(row, number)
    power = differs.get("power", "running")
    statuses = [_provisioning_status(present, differs.get("failed"), iso_offset(min(now, batch["end"])))]
    body: Json = {}
    if present in ("Creating", "Failed"):
        body["statuses"] = statuses
        return body
    if power != "deallocated":
        body["placementGroupId"] = placement_group(row, number)
        domains = int(row.properties.get("platformFaultDomainCount", 1))
        body["platformUpdateDomain"] = number % 5
        body["platformFaultDomain"] = number % domains
    prefix = row.properties["virtualMachineProfile"].get("osProfile", {}).get("computerNamePrefix", row.rid.name)
    body["computerName"] = f"{prefix}{_base36(number)}"
    if power == "running":
        body["osName"] = "ubuntu"
        body["osVersion"] = "22.04"
        ready = {
            "code": "ProvisioningState/succeeded",
            "level": "Info",
            "displayStatus": "Ready",
            "message": "Guest Agent is running",
            "time": iso_offset(now),
        }
        body["vmAgent"] = {"vmAgentVersion": AGENT_VERSION, "statuses": [ready], "extensionHandlers": []}
    disk = {
        "name": _disk_name(row, number),
        "statuses": [_provisioning_status("Succeeded", None, iso_offset(batch["end"]))],
    }
    body["disks"] = [disk]
    body["hyperVGeneration"] = "V2"
    body["statuses"] = [
        *statuses,
        {"code": f"PowerState/{power}", "level": "Info", "displayStatus": f"VM {power}"},
    ]
    return body


def set_view(row: ScaleSet, now: float) -> Json:
    tally = Counter(state(row, number, now) for number in live(row))
    summary = [{"code": f"ProvisioningState/{name.lower()}", "count": tally[name]} for name in sorted(tally)]
    return {
        "virtualMachine": {"statusesSummary": summary},
        "statuses": [_provisioning_status(row.state, None, iso_offset(now))],
        "orchestrationServices": [],
    }


def placement_group(row: ScaleSet, number: int) -> str:
    single = row.properties.get("singlePlacementGroup", True)
    return guid_of(row.unique_id, "placement group", "0" if single else str(number // PLACEMENT_GROUP_SIZE))


def _storage(row: ScaleSet, number: int, profile: Json) -> Json:
    storage: Json = dict(profile.get("storageProfile", {}))
    if "imageReference" in storage:
        image = storage["imageReference"]
        if "version" in image:
            exact = LATEST_IMAGE_VERSION if image["version"] == "latest" else image["version"]
            storage["imageReference"] = {**image, "exactVersion": exact}
    if "osDisk" in storage:
        rid, disk = row.rid, _disk_name(row, number)
        # The group stands in capitals in the ids of disks: clients have to compare without case.
        group = f"/subscriptions/{rid.subscription}/resourceGroups/{rid.group.upper()}"
        os_disk = storage["osDisk"]
        managed = {**os_disk.get("managedDisk", {}), "id": f"{group}/providers/Microsoft.Compute/disks/{disk}"}
        storage["osDisk"] = {"name": disk, **os_disk, "managedDisk": managed}
    return {**storage, "dataDisks": storage.get("dataDisks", [])}


def _disk_name(row: ScaleSet, number: int) -> str:
    generation = row.touched.get(str(number), {}).get("disk", 1)
    digest = hashlib.blake2b(f"{row.unique_id}/{number}/{generation}".encode(), digest_size=16).hexdigest()
    name = row.rid.name
    return f"{name}_{name}_{number}_OsDisk_1_{digest}"


def _provisioning_status(present: str, error: Json | None, time: str) -> Json:
    if error is not None and present == "Failed":
        return {
            "code": f"ProvisioningState/failed/{error['code']}",
            "level": "Error",
            "displayStatus": "Provisioning failed",
            "message": error["message"],
            "time": time,
        }
    if present == "Succeeded":
        display = "Provisioning succeeded"
    elif present == "Failed":
        return {
            "code": "ProvisioningState/failed",
            "level": "Error",
            "displayStatus": "Provisioning failed",
            "time": time,
        }
    else:
        display = present
    return {
        "code": f"ProvisioningState/{present.lower()}",
        "level": "Info",
        "displayStatus": display,
        "time": time,
    }


def _span(batch: Json) -> range:
    return range(batch["first"], batch["first"] + batch["count"])


def _batch(row: ScaleSet, number: int) -> Json:
    return next(batch for batch in row.batches if number in _span(batch))


def _ready(batch: Json, number: int) -> float:
    share = FIRST_NODE_AFTER + (1 - FIRST_NODE_AFTER) * (number - batch["first"] + 1) / batch["count"]
    return float(batch["start"] + (batch["end"] - batch["start"]) * share)


def _base36(number: int) -> str:
    """Return the six characters that Azure appends to a computer name."""
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest] + digits
    return digits.rjust(6, "0")
