"""Reads that lag behind writes, where the tester wants it: what was true a while ago is shown as if it were so now.

A read sees one earlier moment of the whole world, so what it shows belongs together; lists may lag longer than reads
of one thing, as Azure's do. Writes and polls of operations see what is. A world that the tester puts is seen at once.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

from provision.simulator.state.world import Resources, Table, World

LAGGING = ("groups", "resources", "deployments", "stacks")
READ, LIST = "readLagS", "listLagS"


class Past:
    """What the records of a world have been, as far back as reads may lag."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._versions: dict[str, dict[str, list[tuple[float, Any]]]] = {}
        """By table and key: since when, and a copy of the record then; None where there was none."""
        self._seen: dict[float, tuple[float, World]] = {}
        """By lag: what was built of that last, and until which moment it is right."""
        for name in LAGGING:
            table = world.tables()[name]
            self._versions[name] = {key: [(float("-inf"), copy.deepcopy(table[key]))] for key in table}
            # No closure: a copy of the world has to tell its own past.
            table.watch = partial(self.note, name)

    def before(self, lag: float) -> World:
        """Return the world whose groups, resources, deployments and stacks are those of `lag` seconds ago."""
        moment = self._world.now - lag
        if lag not in self._seen or moment >= self._seen[lag][0]:
            self._seen[lag] = self._shown(moment)
        world = self._seen[lag][1]
        # Everything else is as it is now, also in a world that was built a while ago.
        world.__dict__.update({name: value for name, value in vars(self._world).items() if name not in LAGGING})
        return world

    def _shown(self, moment: float) -> tuple[float, World]:
        """Return until when, and the world that is seen."""
        world = copy.copy(self._world)
        until = float("inf")
        for name in LAGGING:
            table: Table[Any] = Resources() if name == "resources" else Table()
            live = self._world.tables()[name]
            for key, versions in self._versions[name].items():
                later = [since for since, _ in versions if since > moment]
                until = min([until, *later])
                _, row = versions[len(versions) - len(later) - 1]
                if row is not None:
                    table.put(key, row if later else live[key])
            setattr(world, name, table)
        return until, world

    def note(self, name: str, key: str, row: Any) -> None:
        """Remember a record as it is now; None of one that goes."""
        versions = self._versions[name].setdefault(key, [(float("-inf"), None)])
        versions.append((self._world.moment, copy.deepcopy(row)))
        self._seen.clear()
        self._forget(name, key, versions)

    def _forget(self, name: str, key: str, versions: list[tuple[float, Any]]) -> None:
        """Drop the versions that nobody can see any more: all before the last that is as old as the longest lag."""
        oldest = self._world.now - longest(self._world)
        while len(versions) > 1 and versions[1][0] <= oldest:
            del versions[0]
        if len(versions) == 1 and versions[0][1] is None:
            del self._versions[name][key]


def longest(world: World) -> float:
    return max(float(world.setting(name, 0.0)) for name in (READ, LIST))


def begin(world: World) -> None:
    """Start to remember, or stop, as the settings want it; what is there now is what reads have always seen."""
    for name in LAGGING:
        world.tables()[name].watch = None
    world.past = Past(world) if longest(world) else None


def seen(world: World, *, lists: bool) -> World:
    """Return the world that a read sees."""
    lag = float(world.setting(LIST if lists else READ, 0.0))
    past: Past | None = world.past
    return world if past is None or not lag else past.before(lag)
