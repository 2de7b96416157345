"""A simulator as a child process, its clock, and what is said where there is none."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from provision.adapters.simulator import SimulatorProcess, clock_of, host, store_as_sent
from provision.errors import Unreachable

FIX = "start one: python -m provision.simulator --port 8080"


def test_a_simulator_lives_as_long_as_it_is_wanted_and_its_clock_is_moved(tmp_path: Path) -> None:
    with SimulatorProcess(tmp_path / "world" / "simulator.json") as simulator:
        clock = clock_of(simulator.endpoint)
        start = clock.now()
        clock.sleep_until(start + 90.0004)
        assert clock.now() == clock_of(simulator.endpoint).now() == pytest.approx(start + 90.001, abs=1e-6)
        endpoint = simulator.endpoint

    with pytest.raises(Unreachable):
        clock_of(endpoint)


def test_a_simulator_is_told_of_types_and_says_which_it_knows_nothing_of(tmp_path: Path) -> None:
    state = tmp_path / "simulator.json"
    types = ["Contoso.Storage/shelves", "Microsoft.NetApp/netAppAccounts"]
    with SimulatorProcess(state) as simulator:
        assert store_as_sent(simulator.endpoint, types) == ["Contoso.Storage/shelves"]
    with SimulatorProcess(state) as simulator:
        assert store_as_sent(simulator.endpoint, types) == ["Contoso.Storage/shelves"]
        endpoint = simulator.endpoint
    with pytest.raises(Unreachable):
        store_as_sent(endpoint, types)


def test_two_commands_do_not_share_a_simulated_world(tmp_path: Path) -> None:
    state = tmp_path / "simulator.json"
    with SimulatorProcess(state), pytest.raises(Unreachable, match="the simulator did not start"):
        SimulatorProcess(state).__enter__()
    with SimulatorProcess(state) as again:
        assert again.endpoint.startswith("http://127.0.0.1:")


def test_a_simulator_that_cannot_start_is_told(tmp_path: Path) -> None:
    state = tmp_path / "simulator.json"
    state.write_text("{broken")

    with pytest.raises(Unreachable) as refused, SimulatorProcess(state):
        pass

    assert refused.value.message == "the simulator did not start"


def test_where_nothing_listens_it_is_told_at_once_and_plainly() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(Unreachable) as refused:
            clock_of(endpoint)

    assert refused.value.message == f"no simulator answers at {endpoint}: [Errno 111] Connection refused"
    assert refused.value.fix == FIX


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"now": "noon"}'[:-1],
        b"SSH-2.0-OpenSSH_9.6\r\n",
    ],
)
def test_what_is_no_simulator_is_told_so(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def reply() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

        replying = threading.Thread(target=reply)
        replying.start()
        endpoint = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(Unreachable) as refused:
            clock_of(endpoint)
        replying.join()

    assert refused.value.message == f"no simulator answers at {endpoint}: what answers there is no simulator"


def test_a_lock_names_machine_and_process() -> None:
    name, _, process = host().rpartition(":")

    assert name
    assert process.isdigit()
