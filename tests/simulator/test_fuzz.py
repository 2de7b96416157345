"""Real requests, bent at random, in any order: each is answered as ARM answers, and the world stays whole."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from hypothesis import given, settings
from hypothesis import strategies as st

from provision.simulator import Answer, Simulator
from provision.simulator.state_file import StateFile
from provision.simulator.world import World
from tests.simulator.invariants import violations
from tests.simulator.test_any_body import ANYTHING, REQUESTS, changed, places
from tests.support.azure import Azure
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
    "api-version",
]
VALUES = [
    "", "0", "-1", "x", "2025-04-01", "2019-03-01", "instanceView", "delete", "true", "9" * 30,
    "resourceType eq 'Microsoft.Network/virtualNetworks'", "tagName eq 'a' and tagValue eq", "é%zz",
]  # fmt: skip
HEADERS = [
    "If-Match",
    "If-None-Match",
    "x-ms-correlation-request-id",
    "x-ms-client-request-id",
    "Content-Type",
    "Accept",
]


@dataclass(frozen=True)
class Sent:
    method: str
    url: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


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
    worlds: list[World] = []

    def remember(event: Any, applying: Any) -> None:
        if len(recorder.sent) % 40 == 0:
            worlds.append(copy.deepcopy(recorder._world))

    azure.apply(RICH, each=remember)
    worlds.append(copy.deepcopy(recorder._world))
    azure.status(RICH)
    azure.apply(GROWN, each=remember)
    azure.apply(RICH, each=remember)
    azure.apply(QUICK, each=remember)
    azure.apply(QUICK, destroying=True, each=remember)
    others = [Sent(method, f"{HOST}{path}", json.dumps(body).encode()) for method, path, body in REQUESTS if body]
    seen: dict[tuple[str, str, bytes], Sent] = {}
    for each in recorder.sent + others:
        if "/_simulator/" not in each.url:
            seen.setdefault((each.method, each.url, each.body), each)
    return list(seen.values()), worlds


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    """Draw a request of the stories, as it was or bent in a place or two."""
    known, _ = stories()
    sent = draw(st.sampled_from(known))
    for bend in draw(
        st.lists(st.sampled_from([_method, _path, _query, _body, _body, _other_body, _headers]), max_size=2)
    ):
        sent = bend(draw, sent)
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
        raw = draw(
            st.sampled_from([b"{}", b"[]", b"null", b"{", b"\xff\xfe", b"NaN", b"[" * 3000, b'{"a": 1e999}', b'"x"'])
        )
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
    """Return what is wrong with an answer, as ARM gives none; nothing where it is one of ARM's."""
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


TOKEN = {"Authorization": "Bearer any"}


@settings(derandomize=True, deadline=None, max_examples=400, database=None)
@given(st.data())
def test_any_requests_in_any_order_are_answered_and_leave_the_world_whole(data: st.DataObject) -> None:
    _, worlds = stories()
    simulator = simulator_with(data.draw(st.sampled_from(worlds)))
    for sent in data.draw(st.lists(requests(), min_size=1, max_size=5)):
        answer = simulator.handle(sent.method, sent.url, {**TOKEN, **sent.headers}, sent.body)

        assert fault_of(sent, answer) == "", (sent, answer)
        assert violations(simulator._world) == [], (sent, answer)
        simulator.advance_to(simulator.now + data.draw(st.sampled_from([0, 1, 7, 60, 900])))
        assert violations(simulator._world) == [], (sent, answer)
    assert simulator.handle("GET", f"{HOST}/_simulator/world", {}).status == 200


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
