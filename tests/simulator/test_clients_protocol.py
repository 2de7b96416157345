"""ARM's protocol as Microsoft's clients meet it: pollers, pagers, conditions, refusals, headers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.mgmt.resource.resources import ResourceManagementClient

from provision.simulator.clients import SimulatedAzure
from tests.simulator.azure import (
    Azure,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    group_id,
    identity_id,
    lustre_id,
    network_id,
    refusal,
    set_id,
)

GROUP = {"location": "eastus", "properties": {}}
DEPLOYMENT = {"properties": {"mode": "Incremental", "template": a_template(a_security_group())}}

Begin = Callable[[Azure], tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]

OPERATIONS: dict[str, tuple[Begin, int, list[str], str | None]] = {
    "a set is made": (
        lambda azure: (
            azure.compute.virtual_machine_scale_sets.begin_create_or_update,
            ("rg", "two", a_scale_set(1)),
            {},
        ),
        201,
        ["Azure-AsyncOperation"],
        "10",
    ),
    "a set is changed": (
        lambda azure: (
            azure.compute.virtual_machine_scale_sets.begin_update,
            ("rg", "train", {"tags": {"a": "b"}}),
            {},
        ),
        200,
        ["Azure-AsyncOperation"],
        "10",
    ),
    "a set is restarted": (
        lambda azure: (azure.compute.virtual_machine_scale_sets.begin_restart, ("rg", "train"), {}),
        202,
        ["Azure-AsyncOperation", "Location"],
        None,
    ),
    "a set is deleted": (
        lambda azure: (azure.compute.virtual_machine_scale_sets.begin_delete, ("rg", "train"), {}),
        202,
        ["Azure-AsyncOperation", "Location"],
        None,
    ),
    "a security group is made": (
        lambda azure: (azure.network.network_security_groups.begin_create_or_update, ("rg", "two", GROUP), {}),
        201,
        ["Azure-AsyncOperation"],
        "3",
    ),
    "a security group is deleted": (
        lambda azure: (azure.network.network_security_groups.begin_delete, ("rg", "nsg"), {}),
        202,
        ["Azure-AsyncOperation", "Location"],
        "10",
    ),
    "a file system is made": (
        lambda azure: (
            azure.resources.resources.begin_create_or_update_by_id,
            (lustre_id(),),
            {"api_version": "2025-07-01", "parameters": a_file_system(tib=8)},
        ),
        201,
        ["Azure-AsyncOperation"],
        "10",
    ),
    "a deployment is made": (
        lambda azure: (azure.deployments.deployments.begin_create_or_update, ("rg", "unit", DEPLOYMENT), {}),
        201,
        ["Azure-AsyncOperation"],
        None,
    ),
    "a deployment is foreseen": (
        lambda azure: (azure.deployments.deployments.begin_what_if, ("rg", "unit", DEPLOYMENT), {}),
        202,
        ["Location"],
        "15",
    ),
    "a stack is made": (
        lambda azure: (
            azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group,
            ("rg", "unit", a_stack(a_security_group())),
            {},
        ),
        201,
        ["Azure-AsyncOperation"],
        None,
    ),
    "a stack is validated": (
        lambda azure: (
            azure.stacks.deployment_stacks.begin_validate_stack_at_resource_group,
            ("rg", "unit", a_stack(a_security_group())),
            {},
        ),
        202,
        ["Location"],
        None,
    ),
    "a group is deleted": (
        lambda azure: (azure.resources.resource_groups.begin_delete, ("rg",), {}),
        202,
        ["Location"],
        "15",
    ),
}


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=2)
    made.finish(made.network.network_security_groups.begin_create_or_update, "rg", "nsg", GROUP)
    made.wait(600)
    return made


@pytest.mark.parametrize("what", OPERATIONS)
def test_each_operation_begins_in_its_dialect_and_the_clients_poller_sees_it_end(azure: Azure, what: str) -> None:
    begin, status, urls, retry_after = OPERATIONS[what]
    method, args, options = begin(azure)
    seen: list[Any] = []

    azure.control.forget()
    poller = method(*args, raw_response_hook=lambda response: seen.append(response.http_response), **options)
    first = seen[0]
    poller.wait()

    named = [name for name in ("Azure-AsyncOperation", "Location") if name in first.headers]
    assert (first.status_code, named, first.headers.get("Retry-After")) == (status, urls, retry_after)
    for name in named:
        query = dict(parse_qsl(urlsplit(first.headers[name]).query))
        assert 3000 < len(first.headers[name]) < 3600
        assert list(query)[-4:] == ["t", "c", "s", "h"]
    assert poller.status().lower() == "succeeded"
    polled = [row["url"] for row in azure.control.log if row["method"] == "GET"]
    assert polled[0] == first.headers[urls[0]], "the poller sends the signed URL back as it was"


@pytest.mark.parametrize(
    ("what", "seconds"), [("a group is deleted", 15), ("a deployment is foreseen", 15), ("a set is made", 30)]
)
def test_the_clients_poller_waits_as_long_as_it_is_told_to(azure: Azure, what: str, seconds: int) -> None:
    method, args, options = OPERATIONS[what][0](azure)
    azure.control.forget()
    method(*args, **options).wait()

    times = [datetime.fromisoformat(row["at"]) for row in azure.control.log][:3]
    assert times[1] == times[0], "the client asks at once, whatever it was told, and then waits"
    assert (times[2] - times[1]).total_seconds() == seconds


def test_an_operation_that_fails_raises_in_the_poller_with_the_code_of_its_end(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {"Standard_ND96isr_H100_v5": 2}}, settings={"partialAllocation": False})

    sets: Any = azure.compute.virtual_machine_scale_sets
    poller = sets.begin_create_or_update("rg", "two", a_scale_set(4))

    with pytest.raises(HttpResponseError) as found:
        poller.result()
    assert found.value.error is not None
    assert found.value.error.code == "AllocationFailed"
    assert poller.status() == "Failed"


# --- lists ---


def test_every_clients_pager_walks_all_pages(azure: Azure) -> None:
    for number in range(5):
        azure.make_group(f"group{number}")
        azure.resources.resource_groups.create_or_update(f"group{number}", {"location": "eastus"})
        azure.finish(azure.network.network_security_groups.begin_create_or_update, "rg", f"n{number}", GROUP)
        azure.finish(azure.deployments.deployments.begin_create_or_update, "rg", f"d{number}", DEPLOYMENT)
        stacks = azure.stacks.deployment_stacks
        azure.finish(stacks.begin_create_or_update_at_resource_group, "rg", f"s{number}", a_stack())
    azure.finish(azure.compute.virtual_machine_scale_sets.begin_update, "rg", "train", {"sku": {"capacity": 7}})

    lists: dict[str, Callable[[], Any]] = {
        "groups": azure.resources.resource_groups.list,
        "resources": azure.resources.resources.list,
        "in group": lambda: azure.resources.resources.list_by_resource_group("rg"),
        "nsgs": azure.network.network_security_groups.list_all,
        "nsgs in group": lambda: azure.network.network_security_groups.list("rg"),
        "deployments": lambda: azure.deployments.deployments.list_by_resource_group("rg"),
        "stacks": lambda: azure.stacks.deployment_stacks.list_at_resource_group("rg"),
        "nodes": lambda: azure.compute.virtual_machine_scale_set_vms.list("rg", "train"),
        "sizes": lambda: azure.compute.resource_skus.list(filter="location eq 'eastus'"),
        "interfaces": lambda: azure.network.network_interfaces.list_virtual_machine_scale_set_network_interfaces(
            "rg", "train"
        ),
    }
    whole = {name: [each.as_dict() for each in ask()] for name, ask in lists.items()}
    azure.control.set(pageSize=2, instancePageSize=2)
    for name, ask in lists.items():
        pages = [[each.as_dict() for each in page] for page in ask().by_page()]
        assert [each for page in pages for each in page] == whole[name], name
        assert len(pages) > 2, name
        assert max(map(len, pages)) == 2, name
    azure.control.set(emptyPages=True)
    assert {name: [each.as_dict() for each in ask()] for name, ask in lists.items()} == whole
    assert next(len(list(page)) for page in azure.resources.resource_groups.list().by_page()) == 0


def test_a_pager_goes_on_from_where_another_one_stopped(azure: Azure) -> None:
    azure.control.set(instancePageSize=1)
    nodes = azure.compute.virtual_machine_scale_set_vms
    pages: Any = nodes.list("rg", "train").by_page()
    next(pages)

    rest = nodes.list("rg", "train").by_page(pages.continuation_token)

    assert [node.instance_id for page in rest for node in page] == ["1"]


# --- conditions, existence ---


def test_an_etag_guards_a_write_of_a_set_and_of_a_network(azure: Azure) -> None:
    sets: Any = azure.compute.virtual_machine_scale_sets
    networks: Any = azure.network.network_security_groups
    of_set, of_group = sets.get("rg", "train").etag, networks.get("rg", "nsg").etag
    assert (of_set, of_group and of_group[:3]) == ('"1"', 'W/"')

    with pytest.raises(ResourceModifiedError) as old:
        sets.begin_create_or_update(
            "rg", "train", a_scale_set(2), etag='"9"', match_condition=MatchConditions.IfNotModified
        )
    with pytest.raises(ResourceExistsError):
        sets.begin_create_or_update("rg", "train", a_scale_set(2), match_condition=MatchConditions.IfMissing, etag="*")
    azure.finish(
        sets.begin_create_or_update,
        "rg",
        "train",
        a_scale_set(3),
        etag=of_set,
        match_condition=MatchConditions.IfNotModified,
    )
    refused = refusal(networks.begin_create_or_update, "rg", "nsg", GROUP, headers={"If-Match": 'W/"other"'})
    azure.finish(networks.begin_create_or_update, "rg", "nsg", GROUP, headers={"If-Match": of_group})

    assert old.value.error is not None
    assert old.value.error.code == "PreconditionFailed"
    assert refused[:2] == (412, "PreconditionFailed")
    assert sets.get("rg", "train").etag != of_set
    assert networks.get("rg", "nsg").etag != of_group


def test_whether_something_exists_can_be_asked_of_groups_and_deployments_and_of_nothing_else(azure: Azure) -> None:
    azure.finish(azure.deployments.deployments.begin_create_or_update, "rg", "unit", DEPLOYMENT)
    groups, deployments = azure.resources.resource_groups, azure.deployments.deployments

    assert (groups.check_existence("rg"), groups.check_existence("none")) == (True, False)
    assert (deployments.check_existence("rg", "unit"), deployments.check_existence("rg", "no")) == (True, False)
    assert deployments.check_existence_at_subscription_scope("no") is False
    with pytest.raises(HttpResponseError) as found:
        azure.resources.resources.check_existence_by_id(network_id("virtualNetworks/net"), api_version="2025-05-01")
    assert found.value.status_code == 405


# --- refusals ---


def _of_another_version(azure: Azure, version: str) -> ResourceManagementClient:
    return ResourceManagementClient(
        azure.credential, azure.subscription, transport=azure.transport, api_version=version, retry_total=0
    )


@pytest.mark.parametrize(
    ("ask", "error", "code", "target"),
    [
        (lambda a: a.resources.resource_groups.get("none"), ResourceNotFoundError, "ResourceGroupNotFound", None),
        (
            lambda a: a.compute.virtual_machine_scale_sets.get("rg", "none"),
            ResourceNotFoundError,
            "ResourceNotFound",
            None,
        ),
        (
            lambda a: a.compute.virtual_machine_scale_set_vms.get("rg", "train", "99"),
            ResourceNotFoundError,
            "NotFound",
            None,
        ),
        (lambda a: a.network.subnets.get("rg", "net", "none"), ResourceNotFoundError, "NotFound", None),
        (
            lambda a: a.network.subnets.begin_create_or_update("rg", "none", "x", {"properties": {}}),
            ResourceNotFoundError,
            "ParentResourceNotFound",
            None,
        ),
        (lambda a: a.deployments.deployments.get("rg", "none"), ResourceNotFoundError, "DeploymentNotFound", None),
        (
            lambda a: a.stacks.deployment_stacks.get_at_resource_group("rg", "none"),
            ResourceNotFoundError,
            "DeploymentStackResourceNotFound",
            None,
        ),
        (lambda a: list(a.network.load_balancers.list("rg")), ResourceNotFoundError, "InvalidResourceType", None),
        (
            lambda a: a.resources.resources.get_by_id(
                f"{group_id()}/providers/Some.Thing/x/y", api_version="2025-01-01"
            ),
            ResourceNotFoundError,
            "InvalidResourceNamespace",
            None,
        ),
        (
            lambda a: a.compute.virtual_machine_scale_sets.get("rg", "train", api_version="2000-01-01"),
            HttpResponseError,
            "NoRegisteredProviderFound",
            None,
        ),
        (
            lambda a: _of_another_version(a, "2000-01-01").resource_groups.get("rg"),
            HttpResponseError,
            "InvalidApiVersionParameter",
            None,
        ),
        (
            lambda a: a.compute.virtual_machine_scale_sets.begin_update("rg", "train", {"sku": {"capacity": -1}}),
            HttpResponseError,
            "InvalidParameter",
            "sku.capacity",
        ),
    ],
)
def test_a_refusal_reaches_the_client_as_the_error_that_it_makes_of_azures(
    azure: Azure, ask: Callable[[Azure], Any], error: type[HttpResponseError], code: str, target: str | None
) -> None:
    with pytest.raises(error) as found:
        ask(azure)

    assert type(found.value) is error
    assert found.value.error is not None
    assert (found.value.error.code, found.value.error.target) == (code, target)
    assert found.value.error.message


def test_the_gateway_says_that_it_was_the_gateway_and_providers_answer_indented(azure: Azure) -> None:
    with pytest.raises(HttpResponseError) as gateway:
        azure.resources.resource_groups.get("none")
    with pytest.raises(HttpResponseError) as provider:
        azure.network.subnets.get("rg", "net", "none")

    of_gateway: Any = gateway.value.response
    of_provider: Any = provider.value.response
    assert (of_gateway.headers["x-ms-failure-cause"], "\n" in of_gateway.text()) == ("gateway", False)
    assert ("x-ms-failure-cause" in of_provider.headers, "\r\n" in of_provider.text()) == (False, True)


def test_a_template_that_fails_is_told_as_a_chain_of_errors(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {"Standard_ND96isr_H100_v5": 2}}, settings={"partialAllocation": False})
    row = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-04-01", "name": "two"}
    body = {"properties": {"mode": "Incremental", "template": a_template({**row, **a_scale_set(4)})}}

    with pytest.raises(HttpResponseError) as found:
        azure.finish(azure.deployments.deployments.begin_create_or_update, "rg", "unit", body)

    error = found.value.error
    assert error is not None
    assert (error.code, str(error.target).endswith("/deployments/unit")) == ("DeploymentFailed", True)
    assert [(each.code, str(each.target).endswith("/two")) for each in error.details] == [
        ("ResourceDeploymentFailure", True)
    ]


def test_a_token_that_has_expired_is_refused_and_another_one_asked_for(azure: Azure) -> None:
    azure.control.fault("expire-token", count=1)

    with pytest.raises(ClientAuthenticationError) as found:
        azure.resources.resource_groups.get("rg")

    assert found.value.error is not None
    assert found.value.error.code == "ExpiredAuthenticationToken"


# --- headers, drift ---


def test_answers_count_down_what_is_left(azure: Azure) -> None:
    seen: list[Any] = []

    def hook(response: Any) -> None:
        seen.append(response.http_response.headers)

    for _ in range(2):
        azure.resources.resource_groups.get("rg", raw_response_hook=hook)
    azure.resources.resource_groups.update("rg", {"tags": {}}, raw_response_hook=hook)
    azure.compute.virtual_machine_scale_sets.get("rg", "train", raw_response_hook=hook)

    reads = [int(each["x-ms-ratelimit-remaining-subscription-reads"]) for each in seen[:2]]
    assert reads[0] - reads[1] == 1
    assert "x-ms-ratelimit-remaining-subscription-writes" in seen[2]
    assert seen[3]["x-ms-ratelimit-remaining-resource"].startswith("Microsoft.Compute/GetVMScaleSet")
    assert {"x-ms-request-id", "x-ms-correlation-request-id", "x-ms-routing-request-id"} <= set(seen[0])


def test_a_throttled_client_waits_as_it_is_told_and_gets_through() -> None:
    patient = SimulatedAzure()
    patient.resources.resource_groups.create_or_update("rg", {"location": "eastus"})
    patient.control.set(throttling=True, budgets={"reads": [2, 0.1]})
    before = patient.control.now

    for _ in range(4):
        patient.resources.resource_groups.get("rg")

    assert patient.control.now - before >= 10
    assert 429 in [row["status"] for row in patient.control.log]


def test_ids_come_back_in_other_casings_and_still_name_the_same(azure: Azure) -> None:
    azure.finish(
        azure.resources.resources.begin_create_or_update_by_id,
        identity_id(),
        api_version="2024-11-30",
        parameters={"location": "eastus"},
    )
    azure.control.set(caseDrift=True)

    ids = {azure.compute.virtual_machine_scale_sets.get("rg", "train").id}
    ids |= {row.id for row in azure.compute.virtual_machine_scale_sets.list("rg")}
    ids |= {row.id for row in azure.compute.virtual_machine_scale_sets.list_all()}
    ids |= {row.id for row in azure.resources.resources.list() if str(row.type).endswith("ScaleSets")}

    assert len(ids) > 1
    assert {str(each).lower() for each in ids} == {set_id().lower()}
    for each in ids:
        found = azure.resources.resources.get_by_id(str(each), api_version="2025-04-01")
        assert found.name == "train"
