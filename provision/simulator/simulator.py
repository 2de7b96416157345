"""The simulated Azure as an object: a world, a clock, a log and a state file behind one lock.

The server and the in-process transport are thin shells over it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from provision.simulator import control, scenarios
from provision.simulator.clock import Clock, RealClock, VirtualClock
from provision.simulator.core import handle
from provision.simulator.settle import settle
from provision.simulator.state import lag
from provision.simulator.state.state_file import StateFile
from provision.simulator.state.tokens import LIFE_S, issued
from provision.simulator.state.world import World
from provision.simulator.wire import relaxed
from provision.simulator.wire.messages import Answer, Json, Request, encoded
from provision.simulator.wire.times import iso, parse_iso

CONTROL = "/_simulator/"
LOG_ROWS = 50_000
"""How many requests the log holds: more than an apply of a whole fleet sends, in some 50 MB."""


class Simulator:
    """A simulated Azure. Safe to share between threads.

    `state`: the file that the world is kept in; without one it lives in memory. `speed`: with a number, time passes
    by itself, that many virtual seconds a second; without, it stands still until `advance_to`.
    """

    def __init__(self, *, state: Path | None = None, seed: int = 0, speed: float | None = None) -> None:
        self._lock = RLock()
        self._file = StateFile(state) if state is not None else None
        self._world = self._file.load(seed) if self._file is not None else World(seed)
        self._world.clock_runs = speed is not None
        lag.begin(self._world)
        start = self._world.now
        self._clock: Clock = VirtualClock(start) if speed is None else RealClock(start, speed)
        self._log: deque[Json] = deque(maxlen=LOG_ROWS)

    @property
    def now(self) -> float:
        """The virtual time, in seconds since 1970."""
        return self._clock.now()

    @property
    def log(self) -> list[Json]:
        """The requests to Azure since the start or the last emptying, in order: `{at, method, url, status}`.

        One that met faults says so in `faults`. Of more than `LOG_ROWS` the oldest are gone.
        """
        with self._lock:
            return list(self._log)

    def handle(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Answer one HTTP request, whoever carries it. `url` is absolute; operation URLs start with its host."""
        request = Request.of(method, url, headers, body)
        with self._lock:
            if request.path.startswith(CONTROL):
                answer = self._controlled(request)
            else:
                now = self._clock.now()
                answer = handle(self._world, request, now)
                row = {"at": iso(now), "method": request.method, "url": url, "status": answer.status}
                self._log.append({**row, "faults": list(answer.faults)} if answer.faults else row)
            self._save(reads=request.method in ("GET", "HEAD"))
            return answer

    def advance_to(self, moment: float) -> float:
        """Move time forward to `moment` (never back), let what is due happen, and return the time."""
        with self._lock:
            self._clock.advance_to(moment)
            now = self._clock.now()
            settle(self._world, now)
            self._save(reads=False)
            return now

    def token(self, principal: str = "tester") -> tuple[str, float]:
        """Return a token of a principal, and for how many real seconds a client may keep it."""
        with self._lock:
            life_s = float(self._world.setting("tokenLifeS", LIFE_S))
            return issued(self._clock.now(), life_s, principal=principal), self._clock.real_seconds(life_s)

    def delay(self, seconds: float) -> float:
        """Let virtual seconds pass: move a clock that stands still, or return the real seconds to wait for one."""
        if isinstance(self._clock, RealClock):
            return seconds / self._clock.speed
        self.advance_to(self.now + seconds)
        return 0.0

    def play(self, scenario: Json) -> None:
        """Take over a scenario as `scenarios` reads it; raise ValueError, having changed nothing, if it is none."""
        with self._lock:
            now = self._clock.now()
            settle(self._world, now)
            control.play(self._world, now, scenario)
            self._save(reads=False)

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.save(self._world)
                self._file.close()
                self._file = None

    def _save(self, *, reads: bool) -> None:
        # A read that changes no more than the counter costs no write; what a client has seen happen is never undone.
        if self._file is not None and (not reads or self._file.lacks(self._world)):
            self._file.save(self._world)

    def _controlled(self, request: Request) -> Answer:
        part = request.path.removeprefix(CONTROL).strip("/")
        action = self._actions().get((request.method, part))
        if action is None:
            known = ", ".join(f"{method} {CONTROL}{name}" for method, name in self._actions())
            return _json(404, {"error": f"there is no {request.method} {request.path}; there are {known}"})
        try:
            return _json(200, action(relaxed.loads(request.body) if request.body else None))
        except ValueError as error:
            return _json(400, {"error": str(error)})

    def _actions(self) -> dict[tuple[str, str], Callable[[Any], Any]]:
        return {
            ("GET", "world"): self._get_world,
            ("PUT", "world"): self._put_world,
            ("GET", "log"): lambda _: list(self._log),
            ("DELETE", "log"): self._empty_log,
            ("GET", "token"): lambda _: self._token_view(),
            ("GET", "clock"): lambda _: self._clock_view(),
            ("POST", "clock"): self._move_clock,
            ("GET", "scenarios"): lambda _: {name: scenarios.named(name)["summary"] for name in scenarios.names()},
            ("POST", "scenario"): self._play,
            ("GET", "faults"): lambda _: self._world.faults,
            ("POST", "nodes"): self._set_nodes,
            ("POST", "types"): lambda body: control.store_types(self._world, body),
            ("POST", "faults"): self._add_faults,
            ("DELETE", "faults"): self._drop_faults,
        }

    def _get_world(self, _: Any) -> Json:
        settle(self._world, self._clock.now())
        return control.world_view(self._world)

    def _put_world(self, body: Any) -> Json:
        now = self._clock.now()
        settle(self._world, now)
        control.put_world(self._world, now, body)
        return control.world_view(self._world)

    def _empty_log(self, _: Any) -> list[Json]:
        self._log.clear()
        return []

    def _move_clock(self, body: Any) -> Json:
        if not isinstance(body, dict) or not isinstance(body.get("to"), str):
            raise ValueError('say where to: {"to": "2026-12-01T00:10:00Z"}')
        self.advance_to(parse_iso(body["to"]))
        return self._clock_view()

    def _clock_view(self) -> Json:
        """Return the time, and whether somebody has to move it: a real clock passes by itself."""
        now = iso(self._clock.now())
        if isinstance(self._clock, RealClock):
            return {"now": now, "virtual": False, "speed": self._clock.speed}
        return {"now": now, "virtual": True}

    def _token_view(self) -> Json:
        """Return a token as the managed identity endpoint of App Service gives one, which clients know how to ask."""
        text, life_s = self.token()
        return {
            "access_token": text,
            "expires_on": str(int(time.time() + life_s)),
            "resource": "https://management.azure.com/",
            "token_type": "Bearer",
        }

    def _play(self, body: Any) -> Json:
        """Take over a scenario: `{name}` of one that comes with the simulator, or one itself."""
        by_name = isinstance(body, dict) and isinstance(body.get("name"), str) and len(body) == 1
        self.play(scenarios.named(body["name"]) if by_name else scenarios.checked(body, "sent"))
        return control.world_view(self._world)

    def _add_faults(self, body: Any) -> list[Json]:
        control.add_faults(self._world, body)
        return self._world.faults

    def _set_nodes(self, body: Any) -> list[Json]:
        settle(self._world, self._clock.now())
        return control.set_nodes(self._world, body)

    def _drop_faults(self, _: Any) -> list[Json]:
        self._world.faults = []
        return self._world.faults


def _json(status: int, body: Any) -> Answer:
    return Answer(status, {"Content-Type": "application/json; charset=utf-8"}, encoded(body, indented=False))
