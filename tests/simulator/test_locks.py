"""Locks, at every scope, and what they keep from happening."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    network_id,
    network_path,
    path_of,
    refusal,
)

NET = network_id("virtualNetworks/net")
GROUP = f"{group_id()}?api-version=2025-04-01"
SCOPES = [f"/subscriptions/{SUBSCRIPTION}", group_id(), NET]


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def lock_id(scope: str, name: str = "keep") -> str:
    return f"{scope}/providers/Microsoft.Authorization/locks/{name}"


def lock(azure: Azure, scope: str, level: str = "CanNotDelete", name: str = "keep") -> Any:
    return azure.put(lock_id(scope, name), {"properties": {"level": level, "notes": "ours"}})


def code(answer: Any) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["code"]


@pytest.mark.parametrize("scope", [*SCOPES, f"{NET}/subnets/nodes"])
def test_a_lock_is_kept_at_its_scope(azure: Azure, scope: str) -> None:
    made, again = lock(azure, scope), lock(azure, scope)
    found = azure.get(lock_id(scope))
    listed = azure.ask("GET", f"{lock_id(scope).rpartition('/')[0]}?api-version=2020-05-01").json()["value"]
    path = f"{lock_id(scope)}?api-version=2020-05-01"
    deleted = [azure.ask("DELETE", path).status for _ in range(2)]

    assert (made.status, again.status, deleted) == (201, 200, [200, 204])
    assert found == {
        "properties": {"level": "CanNotDelete", "notes": "ours"},
        "id": lock_id(scope),
        "type": "Microsoft.Authorization/locks",
        "name": "keep",
    }
    assert listed == [found]
    assert code(azure.ask("GET", path)) == (404, "LockNotFound")


@pytest.mark.parametrize("scope", SCOPES)
def test_what_is_locked_against_deletion_can_be_written_and_not_deleted(azure: Azure, scope: str) -> None:
    lock(azure, scope)

    written = azure.ask("PUT", network_path("virtualNetworks/net/subnets/new"), subnet("10.0.9.0/24"))
    azure.wait(30)

    assert written.status == 201
    assert refusal(azure.network.subnets.begin_delete, "rg", "net", "new") == (
        409,
        "ScopeLocked",
        f"The scope '{NET}/subnets/new' cannot perform delete operation because following scope(s) are locked: "
        f"'{scope}'. Please remove the lock and try again.",
    )


def subnet(prefix: str) -> Any:
    return {"properties": {"addressPrefix": prefix}}


def test_what_is_locked_for_reading_only_cannot_be_written(azure: Azure) -> None:
    azure.make_scale_set(nodes=1)
    lock(azure, group_id(), "ReadOnly")

    answers = [
        azure.ask("PUT", network_path("virtualNetworks/net/subnets/new"), subnet("10.0.9.0/24")),
        azure.ask("PATCH", GROUP, {"tags": {}}),
        azure.ask("POST", path_of("virtualMachineScaleSets/train/restart")),
        azure.ask("DELETE", path_of("virtualMachineScaleSets/train")),
    ]

    assert [code(answer) for answer in answers] == [(409, "ScopeLocked")] * 4
    assert "cannot perform write operation" in answers[0].json()["error"]["message"]
    assert azure.ask("GET", path_of("virtualMachineScaleSets/train")).status == 200


def test_a_lock_inside_keeps_its_group_and_its_network(azure: Azure) -> None:
    lock(azure, f"{NET}/subnets/nodes")

    group = azure.ask("DELETE", GROUP)
    network = azure.ask("DELETE", network_path("virtualNetworks/net"))

    assert [code(group), code(network)] == [(409, "ScopeLocked")] * 2
    assert f"'{NET}/subnets/nodes'. Please remove the lock" in group.json()["error"]["message"]


def test_a_lock_elsewhere_does_not_matter(azure: Azure) -> None:
    azure.make_group("other")
    lock(azure, group_id("other"), "ReadOnly")

    assert azure.put_scale_set("train", a_scale_set(nodes=1)).status == 201


def test_a_stack_meets_locks_as_its_clients_do(azure: Azure) -> None:
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    azure.ask("PUT", path, a_stack(a_security_group("a"), a_security_group("b")))
    azure.wait(60)
    lock(azure, network_id("networkSecurityGroups/a"), "ReadOnly")
    lock(azure, network_id("networkSecurityGroups/b"))

    azure.ask("PUT", path, a_stack(a_security_group("a")))
    azure.wait(60)
    written = azure.ask("GET", path).json()["properties"]
    azure.ask("DELETE", f"{lock_id(network_id('networkSecurityGroups/a'))}?api-version=2020-05-01")
    azure.ask("PUT", path, a_stack(a_security_group("a"), unmanaged="delete"))
    azure.wait(4000)
    deleted = azure.ask("GET", path).json()["properties"]

    assert (written["provisioningState"], "ScopeLocked" in str(written["error"])) == ("failed", True)
    assert azure.get(network_id("networkSecurityGroups/b"))["name"] == "b"
    assert (deleted["provisioningState"], "ScopeLocked" in str(deleted)) == ("failed", True)


def test_a_lock_goes_with_its_group(azure: Azure) -> None:
    azure.make_group("other")
    azure.ask("DELETE", f"{group_id('other')}?api-version=2025-04-01")
    path = f"{lock_id(group_id('other'))}?api-version=2020-05-01"
    made = azure.ask("PUT", path, {"properties": {"level": "CanNotDelete"}})
    azure.wait(200)

    assert (made.status, azure.world["locks"]) == (201, [])


def test_the_world_can_be_given_locks(azure: Azure) -> None:
    lock(azure, NET)
    before = azure.world["locks"]
    azure.set_world(locks=[])
    free = azure.world["locks"]
    azure.set_world(locks=before)

    assert (free, azure.world["locks"]) == ([], before)


@pytest.mark.parametrize("body", [{}, {"properties": {}}, {"properties": {"level": "Odd"}}])
def test_a_body_that_is_no_lock_is_refused(azure: Azure, body: Any) -> None:
    assert azure.put(lock_id(NET), body).status == 400


def test_what_does_not_exist_cannot_be_locked(azure: Azure) -> None:
    answer = lock(azure, network_id("virtualNetworks/no"))

    assert code(answer) == (404, "ResourceNotFound")
