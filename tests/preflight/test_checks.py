"""Each check against Azure, row by row: passed, failed with what would help, and not to be made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.arm import ArmError
from provision.cli.planning import observed_of, plan_against
from provision.cli.target import Target
from provision.pipeline import rendered
from provision.preflight import CHECKS, Member, Row, Status, member_of, rows_of
from provision.preflight.run import rows_of as rows_with
from tests.support.azure import Azure
from tests.support.worlds import QUICK, SUBSCRIPTION, checked

SCOPE = f"/subscriptions/{SUBSCRIPTION}"
GROUP = f"{SCOPE}/resourceGroups/quick-southcentralus"
FAMILY = "standardNDSH100v5Family"


def a_member(azure: Azure, text: str = QUICK) -> Member:
    each = checked(text)
    assert each.topology is not None
    units = rendered(each, load_catalog(), load_templates())
    observed = observed_of(each.topology, Target(azure.arm, azure.clock))
    return member_of(each.topology, units, observed, plan_against(each, units, observed, azure.arm)[0], each.source)


def rows(azure: Azure, *texts: str, check: str = "") -> tuple[Row, ...]:
    """Return the rows of one check, or of all, for environments that are checked in one run."""
    members = tuple(a_member(azure, text) for text in texts or (QUICK,))
    found = rows_of(members, {SUBSCRIPTION: azure.arm}, load_catalog())
    return tuple(row for row in found if row.rule == check or not check)


def told(found: tuple[Row, ...]) -> list[tuple[str, str, str]]:
    return [(row.status.value, row.subject, row.message) for row in found]


@pytest.fixture
def azure() -> Azure:
    """Return an Azure whose lists are whole and up to date: what a check makes of an answer is the matter here."""
    return Azure(hard=False)


def test_everything_passes_where_nothing_is_in_the_way(azure: Azure) -> None:
    assert {row.status for row in rows(azure)} == {Status.PASS}
    azure.apply()
    assert {row.status for row in rows(azure, QUICK.replace("nodes: 2", "nodes: 3"))} == {Status.PASS}


def test_what_stands_already_asks_for_nothing(azure: Azure) -> None:
    azure.apply()

    assert {row.rule for row in rows(azure)} == {"provider-not-registered", "group-not-free", "lock-in-the-way"} | {
        "size-restricted",
        "image-not-there",
    }


def test_the_quota_counts_what_is_added_to_what_is_in_use(azure: Azure) -> None:
    azure.control("PUT", "world", {"quota": {"southcentralus": {FAMILY: 960}}})
    azure.apply()
    after = [QUICK.replace("nodes: 2", f"nodes: {nodes}") for nodes in (10, 11)]

    fits, over = (
        next(row for row in rows(azure, text, check="quota-too-small") if FAMILY in row.subject) for text in after
    )

    assert (fits.status, fits.message) == (
        Status.PASS,
        "768 vCPUs are added to 192 in use, 960 in all; the limit is 960",
    )
    assert (over.status, over.message, over.fix) == (
        Status.FAIL,
        "864 vCPUs are added to 192 in use, 1,056 in all; the limit is 960",
        "ask for a limit of 1,056 or more, or state fewer nodes",
    )
    assert over.numbers == {"required": 864, "used": 192, "limit": 960, "after": 1056, "ask_for": 1056}
    assert over.request is not None
    assert over.request["path"].endswith(f"/locations/southcentralus/providers/Microsoft.Quota/quotas/{FAMILY}")
    assert over.request["body"]["properties"]["limit"]["value"] == 1056


def test_the_environments_of_a_run_share_a_quota_and_spot_has_its_own(azure: Azure) -> None:
    azure.control("PUT", "world", {"quota": {"southcentralus": {FAMILY: 300, "lowPriorityCores": 100}}})
    other = QUICK.replace("name: quick", "name: other")
    spot = QUICK.replace("name: quick", "name: cheap").replace("nodes: 2", "nodes: 2\n    priority: spot")

    found = {row.subject.split()[0]: row for row in rows(azure, QUICK, other, spot, check="quota-too-small")}

    assert {name: (row.status.value, row.numbers["required"]) for name, row in found.items()} == {
        "cores": ("pass", 384),
        FAMILY: ("fail", 384),
        "lowPriorityCores": ("fail", 192),
    }


class Rewritten:
    """A reader that hands on Azure's answers with something changed in them, as Azure itself may have it."""

    def __init__(self, azure: Azure, change: Any) -> None:
        self._azure, self._change = azure, change

    def read(self, path: str, type: str, query: str = "", body: Any = None) -> Any:
        return self._change(path, self._azure.arm.read(path, type, query, body))


def rewritten(azure: Azure, change: Any, check: str) -> tuple[Row, ...]:
    checks = [each for each in CHECKS if each.rule.id == check]
    return rows_with((a_member(azure),), {SUBSCRIPTION: Rewritten(azure, change)}, load_catalog(), checks=checks)


def test_a_family_is_known_however_azure_spells_it(azure: Azure) -> None:
    def spelled(path: str, usages: Any) -> Any:
        return [
            {**each, "name": {**each["name"], "value": each["name"]["value"].upper().replace("ND", " ND ") + " "}}
            for each in usages
        ]

    assert {row.status for row in rewritten(azure, spelled, "quota-too-small")} == {Status.PASS}


def test_a_family_that_azure_does_not_list_is_not_known_rather_than_zero(azure: Azure) -> None:
    def without(path: str, usages: Any) -> Any:
        return [each for each in usages if each["name"]["value"] != FAMILY]

    found = {row.subject: row.status for row in rewritten(azure, without, "quota-too-small")}

    assert found == {"cores in southcentralus": Status.PASS, f"{FAMILY} in southcentralus": Status.COULD_NOT_RUN}


H100 = {"location": "southcentralus", "size": "Standard_ND96isr_H100_v5"}
ZONE = "regions.southcentralus.zone"


@pytest.mark.parametrize(
    ("restriction", "text", "expected"),
    [
        ({**H100, "zones": ["1", "3"]}, QUICK, ("fail", "closed to this subscription in zone 1")),
        ({**H100, "zones": ["1", "3"]}, QUICK.replace('"1"', '"2"'), ("pass", "open are 2")),
        ({**H100, "zones": ["1", "3"]}, QUICK.replace('{zone: "1"}', "{}"), ("warn", "open in zone 2")),
        (H100, QUICK, ("fail", "closed to this subscription in all of southcentralus (NotAvailableForSubscription)")),
    ],
)
def test_a_size_may_be_closed_in_a_region_or_a_zone(
    azure: Azure, restriction: dict[str, Any], text: str, expected: tuple[str, str]
) -> None:
    azure.control("PUT", "world", {"restrictions": [restriction]})

    ((status, _, message),) = told(rows(azure, text, check="size-restricted"))

    assert status == expected[0]
    assert expected[1] in message


IMAGE = "microsoft-dsvm:ubuntu-hpc:2204"
GALLERY = f"{SCOPE}/resourceGroups/images/providers/Microsoft.Compute/galleries/g/images/hpc/versions/1.2.3"


@pytest.mark.parametrize(
    ("settings", "image", "expected"),
    [
        ({}, GALLERY, ("pass", "is replicated to the region")),
        ({"missingImages": [IMAGE]}, f"{IMAGE}:22.04.2026071501", ("fail", "this version is not in the region")),
        ({}, f"{IMAGE}:latest", ("pass", "latest is 22.04.2026071501 today, and may be another tomorrow")),
        ({"missingImages": [GALLERY]}, GALLERY, ("fail", "the gallery has no such version")),
        (
            {"imageRegions": {GALLERY: ["eastus"]}},
            GALLERY,
            ("fail", "the version is replicated to eastus, and not to southcentralus"),
        ),
    ],
)
def test_an_image_has_to_be_in_the_region(
    azure: Azure, settings: dict[str, Any], image: str, expected: tuple[str, str]
) -> None:
    azure.control("PUT", "world", {"settings": settings})
    text = QUICK.replace("nodes: 2", f"nodes: 2\n    image: {image}")

    ((status, _, message),) = told(rows(azure, text, check="image-not-there"))

    assert (status, message) == expected


def test_terms_of_an_image_have_to_be_accepted(azure: Azure) -> None:
    name = "contoso:hpc:gpu"
    azure.control("PUT", "world", {"settings": {"images": {name: {"versions": ["1.0.0"], "plan": "hourly"}}}})
    text = QUICK.replace("nodes: 2", f"nodes: 2\n    image: {name}:1.0.0")
    offer = "offerTypes/virtualMachine/publishers/contoso/offers/hpc"
    terms = f"{SCOPE}/providers/Microsoft.MarketplaceOrdering/{offer}/plans"

    assert told(rows(azure, text, check="image-not-there")) == [
        (
            "fail",
            f"{name}:1.0.0 in southcentralus",
            "its publisher's terms have not been accepted in this subscription",
        )
    ]
    answer = azure.simulator.handle(
        "PUT",
        f"http://127.0.0.1:1{terms}/hourly/agreements/current?api-version=2021-01-01",
        {"Authorization": "Bearer somebody"},
        b'{"properties": {"accepted": true}}',
    )
    assert answer.status == 200
    assert [row.status for row in rows(azure, text, check="image-not-there")] == [Status.PASS]


def test_a_replication_that_runs_is_waited_for(azure: Azure) -> None:
    def half(path: str, body: Any) -> Any:
        summary = [{"region": "South Central US", "state": "Replicating", "progress": 40}]
        properties = {**body["properties"], "replicationStatus": {"summary": summary}}
        return {**body, "properties": properties}

    checks = [each for each in CHECKS if each.rule.id == "image-not-there"]
    member = a_member(azure, QUICK.replace("nodes: 2", f"nodes: 2\n    image: {GALLERY}"))
    (row,) = rows_with((member,), {SUBSCRIPTION: Rewritten(azure, half)}, load_catalog(), checks=checks)

    assert (row.status, row.message, row.fix) == (Status.FAIL, "its replication is Replicating at 40 %", "wait for it")


def test_only_the_providers_that_are_needed_have_to_be_registered(azure: Azure) -> None:
    states = {"Microsoft.Network": "NotRegistered", "Microsoft.StorageCache": "NotRegistered"}
    azure.control("PUT", "world", {"registrations": states})

    assert told(rows(azure, check="provider-not-registered")) == [
        ("pass", "Microsoft.Compute", "registered"),
        ("fail", "Microsoft.Network", "is NotRegistered"),
    ]


SUBNET = f"{SCOPE}/resourceGroups/hub/providers/Microsoft.Network/virtualNetworks/corp/subnets/compute"
GIVEN = QUICK.replace('{zone: "1"}', f'{{zone: "1", subnets: {{nodes: "{SUBNET}"}}}}')


def with_a_network(azure: Azure, range: str = "10.9.0.0/28") -> None:
    network = SUBNET.partition("/subnets/")[0]
    subnets = [{"name": "compute", "properties": {"addressPrefix": range}}]
    properties = {"addressSpace": {"addressPrefixes": ["10.9.0.0/24"]}, "subnets": subnets}
    group = {"id": f"{SCOPE}/resourceGroups/hub", "name": "hub", "location": "southcentralus"}
    azure.control(
        "PUT",
        "world",
        {
            "resourceGroups": [group],
            "resources": [{"id": network, "location": "southcentralus", "properties": properties}],
        },
    )


def test_an_existing_subnet_has_to_have_room(azure: Azure) -> None:
    with_a_network(azure)
    texts = [GIVEN.replace("nodes: 2", f"nodes: {nodes}") for nodes in (11, 12)]

    assert [told(rows(azure, text, check="subnet-full"))[0] for text in texts] == [
        ("pass", "subnet compute of corp", "11 addresses are added to 0 in use; it has 11"),
        ("fail", "subnet compute of corp", "12 addresses are added to 0 in use; it has 11"),
    ]


def test_a_subnet_that_is_not_there_is_told(azure: Azure) -> None:
    assert told(rows(azure, GIVEN, check="subnet-full")) == [
        ("fail", "subnet compute of corp", "there is no such subnet")
    ]


def group_body(name: str, **more: Any) -> dict[str, Any]:
    return {"id": f"{SCOPE}/resourceGroups/{name}", "name": name, "location": "southcentralus", **more}


@pytest.mark.parametrize(
    ("groups", "text", "expected"),
    [
        ([], QUICK, ("pass", "is free, and will be made")),
        ([group_body("quick-southcentralus")], QUICK, ("fail", "exists and is not ours")),
        ([group_body("quick-southcentralus", tags={"provision": "quick"})], QUICK, ("pass", "is ours")),
        (
            [group_body("quick-southcentralus", tags={"provision": "quick"}, location="eastus")],
            QUICK,
            ("fail", "stands in eastus, and would have to stand in southcentralus"),
        ),
        (
            [],
            QUICK.replace('zone: "1"', 'zone: "1", resource_group: given'),
            ("fail", "there is no such group, or it may not be seen"),
        ),
        ([group_body("given")], QUICK.replace('zone: "1"', 'zone: "1", resource_group: given'), ("pass", "is there")),
    ],
)
def test_a_group_has_to_be_ours_or_given(
    azure: Azure, groups: list[dict[str, Any]], text: str, expected: tuple[str, str]
) -> None:
    azure.control("PUT", "world", {"resourceGroups": groups})

    found = told(rows(azure, text, check="group-not-free"))

    assert [(status, message) for status, _, message in found[1:]] == [expected]


def test_a_group_that_is_being_deleted_is_waited_for(azure: Azure) -> None:
    azure.apply()
    answer = azure.simulator.handle(
        "DELETE", f"http://127.0.0.1:1{GROUP}?api-version=2025-04-01", {"Authorization": "Bearer somebody"}
    )
    assert answer.status == 202

    found = told(rows(azure, check="group-not-free"))

    assert ("fail", "group quick-southcentralus", "is being deleted") in found


def lock(scope: str, level: str) -> dict[str, Any]:
    id = f"{scope}/providers/Microsoft.Authorization/locks/keep"
    return {"id": id, "name": "keep", "properties": {"level": level}}


@pytest.mark.parametrize(
    ("scope", "level", "destroying", "fails"),
    [
        (SCOPE, "ReadOnly", False, True),
        (SCOPE, "CanNotDelete", False, False),
        (GROUP, "CanNotDelete", True, True),
        (f"{SCOPE}/resourceGroups/other", "ReadOnly", True, False),
    ],
)
def test_a_lock_is_told_before_anything_is_written(
    azure: Azure, scope: str, level: str, destroying: bool, fails: bool
) -> None:
    azure.apply()
    azure.control("PUT", "world", {"locks": [lock(scope, level)]})
    member = a_member(azure, QUICK.replace("nodes: 2", "nodes: 3"))
    if destroying:
        member = dataclasses.replace(member, units=(), plan=azure.plan(destroying=True))

    found = rows_of((member,), {SUBSCRIPTION: azure.arm}, load_catalog())

    assert [row.status for row in found if row.rule == "lock-in-the-way"] == [Status.FAIL if fails else Status.PASS]


def test_a_policy_is_told_by_azure_s_own_validation(azure: Azure) -> None:
    azure.apply()
    match = {"type": "Microsoft.Compute/virtualMachineScaleSets", "property": "tags.owner", "notEquals": "platform"}
    azure.control("PUT", "world", {"settings": {"policies": [{"name": "owner-tag", "match": match}]}})

    ((status, subject, message),) = told(rows(azure, QUICK.replace("nodes: 2", "nodes: 3"), check="azure-refuses"))

    assert (status, subject) == ("fail", "train-0 in southcentralus")
    assert message.startswith("RequestDisallowedByPolicy: ")


def test_a_missing_permission_is_told_with_its_action_and_scope(azure: Azure) -> None:
    with_a_network(azure)
    allowed = [{"actions": ["*"], "notActions": ["Microsoft.Compute/*/write"], "scope": SCOPE}]
    azure.control("PUT", "world", {"settings": {"permissions": allowed}})

    found = {row.subject: row for row in rows(azure, GIVEN, check="permission-missing")}

    assert found["roles on the subscription"].message == (
        "not allowed: Microsoft.Compute/virtualMachineScaleSets/write"
    )
    assert found["roles on subnets compute"].status is Status.PASS


def test_a_missing_right_to_join_what_others_own_is_told(azure: Azure) -> None:
    with_a_network(azure)
    allowed = [{"actions": ["*"], "notActions": ["*/join/action"], "scope": SCOPE}]
    azure.control("PUT", "world", {"settings": {"permissions": allowed}})

    found = {row.subject: row.message for row in rows(azure, GIVEN, check="permission-missing")}

    assert found["roles on subnets compute"] == ("not allowed: Microsoft.Network/virtualNetworks/subnets/join/action")


def test_a_full_history_counts_only_where_azure_may_not_make_room(azure: Azure) -> None:
    azure.apply()

    def full(path: str, found: Any) -> Any:
        return [{}] * 800 if path.endswith("/deployments") else found

    text = QUICK.replace("nodes: 2", "nodes: 3")
    checks = [each for each in CHECKS if each.rule.id == "deployment-history-full"]

    def judged() -> list[Status]:
        reader = {SUBSCRIPTION: Rewritten(azure, full)}
        return [row.status for row in rows_with((a_member(azure, text),), reader, load_catalog(), checks=checks)]

    assert judged() == [Status.PASS]
    azure.control("PUT", "world", {"locks": [lock(GROUP, "CanNotDelete")]})
    assert judged() == [Status.FAIL]


class Broken:
    """A reader that fails for some paths."""

    def __init__(self, azure: Azure, part: str, error: ArmError) -> None:
        self._azure, self._part, self._error = azure, part, error

    def read(self, path: str, type: str, query: str = "", body: Any = None) -> Any:
        if self._part in path:
            raise self._error
        return self._azure.arm.read(path, type, query, body)


PATHS = {
    "quota-too-small": "/usages",
    "size-restricted": "/skus",
    "image-not-there": "/versions",
    "provider-not-registered": f"{SUBSCRIPTION}/providers",
    "group-not-free": "/resourcegroups",
    "lock-in-the-way": "/locks",
    "permission-missing": "/permissions",
    "deployment-history-full": "/deployments",
    "azure-refuses": "/validate",
}


@pytest.mark.parametrize(
    ("check", "error"),
    [
        (check, error)
        for check in PATHS
        for error in (ArmError(403, "AuthorizationFailed", "no role"), ArmError(500, "InternalServerError", "oh"))
    ],
    ids=lambda value: value if isinstance(value, str) else value.code,
)
def test_a_check_without_an_answer_says_so_and_the_others_are_made(azure: Azure, check: str, error: ArmError) -> None:
    azure.apply()
    member = a_member(azure, QUICK.replace("nodes: 2", "nodes: 3"))
    reader = {SUBSCRIPTION: Broken(azure, PATHS[check], error)}

    found = rows_with((member,), reader, load_catalog(), checks=[each for each in CHECKS if each.rule.id == check])

    assert {row.status for row in found} == {Status.COULD_NOT_RUN}
    assert all(f"this could not be checked: {error.code}" in row.message for row in found)


def test_an_answer_that_never_comes_is_not_waited_for_for_ever(azure: Azure) -> None:
    import threading

    never = threading.Event()

    class Silent:
        def read(self, path: str, type: str, query: str = "", body: Any = None) -> Any:
            never.wait(30)

    found = rows_with((a_member(azure),), {SUBSCRIPTION: Silent()}, load_catalog(), timeout_s=0.05)
    never.set()

    asked = [row for row in found if row.rule != "azure-refuses"]
    assert {row.status for row in asked} == {Status.COULD_NOT_RUN}
    assert all("Azure did not answer within" in row.message for row in asked)


def log_of(azure: Azure) -> Iterator[tuple[str, str]]:
    yield from ((each["method"], each["url"]) for each in azure.simulator.log)


def test_nothing_is_written_and_little_is_read(azure: Azure) -> None:
    azure.apply()
    azure.control("DELETE", "log")

    rows(azure, QUICK.replace("nodes: 2", "nodes: 3"))

    asked = list(log_of(azure))
    assert {method for method, _ in asked} <= {"GET", "POST"}
    assert all("/validate?" in url for method, url in asked if method == "POST")
    assert len(asked) <= 30
