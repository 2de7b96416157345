"""The instances of a scale set, computed from its record: which exist, and in what state."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from provision.simulator.state.durations import FIRST_NODE_AFTER
from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Json

UP_BUT_FAILED = ("OSProvisioning", "VMExtension")
"""How the codes begin of failures of nodes that have hardware: their system did not come up, or an extension of it."""


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


def add(row: ScaleSet, wanted: int, start: float, end: float) -> list[int]:
    """Add a batch of nodes, which come up until `end`, and return their ids."""
    if not wanted:
        return []
    first = row.next_instance
    row.next_instance += wanted
    zones = list(row.body.get("zones") or [])
    batch = {
        "first": first,
        "count": wanted,
        "model": row.model,
        "image": row.image,
        "start": start,
        "end": end,
        "zones": zones,
    }
    row.batches.append({**batch, "clusters": {}})
    return list(range(first, first + wanted))


def delay(row: ScaleSet, numbers: Iterable[int], start: float, factor: float) -> None:
    """Let nodes that an operation began to bring at `start` come up, or be known to have failed, so much later."""
    arriving = set(numbers)
    for batch in row.batches:
        if batch["start"] == start and not arriving.isdisjoint(_span(batch)):
            batch["end"] = start + (batch["end"] - start) * factor
    for number in arriving:
        differs = row.touched.get(str(number), {})
        if "until" in differs:
            differs["until"] = start + (differs["until"] - start) * factor


def remove(row: ScaleSet, numbers: Iterable[int]) -> None:
    """Take instances away that are there. Ids at the edge of a batch shrink it, so that scaling in leaves no trace."""
    present = [number for number in numbers if number_of(row, str(number)) is not None]
    gone = set(row.gone) | set(present)
    for number in present:
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


def give_model(row: ScaleSet, numbers: Iterable[int]) -> None:
    """Give instances the present model and image. A batch of which all have them has them itself."""
    for number in numbers:
        row.touched.setdefault(str(number), {}).update(model=row.model, image=row.image)
    gone = set(row.gone)
    for batch in row.batches:
        found = [row.touched.get(str(number), {}) for number in _span(batch) if number not in gone]
        if all(each.get("model") == row.model and each.get("image") == row.image for each in found):
            batch["model"], batch["image"] = row.model, row.image
            for each in found:
                del each["model"], each["image"]
    row.touched = {key: differs for key, differs in row.touched.items() if differs}
    drop_unused_models(row)


def drop_unused_models(row: ScaleSet) -> None:
    used = {batch["model"] for batch in row.batches} | {row.touched[key].get("model") for key in row.touched}
    row.old_models = {key: model for key, model in row.old_models.items() if int(key) in used}


def model_of(row: ScaleSet, number: int) -> int:
    differs = row.touched.get(str(number), {})
    return int(differs["model"] if "model" in differs else batch_of(row, number)["model"])


def image_of(row: ScaleSet, number: int, stated: str) -> str:
    """Return the image version that an instance runs, where its model states `stated`."""
    if stated.lower() != "latest":
        return stated
    differs = row.touched.get(str(number), {})
    return str(differs.get("image", batch_of(row, number)["image"]))


def state(row: ScaleSet, number: int, now: float) -> str:
    batch: Json = batch_of(row, number)
    differs: Json = row.touched.get(str(number), {})
    if "busy" in differs:
        return str(differs["busy"])
    if "failed" in differs:
        known: float = differs.get("until") or batch["end"]
        return "Creating" if now < known else "Failed"
    return "Creating" if now < _ready(row, batch, number) else "Succeeded"


def failed(row: ScaleSet) -> list[int]:
    return sorted(int(key) for key, differs in row.touched.items() if "failed" in differs)


# --- hardware ---


def unallocated(row: ScaleSet) -> list[int]:
    """Return the nodes for which there was no hardware. They draw on no quota; deallocated ones do."""
    return [
        number
        for number in failed(row)
        if not _came_up(row.touched[str(number)]) and row.touched[str(number)].get("power") != "deallocated"
    ]


def holding(row: ScaleSet) -> list[int]:
    """Return the nodes that hold hardware, lowest first: there was some for them, and they are not deallocated."""
    without = _without_hardware(row)
    return [number for number in live(row) if number not in without]


def by_cluster(row: ScaleSet) -> Counter[str]:
    """Return how many nodes hold hardware, by cluster. Costs what differs, not what exists, but in several zones."""
    held: Counter[str] = Counter()
    away = _without_hardware(row) | set(row.gone)
    for batch in row.batches:
        span, zones = _span(batch), batch["zones"] or [""]
        if len(zones) == 1:
            held[batch["clusters"].get(zones[0], "")] += len(span) - sum(number in span for number in away)
        else:
            held.update(cluster_of(row, number) for number in span if number not in away)
    return held


def zone_of(row: ScaleSet, number: int) -> str:
    """Return the zone that a node was made in; empty in a regional set."""
    zones = batch_of(row, number)["zones"]
    return str(zones[number % len(zones)]) if zones else ""


def fault_domains(row: ScaleSet) -> int:
    return int(row.properties.get("platformFaultDomainCount", 1))


def fault_domain(row: ScaleSet, number: int) -> int:
    return number % fault_domains(row)


def by_zone(row: ScaleSet, numbers: Iterable[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number in numbers:
        found.setdefault(zone_of(row, number), []).append(number)
    return found


def cluster_of(row: ScaleSet, number: int) -> str:
    """Return the hardware cluster that a node is or was in; empty where its size had no end."""
    batch = batch_of(row, number)
    return str(batch["clusters"].get(zone_of(row, number), ""))


def put_in(row: ScaleSet, places: Mapping[int, str]) -> None:
    """Put nodes into clusters. A batch that comes to lie in several is cut, so that it has one in each zone."""
    batches = []
    for batch in row.batches:
        if not any(number in places for number in _span(batch)):
            batches.append(batch)
            continue
        part = {**batch, "count": 0, "clusters": {}}
        for number in _span(batch):
            zone = zone_of(row, number)
            name = places.get(number, batch["clusters"].get(zone))
            if name is not None and part["clusters"].get(zone, name) != name:
                batches.append(part)
                part = {**batch, "first": number, "count": 0, "clusters": {}}
            part["count"] += 1
            if name is not None:
                part["clusters"][zone] = name
        batches.append(part)
    row.batches = batches


def _without_hardware(row: ScaleSet) -> set[int]:
    return {
        int(key)
        for key, differs in row.touched.items()
        if (differs.get("power") == "deallocated" or ("failed" in differs and not _came_up(differs)))
        and not differs.get("starts")
    }


def _came_up(differs: Json) -> bool:
    return str(differs["failed"].get("code", "")).startswith(UP_BUT_FAILED)


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


def _span(batch: Json) -> range:
    return range(batch["first"], batch["first"] + batch["count"])


def batch_of(row: ScaleSet, number: int) -> Json:
    return next(batch for batch in row.batches if number in _span(batch))


def _ready(row: ScaleSet, batch: Json, number: int) -> float:
    """Return when a node is up: one after the other, in an order of the seed's, most of them well before the last."""
    if batch["end"] <= batch["start"]:
        return float(batch["end"])
    drawn = hashlib.blake2b(f"{row.unique_id}/{number}/up".encode(), digest_size=4).digest()
    share = FIRST_NODE_AFTER + (1 - FIRST_NODE_AFTER) * (int.from_bytes(drawn, "big") / 2**32) ** 2
    return float(batch["start"] + (batch["end"] - batch["start"]) * share)
