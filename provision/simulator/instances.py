"""The instances of a scale set, computed from its record: which exist, and in what state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from provision.simulator.durations import FIRST_NODE_AFTER
from provision.simulator.messages import Json
from provision.simulator.world import ScaleSet


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
    row.batches.append(
        {"first": first, "count": total, "model": row.model, "start": start, "end": end, "image": row.image}
    )
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
    """Give instances the present model and image; None means all of them."""
    if numbers is None:
        for batch in row.batches:
            batch["model"], batch["image"] = row.model, row.image
        for key, differs in list(row.touched.items()):
            differs.pop("model", None)
            differs.pop("image", None)
            if not differs:
                del row.touched[key]
    else:
        for number in numbers:
            row.touched.setdefault(str(number), {}).update(model=row.model, image=row.image)
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
    batch, differs = batch_of(row, number), row.touched.get(str(number), {})
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


def _span(batch: Json) -> range:
    return range(batch["first"], batch["first"] + batch["count"])


def batch_of(row: ScaleSet, number: int) -> Json:
    return next(batch for batch in row.batches if number in _span(batch))


def _ready(batch: Json, number: int) -> float:
    share = FIRST_NODE_AFTER + (1 - FIRST_NODE_AFTER) * (number - batch["first"] + 1) / batch["count"]
    return float(batch["start"] + (batch["end"] - batch["start"]) * share)
