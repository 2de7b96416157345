"""Lists in pages: a fleet spans several, whatever happens in between, and tokens are nobody's business."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.simulator.azure import (
    HOST,
    Azure,
    a_scale_set,
    azure_with_a_network,
    group_id,
    network_path,
    path_of,
    refusal,
)

GROUPS = f"{group_id().rpartition('/')[0]}?api-version=2025-04-01"
SETS = path_of("virtualMachineScaleSets")


@pytest.fixture
def azure() -> Azure:
    """Return an Azure with sets a to f, in pages of two."""
    made = azure_with_a_network()
    for name in "abcdef":
        made.put_scale_set(name, a_scale_set(nodes=1))
    made.wait(300)
    made.set_world(settings={"pageSize": 2})
    return made


def names(page: Any) -> list[str]:
    return [row["name"] for row in page["value"]]


def test_a_fleet_spans_pages_unless_the_tester_says_otherwise() -> None:
    azure = azure_with_a_network("10.0.0.0/16")
    azure.make_scale_set(nodes=100)
    for number in range(60):
        azure.make_group(f"group{number:02}")

    pages = [azure.ask("GET", path_of("virtualMachineScaleSets/train/virtualMachines")).json()]
    pages.append(azure.ask("GET", pages[0]["nextLink"]).json())
    groups = azure.ask("GET", GROUPS).json()
    azure.set_world(settings={"pageSize": 1000, "instancePageSize": 1000})

    assert [len(page["value"]) for page in (*pages, groups)] == [50, 50, 50]
    assert "nextLink" not in pages[1]
    assert [node.instance_id for node in azure.compute.virtual_machine_scale_set_vms.list("rg", "train")] == [
        str(number) for number in range(100)
    ]
    assert len(azure.ask("GET", GROUPS).json()["value"]) == 61


def test_a_next_link_is_absolute_keeps_what_was_asked_and_hides_where_it_is(azure: Azure) -> None:
    link = azure.ask("GET", f"{SETS}&$filter=x%20eq%20'y'").json()["nextLink"]

    query = dict(parse_qsl(urlsplit(link).query))
    assert link.startswith(f"{HOST}{SETS.partition('?')[0]}?")
    assert (query["api-version"], query["$filter"]) == ("2025-11-01", "x eq 'y'")
    assert "%24skiptoken=" in link
    assert not query["$skiptoken"].isdecimal()
    assert names(azure.ask("GET", link).json()) == ["c", "d"]


def test_the_last_page_has_no_link_and_a_full_one_may_be_last(azure: Azure) -> None:
    page, count = azure.ask("GET", SETS).json(), 1
    while "nextLink" in page:
        page, count = azure.ask("GET", page["nextLink"]).json(), count + 1

    assert (count, names(page)) == (3, ["e", "f"])


@pytest.mark.parametrize(
    ("gone", "rest"),
    [("a", ["c", "d", "e", "f"]), ("c", ["d", "e", "f"]), ("b", ["c", "d", "e", "f"]), ("f", ["c", "d", "e"])],
)
def test_what_goes_between_two_pages_hides_nothing_else(azure: Azure, gone: str, rest: list[str]) -> None:
    link = azure.ask("GET", SETS).json()["nextLink"]
    azure.ask("DELETE", path_of(f"virtualMachineScaleSets/{gone}"))
    azure.wait(600)

    assert [row["name"] for row in azure.listed(link)] == rest


def test_what_comes_between_two_pages_repeats_nothing(azure: Azure) -> None:
    link = azure.ask("GET", SETS).json()["nextLink"]
    azure.put_scale_set("aa", a_scale_set(nodes=1))

    assert [row["name"] for row in azure.listed(link)] == ["c", "d", "e", "f"]


def test_a_page_may_be_empty_and_still_have_a_next(azure: Azure) -> None:
    azure.set_world(settings={"emptyPages": True, "pageSize": 4})

    first = azure.ask("GET", SETS).json()

    assert (first["value"], "nextLink" in first) == ([], True)
    assert [row.name for row in azure.compute.virtual_machine_scale_sets.list("rg")] == list("abcdef")
    assert azure.ask("GET", network_path("natGateways")).json() == {"value": []}


def test_top_shortens_the_pages(azure: Azure) -> None:
    azure.set_world(settings={})

    page = azure.ask("GET", f"{group_id()}/resources?$top=3&api-version=2025-04-01").json()

    assert (len(page["value"]), "nextLink" in page) == (3, True)
    assert [row.name for row in azure.resources.resources.list_by_resource_group("rg", top=2)][:4] == list("abcd")


@pytest.mark.parametrize("token", ["1", "no", "MXx4eHg"[:-2], "%%%"])
def test_a_token_that_is_none_is_refused(azure: Azure, token: str) -> None:
    answer = azure.ask("GET", f"{SETS}&$skiptoken={token}")

    assert (answer.status, answer.json()["error"]["code"]) == (400, "InvalidSkipToken")


def test_a_page_of_a_group_that_went_away_is_refused(azure: Azure) -> None:
    link = azure.ask("GET", SETS).json()["nextLink"]
    azure.ask("DELETE", f"{group_id()}?api-version=2025-04-01")
    azure.wait(600)

    assert azure.ask("GET", link).json()["error"]["code"] == "ResourceGroupNotFound"
    assert refusal(lambda: list(azure.compute.virtual_machine_scale_sets.list("rg")))[1] == "ResourceGroupNotFound"
