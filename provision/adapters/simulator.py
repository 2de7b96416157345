"""Starts a simulator as a child process, and moves a simulator's clock. What it simulates is its own business."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from provision.adapters.flight import RunningClock, VirtualClock, WaitingClock
from provision.errors import FileError, Unreachable

STATE = Path(".provision", "simulator.db")
_T = TypeVar("_T")


class SimulatorProcess:
    """A simulator that lives as long as this object is entered; its world stays in a file."""

    def __init__(self, state: Path = STATE, scenario: str | None = None) -> None:
        self._state = state
        self._scenario = [] if scenario is None else ["--scenario", scenario]
        self._process: subprocess.Popen[str] | None = None
        self.endpoint = ""

    def __enter__(self) -> SimulatorProcess:
        try:
            self._state.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(
                str(self._state.parent),
                f"the simulated Azure can't be kept here: {error.strerror}",
                fix="work in a folder that you may write to",
            ) from None
        command = [sys.executable, "-m", "provision.simulator", "--port", "0", "--exit-with-stdin"]
        self._process = subprocess.Popen(
            [*command, "--state", str(self._state), *self._scenario],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # A Ctrl-C is for us: the simulator must live until we have reached a safe point.
            start_new_session=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        try:
            self.endpoint = json.loads(line)["endpoint"]
        except (ValueError, KeyError, TypeError):
            self.__exit__(None, None, None)
            raise Unreachable(
                "the simulator did not start", fix=f"its own message stands above; its world is in {self._state}"
            ) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process.stdout.close()


def clock_of(endpoint: str) -> WaitingClock:
    """Return the clock of the simulator at `endpoint`: its virtual one, which we move, or one that goes by itself.

    Raises Unreachable where there is no simulator.
    """
    now, answer = _clock(endpoint, None)
    if not answer.get("virtual", True):
        return RunningClock(now, float(answer.get("speed", 1.0)))
    return VirtualClock(now, lambda to: _clock(endpoint, {"to": _text(to)})[0])


def store_as_sent(endpoint: str, types: Iterable[str]) -> list[str]:
    """Let a simulator take resources of types that it does not know, and return these. Raises Unreachable."""
    return [
        str(type) for type in _answer_of(endpoint, lambda: _asked(endpoint, "types", {"store": [*types]})["stored"])
    ]


def _clock(endpoint: str, body: dict[str, str] | None) -> tuple[float, dict[str, Any]]:
    """Read or move a simulator's clock; return its time in seconds since 1970, and all that it says."""

    def ask() -> tuple[float, dict[str, Any]]:
        answer = _asked(endpoint, "clock", body)
        return datetime.fromisoformat(answer["now"]).timestamp(), answer

    return _answer_of(endpoint, ask)


def _answer_of(endpoint: str, ask: Callable[[], _T]) -> _T:
    """Return what a simulator answers. Raises Unreachable where there is none."""
    try:
        return ask()
    except OSError as error:
        why = getattr(error, "reason", None) or error
    except (HTTPException, ValueError, KeyError, TypeError):
        why = "what answers there is no simulator"
    raise Unreachable(
        f"no simulator answers at {endpoint}: {why}", fix="start one: python -m provision.simulator --port 8080"
    )


def _asked(endpoint: str, part: str, body: Mapping[str, Any] | None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{endpoint}/_simulator/{part}", data=data, headers={"Content-Type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback: no proxy is between
    with opener.open(request, timeout=30) as response:
        return json.loads(response.read())


def _text(seconds: float) -> str:
    # Up to the next millisecond: a clock that stops just short of a due time would be moved for ever.
    whole = math.ceil(seconds * 1000) / 1000
    return datetime.fromtimestamp(whole, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def host() -> str:
    """Return what the lock says of where a run is."""
    return f"{os.environ.get('HOSTNAME') or os.uname().nodename}:{os.getpid()}"
