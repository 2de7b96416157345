"""Each check against Azure, row by row: passed, failed with what would help, and not to be made."""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.arm import ArmError, Login
from provision.cli.checks import for_planning
from provision.cli.planning import observed_of, plan_against
from provision.cli.target import Target
from provision.pipeline import rendered
from provision.preflight import CHECKS, Check, Member, Row, Status, member_of, rows_of
from provision.preflight.run import rows_of as rows_with
from tests.support.azure import Azure
from tests.support.worlds import QUICK, SUBSCRIPTION, checked

SCOPE = f"/subscriptions/{SUBSCRIPTION}"
GROUP = f"{SCOPE}/resourceGroups/quick-southcentralus"
FAMILY = "standardNDSH100v5Family"


def only(check: str) -> list[Check]:
    return [each for each in CHECKS if each.rule.id == check]


def a_member(azure: Azure, text: str = QUICK, templates: dict[str, str] | None = None) -> Member:
    each = checked(text, templates=templates)
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

    assert {row.rule for row in rows(azure)} == {
        "provider-not-registered",
        "feature-not-registered",
        "group-not-free",
        "lock-in-the-way",
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

    def login(self) -> Login:
        return self._azure.arm.login()


def rewritten(azure: Azure, change: Any, check: str) -> tuple[Row, ...]:
    return rows_with((a_member(azure),), {SUBSCRIPTION: Rewritten(azure, change)}, load_catalog(), checks=only(check))


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

    checks = only("image-not-there")
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


#: The built-in template of scale sets with its security profile stated otherwise, as one of a user's own may.
SECURITY = '"securityProfile": {"securityType": "Standard"}'


def with_own_template(azure: Azure, security: str, version: str = "") -> Member:
    """Return the environment with a scale-set template of its own."""
    templates = {name: text for name, text in load_templates().items() if name.startswith("scale-set/")}
    arm = "scale-set/arm.json.j2"
    assert SECURITY in templates[arm]
    templates[arm] = templates[arm].replace(SECURITY, f'"securityProfile": {{{security}}}')
    if version:
        templates[arm] = templates[arm].replace("{{ scale_set.resource.api_version }}", f'"{version}"')
    return a_member(azure, f"{QUICK}templates: own\n", templates)


ENCRYPTED = '"securityType": "Standard", "encryptionAtHost": true'


@pytest.mark.parametrize(
    ("states", "security", "version", "expected"),
    [
        (
            {},
            ENCRYPTED,
            "",
            (
                "fail",
                "Microsoft.Compute/EncryptionAtHost",
                "is NotRegistered, and scale set quick-train-0 states encryptionAtHost",
            ),
        ),
        (
            {"Microsoft.Compute/EncryptionAtHost": "Registered"},
            ENCRYPTED,
            "",
            ("pass", "Microsoft.Compute/EncryptionAtHost", "registered"),
        ),
        (
            {},
            '"securityType": "Standard"',
            "2024-11-01",
            (
                "fail",
                "Microsoft.Compute/UseStandardSecurityType",
                "is unknown to the subscription, and scale set quick-train-0 states securityType Standard "
                "in an API version before 2025-11-01",
            ),
        ),
        ({}, '"securityType": "Standard"', "", ("pass", "features", "nothing that is stated needs one")),
    ],
)
def test_a_feature_has_to_be_registered_where_a_property_needs_it(
    azure: Azure, states: dict[str, str], security: str, version: str, expected: tuple[str, str, str]
) -> None:
    azure.control("PUT", "world", {"registrations": states})
    member = with_own_template(azure, security, version)

    found = rows_of((member,), {SUBSCRIPTION: azure.arm}, load_catalog(), checks=only("feature-not-registered"))

    assert told(found) == [expected]
    assert [row.fix for row in found if row.status is Status.FAIL] == [
        f"have it registered: az feature register --namespace Microsoft.Compute --name {row.subject.split('/')[1]}"
        for row in found
        if row.status is Status.FAIL
    ]


class LoggedIn:
    """A reader whose login is as a test says."""

    def __init__(self, login: Login) -> None:
        self._login = login

    def read(self, path: str, type: str, query: str = "", body: Any = None) -> Any:
        raise AssertionError(path)

    def login(self) -> Login:
        return self._login


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        (
            Login("a managed identity", math.inf, ends=False),
            ("pass", "a managed identity renews its tokens; the run may take 16 min"),
        ),
        (
            Login("a token", 16 * 60, ends=True),
            ("pass", "a token lasts for 16 min; the run may take 16 min"),
        ),
        (
            Login("a token", 15 * 60, ends=True),
            ("fail", "a token ends in 15 min, and nothing here can renew it; the run may take 16 min"),
        ),
        (
            Login("a token", 15 * 60, ends=False),
            (
                "could not run",
                "a token lasts for 15 min, and whether it can be renewed then is not known; the run may take 16 min",
            ),
        ),
    ],
)
def test_a_login_has_to_last_for_the_run_as_it_is_estimated(
    azure: Azure, login: Login, expected: tuple[str, str]
) -> None:
    reader = {SUBSCRIPTION: LoggedIn(login)}

    found = rows_of((a_member(azure),), reader, load_catalog(), checks=only("login-too-short"))

    assert told(found) == [(expected[0], "login for quick", expected[1])]


def test_roles_and_the_login_only_warn_while_planning_for_who_plans_need_not_apply() -> None:
    found = [Row(check.rule.id, "it", status, "so", ()) for check in CHECKS for status in Status]

    changed = {row.rule for row, planned in zip(found, for_planning(found), strict=True) if planned != row}

    assert changed == {"login-too-short", "permission-missing"}
    assert {row.status for row in for_planning(found) if row.rule in changed} == {Status.PASS, Status.WARN}


def test_a_run_that_does_nothing_needs_no_login(azure: Azure) -> None:
    azure.apply()

    assert rows(azure, check="login-too-short") == ()


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


def test_a_given_group_that_there_is_not_is_told_once(azure: Azure) -> None:
    found = rows(azure, QUICK.replace('zone: "1"', 'zone: "1", resource_group: given'))

    assert [(row.rule, row.subject) for row in found if row.status is not Status.PASS] == [
        ("group-not-free", "group given")
    ]


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


@pytest.mark.parametrize(
    ("match", "subject"),
    [
        ({"type": "Microsoft.Compute/virtualMachineScaleSets"}, "train-0 in southcentralus"),
        ({"type": "Microsoft.Network/virtualNetworks/subnets"}, "network in southcentralus"),
        (
            {"type": "Microsoft.Resources/subscriptions/resourceGroups", "location": "southcentralus"},
            "group quick-southcentralus",
        ),
    ],
)
def test_a_policy_is_told_of_a_group_that_is_still_to_be_made(
    azure: Azure, match: dict[str, str], subject: str
) -> None:
    azure.control("PUT", "world", {"settings": {"policies": [{"name": "no", "match": match}]}})

    failed = [row for row in rows(azure, check="azure-refuses") if row.status is Status.FAIL]

    assert subject in {row.subject for row in failed}
    assert all(row.message.startswith("RequestDisallowedByPolicy: ") for row in failed)


def test_what_another_unit_is_still_to_make_is_not_missed(azure: Azure) -> None:
    def missing(path: str, found: Any) -> Any:
        text = "Resource .../virtualNetworks/quick-southcentralus-vnet referenced by .../train was not found."
        return {
            "error": {
                "code": "InvalidReference",
                "message": "",
                "details": [{"code": "InvalidResourceReference", "message": text, "target": ""}],
            }
        }

    assert {row.status for row in rewritten(azure, missing, "azure-refuses")} == {Status.PASS}


def test_what_azure_does_not_look_at_in_a_group_to_be_made_is_told(azure: Azure) -> None:
    def stopped(path: str, found: Any) -> Any:
        outside = [each for each in found["properties"]["validatedResources"] if "/providers/" not in each["id"]]
        return {**found, "properties": {**found["properties"], "validatedResources": outside}}

    found = {row.subject: (row.status, row.message) for row in rewritten(azure, stopped, "azure-refuses")}

    assert found == {
        "group quick-home": (Status.PASS, "Azure would take the group"),
        "group quick-southcentralus": (
            Status.WARN,
            "Azure looked at 0 of 6 resources, as the group is still to be made; "
            "what a policy denies of the others shows at apply",
        ),
    }


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


@pytest.mark.parametrize(
    ("count", "locked", "expected"),
    [
        (700, True, Status.PASS),
        (795, False, Status.PASS),
        (795, True, Status.WARN),
        (800, False, Status.PASS),
        (800, True, Status.FAIL),
    ],
)
def test_a_full_history_counts_only_where_azure_may_not_make_room(
    azure: Azure, count: int, locked: bool, expected: Status
) -> None:
    azure.apply()
    azure.control("PUT", "world", {"locks": [lock(GROUP, "CanNotDelete")] if locked else []})

    def full(path: str, found: Any) -> Any:
        return [{}] * count if path.endswith("/deployments") else found

    reader = {SUBSCRIPTION: Rewritten(azure, full)}
    member = a_member(azure, QUICK.replace("nodes: 2", "nodes: 3"))
    (row,) = rows_of((member,), reader, load_catalog(), checks=only("deployment-history-full"))

    assert (row.status, row.numbers) == (expected, {"required": 1, "used": count, "limit": 800})


class Broken:
    """A reader that fails for some paths, or never answers there; `login` is the path of what no path is asked of."""

    def __init__(self, azure: Azure, part: str, error: ArmError | None) -> None:
        self._azure, self._part, self._error = azure, part, error

    def read(self, path: str, type: str, query: str = "", body: Any = None) -> Any:
        if self._part in path:
            self._fail()
        return self._azure.arm.read(path, type, query, body)

    def login(self) -> Login:
        self._fail()
        return self._azure.arm.login()

    def _fail(self) -> None:
        if self._error is None:
            threading.Event().wait(5)
        else:
            raise self._error


#: Of each check, what it asks for.
PATHS = {
    "login-too-short": "login",
    "permission-missing": "/permissions",
    "provider-not-registered": f"{SUBSCRIPTION}/providers",
    "feature-not-registered": "/features",
    "group-not-free": "/resourcegroups",
    "lock-in-the-way": "/locks",
    "size-restricted": "/skus",
    "quota-too-small": "/usages",
    "image-not-there": "/versions",
    "subnet-full": "/usages",
    "deployment-history-full": "/deployments",
    "azure-refuses": "/validate",
}
FORBIDDEN, BROKEN = ArmError(403, "AuthorizationFailed", "no role"), ArmError(500, "InternalServerError", "oh")


def test_every_check_is_tried_without_an_answer() -> None:
    assert list(PATHS) == [check.rule.id for check in CHECKS]


@pytest.mark.parametrize("check", PATHS)
@pytest.mark.parametrize(
    ("error", "reason", "fix"),
    [
        (FORBIDDEN, "AuthorizationFailed: no role", "have a role given that may read it"),
        (BROKEN, "InternalServerError: oh", "try again later"),
        (None, "Azure did not answer within 0 s", "try again"),
    ],
    ids=["permission", "error", "timeout"],
)
def test_a_check_without_an_answer_says_so(
    azure: Azure, check: str, error: ArmError | None, reason: str, fix: str
) -> None:
    azure.apply()
    member = a_member(azure, QUICK.replace("nodes: 2", "nodes: 3"))
    if check == "feature-not-registered":
        member = with_own_template(azure, ENCRYPTED)
    if check == "subnet-full":
        with_a_network(azure)
        member = a_member(azure, GIVEN)
    reader = {SUBSCRIPTION: Broken(azure, PATHS[check], error)}

    found = rows_with((member,), reader, load_catalog(), checks=only(check), timeout_s=0.2)

    assert {row.status for row in found} == {Status.COULD_NOT_RUN}
    assert {row.message for row in found} == {f"this could not be checked: {reason}"}
    assert {row.fix for row in found} == {fix}


def test_a_check_without_an_answer_keeps_no_other_from_being_made(azure: Azure) -> None:
    azure.apply()
    member = a_member(azure, QUICK.replace("nodes: 2", "nodes: 3"))

    found = rows_of((member,), {SUBSCRIPTION: Broken(azure, "/usages", FORBIDDEN)}, load_catalog())

    unanswered = {row.rule for row in found if row.status is Status.COULD_NOT_RUN}
    assert unanswered == {"quota-too-small", "login-too-short"}
    assert {row.status for row in found if row.rule not in unanswered} == {Status.PASS}


def test_an_answer_that_never_comes_is_not_waited_for_for_ever(azure: Azure) -> None:
    never = threading.Event()

    class Silent:
        def read(self, path: str, type: str, query: str = "", body: Any = None) -> Any:
            never.wait(30)

        def login(self) -> Login:
            never.wait(30)
            raise AssertionError

    found = rows_with((a_member(azure),), {SUBSCRIPTION: Silent()}, load_catalog(), timeout_s=0.05)
    never.set()

    asked = [row for row in found if row.rule != "feature-not-registered"]  # which has nothing to ask here
    assert {row.rule for row in asked} == {each.rule.id for each in CHECKS} - {
        "feature-not-registered",
        "subnet-full",
        "deployment-history-full",
    }
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


def test_another_region_costs_a_few_reads_more_and_other_pools_none(azure: Azure) -> None:
    def asked(text: str) -> int:
        azure.control("DELETE", "log")
        found = rows(azure, text)
        assert {row.status for row in found} == {Status.PASS}
        return sum(1 for _ in log_of(azure))

    two_regions = QUICK.replace(
        '  southcentralus: {zone: "1"}', '  southcentralus: {zone: "1"}\n  westus3: {zone: "1"}'
    )
    pool = QUICK.partition("pools:\n")[2]
    one = asked(QUICK)

    assert asked(two_regions) - one <= 6
    assert asked(QUICK + pool.replace("train:", "more:")) == one
