"""Long-running operations in each provider's dialect: where to poll, when, and until when that works."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from provision.simulator import Answer, Simulator
from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    group_id,
    lustre_id,
    network_path,
    path_of,
)

SET = path_of("virtualMachineScaleSets/train")
NSG = network_path("networkSecurityGroups/nsg")
LUSTRE = f"{lustre_id()}?api-version=2025-07-01"
DEPLOYED = f"{group_id()}/providers/Microsoft.Resources/deployments/unit?api-version=2025-04-01"
STACK = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
GROUP = f"{group_id()}?api-version=2025-04-01"
REGION = f"/subscriptions/{SUBSCRIPTION}/providers/{{}}/locations/eastus/"


def begun(azure: Azure, what: str) -> Answer:
    """Return the answer that begins one operation of each kind."""
    template = {"properties": {"mode": "Incremental", "template": a_template(a_security_group())}}
    if what == "set made":
        return azure.put_scale_set("train", a_scale_set(nodes=1))
    if what == "file system made":
        return azure.ask("PUT", LUSTRE, a_file_system())
    if what == "security group made":
        return azure.ask("PUT", NSG, {"location": "eastus", "properties": {}})
    if what == "deployment made":
        return azure.ask("PUT", DEPLOYED, template)
    if what == "stack made":
        return azure.ask("PUT", STACK, a_stack(a_security_group()))
    if what == "stack validated":
        return azure.ask("POST", STACK.replace("?", "/validate?"), a_stack(a_security_group()))
    if what == "group deleted":
        return azure.ask("DELETE", GROUP)
    begun(azure, what.replace("deleted", "made").replace("changed", "made").replace("restarted", "made"))
    azure.wait(1000)
    if what == "set changed":
        return azure.ask("PATCH", SET, {"tags": {"a": "b"}})
    if what == "set restarted":
        return azure.ask("POST", SET.replace("?", "/restart?"))
    paths = {"set": SET, "security group": NSG, "deployment": DEPLOYED, "stack": STACK}
    extra = "&unmanageAction.Resources=delete" if what == "stack deleted" else ""
    return azure.ask("DELETE", paths[what.removesuffix(" deleted")] + extra)


KINDS = {
    "set made": (201, ["Azure-AsyncOperation"], "10"),
    "set changed": (200, ["Azure-AsyncOperation"], "10"),
    "set restarted": (202, ["Azure-AsyncOperation", "Location"], None),
    "set deleted": (202, ["Azure-AsyncOperation", "Location"], None),
    "security group made": (201, ["Azure-AsyncOperation"], "3"),
    "security group deleted": (202, ["Azure-AsyncOperation", "Location"], "10"),
    "file system made": (201, ["Azure-AsyncOperation"], "10"),
    "deployment made": (201, ["Azure-AsyncOperation"], None),
    "deployment deleted": (202, ["Location"], "15"),
    "stack made": (201, ["Azure-AsyncOperation"], None),
    "stack validated": (202, ["Location"], None),
    "stack deleted": (202, ["Azure-AsyncOperation"], None),
    "group deleted": (202, ["Location"], "15"),
}


@pytest.mark.parametrize("what", KINDS)
def test_each_kind_of_operation_is_begun_in_its_own_dialect(what: str) -> None:
    answer = begun(azure_with_a_network(), what)

    named = [name for name in ("Azure-AsyncOperation", "Location") if name in answer.headers]
    assert (answer.status, named, answer.headers.get("Retry-After")) == KINDS[what]
    if answer.status == 202:
        assert answer.body == b""


@pytest.mark.parametrize("what", KINDS)
def test_the_urls_that_it_names_are_signed_and_some_3_kb_long_and_lead_to_its_end(what: str) -> None:
    azure = azure_with_a_network()
    answer = begun(azure, what)
    urls = [answer.headers[name] for name in ("Azure-AsyncOperation", "Location") if name in answer.headers]

    for url in urls:
        query = dict(parse_qsl(urlsplit(url).query))
        assert 3000 < len(url) < 3600
        assert list(query)[-4:] == ["t", "c", "s", "h"]
        assert query["t"].isdecimal()
    polled = [azure.ask("GET", url) for url in urls]
    azure.wait(3600)
    over = [azure.ask("GET", url) for url in urls]

    for url, poll, end in zip(urls, polled, over, strict=True):
        if url == answer.headers.get("Azure-AsyncOperation"):
            assert poll.status == 200
            assert poll.json()["status"].lower() != "succeeded"
            assert end.json()["status"].lower() == "succeeded"
        else:
            assert (poll.status, poll.body) == (202, b"")
            assert end.status in (200, 204)


def test_a_signature_differs_from_operation_to_operation() -> None:
    azure = azure_with_a_network()
    first, second = (
        dict(parse_qsl(urlsplit(azure.put_scale_set(name, a_scale_set(1)).headers["Azure-AsyncOperation"]).query))
        for name in ("a", "b")
    )

    assert first["c"] == second["c"]
    assert first["s"] != second["s"]
    assert first["h"] != second["h"]


def test_a_stacks_operation_repeats_what_was_asked_for() -> None:
    url = begun(azure_with_a_network(), "stack deleted").headers["Azure-AsyncOperation"]

    assert "?api-version=2025-07-01&unmanageAction.Resources=delete&t=" in url


@pytest.mark.parametrize("what", KINDS)
def test_a_finished_operation_is_forgotten_after_a_day(what: str) -> None:
    azure = azure_with_a_network()
    answer = begun(azure, what)
    url = answer.headers.get("Azure-AsyncOperation") or answer.headers["Location"]
    azure.wait(3600)

    azure.wait(86400 - 3600)
    before = azure.ask("GET", url)
    azure.wait(3600)
    after = azure.ask("GET", url)

    assert (before.status in (200, 204), after.status) == (True, 404)
    assert set(after.json()["error"]) >= {"code", "message"}


def test_the_tester_says_how_long_an_operation_is_remembered() -> None:
    azure = azure_with_a_network()
    url = begun(azure, "set made").headers["Azure-AsyncOperation"]
    azure.wait(1000)

    statuses = []
    for seconds in (86400, 60):
        azure.set_world(settings={"operationsKeptS": seconds})
        statuses.append(azure.ask("GET", url).status)

    assert statuses == [200, 404]


def test_a_running_operation_is_never_forgotten() -> None:
    azure = azure_with_a_network()
    azure.set_world(settings={"operationsKeptS": 1})
    url = begun(azure, "set made").headers["Azure-AsyncOperation"]

    azure.wait(170)

    assert azure.ask("GET", url).json()["status"] == "InProgress"


def test_what_is_remembered_outlives_a_restart_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    azure = Azure(Simulator(state=path))
    azure.make_network()
    url = begun(azure, "set made").headers["Azure-AsyncOperation"]
    azure.wait(1000)
    azure.simulator.close()

    again = Azure(Simulator(state=path))
    remembered = again.ask("GET", url).status
    again.wait(86400)

    assert (remembered, again.ask("GET", url).status) == (200, 404)
    assert again.ask("GET", path_of("virtualMachineScaleSets/train")).status == 200


def test_a_providers_answer_has_an_id_of_its_own_and_the_gateways_has_not() -> None:
    azure = azure_with_a_network()

    made = begun(azure, "set made")
    missing = azure.ask("GET", path_of("virtualMachineScaleSets/none"))
    grouped = azure.ask("GET", GROUP)

    ids = {name: made.headers[f"x-ms-{name}request-id"].rpartition(":")[2] for name in ("", "correlation-", "routing-")}
    assert f"/operations/{ids['']}?" in made.headers["Azure-AsyncOperation"]
    assert ids["correlation-"] == ids["routing-"] != ids[""]
    for answer in (missing, grouped):
        assert answer.headers["x-ms-routing-request-id"].endswith(f":{answer.headers['x-ms-request-id']}")
