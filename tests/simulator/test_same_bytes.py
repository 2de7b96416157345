"""The same seed and the same requests give the same bytes, also in another process whose sets are in another order."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from provision.simulator import Answer, Simulator
from tests.simulator.azure import (
    SIZE,
    Azure,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    group_id,
    lustre_id,
    network_id,
)

REPLAY = """
import base64, hashlib, json, sys
from provision.simulator import Simulator

simulator = Simulator(seed=7)
digest = hashlib.sha256()
for at, method, url, headers, body in json.load(sys.stdin):
    simulator.advance_to(at)
    answer = simulator.handle(method, url, headers, base64.b64decode(body))
    digest.update(repr((answer.status, sorted(answer.headers.items()), answer.body)).encode())
print(digest.hexdigest())
"""


class Recorder(Simulator):
    """A simulator that keeps what it is asked, by whoever asks."""

    def __init__(self) -> None:
        super().__init__(seed=7)
        self.asked: list[Any] = []

    def handle(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        self.asked.append((self.now, method, url, dict(headers), base64.b64encode(body).decode()))
        return super().handle(method, url, headers, body)


def a_story() -> list[Any]:
    """Return the requests of a story in which all happens that is drawn by lot, as clients sent them."""
    recorder = Recorder()
    azure = Azure(recorder)
    azure.make_network(prefix="10.0.0.0/23")
    azure.set_world(
        capacity={"*": {SIZE: [{"nodes": 14}, {"nodes": 40, "zone": "1"}]}},
        settings={"freedNodesAreTaken": True, "caseDrift": True, "shuffle": True, "pageSize": 2},
    )
    azure.ask("POST", "/_simulator/faults", {"effect": "fail-nodes", "code": "OSProvisioningTimedOut", "share": 0.1})
    azure.ask("POST", "/_simulator/faults", {"effect": "slow-operation", "factor": 1.5, "probability": 0.3})
    sets = azure.compute.virtual_machine_scale_sets
    azure.start(sets.begin_create_or_update, "rg", "spot", a_scale_set(nodes=20, profile={"priority": "Spot"}))
    azure.start(sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=30, zones=["1"]))
    for _ in range(12):
        list(azure.compute.virtual_machine_scale_set_vms.list("rg", "spot", expand="instanceView"))
        sets.get_instance_view("rg", "train")
        azure.wait(37)
    azure.wait(3600)
    azure.start(sets.begin_update, "rg", "train", {"sku": {"name": SIZE, "capacity": 24}})
    azure.wait(60)
    azure.put(lustre_id(), a_file_system())
    azure.make_identity()
    azure.put(network_id("natGateways/nat"), {"location": "eastus", "sku": {"name": "Standard"}, "properties": {}})
    stack = a_stack(a_security_group())
    azure.ask("PUT", f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/s?api-version=2025-07-01", stack)
    azure.wait(60)
    list(azure.resources.resources.list())
    list(azure.compute.usage.list("eastus"))
    list(azure.network.virtual_networks.list_all())
    azure.resources.resource_groups.begin_delete("rg").result()
    azure.ask("GET", "/_simulator/world")
    return recorder.asked


def replayed(asked: list[Any], hash_seed: str) -> str:
    """Return the digest of every status, header and body that a process of its own answers with."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", REPLAY]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, env=environment, check=True)
    return done.stdout


def test_a_story_told_again_is_the_same_to_the_byte() -> None:
    asked = a_story()

    first, second = replayed(asked, "1"), replayed(asked, "2")

    assert len(asked) > 60
    assert len(first.strip()) == 64
    assert first == second
    assert replayed(asked[:-1], "1") != first


def test_clients_ask_the_same_when_the_answers_are_the_same() -> None:
    first, second = a_story(), a_story()

    # Clients give each request an id of their own, which nothing hangs on.
    assert [each[:3] for each in first] == [each[:3] for each in second]
