"""The port `Arm` through Microsoft's clients: what is sent, what comes back, and what every failure becomes."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError
from azure.core.pipeline.transport import HttpTransport
from azure.core.rest import HttpRequest, HttpResponse

from provision.adapters.azure import AzureArm, SimulatorCredential
from provision.adapters.files import load_catalog
from provision.adapters.simulator import SimulatorProcess
from provision.arm import (
    BASTIONS,
    FILE_SYSTEMS,
    GROUPS,
    NAT_GATEWAYS,
    PEERINGS,
    PUBLIC_ADDRESSES,
    SCALE_SETS,
    SECURITY_GROUPS,
    STACKS,
    SUBNETS,
    VIRTUAL_NETWORKS,
    ArmError,
    Request,
    group_id,
    resource_id,
    stacks_of,
)
from provision.errors import Unreachable
from provision.simulator import Answer
from provision.simulator.transport import SimulatedResponse
from tests.support.azure import ENDPOINT, Azure
from tests.support.worlds import QUICK, SUBSCRIPTION

GROUP = group_id(SUBSCRIPTION, "rg")
VERSIONS = load_catalog().api_versions
STACK = resource_id(SUBSCRIPTION, "rg", STACKS, "s")
NETWORK = resource_id(SUBSCRIPTION, "rg", VIRTUAL_NETWORKS, "vnet")
EMPTY_STACK = {
    "properties": {
        "actionOnUnmanage": {"resources": "detach", "resourceGroups": "detach", "managementGroups": "detach"},
        "denySettings": {"mode": "none"},
        "template": {
            "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
            "contentVersion": "1.0.0.0",
            "resources": [],
        },
    }
}


class Wire(HttpTransport[HttpRequest, HttpResponse]):
    """Azure's end of a wire: answers one thing to everything, and keeps what it was asked."""

    def __init__(self, status: int = 200, body: Any = None, headers: Mapping[str, str] | None = None) -> None:
        content = body.encode() if isinstance(body, str) else json.dumps(body or {}).encode()
        self.answer = Answer(status, {"Content-Type": "application/json", **(headers or {})}, content)
        self.asked: list[HttpRequest] = []
        self.slept: list[float] = []

    def send(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        self.asked.append(request)
        return SimulatedResponse(request, self.answer)

    def sleep(self, duration: float) -> None:
        self.slept.append(duration)

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close."""

    def __exit__(self, *args: object) -> None:
        """Nothing to close."""


def over(wire: Wire, endpoint: str = ENDPOINT, credential: Any = None) -> AzureArm:
    return AzureArm(SUBSCRIPTION, VERSIONS, credential or SimulatorCredential(), endpoint=endpoint, transport=wire)


def error_of(arm: AzureArm, request: Request) -> ArmError:
    with pytest.raises(ArmError) as refused:
        arm.send(request)
    return refused.value


@pytest.fixture
def azure() -> Azure:
    """Return an Azure with the group rg and nothing in the log."""
    azure = Azure(hard=False)
    azure.arm.send(Request("PUT", GROUP, {"location": "southcentralus", "tags": {"a": "b"}}))
    azure.control("DELETE", "log")
    return azure


def logged(azure: Azure) -> tuple[str, str, dict[str, list[str]]]:
    (row,) = azure.simulator.log
    parts = urlsplit(row["url"])
    return row["method"], parts.path, parse_qs(parts.query)


@pytest.mark.parametrize(
    ("type", "names"),
    [
        (SCALE_SETS, ["train-0"]),
        (VIRTUAL_NETWORKS, ["vnet"]),
        (SUBNETS, ["vnet", "nodes"]),
        (SECURITY_GROUPS, ["nsg"]),
        (NAT_GATEWAYS, ["nat"]),
        (PUBLIC_ADDRESSES, ["ip"]),
        (PEERINGS, ["vnet", "to-hub"]),
        (BASTIONS, ["bastion"]),
        (FILE_SYSTEMS, ["scratch"]),
        (STACKS, ["s"]),
    ],
)
def test_a_resource_is_asked_for_and_deleted_at_its_id_in_our_api_version(
    azure: Azure, type: str, names: list[str]
) -> None:
    id = resource_id(SUBSCRIPTION, "rg", type, *names)
    version = VERSIONS[type]

    assert error_of(azure.arm, Request("GET", id)).status == 404
    assert logged(azure) == ("GET", id, {"api-version": [version]})
    azure.control("DELETE", "log")
    try:
        assert azure.arm.send(Request("DELETE", id)).status == 204
    except ArmError as error:
        assert error.status == 404  # noqa: PT017 - both say that there is none
    method, path, query = logged(azure)
    assert (method, path, query["api-version"]) == ("DELETE", id, [version])


def test_the_stack_of_a_unit_is_deleted_and_what_it_deployed_stays(azure: Azure) -> None:
    made = azure.arm.send(Request("PUT", STACK, EMPTY_STACK))
    assert (made.status, made.body["name"]) == (201, "s")
    assert urlsplit(made.operation_url).netloc == urlsplit(ENDPOINT).netloc
    azure.wait(60)
    assert azure.arm.send(Request("GET", STACK, url=made.operation_url)).body["status"] == "succeeded"
    assert azure.arm.send(Request("PUT", STACK, EMPTY_STACK)).status == 200
    azure.wait(60)
    azure.control("DELETE", "log")

    assert azure.arm.send(Request("DELETE", STACK)).status == 200

    assert logged(azure) == (
        "DELETE",
        STACK,
        {
            "api-version": [VERSIONS[STACKS]],
            "unmanageAction.Resources": ["detach"],
            "unmanageAction.ResourceGroups": ["detach"],
            "unmanageAction.ManagementGroups": ["detach"],
        },
    )


def test_groups_are_written_listed_asked_for_and_deleted(azure: Azure) -> None:
    assert azure.arm.send(Request("PUT", GROUP, {"location": "southcentralus"})).status == 200
    assert azure.arm.send(Request("GET", GROUP)).body["name"] == "rg"
    assert [group["id"] for group in azure.arm.groups(SUBSCRIPTION)] == [GROUP]
    assert azure.arm.send(Request("LIST", GROUP)).body == {"value": []}

    deleted = azure.arm.send(Request("DELETE", GROUP))

    assert (deleted.status, deleted.retry_after_s) == (202, 15)
    azure.wait(120)
    assert azure.arm.send(Request("GET", GROUP, url=deleted.operation_url)).status == 200
    assert error_of(azure.arm, Request("GET", GROUP)).code == "ResourceGroupNotFound"


def test_a_groups_resources_are_listed_by_type_whole_or_all_without_properties() -> None:
    azure = Azure(hard=False)
    azure.apply()
    group = group_id(SUBSCRIPTION, "quick-southcentralus")

    everything = azure.arm.listed(group, "")
    assert sorted(body["name"] for body in everything) == [
        "quick-southcentralus-nat",
        "quick-southcentralus-nat-ip-0",
        "quick-southcentralus-nodes-nsg",
        "quick-southcentralus-vnet",
        "quick-train-0",
    ]
    assert "properties" not in everything[0]
    (scale_set,) = azure.arm.listed(group, SCALE_SETS)
    assert (scale_set["sku"]["capacity"], scale_set["properties"]["singlePlacementGroup"]) == (2, True)
    assert [body["name"] for body in azure.arm.listed(group, STACKS)] == ["quick.network", "quick.train-0"]
    assert azure.arm.send(Request("LIST", group)).body == {"value": everything}


def test_each_list_is_asked_for_in_our_api_version() -> None:
    for type in ("", SCALE_SETS, VIRTUAL_NETWORKS, SECURITY_GROUPS, NAT_GATEWAYS, PUBLIC_ADDRESSES, STACKS):
        wire = Wire(200, {"value": []})
        over(wire).listed(GROUP, type)
        over(wire).groups(SUBSCRIPTION)
        versions = [parse_qs(urlsplit(request.url).query)["api-version"] for request in wire.asked]
        assert versions == [[VERSIONS[type or GROUPS]], [VERSIONS[GROUPS]]]


def test_a_resource_of_any_type_is_read_and_deleted_by_its_id_in_its_own_api_version() -> None:
    vault = resource_id(SUBSCRIPTION, "rg", "Microsoft.KeyVault/vaults", "a@b(c)")
    wire = Wire(200, {"id": vault})
    arm = over(wire)

    assert arm.found(vault, "2024-11-01") == {"id": vault}
    arm.send(Request("GET", vault, api_version="2024-11-01"))
    arm.send(Request("DELETE", vault, api_version="2024-11-01"))

    for request in wire.asked:
        parts = urlsplit(request.url)
        assert (unquote(parts.path), parts.query) == (vault, "api-version=2024-11-01")


def test_a_resource_that_is_not_there_is_none_and_a_type_that_is_not_is_an_error() -> None:
    vault = resource_id(SUBSCRIPTION, "rg", "Microsoft.KeyVault/vaults", "a")

    def answer(status: int, code: str) -> Wire:
        return Wire(status, {"error": {"code": code, "message": "m"}})

    assert over(answer(404, "ResourceNotFound")).found(vault, "2024-11-01") is None
    assert over(answer(404, "ResourceGroupNotFound")).found(vault, "2024-11-01") is None
    for status, code in (
        (404, "InvalidResourceType"),
        (400, "NoRegisteredProviderFound"),
        (403, "AuthorizationFailed"),
    ):
        with pytest.raises(ArmError, match=code):
            over(answer(status, code)).found(vault, "2024-11-01")


def test_instances_come_page_by_page_with_their_views() -> None:
    azure = Azure(hard=False)
    azure.apply(QUICK.replace("nodes: 2", "nodes: 5"))
    azure.control("PUT", "world", {"settings": {"instancePageSize": 2}})
    azure.control("DELETE", "log")
    scale_set = resource_id(SUBSCRIPTION, "quick-southcentralus", SCALE_SETS, "quick-train-0")

    instances = azure.arm.instances(scale_set)

    assert [instance["instanceId"] for instance in instances] == ["0", "1", "2", "3", "4"]
    assert all("statuses" in instance["properties"]["instanceView"] for instance in instances)
    assert len(azure.simulator.log) == 3


def test_a_refusal_is_told_with_all_that_azure_said(azure: Azure) -> None:
    azure.fault(
        "refuse", "SubscriptionRequestsThrottled", method="GET", status=429, message="m", headers={"Retry-After": "17"}
    )

    error = error_of(azure.arm, Request("GET", NETWORK))

    assert str(error) == "SubscriptionRequestsThrottled: m"
    assert (error.status, error.text, error.retry_after_s) == (429, "m", 17)
    assert error.details == (("SubscriptionRequestsThrottled", "m", ""),)
    assert error.correlation_id
    assert len(azure.simulator.log) == 1, "the scheduler repeats requests, not the client"


def test_a_list_is_repeated_where_azure_is_busy(azure: Azure) -> None:
    azure.fault("refuse", "ServiceUnavailable", method="GET", status=503, count=2)

    assert [group["name"] for group in azure.arm.groups(SUBSCRIPTION)] == ["rg"]
    assert [row["status"] for row in azure.simulator.log] == [503, 503, 200]


def test_a_list_waits_by_the_clock_of_whoever_it_asks(azure: Azure) -> None:
    azure.control("PUT", "world", {"settings": {"throttling": True, "budgets": {"reads": [1, 0.1]}, "pageSize": 1}})
    azure.arm.send(Request("PUT", group_id(SUBSCRIPTION, "two"), {"location": "westus3"}))
    began = azure.simulator.now

    names = [group["name"] for group in azure.arm.groups(SUBSCRIPTION)]

    assert names == ["rg", "two"]
    assert [row["status"] for row in azure.simulator.log if row["method"] == "GET"] == [200, 429, 200]
    assert azure.simulator.now - began == pytest.approx(10)


def test_an_answer_says_how_many_more_of_its_kind_azure_allows(azure: Azure) -> None:
    azure.control("PUT", "world", {"settings": {"throttling": True, "budgets": {"writes": [3, 0.001]}}})
    put = Request("PUT", GROUP, {"location": "southcentralus"})

    left = [azure.arm.send(put).left for _ in range(3)]

    assert left == [2, 1, 0]
    assert error_of(azure.arm, put).left == 0
    assert over(Wire()).send(Request("GET", NETWORK)).left is None


def test_the_stacks_of_a_group_are_listed_and_so_are_its_resources(azure: Azure) -> None:
    azure.arm.send(Request("PUT", STACK, EMPTY_STACK))

    assert [row["name"] for row in azure.arm.send(Request("LIST", stacks_of(GROUP))).body["value"]] == ["s"]
    assert azure.arm.send(Request("LIST", GROUP)).body["value"] == []


@pytest.mark.parametrize(
    ("status", "body", "code", "text"),
    [
        (404, {"error": {"code": "NotFound", "message": "m"}}, "NotFound", "m"),
        (409, {"Error": {"Code": "ResourceGroupDeletionBlocked", "Message": "m"}}, "ResourceGroupDeletionBlocked", "m"),
        (400, {"code": "Bad", "message": "m"}, "Bad", "m"),
        (502, "<html>Bad Gateway</html>", "Http502", "<html>Bad Gateway</html>"),
        (500, "", "Http500", "no explanation"),
        (500, '["odd"]', "Http500", '["odd"]'),
        (500, {"error": "odd"}, "Http500", '{"error": "odd"}'),
    ],
)
def test_an_error_is_read_however_it_is_written(status: int, body: Any, code: str, text: str) -> None:
    for request in (Request("GET", NETWORK), Request("GET", NETWORK, url=f"{ENDPOINT}/operations/1")):
        error = error_of(over(Wire(status, body)), request)

        assert (error.status, error.code, error.text) == (status, code, text)


def test_causes_within_an_error_are_unwrapped() -> None:
    inner = json.dumps({"error": {"code": "QuotaExceeded", "message": "too little"}})
    body = {"error": {"code": "InvalidTemplateDeployment", "message": "m", "details": [{"message": inner}]}}

    assert error_of(over(Wire(400, body)), Request("PUT", STACK, {})).details == (("QuotaExceeded", "too little", ""),)


@pytest.mark.parametrize(
    ("header", "seconds"), [("10", 10), ("0", 0), ("-3", 0), ("0.5", 0.5), ("Wed, 21 Oct 2026 07:28:00 GMT", None)]
)
def test_a_retry_after_counts_where_it_is_a_number(header: str, seconds: float | None) -> None:
    wire = Wire(200, {}, {"Retry-After": header})

    assert over(wire).send(Request("GET", NETWORK)).retry_after_s == seconds


def test_an_answer_names_where_its_operation_is_asked() -> None:
    both = {"Azure-AsyncOperation": "https://x/status", "Location": "https://x/result"}

    assert over(Wire(201, {}, both)).send(Request("PUT", GROUP, {})).operation_url == "https://x/status"
    del both["Azure-AsyncOperation"]
    assert over(Wire(202, {}, both)).send(Request("DELETE", NETWORK)).operation_url == "https://x/result"
    assert over(Wire(200, "[]")).send(Request("GET", NETWORK, url=f"{ENDPOINT}/x")).body == {}


@pytest.mark.parametrize(
    "url", ["https://evil.example/operations/1", "http://127.0.0.1:2/x", "https://127.0.0.1:1/x", f"{ENDPOINT}@evil/x"]
)
def test_a_poll_url_of_another_host_gets_no_token(url: str) -> None:
    wire = Wire()

    error = error_of(over(wire), Request("GET", NETWORK, url=url))

    assert error.code == "OtherHost"
    assert wire.asked == []


def test_a_next_page_at_another_host_gets_no_token() -> None:
    wire = Wire(200, {"value": [], "nextLink": "https://evil.example/page/2"})

    lists: list[Callable[[], Any]] = [
        lambda: over(wire).groups(SUBSCRIPTION),
        lambda: over(wire).listed(GROUP, SCALE_SETS),
        lambda: over(wire).instances(resource_id(SUBSCRIPTION, "rg", SCALE_SETS, "s")),
    ]
    for ask in lists:
        wire.asked.clear()
        with pytest.raises(ArmError, match=r"OtherHost: Azure named a URL at https://evil\.example"):
            ask()
        assert [urlsplit(request.url).netloc for request in wire.asked] == ["127.0.0.1:1"]


def test_each_request_carries_a_token_and_says_who_we_are() -> None:
    wire = Wire()

    over(wire, "https://management.azure.com/").send(Request("GET", NETWORK))

    (request,) = wire.asked
    assert urlsplit(request.url).netloc == "management.azure.com"
    assert request.headers["Authorization"].startswith("Bearer simulator#")
    assert request.headers["User-Agent"].startswith("provision/")


def test_no_token_goes_over_plain_http_but_on_loopback() -> None:
    wire = Wire()

    with pytest.raises(ArmError):
        over(wire, "http://azure.example").send(Request("GET", NETWORK))

    assert wire.asked == []


def test_a_credential_without_a_token_says_how_to_get_one() -> None:
    class Without:
        def get_token(self, *scopes: str, **kwargs: Any) -> AccessToken:
            raise ClientAuthenticationError("DefaultAzureCredential failed to retrieve a token.\nAttempted: …")

    with pytest.raises(Unreachable) as refused:
        over(Wire(), credential=Without()).groups(SUBSCRIPTION)

    assert refused.value.message == "Azure gives no token: DefaultAzureCredential failed to retrieve a token."
    assert refused.value.fix == (
        "log in (az login), or give the pipeline a workload identity; --simulate needs neither"
    )


def test_a_token_that_azure_refuses_is_an_error_of_azures() -> None:
    wire = Wire(401, {"error": {"code": "InvalidAuthenticationToken", "message": "expired"}})

    assert str(error_of(over(wire), Request("GET", NETWORK))) == "InvalidAuthenticationToken: expired"


def test_a_connection_that_is_refused_is_told_so_that_a_person_can_act() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
        arm = AzureArm(SUBSCRIPTION, VERSIONS, SimulatorCredential(), endpoint=endpoint)

        error = error_of(arm, Request("GET", NETWORK))

    assert error.message == (
        "ConnectionFailed: no connection to Azure: Failed to establish a new connection: [Errno 111] Connection refused"
    )
    assert (error.status, error.fix) == (0, "check network, proxy and DNS; then run the same command again")


def test_a_type_that_we_never_make_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        over(Wire()).listed(GROUP, "Microsoft.Storage/storageAccounts")


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with SimulatorProcess(tmp_path_factory.mktemp("world") / "simulator.json") as simulator:
        yield simulator.endpoint


def test_the_same_goes_over_a_real_socket(endpoint: str) -> None:
    arm = AzureArm(SUBSCRIPTION, VERSIONS, SimulatorCredential(), endpoint=endpoint)

    assert arm.send(Request("PUT", GROUP, {"location": "southcentralus"})).status == HTTPStatus.CREATED
    made = arm.send(Request("PUT", STACK, EMPTY_STACK))
    assert made.operation_url.startswith(endpoint)
    assert arm.send(Request("GET", STACK, url=made.operation_url)).status == HTTPStatus.OK
    assert [group["name"] for group in arm.groups(SUBSCRIPTION)] == ["rg"]
    assert error_of(arm, Request("GET", NETWORK)).code == "ResourceNotFound"


@pytest.mark.parametrize("place", ["group", "resource"])
def test_a_patch_merges_tags_and_touches_nothing_else(place: str) -> None:
    azure = Azure(hard=False)
    body = {"location": "eastus", "tags": {"team": "hpc"}}
    azure.put(str(GROUP), body, VERSIONS[GROUPS])
    azure.put(
        str(NETWORK), {**body, "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}, "2025-05-01"
    )
    id = GROUP if place == "group" else NETWORK
    before = azure.arm.send(Request("GET", id)).body

    tags = {"operation": "Merge", "properties": {"tags": {"provision": "quick/network"}}}
    answer = azure.arm.send(Request("PATCH", id, tags))

    merged = {"team": "hpc", "provision": "quick/network"}
    assert (answer.status, answer.body["properties"]["tags"]) == (200, merged)
    after = azure.arm.send(Request("GET", id)).body
    assert after["tags"] == merged
    assert after["properties"] == before["properties"]
    (row,) = azure.requests("PATCH")
    assert row[1].endswith("/providers/Microsoft.Resources/tags/default")


def test_a_what_if_is_waited_for_and_a_refusal_is_its_answer() -> None:
    azure = Azure()
    azure.apply()
    group = group_id(SUBSCRIPTION, "quick-southcentralus")
    template = {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [],
    }
    body = {"properties": {"mode": "Incremental", "template": template}}

    found = azure.arm.what_if(group, "it", body)

    assert found["status"] == "Succeeded"
    assert {change["changeType"] for change in found["properties"]["changes"]} == {"Ignore"}
    refused = azure.arm.what_if(group, "it", {"properties": {"mode": "Incremental", "template": {}}})
    assert refused["status"] == "Failed"
    assert refused["error"]["code"]
    with pytest.raises(ArmError):
        azure.arm.what_if(group_id(SUBSCRIPTION, "nowhere"), "it", body)
