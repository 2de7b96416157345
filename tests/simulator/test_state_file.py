"""The state file: a world that outlives its process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from shutil import copy
from tempfile import mkdtemp
from typing import Any

import pytest

from provision.simulator import Simulator
from provision.simulator.state.state_file import StateError, StateFile
from provision.simulator.state.world import World
from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    group_id,
    lustre_id,
    network_path,
    path_of,
)

STACK = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"

COMPLETE = {"properties": {"mode": "Complete", "template": a_template(a_security_group("only"))}}

Opened = Callable[..., Simulator]
HERE = f"/subscriptions/{SUBSCRIPTION}"
SUBSCRIBED = f"{HERE}/providers/Microsoft.Resources"
FEATURE = f"{HERE}/providers/Microsoft.Features/providers/Microsoft.Compute/features/EncryptionAtHost"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
_GRANT = {
    "type": "Microsoft.Authorization/roleAssignments",
    "apiVersion": "2022-04-01",
    "name": "11111111-2222-4333-8444-555555555555",
    "properties": {
        "roleDefinitionId": f"{HERE}/providers/Microsoft.Authorization/roleDefinitions/{READER}",
        "principalId": "[guid('somebody')]",
    },
}
_MODULE = {
    "type": "Microsoft.Resources/deployments",
    "apiVersion": "2025-04-01",
    "name": "inside",
    "resourceGroup": "made",
    "dependsOn": ["made"],
    "properties": {"mode": "Incremental", "template": a_template(a_security_group("deep"), _GRANT)},
}
_GROUP = {
    "type": "Microsoft.Resources/resourceGroups",
    "apiVersion": "2025-04-01",
    "name": "made",
    "location": "eastus",
}
MAIN = {"location": "eastus", "properties": {"mode": "Incremental", "template": a_template(_GROUP, _MODULE)}}
"""A deployment at subscription scope: it makes a group, and in it a security group and a role assignment."""


def left_behind(path: Path) -> Path:
    """Return a copy of a state file as a kill would leave it now: nothing is closed or flushed."""
    there = Path(mkdtemp(dir=path.parent))
    for each in path.parent.glob(f"{path.name}*"):
        copy(each, there)
    return there / path.name


@pytest.fixture
def opened() -> Iterator[Callable[..., Simulator]]:
    """Give simulators that are closed after the test."""
    with ExitStack() as stack:

        def open_(**options: Any) -> Simulator:
            simulator = Simulator(**options)
            stack.callback(simulator.close)
            return simulator

        yield open_


def test_everything_is_there_again(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "deep" / "world.db"
    azure = Azure(opened(state=path, seed=7))
    azure.make_network()
    azure.make_scale_set(nodes=3)
    azure.make_identity()
    azure.ask("PUT", f"{lustre_id()}?api-version=2025-07-01", a_file_system())
    lock = f"{group_id()}/providers/Microsoft.Authorization/locks/keep?api-version=2020-05-01"
    azure.ask("PUT", lock, {"properties": {"level": "CanNotDelete"}})
    azure.set_world(quota={"eastus": {"cores": 9999}}, settings={"pageSize": 9})
    azure.ask("POST", "/_simulator/faults", {"match": {"url": "never"}, "effect": "refuse", "code": "x"})

    again = Azure(opened(state=left_behind(path)))

    assert again.world == azure.world
    assert again.nodes() == azure.nodes()
    assert again.simulator.now == azure.simulator.now
    assert len(again.ask("GET", "/_simulator/faults").json()) == 1


def test_what_ran_goes_on(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "world.db"
    azure = Azure(opened(state=path))
    azure.make_network()
    started = azure.put_scale_set("train", a_scale_set(nodes=4))
    stack = azure.ask("PUT", STACK, a_stack(a_security_group("a"), a_security_group("b", dependsOn=["a"])))
    azure.ask("PUT", f"{SUBSCRIBED}/deployments/main?api-version=2025-04-01", MAIN)
    azure.wait(8)

    again = Azure(opened(state=left_behind(path)))
    ends: list[Any] = []
    for each in (azure, again):
        each.wait(400)
        ends.append(
            [
                each.ask("GET", started.headers["Azure-AsyncOperation"]).body,
                each.ask("GET", stack.headers["Azure-AsyncOperation"]).body,
                each.ask("GET", STACK).body,
                each.nodes(),
                each.world,
            ]
        )

    assert ends[0] == ends[1]
    assert again.ask("GET", STACK).json()["properties"]["provisioningState"] == "succeeded"
    main = again.ask("GET", f"{SUBSCRIBED}/deployments/main?api-version=2025-04-01").json()
    assert (main["properties"]["provisioningState"], len(main["properties"]["outputResources"])) == ("Succeeded", 3)


def test_what_was_deleted_stays_deleted(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "world.db"
    azure = Azure(opened(state=path))
    azure.make_network()
    azure.make_scale_set(nodes=2)
    azure.ask("DELETE", path_of("virtualMachineScaleSets/train"))
    azure.wait(95)

    again = Azure(opened(state=left_behind(path)))

    assert [row["name"] for row in again.world["resources"]] == ["net", "nodes"]
    assert again.ask("DELETE", f"{group_id()}?api-version=2025-04-01").status == 202


def test_ids_go_on_where_they_stopped(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "world.db"
    azure = Azure(opened(state=path))
    azure.make_network()

    again = Azure(opened(state=left_behind(path)))

    names = {each.put_scale_set("train", a_scale_set(nodes=1)).headers["x-ms-request-id"] for each in (azure, again)}
    assert len(names) == 1


def test_one_file_serves_one_simulator_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    first = Simulator(state=path)

    with pytest.raises(StateError, match=r"world\.db: another simulator"):
        Simulator(state=path)

    first.close()
    Simulator(state=path).close()


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text('{"resources": []}' * 100)

    with pytest.raises(StateError, match="file is not a database"):
        Simulator(state=path)


def test_what_is_saved_is_what_there_is_after_every_request(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "world.db"
    simulator = opened(state=path)
    azure = Azure(simulator)

    def differs() -> list[str]:
        with closing(StateFile(left_behind(path))) as file:
            saved, present = file.load(0), simulator._world
        return [
            place
            for place, table in present.tables().items()
            if {key: vars(table[key]) for key in table} != {key: vars(row) for key, row in _rows(saved, place)}
        ]

    azure.make_network()
    network = azure.ask("GET", network_path("virtualNetworks/net")).json()
    again = {"type": network["type"], "name": "net", "apiVersion": "2025-05-01", "location": "eastus"}
    again["properties"] = {"addressSpace": network["properties"]["addressSpace"]}
    kind = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-11-01", "name": "train"}
    bad = a_security_group("bad", properties={"securityRules": [{"name": "x", "properties": {}}]})
    train = {**kind, **a_scale_set(nodes=3), "dependsOn": ["net"]}
    actions = path_of("virtualMachineScaleSets/train")
    requests: list[tuple[str, str, Any]] = [
        ("PUT", STACK, a_stack(again, train, a_security_group("old"))),
        ("PUT", actions, a_scale_set(nodes=5)),
        ("POST", actions.replace("?", "/reimage?"), {"instanceIds": ["1"]}),
        ("POST", actions.replace("?", "/delete?"), {"instanceIds": ["0"]}),
        ("PUT", actions, a_scale_set(nodes=2)),
        ("PUT", STACK, a_stack(again, train, bad)),
        ("PUT", STACK, a_stack(again, unmanaged="delete")),
        ("PUT", f"{group_id()}/providers/Microsoft.Resources/deployments/x?api-version=2025-04-01", COMPLETE),
        ("PUT", STACK, a_stack(again, train)),
        ("PUT", f"{SUBSCRIBED}/deployments/main?api-version=2025-04-01", MAIN),
        ("POST", f"{SUBSCRIBED}/deployments/main/whatIf?api-version=2025-04-01", MAIN),
        ("PUT", f"{SUBSCRIBED}/tags/default?api-version=2025-04-01", {"properties": {"tags": {"a": "b"}}}),
        ("POST", f"{FEATURE}/register?api-version=2021-07-01", None),
        ("DELETE", f"{STACK}&unmanageAction.Resources=delete", None),
        ("DELETE", f"{group_id()}?api-version=2025-04-01", None),
    ]
    found = []
    for method, where, body in requests:
        found.append((azure.ask(method, where, body).status, differs()))
        for seconds in (1, 4, 2, 6, 60, 400):
            azure.wait(seconds)
            found.append((0, differs()))

    assert [status for status, _ in found if status] == [
        201,
        200,
        202,
        202,
        200,
        200,
        200,
        201,
        200,
        201,
        202,
        200,
        200,
        202,
        202,
    ]
    assert [places for _, places in found if places] == []


def _rows(world: World, place: str) -> list[tuple[str, Any]]:
    table = world.tables()[place]
    return [(key, table[key]) for key in table]
