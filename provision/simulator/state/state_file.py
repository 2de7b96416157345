"""Where a world is kept between runs: one SQLite file, one row a record, one transaction a save.

A save writes what changed since the last one and nothing else, so it stays cheap however large the world grows, and
a kill at any moment leaves the state before or after it, never in between. The file is private to the simulator,
and to one of them at a time.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from provision.simulator.state.operations import kept_s
from provision.simulator.state.world import (
    Deployment,
    Group,
    Linger,
    Lock,
    Operation,
    Registration,
    Resource,
    RoleAssignment,
    ScaleSet,
    Stack,
    SubscriptionTags,
    World,
)

_FORMAT = "3"
_RECORDS: dict[str, type[Any]] = {
    each.__name__: each
    for each in (
        Group,
        Resource,
        ScaleSet,
        Linger,
        Lock,
        RoleAssignment,
        Registration,
        SubscriptionTags,
        Deployment,
        Stack,
        Operation,
    )
}


class StateError(Exception):
    """The file cannot be used: it is something else, in use, or of another version."""


class StateFile:
    """An open state file. Not safe to share between threads without a lock. Raises StateError where it cannot be."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=0.5)
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self._connection.close()
            busy = "locked" in str(error)
            why = "another simulator, or another command with --simulate, uses it just now" if busy else str(error)
            raise StateError(f"cannot keep a world in {path}: {why}") from error

    def _open(self) -> None:
        # Two simulators on one file would overwrite each other's world: the first keeps the others out.
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("PRAGMA journal_mode = WAL")
        # The state survives a kill of this process; it need not survive the machine.
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS record "
            "(place TEXT, key TEXT, value TEXT, PRIMARY KEY (place, key)) WITHOUT ROWID"
        )
        self._saved_settings, self._saved_faults = "", 0

    def load(self, seed: int) -> World:
        """Return the world in the file, or a new one with `seed` where the file is new."""
        rows = self._connection.execute("SELECT place, key, value FROM record ORDER BY place, key").fetchall()
        world = World(seed)
        tables = world.tables()
        for place, key, value in rows:
            record = json.loads(value)
            if place == "world":
                self._restore(world, record)
                continue
            kind = record.pop("record")
            tables[place].put(key, _RECORDS[kind](**record))
        for table in tables.values():
            table.changed.clear()
        for operation in world.operations.values():
            if operation.due is not None and operation.status == "InProgress":
                world.schedule(operation, operation.due)
            if operation.ended is not None:
                world.look_again(operation, operation.ended + kept_s(world))
        world.operations.changed.clear()
        return world

    def lacks(self, world: World) -> bool:
        """Return whether a record or a fault has changed since the last save."""
        return world.faults_taken != self._saved_faults or any(table.changed for table in world.tables().values())

    def save(self, world: World) -> None:
        settings = json.dumps(_settings(world))
        tables = world.tables()
        if settings == self._saved_settings and not any(table.changed for table in tables.values()):
            return
        execute = self._connection.execute
        execute("BEGIN")
        for place, table in tables.items():
            for key in table.changed:
                record = table.get(key)
                if record is None:
                    execute("DELETE FROM record WHERE place = ? AND key = ?", (place, key))
                    continue
                value = json.dumps({"record": type(record).__name__, **vars(record)})
                execute("INSERT OR REPLACE INTO record VALUES (?, ?, ?)", (place, key, value))
        execute("INSERT OR REPLACE INTO record VALUES ('world', '', ?)", (settings,))
        execute("COMMIT")
        for table in tables.values():
            table.changed.clear()
        self._saved_settings, self._saved_faults = settings, world.faults_taken

    def close(self) -> None:
        self._connection.close()

    @staticmethod
    def _restore(world: World, saved: dict[str, Any]) -> None:
        if saved.pop("format") != _FORMAT:
            raise StateError("the state file was written by another version of the simulator")
        for name, value in saved.items():
            setattr(world, name, value)


def _settings(world: World) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "seed": world.seed,
        "counter": world.counter,
        "now": world.now,
        "quota": world.quota,
        "capacity": world.capacity,
        "restrictions": world.restrictions,
        "settings": world.settings,
        "faults": world.faults,
        "agreements": world.agreements,
        "spent_tokens": world.spent_tokens,
    }
