"""Decides what of a plan is left when only some regions or pools are asked for.

A plan is taken apart by units and groups, never within one: a stack is sent whole. What a kept unit cannot be made
without is taken along, in the same region: groups and networks that do not exist yet. Deletions are never taken along,
and another region is never touched: what would need that is left out, and says why. So a network, a subnet or a group
goes only with all that stands in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from provision.arm import BASTIONS, FILE_SYSTEMS, SCALE_SETS, ResourceId
from provision.plan.model import Action, Change, LeftOut, Operation, Part
from provision.topology.names import PEERING

_GUESTS = frozenset(type.lower() for type in (SCALE_SETS, BASTIONS, FILE_SYSTEMS))
#: Changes that others wait for: without them what is referred to does not exist, or cannot be relied on.
_MADE = (Action.CREATE, Action.REPLACE, Action.REFUSED)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The regions and pools that a plan is asked for, as they were given: `!NAME` leaves one out, none are all.

    What belongs to no pool, such as a network, is asked for unless pools are named that are.
    """

    regions: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()

    def has(self, region: str, pool: str | None) -> bool:
        """Return whether something in a region, of a pool if it has one, is asked for."""
        return _asked(self.regions, region) and _asked(self.pools, pool)


@dataclass(frozen=True, slots=True)
class _Atom:
    """A unit in a region, or a group: what is kept, or left out, as a whole."""

    region: str
    unit: str
    group: str

    def told(self) -> str:
        return f"group {ResourceId(self.group).name}" if self.group else f"{self.unit} in {self.region}"


@dataclass(frozen=True, slots=True)
class Cut:
    """What is kept of a plan; `left` are the changes that are not, `part` tells of them. Of a whole plan, all is."""

    changes: list[Change]
    operations: list[Operation]
    left: tuple[Change, ...] = ()
    part: Part | None = None


def cut(
    chosen: Chosen,
    changes: Sequence[Change],
    operations: Sequence[Operation],
    home: ResourceId,
    remotes: Mapping[str, ResourceId],
) -> Cut:
    """Return what is asked for of a plan; `operations` wait only for what they cannot do without.

    `home`: the group of the environment's lock, without which nothing is carried out. `remotes`: the network at the
    other end of each half of a peering that there is, by the half's id in lower case.
    """
    by_atom: dict[_Atom, list[Change]] = {}
    for change in changes:
        by_atom.setdefault(_atom_of_change(change), []).append(change)
    needs = _needs(operations, _Atom("", "", home.key), remotes)
    asked = [atom for atom, found in by_atom.items() if chosen.has(atom.region or found[0].region, found[0].pool)]
    kept, blocked = _kept(asked, needs, by_atom)
    atoms = {operation.id: _atom_of(operation) for operation in operations}
    ids = {id for id, atom in atoms.items() if atom in kept}
    left = {atom: found for atom, found in by_atom.items() if atom not in kept}
    part = Part(
        regions=chosen.regions,
        pools=chosen.pools,
        taken_along=tuple(sorted(atom.told() for atom in kept if atom not in asked)),
        left_out=tuple(
            LeftOut(
                region=found[0].region,
                pool=found[0].pool,
                unit=atom.unit,
                changes=len(found),
                nodes=sum(change.nodes for change in found),
                reason=blocked.get(atom, ""),
            )
            for atom, found in left.items()
        ),
    )
    return Cut(
        changes=[change for change in changes if _atom_of_change(change) in kept],
        operations=[
            replace(operation, after=tuple(need for need in operation.after if need in ids))
            for operation in operations
            if operation.id in ids
        ],
        left=tuple(change for found in left.values() for change in found),
        part=part,
    )


def _asked(given: tuple[str, ...], name: str | None) -> bool:
    wanted = {each for each in given if not each.startswith("!")}
    return f"!{name}" not in given and (not wanted or name in wanted)


def _atom_of(operation: Operation) -> _Atom:
    if operation.unit:
        return _Atom(operation.region, operation.unit, "")
    return _Atom("", "", operation.target.key)


def _atom_of_change(change: Change) -> _Atom:
    return _Atom(change.region, change.unit, "") if change.unit else _Atom("", "", change.id.key)


def _needs(
    operations: Sequence[Operation], home: _Atom, remotes: Mapping[str, ResourceId]
) -> dict[_Atom, dict[_Atom, bool]]:
    """Return what each unit or group waits for, and whether that is for something to go.

    A half of a peering is not made where its other end still holds a torn one, so it waits for that to go.
    """
    by_id = {operation.id: operation for operation in operations}
    guests: dict[str, list[_Atom]] = {}
    torn: dict[str, list[_Atom]] = {}
    for operation in operations:
        if operation.kind == "delete" and operation.target.type.lower() in _GUESTS:
            guests.setdefault(operation.region, []).append(_atom_of(operation))
        if operation.kind == "delete" and operation.target.key in remotes:
            torn.setdefault(remotes[operation.target.key].group_id.key, []).append(_atom_of(operation))
    found: dict[_Atom, dict[_Atom, bool]] = {}
    for operation in operations:
        mine = found.setdefault(_atom_of(operation), {home: False})
        for need in (by_id[id] for id in operation.after):
            other = _atom_of(need)
            mine[other] = mine.get(other, False) or not need.kind.startswith("put-")
        if operation.kind == "put-stack" and operation.unit == PEERING:
            mine |= dict.fromkeys(torn.get(operation.target.group_id.key, ()), True)
        if operation.kind == "await-empty":
            mine |= dict.fromkeys(guests.get(operation.region, ()), True)
    return found


def _kept(
    asked: Iterable[_Atom], needs: Mapping[_Atom, Mapping[_Atom, bool]], changes: Mapping[_Atom, Sequence[Change]]
) -> tuple[set[_Atom], dict[_Atom, str]]:
    """Return what is kept, and why what is asked for, or was to be taken along, is not."""
    blocked: dict[_Atom, str] = {}
    while True:
        kept = dict.fromkeys(atom for atom in asked if atom not in blocked)
        waiting = list(kept)
        stuck: dict[_Atom, str] = {}
        while waiting:
            atom = waiting.pop()
            for need, goes in needs.get(atom, {}).items():
                if need == atom or need in kept:
                    continue
                if reason := _why_not(atom, need, goes, blocked, changes):
                    stuck.setdefault(atom, reason)
                elif _is_made(need, changes):
                    kept[need] = None
                    waiting.append(need)
        if not stuck:
            return set(kept), blocked
        blocked |= stuck


def _why_not(
    atom: _Atom, need: _Atom, goes: bool, blocked: Mapping[_Atom, str], changes: Mapping[_Atom, Sequence[Change]]
) -> str:
    """Return why something cannot be kept for what it waits for; empty if it can."""
    if goes:
        return f"{need.told()} would have to go first, and is left out"
    if not _is_made(need, changes):
        return ""
    if need in blocked:
        return f"it needs {need.told()}, which is left out: {blocked[need]}"
    region = next(iter(changes[need])).region
    if region not in ("", atom.region or next(iter(changes.get(atom, ()))).region):
        return f"it needs {need.told()}, which is left out"
    return ""


def _is_made(atom: _Atom, changes: Mapping[_Atom, Sequence[Change]]) -> bool:
    return any(change.action in _MADE for change in changes.get(atom, ()))
