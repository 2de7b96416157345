"""Which instances a scale-in takes: by the set's policy, and never those that are protected."""

from __future__ import annotations

from collections import Counter, deque

from provision.simulator.compute.protection import SCALE_IN, keeps
from provision.simulator.refusals.compute_errors import scale_in_protected
from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet

Place = tuple[str, int]
"""A zone, and a fault domain in it."""


def victims(row: ScaleSet, wanted: int) -> list[int]:
    """Return the instances that a scale-in takes, lowest first; refuse it where too few are unprotected.

    They are taken one by one: out of the zone that has the most; by the Default policy then out of the fault domain
    that has the most; of these the highest id, or, by OldestVM, the lowest. Ids grow with time, so the highest is the
    newest. Of zones and domains count all instances; one in which all are protected is passed over, however full.
    """
    rules = row.properties.get("scaleInPolicy", {}).get("rules") or ["Default"]
    rule = str(rules[0]).lower()
    zones, places = Counter[str](), Counter[Place]()
    free: dict[Place, deque[int]] = {}
    for number in instances.live(row):
        place = (instances.zone_of(row, number), instances.fault_domain(row, number))
        zones[place[0]] += 1
        places[place] += 1
        if not keeps(row, number, SCALE_IN):
            free.setdefault(place, deque()).append(number)
    unprotected = sum(len(each) for each in free.values())
    if wanted > unprotected:
        raise scale_in_protected(row.rid.name, wanted, unprotected)
    found: list[int] = []
    while len(found) < wanted:
        fullest = max(zones[place[0]] for place in free)
        open_ = [place for place in free if zones[place[0]] == fullest]
        if rule == "default":
            fullest = max(places[place] for place in open_)
            open_ = [place for place in open_ if places[place] == fullest]
        if rule == "oldestvm":
            place = min(open_, key=lambda place: free[place][0])
            found.append(free[place].popleft())
        else:
            place = max(open_, key=lambda place: free[place][-1])
            found.append(free[place].pop())
        zones[place[0]] -= 1
        places[place] -= 1
        if not free[place]:
            del free[place]
    return sorted(found)
