"""A simulator that is killed: what it has acknowledged or shown is there when it is started again."""

from __future__ import annotations

import threading
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import AzureError

from tests.simulator.processes import control, endpoint_of, process, resources_at

GROUP = {"location": "eastus"}


def test_no_acknowledged_write_is_lost_when_the_process_is_killed_under_load(tmp_path: Path) -> None:
    options = ("--state", str(tmp_path / "world.db"))
    acknowledged: list[str] = []
    enough = threading.Event()

    def write(endpoint: str, writer: int) -> None:
        groups = resources_at(endpoint).resource_groups
        for number in range(10_000):
            try:
                groups.create_or_update(f"rg-{writer}-{number}", GROUP)
            except AzureError:
                return
            acknowledged.append(f"rg-{writer}-{number}")
            if len(acknowledged) >= 100:
                enough.set()

    with process(*options) as first:
        endpoint = endpoint_of(first)
        writers = [threading.Thread(target=write, args=(endpoint, writer)) for writer in range(4)]
        for each in writers:
            each.start()
        assert enough.wait(60)
        first.kill()
        for each in writers:
            each.join()
    with process(*options) as second:
        there = {group.name for group in resources_at(endpoint_of(second)).resource_groups.list()}

    assert len(acknowledged) >= 100
    assert there >= set(acknowledged)
    assert len(there) <= len(acknowledged) + 4  # one more for each writer: taken, and killed before the answer


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_what_a_client_has_seen_happen_is_not_undone(tmp_path: Path, method: str) -> None:
    """Time brings an operation to its end, a read shows that, and no write comes after it."""
    options = ("--state", str(tmp_path / "world.db"), "--clock", "real", "--speed", "1000")
    path = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg"
    ip = f"{path}/providers/Microsoft.Network/publicIPAddresses/ip?api-version=2025-05-01"
    with process(*options) as first:
        endpoint = endpoint_of(first)
        ask(endpoint, "PUT", f"{path}?api-version=2025-04-01", '{"location": "eastus"}')
        ask(
            endpoint,
            "PUT",
            ip,
            '{"location": "eastus", "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}}',
        )
        wait_for(endpoint, ip, (200, b"Succeeded"))
        if method == "DELETE":
            ask(endpoint, "DELETE", ip)
            wait_for(endpoint, ip, (404, b"ResourceNotFound"))
        first.kill()
    with process(*options[:2]) as second:
        status, body = ask(endpoint_of(second), "GET", ip)

    assert (status, b"Succeeded" in body) == ((200, True) if method == "PUT" else (404, False))


def test_a_fault_that_was_taken_stays_taken(tmp_path: Path) -> None:
    options = ("--state", str(tmp_path / "world.db"))
    path = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups?api-version=2025-04-01"
    with process(*options) as first:
        endpoint = endpoint_of(first)
        control(endpoint, "POST", "faults", {"effect": "refuse", "code": "x", "count": 1})
        refused = ask(endpoint, "GET", path)[0]
        first.kill()
    with process(*options) as second:
        endpoint = endpoint_of(second)
        again = ask(endpoint, "GET", path)[0]

    assert (refused, again) == (500, 200)


def ask(endpoint: str, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
    connection = HTTPConnection(endpoint.removeprefix("http://"), timeout=10)
    connection.request(method, path, body, {"Authorization": "Bearer x"})
    response = connection.getresponse()
    found = response.status, response.read()
    connection.close()
    return found


def wait_for(endpoint: str, path: str, wanted: tuple[int, Any]) -> None:
    status, text = wanted
    for _ in range(2000):
        found, body = ask(endpoint, "GET", path)
        if found == status and text in body:
            return
    raise AssertionError(body)
