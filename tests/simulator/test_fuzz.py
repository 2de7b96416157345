"""Real requests, bent at random, in any order: each is answered as ARM answers, and the world stays whole."""

from __future__ import annotations

import contextlib
import copy
import json
import re
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from azure.core.exceptions import HttpResponseError
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from provision.simulator import Answer, Simulator
from provision.simulator.compute.instance_actions import ACTIONS
from provision.simulator.state.state_file import StateFile
from provision.simulator.state.world import World
from tests.simulator import azure as clients
from tests.simulator.azure import KINDS, SUBSCRIPTION
from tests.simulator.invariants import violations
from tests.simulator.test_any_body import ANYTHING, REQUESTS, changed, places, standing
from tests.support.azure import Azure
from tests.support.hard import HARD
from tests.support.worlds import QUICK

LUSTRE = "{kind: managed-lustre, region: southcentralus, tier: 250, size_tib: 8, zone: '1', mount: /lustre}"
RICH = (
    QUICK.replace("pools:\n", f"  westus3: {{}}\nstorage:\n  data: {LUSTRE}\npools:\n").replace(
        "{ssh_from", "{peering: mesh, bastion: true, ssh_from"
    )
    + "  login: {size: Standard_D8s_v5, nodes: 1, public_ip: true, ssh_public_key_file: key.pub}\n"
)
GROWN = RICH.replace("nodes: 2\n", "nodes: 5\n")
HOST = "https://management.azure.com"
METHODS = ["GET", "PUT", "PATCH", "POST", "DELETE", "HEAD", "OPTIONS", "MERGE"]
WORDS = [
    "",
    "x",
    "%00",
    "é",
    "..",
    "0",
    "-1",
    "rg",
    "a" * 100,
    "providers",
    "Microsoft.Compute",
    "operations",
    "'",
    "*",
]
QUERIES = [
    "$filter",
    "$expand",
    "$skiptoken",
    "$top",
    "monitor",
    "forceDeletion",
    "unmanageAction.Resources",
    "ipAddress",
    "api-version",
]
VALUES = [
    "", "0", "-1", "x", "2025-04-01", "2019-03-01", "instanceView", "delete", "true", "9" * 30,
    "resourceType eq 'Microsoft.Network/virtualNetworks'", "tagName eq 'a' and tagValue eq", "é%zz",
    "10.0.0.4", "10.0.0.0", "fe80::1", "10.0.0.4/24",
]  # fmt: skip
RAW = [
    b"{}",
    b"[]",
    b"null",
    b"{",
    b"\xff\xfe",
    b"NaN",
    b'{"location": 1e999}',
    b'"x"',
    b"[" * 3000,
    b'{"properties":' * 400 + b"{}" + b"}" * 400,
    b'{"location": "eastus", "properties":' * 90 + b"{}" + b"}" * 90,
]
HEADERS = [
    "If-Match",
    "If-None-Match",
    "x-ms-correlation-request-id",
    "x-ms-client-request-id",
    "Content-Type",
    "Accept",
]


SETS = {"type": "Microsoft.Compute/virtualMachineScaleSets"}
FAULTS: list[dict[str, Any]] = [
    {"effect": "refuse", "code": "Odd", "message": "odd", "status": 409, "probability": 0.3},
    {"effect": "drop", "when": "after", "probability": 0.3},
    {"effect": "kill-client", "probability": 0.2},
    {"effect": "expire-token", "skip": 1, "count": 1},
    {"effect": "slow", "seconds": 90, "probability": 0.5},
    {"effect": "fail-operation", "code": "Odd", "message": "odd", "probability": 0.6},
    {"effect": "fail-nodes", "code": "OSProvisioningTimedOut", "share": 0.5},
    {"effect": "fail-nodes", "code": "AllocationFailed", "nodes": 1},
    {"effect": "never-finish", "probability": 0.4},
    {"effect": "slow-operation", "factor": 9},
    {"effect": "edit", "patch": {"tags": {"a": "b"}}},
    {"effect": "edit", "patch": None, "count": 2},
    {"effect": "edit", "match": SETS, "patch": {"sku": {"capacity": 1}}},
    {"effect": "lose-capacity", "match": SETS, "how": "vanish", "nodes": 1},
    {"effect": "lose-capacity", "match": SETS, "how": "fail", "nodes": 1},
    {"effect": "lose-capacity", "match": SETS, "how": "evict"},
]


@dataclass(frozen=True)
class Sent:
    method: str
    url: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Sent({self.method} {self.url[:250]} {self.headers} {self.body[:1000]!r})"


class Recorder(Simulator):
    """A simulator that remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Sent] = []

    def handle(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        self.sent.append(Sent(method, url, body))
        return super().handle(method, url, headers, body)


@cache
def stories() -> tuple[list[Sent], list[World]]:
    """Return every request of a life from nothing to nothing, and worlds on the way: standing, and half-way."""
    recorder = Recorder()
    azure = Azure(recorder)
    azure.control("PUT", "world", {"settings": {**HARD, "throttling": False}})  # a refusal tries nothing else
    worlds: list[World] = []

    def remember(event: Any, applying: Any) -> None:
        if len(recorder.sent) >= 25 * (len(worlds) + 1):
            worlds.append(copy.deepcopy(recorder._world))

    azure.apply(RICH, each=remember)
    worlds.append(copy.deepcopy(recorder._world))
    azure.status(RICH)
    azure.apply(GROWN, each=remember)
    azure.apply(RICH, each=remember)
    azure.apply(QUICK, each=remember)
    azure.apply(QUICK, destroying=True, each=remember)
    worlds.append(standing().simulator._world)
    asked, grown = _asked_by_clients()
    worlds += grown
    seen: dict[tuple[str, str, bytes], Sent] = {}
    for each in [*recorder.sent, *asked, *_direct(recorder.sent), *_written_by_hand(), *_acted(worlds)]:
        if "/_simulator/" not in each.url:
            seen.setdefault((each.method, each.url, each.body), each)
    return list(seen.values()), worlds


def _asked_by_clients() -> tuple[list[Sent], list[World]]:
    """Return what Microsoft's clients ask of all that is no part of an environment's life, and worlds on the way."""
    recorder = Recorder()
    azure = clients.Azure(recorder)
    resources, deployments, stacks = azure.resources, azure.deployments.deployments, azure.stacks.deployment_stacks
    network, by_id = azure.network, resources.resources.begin_create_or_update_by_id
    group, vnet = clients.group_id(), clients.network_id("virtualNetworks/net")
    azure.make_network()
    azure.make_scale_set(nodes=2)
    module = {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "in",
        "resourceGroup": "rg",
    }
    inner = {"mode": "Incremental", "template": clients.a_template(clients.a_security_group("b"))}
    given = {"properties": {**inner, "template": clients.a_template(clients.a_security_group())}}
    whole = {
        "location": "eastus",
        "properties": {**inner, "template": clients.a_template({**module, "properties": inner})},
    }
    stack = clients.a_stack(clients.a_security_group("c"), unmanaged="delete")
    merge = {"operation": "Merge", "properties": {"tags": {"a": "b"}}}
    lock = f"{group}/providers/Microsoft.Authorization/locks/keep"
    steps: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
        (deployments.begin_validate, ("rg", "unit", given), {}),
        (deployments.begin_what_if, ("rg", "unit", given), {}),
        (deployments.begin_create_or_update, ("rg", "unit", given), {}),
        (deployments.begin_validate_at_subscription_scope, ("unit", whole), {}),
        (deployments.begin_what_if_at_subscription_scope, ("unit", whole), {}),
        (deployments.begin_create_or_update_at_subscription_scope, ("unit", whole), {}),
        (stacks.begin_validate_stack_at_resource_group, ("rg", "unit", stack), {}),
        (stacks.begin_create_or_update_at_resource_group, ("rg", "unit", stack), {}),
        (resources.tags.begin_update_at_scope, (vnet, merge), {}),
        (by_id, (lock,), {"api_version": "2020-05-01", "parameters": {"properties": {"level": "CanNotDelete"}}}),
        (by_id, (clients.lustre_id(),), {"api_version": "2025-07-01", "parameters": clients.a_file_system(8)}),
        (network.security_rules.begin_create_or_update, ("rg", "nsg", "ssh", {"properties": clients.A_RULE}), {}),
    ]
    for begin, args, options in steps:
        azure.finish(begin, *args, **options)
    worlds = [copy.deepcopy(recorder._world)]
    # No poller, whose thread would go on with the world while it is copied.
    for read in (
        lambda: deployments.export_template("rg", "unit"),
        lambda: deployments.check_existence("rg", "unit"),
        lambda: deployments.cancel("rg", "unit"),
        lambda: list(deployments.list_by_resource_group("rg")),
        lambda: list(azure.deployments.deployment_operations.list("rg", "unit")),
        lambda: stacks.export_template_at_resource_group("rg", "unit"),
        lambda: list(stacks.list_at_resource_group("rg")),
        lambda: list(resources.resources.list(filter="tagName eq 'a'", expand="createdTime")),
        lambda: list(resources.providers.list()),
        lambda: resources.providers.register("Microsoft.Network"),
        lambda: resources.tags.get_at_scope(vnet),
        lambda: list(network.usages.list("eastus")),
        lambda: network.virtual_networks.check_ip_address_availability("rg", "net", ip_address="10.0.0.9"),
        lambda: list(network.virtual_networks.list_usage("rg", "net")),
        lambda: network.check_dns_name_availability("eastus", domain_name_label="door"),
        lambda: list(network.default_security_rules.list("rg", "nsg")),
        lambda: list(network.network_interfaces.list_virtual_machine_scale_set_network_interfaces("rg", "train")),
        lambda: list(
            network.network_interfaces.list_virtual_machine_scale_set_ip_configurations("rg", "train", "0", "nic")
        ),
        lambda: list(azure.compute.usage.list("eastus")),
        lambda: resources.resources.begin_delete_by_id(lock, api_version="2020-05-01", polling=False),
        lambda: stacks.begin_delete_at_resource_group("rg", "unit", unmanage_action_resources="delete", polling=False),
        lambda: deployments.begin_delete("rg", "unit", polling=False),
        lambda: resources.resource_groups.begin_delete("rg", polling=False),
    ):
        with contextlib.suppress(HttpResponseError):
            read()
            worlds.append(copy.deepcopy(recorder._world))
    return recorder.sent, worlds[:1] + worlds[-3:]


def _direct(sent: list[Sent]) -> list[Sent]:
    """Return what the stacks' templates write, each resource as a request of its own."""
    found = []
    for each in sent:
        stack = json.loads(each.body) if each.body and "/deploymentStacks/" in each.url else {}
        group = each.url.partition("/providers/")[0]
        for row in stack.get("properties", {}).get("template", {}).get("resources", []):
            namespace, *kinds = row["type"].split("/")
            path = "/".join(f"{kind}/{name}" for kind, name in zip(kinds, row["name"].split("/"), strict=True))
            body = {key: value for key, value in row.items() if key not in ("type", "name", "apiVersion", "dependsOn")}
            url = f"{group}/providers/{namespace}/{path}?api-version={row['apiVersion']}"
            found.append(Sent("PUT", url, json.dumps(body).encode()))
    return found


def _written_by_hand() -> list[Sent]:
    return [Sent(method, f"{HOST}{path}", json.dumps(body).encode()) for method, path, body in REQUESTS if body]


def _acted(worlds: list[World]) -> list[Sent]:
    """Return what can be asked of everything that stands somewhere: to act, to read, to go."""
    found = []
    ids = sorted({row.id for world in worlds for row in world.resources.values()})
    for resource_id in ids:
        version = next(version for kind, version in KINDS.items() if kind in resource_id)
        asked: list[tuple[str, str, Any]] = [
            ("GET", "", None),
            ("DELETE", "", None),
            ("GET", "/instanceView", None),
            ("PUT", "", {"location": "eastus"}),
        ]
        if "/virtualMachineScaleSets/" in resource_id:
            asked += [("POST", f"/{action}", {"instanceIds": ["0", "1"]}) for action in ACTIONS]
            asked += [("POST", f"/{action}", {}) for action in ACTIONS]
            asked += [("PATCH", "", {"sku": {"capacity": nodes}}) for nodes in (0, 1, 3, 40)]
            asked += [("DELETE", "/virtualMachines/0", None), ("GET", "/virtualMachines", None)]
        if "/virtualNetworks/" in resource_id:
            asked += [("GET", "/usages", None), ("GET", "/checkIPAddressAvailability", None), ("GET", "/subnets", None)]
        for method, action, body in asked:
            content = b"" if body is None else json.dumps(body).encode()
            found.append(Sent(method, f"{HOST}{resource_id}{action}?api-version={version}", content))
    for place in ("eastus", "South Central US", "atlantis"):
        usages = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Network/locations/{quote(place)}/usages"
        found.append(Sent("GET", f"{HOST}{usages}?api-version=2025-05-01", b""))
    for group in sorted({row.id for world in worlds for row in world.groups.values()}):
        found.append(Sent("DELETE", f"{HOST}{group}?api-version=2025-04-01", b""))
    return found


@cache
def sorted_stories(world: int) -> tuple[list[Sent], list[Sent], list[Sent]]:
    """Return the polls, of which the stories are full; what is about groups of a world; and all of it."""
    known, worlds = stories()
    there = worlds[world]
    polls, near = [], []
    for sent in known:
        parts = urlsplit(sent.url).path.lower().split("/")
        group, resource = "/".join(parts[:5]), "/".join(parts[:9])
        stands = len(parts) <= 9 or resource in there.resources or resource in there.stacks
        if re.search("/operation|operationStatus", sent.url, re.IGNORECASE):
            polls.append(sent)
        elif group in there.groups and (stands or sent.method == "PUT"):
            near.append(sent)
    return polls, near, known


BENDS = ["none", "none", "none", "body", "body", "body", "body", "method", "path", "query", "other body", "headers"]


@st.composite
def requests(draw: st.DrawFn, world: int) -> Sent:
    """Draw a request of the stories, as it was or bent in a place or two: mostly one that this world can take."""
    polls, near, known = sorted_stories(world)
    chance = draw(st.integers(0, 9))
    wanted = polls if chance == 0 else known if chance == 1 else near
    sent = draw(st.sampled_from(wanted or known))  # a world at the end of its life has nothing near it
    for bend in draw(st.lists(st.sampled_from(BENDS), min_size=1, max_size=2)):
        sent = _BENT[bend](draw, sent)
    return sent


def _method(draw: st.DrawFn, sent: Sent) -> Sent:
    return Sent(draw(st.sampled_from(METHODS)), sent.url, sent.body, sent.headers)


def _path(draw: st.DrawFn, sent: Sent) -> Sent:
    split = urlsplit(sent.url)
    parts = split.path.split("/")[1:]
    at = draw(st.integers(0, len(parts)))
    way = draw(st.sampled_from(["word", "drop", "add", "case", "name"]))
    if way == "drop":
        parts[at : at + 1] = []
    elif way == "add":
        parts.insert(at, quote(draw(st.sampled_from(WORDS)), safe="%"))
    elif way == "word":
        parts[at : at + 1] = [quote(draw(st.sampled_from(WORDS)), safe="%")]
    elif way == "case":
        parts = [part.swapcase() for part in parts]
    else:  # a name from another request
        others = urlsplit(draw(st.sampled_from(stories()[0])).url).path.split("/")
        parts[at : at + 1] = [draw(st.sampled_from(others))]
    return Sent(sent.method, f"{HOST}/{'/'.join(parts)}?{split.query}", sent.body, sent.headers)


def _query(draw: st.DrawFn, sent: Sent) -> Sent:
    split = urlsplit(sent.url)
    name, value = draw(st.sampled_from(QUERIES)), draw(st.sampled_from([None, *VALUES]))
    pairs = [pair for pair in parse_qsl(split.query) if pair[0] != name]
    pairs += [] if value is None else [(name, value)]
    return Sent(sent.method, f"{HOST}{split.path}?{urlencode(pairs)}", sent.body, sent.headers)


def _body(draw: st.DrawFn, sent: Sent) -> Sent:
    if not sent.body:
        raw = draw(st.sampled_from(RAW))
        return Sent(sent.method, sent.url, raw, sent.headers)
    try:
        body = json.loads(sent.body)
    except (ValueError, RecursionError):
        return sent
    place = draw(st.sampled_from(places(body)))
    made = changed(body, place, draw(ANYTHING)) if draw(st.booleans()) else _without(body, place)
    return Sent(sent.method, sent.url, json.dumps(made).encode(), sent.headers)


def _other_body(draw: st.DrawFn, sent: Sent) -> Sent:
    return Sent(sent.method, sent.url, draw(st.sampled_from(stories()[0])).body, sent.headers)


def _headers(draw: st.DrawFn, sent: Sent) -> Sent:
    name, value = draw(st.sampled_from(HEADERS)), draw(st.sampled_from(["", "*", '"1"', 'W/"x"', "é", "text/plain"]))
    return Sent(sent.method, sent.url, sent.body, {**sent.headers, name: value})


_BENT = {
    "none": lambda draw, sent: sent,
    "body": _body,
    "method": _method,
    "path": _path,
    "query": _query,
    "other body": _other_body,
    "headers": _headers,
}


def _without(body: Any, place: tuple[Any, ...]) -> Any:
    if not place:
        return None
    made = copy.deepcopy(body)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    del inner[place[-1]]
    return made


def fault_of(sent: Sent, answer: Answer) -> str:
    """Return what is wrong with an answer, as ARM gives none; nothing where it is one of ARM's, or none by a fault."""
    if answer.lost:
        return ""
    if not 200 <= answer.status < 500:
        return f"status {answer.status}"
    if sent.method == "HEAD" or not answer.body:
        return (
            "a body after HEAD" if answer.body else "no body" if answer.status >= 400 and sent.method != "HEAD" else ""
        )
    body = answer.json()
    if answer.status < 400:
        return ""
    error = body.get("error") if isinstance(body, dict) else None
    told = isinstance(error, dict) and all(
        isinstance(error.get(key), str) and error[key] for key in ("code", "message")
    )
    return "" if told else f"no error envelope: {body}"


def simulator_with(world: World) -> Simulator:
    simulator = Simulator()
    simulator._world = copy.deepcopy(world)
    simulator.advance_to(world.now)
    return simulator


PARTS = frozenset({"resourceGroups", "resources", "stacks", "locks", "roleAssignments", "registrations", "operations"})
TOKEN = {"Authorization": "Bearer any"}


@settings(derandomize=True, deadline=None, max_examples=300, database=None, phases=[Phase.generate])
@given(st.data())
def test_any_requests_in_any_order_are_answered_and_leave_the_world_whole(data: st.DataObject) -> None:
    _, worlds = stories()
    world = data.draw(st.integers(0, len(worlds) - 1))
    simulator = simulator_with(worlds[world])
    faults = data.draw(st.lists(st.sampled_from(FAULTS), max_size=2))
    control = simulator.handle("POST", f"{HOST}/_simulator/faults", {}, json.dumps(faults).encode())
    assert control.status == 200
    for sent in data.draw(st.lists(requests(world), min_size=1, max_size=5)):
        answer = simulator.handle(sent.method, sent.url, {**TOKEN, **sent.headers}, sent.body)

        assert fault_of(sent, answer) == "", (sent, answer)
        assert violations(simulator._world) == [], (sent, answer)
        simulator.advance_to(simulator.now + data.draw(st.sampled_from([0, 1, 7, 60, 900])))
        assert violations(simulator._world) == [], (sent, answer)
    seen = simulator.handle("GET", f"{HOST}/_simulator/world", {})
    assert seen.status == 200
    # What is seen can be put, whatever was under way, and leaves the world as whole.
    keep = data.draw(st.sampled_from([PARTS, PARTS - {"operations"}]))
    world_again = {part: [] if part == "operations" else seen.json()[part] for part in keep}
    put = simulator.handle("PUT", f"{HOST}/_simulator/world", {}, json.dumps(world_again).encode())
    assert put.status == 200, put.json()
    # Nodes that had failed stand again, and nobody asks whether the hardware that they had is still there.
    assert [each for each in violations(simulator._world) if not each.startswith("no_cluster_holds_more")] == []


def test_the_stories_themselves_leave_every_world_whole() -> None:
    known, worlds = stories()

    assert {sent.method for sent in known} >= {"GET", "PUT", "PATCH", "POST", "DELETE"}
    assert len(worlds) > 5
    for world in worlds:
        assert violations(world) == []


def test_every_world_on_the_way_can_be_saved_and_is_the_same_again() -> None:
    _, worlds = stories()
    with tempfile.TemporaryDirectory() as folder:
        for number, world in enumerate(worlds):
            path = Path(folder, f"{number}.db")
            whole = copy.deepcopy(world)
            for table in whole.tables().values():
                table.changed.update(table)
            with closing(StateFile(path)) as file:
                file.save(whole)
            with closing(StateFile(path)) as file:
                again = file.load(99)
            assert again.now == world.now
            assert {place: {key: vars(table[key]) for key in table} for place, table in again.tables().items()} == {
                place: {key: vars(table[key]) for key in table} for place, table in world.tables().items()
            }
            assert violations(again) == []
