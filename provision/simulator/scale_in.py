"""Which instances a scale-in takes: by the set's policy, and never those that are protected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from provision.simulator import instances
from provision.simulator.compute_errors import scale_in_protected
from provision.simulator.protection import SCALE_IN, keeps
from provision.simulator.world import ScaleSet


def victims(row: ScaleSet, wanted: int) -> list[int]:
    """Return the instances that a scale-in takes, lowest first; refuse it where too few are unprotected.

    They are taken one by one: out of the zone that has the most; by the Default policy then out of the fault domain
    that has the most; of these the highest id, or, by OldestVM, the lowest. Ids grow with time, so the highest is the
    newest. The order of a zone's or a domain's balance is Azure's: its documentation has it case by case.
    """
    rules = row.properties.get("scaleInPolicy", {}).get("rules") or ["Default"]
    rule = str(rules[0]).lower()
    left = instances.live(row)
    free = [number for number in left if not keeps(row, number, SCALE_IN)]
    if wanted > len(free):
        raise scale_in_protected(row.rid.name, wanted, len(free))
    if not row.body.get("zones") and (rule != "default" or instances.fault_domains(row) == 1):
        # What it comes to where there is nothing to balance; a thousand instances would take a while one by one.
        return free[:wanted] if rule == "oldestvm" else free[len(free) - wanted :]
    zone = partial(instances.zone_of, row)
    found: list[int] = []
    for _ in range(wanted):
        open_ = _of_the_fullest(left, free, zone)
        if rule == "default":
            open_ = _of_the_fullest(left, open_, lambda number: (zone(number), instances.fault_domain(row, number)))
        taken = min(open_) if rule == "oldestvm" else max(open_)
        left.remove(taken)
        free.remove(taken)
        found.append(taken)
    return sorted(found)


def _of_the_fullest(everybody: Iterable[int], free: list[int], place: Callable[[int], object]) -> list[int]:
    """Return the free instances in the places that hold the most, counting everybody; places may be equally full.

    A place in which nobody is free does not count, however full.
    """
    held = Counter(place(number) for number in everybody)
    most = max(held[place(number)] for number in free)
    return [number for number in free if held[place(number)] == most]
