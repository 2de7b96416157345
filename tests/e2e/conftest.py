"""A simulated Azure over HTTP for each worker, empty for each test, and the command line against it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from provision.adapters.files import environments_root
from provision.cli.main import main
from tests.support.hard import HARD
from tests.support.worlds import QUICK


class Azure:
    """A simulator's control side: its world, its log, its faults."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return the JSON of the answer. What others write is seen before anybody goes on."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer somebody"}
        request = urllib.request.Request(f"{self.endpoint}{path}", data=data, headers=headers, method=method)
        with self._opener.open(request, timeout=30) as response:
            answer = json.loads(response.read() or b"null")
        if method != "GET" and not path.startswith("/_simulator/"):
            self.pass_time(15)
        return answer

    @property
    def world(self) -> dict[str, Any]:
        """Return the whole world."""
        found: dict[str, Any] = self.ask("GET", "/_simulator/world")
        return found

    def resource(self, name: str) -> dict[str, Any]:
        """Return the one resource of a name."""
        (found,) = (body for body in self.world["resources"] if body["name"] == name)
        body: dict[str, Any] = found
        return body

    def names(self, part: str = "resources") -> list[str]:
        """Return the names of what there is, sorted."""
        return sorted(body["name"] for body in self.world[part])

    def writes(self) -> list[tuple[str, str]]:
        """Return (method, path without the version) of each write so far."""
        log = self.ask("GET", "/_simulator/log")
        return [
            (row["method"], row["url"].partition("?")[0].partition("/subscriptions/")[2].partition("/")[2])
            for row in log
            if row["method"] not in ("GET", "HEAD")
            and "/_simulator/" not in row["url"]
            and not row["url"].partition("?")[0].endswith("/validate")  # a POST that only reads
        ]

    def forget(self) -> None:
        """Empty the log."""
        self.ask("DELETE", "/_simulator/log")

    def put(self, id: str, body: dict[str, Any], version: str) -> None:
        """Make a resource as somebody else would, and wait until it stands."""
        self.ask("PUT", f"{id}?api-version={version}", body)
        self.pass_time(600)

    def pass_time(self, seconds: int) -> None:
        """Move the clock."""
        from datetime import datetime, timedelta

        now = datetime.fromisoformat(self.ask("GET", "/_simulator/clock")["now"])
        self.ask("POST", "/_simulator/clock", {"to": (now + timedelta(seconds=seconds)).isoformat()})

    def empty(self) -> None:
        """Empty the world, its faults and its log, and make it as hard as Azure is."""
        nothing: dict[str, Any] = {"operations": [], "stacks": [], "resources": [], "resourceGroups": []}
        plain: dict[str, Any] = {"quota": {}, "capacity": {}, "registrations": {}, "restrictions": [], "locks": []}
        plain["settings"] = HARD
        self.ask("PUT", "/_simulator/world", {**nothing, **plain})
        self.ask("DELETE", "/_simulator/faults")
        self.forget()


@pytest.fixture(scope="session")
def simulator() -> Iterator[str]:
    """Yield the endpoint of a simulator that lives as long as the tests."""
    command = [sys.executable, "-m", "provision.simulator", "--port", "0", "--exit-with-stdin"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield json.loads(process.stdout.readline())["endpoint"]
        process.stdin.close()


@pytest.fixture
def azure(simulator: str) -> Azure:
    """Return an empty simulated Azure."""
    azure = Azure(simulator)
    azure.empty()
    return azure


class Shell:
    """The command line in a folder of its own, against the simulated Azure."""

    def __init__(self, folder: Path, endpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._endpoint = endpoint
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def write(self, text: str, name: str = "quick.yaml") -> None:
        """Write an environment file, with the key beside it."""
        (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / "key.pub").write_text((environments_root() / "keys" / "example.pub").read_text("utf-8"), "utf-8")

    def __call__(self, verb: str, *args: str) -> int:
        """Run a verb against the simulator; its output is in `out` and `err`."""
        online = ["--endpoint", self._endpoint] if verb in ("plan", "apply", "status", "destroy") else []
        code = main([verb, *args, *online])
        self.out, self.err = self._capsys.readouterr()
        return code

    def json(self, verb: str, *args: str) -> dict[str, Any]:
        """Return what a verb prints as JSON."""
        code = self(verb, *args, "--format", "json")
        assert self.out, (code, self.err)
        found: dict[str, Any] = json.loads(self.out)
        return found


@pytest.fixture
def provision(
    tmp_path: Path, azure: Azure, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """Return the command line in an empty folder that holds `quick.yaml`."""
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, azure.endpoint, capsys)
    shell.write(QUICK)
    return shell
