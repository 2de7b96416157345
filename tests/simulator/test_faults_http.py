"""Faults of the connection over HTTP: what a client meets there is what it meets in process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from azure.core.exceptions import ServiceResponseError, ServiceResponseTimeoutError

from tests.simulator.processes import control, resources_at, served

GROUP = {"location": "eastus"}


class Server:
    """A simulator over HTTP with its control side and a client that tries nothing twice."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.groups = resources_at(endpoint, read_timeout=0.5).resource_groups

    def control(self, method: str, part: str, body: Any = None) -> Any:
        return control(self.endpoint, method, part, body)

    def names(self) -> list[str]:
        return [str(group.name) for group in self.groups.list()]


@pytest.fixture
def server() -> Iterator[Server]:
    with served() as endpoint:
        yield Server(endpoint)


@pytest.mark.parametrize(("when", "left"), [("before", []), ("after", ["rg"])])
def test_a_dropped_connection_is_really_closed(server: Server, when: str, left: list[str]) -> None:
    assert server.names() == []  # on a connection that is kept for the next request
    server.control("POST", "faults", {"effect": "drop", "match": {"method": "PUT"}, "when": when, "count": 1})

    with pytest.raises(ServiceResponseError, match="Connection aborted"):
        server.groups.create_or_update("rg", GROUP)

    assert server.names() == left
    assert [row["faults"] for row in server.control("GET", "log") if "faults" in row] == [["drop"]]


@pytest.mark.parametrize("effect", ["hang", "kill-client"])
def test_an_answer_that_never_comes_ends_with_the_clients_patience(server: Server, effect: str) -> None:
    server.control("POST", "faults", {"effect": effect, "match": {"method": "PUT"}, "when": "after", "count": 1})

    with pytest.raises(ServiceResponseTimeoutError, match="Read timed out"):
        server.groups.create_or_update("rg", GROUP)

    assert server.names() == ["rg"]


def test_others_are_served_while_one_hangs(server: Server) -> None:
    server.control("POST", "faults", {"effect": "hang", "match": {"method": "PUT"}, "count": 1})
    met: list[type[BaseException]] = []

    def hang() -> None:
        with pytest.raises(ServiceResponseTimeoutError) as found:
            resources_at(server.endpoint, read_timeout=2).resource_groups.create_or_update("rg", GROUP)
        met.append(found.type)

    hanging = threading.Thread(target=hang)
    hanging.start()
    while not any("faults" in row for row in server.control("GET", "log")):
        pass
    assert server.names() == []
    assert hanging.is_alive()
    hanging.join()
    assert met == [ServiceResponseTimeoutError]


def test_a_slow_answer_moves_a_virtual_clock_and_waits_for_a_real_one(server: Server) -> None:
    slow = {"effect": "slow", "seconds": 600, "count": 1}
    server.control("POST", "faults", slow)
    began = time.monotonic()
    assert server.names() == []
    assert time.monotonic() - began < 1
    assert server.control("GET", "clock")["now"] == "2026-12-01T00:10:00.0000000Z"

    with served("--clock", "real", "--speed", "3000") as endpoint:
        real = Server(endpoint)
        real.control("POST", "faults", slow)
        began = time.monotonic()
        assert real.names() == []
        assert 0.2 <= time.monotonic() - began < 1
