"""Every operation that Microsoft's clients have about networks and resources: it works, or it is known not to be there.

What each does is for other tests; here a client itself says what it wants to send and what it can read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.polling import LROPoller

from tests.simulator.azure import (
    Azure,
    Json,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    group_id,
    identity_id,
    network_id,
    subnet_id,
)

GROUPS = {
    "network": [
        "virtual_networks",
        "subnets",
        "virtual_network_peerings",
        "network_security_groups",
        "security_rules",
        "default_security_rules",
        "nat_gateways",
        "public_ip_addresses",
        "bastion_hosts",
        "network_interfaces",
        "usages",
    ],
    "resources": ["resource_groups", "resources", "providers", "provider_resource_types", "tags", "operations"],
    "deployments": ["deployments", "deployment_operations"],
    "stacks": ["deployment_stacks"],
}
ELSEWHERE = ("management_group", "tenant_scope", "cloud_service")
"""What is about something that has no place here at all: management groups, the tenant, cloud services."""

TAGS: Json = {"tags": {"a": "b"}}
VERSION = {"api_version": "2024-11-30"}
IDENTITY = identity_id()
SPACE = {"addressSpace": {"addressPrefixes": ["10.9.0.0/16"]}}
NETWORK: Json = {"location": "eastus", "properties": SPACE}
ADDRESS: Json = {
    "location": "eastus",
    "sku": {"name": "Standard"},
    "properties": {"publicIPAllocationMethod": "Static"},
}
GATEWAY: Json = {"location": "eastus", "sku": {"name": "Standard"}}
RULE: Json = {
    "properties": {
        "priority": 200,
        "direction": "Inbound",
        "access": "Allow",
        "protocol": "Tcp",
        "sourceAddressPrefix": "*",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": "22",
    }
}
DEPLOYMENT: Json = {"properties": {"mode": "Incremental", "template": a_template(a_security_group("made"))}}
EMPTY: Json = {"location": "eastus", "properties": {"mode": "Incremental", "template": a_template()}}
NODE = ("rg", "train", "0", "nic")


def a_bastion(address: str = "door") -> Json:
    place = {"id": network_id("virtualNetworks/net/subnets/AzureBastionSubnet")}
    references = {"subnet": place, "publicIPAddress": {"id": network_id(f"publicIPAddresses/{address}")}}
    configurations = [{"name": "conf", "properties": references}]
    return {"location": "eastus", "sku": {"name": "Standard"}, "properties": {"ipConfigurations": configurations}}


def a_half(there: str) -> Json:
    return {"properties": {"remoteVirtualNetwork": {"id": network_id(f"virtualNetworks/{there}")}}}


@pytest.fixture
def azure() -> Azure:
    """A world that has one of everything, called as the calls below call it."""
    made = azure_with_a_network()
    network = made.network
    made.finish(network.virtual_networks.begin_create_or_update, "rg", "other", NETWORK)
    made.finish(network.virtual_network_peerings.begin_create_or_update, "rg", "net", "to", a_half("other"))
    made.finish(network.network_security_groups.begin_create_or_update, "rg", "nsg", {"location": "eastus"})
    made.finish(network.security_rules.begin_create_or_update, "rg", "nsg", "ssh", RULE)
    for name in ("door", "free"):
        made.finish(network.public_ip_addresses.begin_create_or_update, "rg", name, ADDRESS)
    made.finish(network.nat_gateways.begin_create_or_update, "rg", "nat", GATEWAY)
    bastion_subnet = {"properties": {"addressPrefix": "10.0.9.0/26"}}
    for name, body in (
        ("AzureBastionSubnet", bastion_subnet),
        ("empty", {"properties": {"addressPrefix": "10.0.8.0/24"}}),
    ):
        made.finish(network.subnets.begin_create_or_update, "rg", "net", name, body)
    made.finish(network.bastion_hosts.begin_create_or_update, "rg", "door", a_bastion())
    public = {"name": "pub", "properties": {"idleTimeoutInMinutes": 4}}
    address = {"name": "ip", "properties": {"subnet": {"id": subnet_id()}, "publicIPAddressConfiguration": public}}
    interface = {"name": "nic", "properties": {"primary": True, "ipConfigurations": [address]}}
    profile = {"networkProfile": {"networkInterfaceConfigurations": [interface]}}
    sets = made.compute.virtual_machine_scale_sets
    made.finish(sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=1, profile=profile))
    made.make_identity()
    made.finish(made.deployments.deployments.begin_create_or_update, "rg", "done", DEPLOYMENT)
    made.finish(made.deployments.deployments.begin_create_or_update_at_subscription_scope, "done", EMPTY)
    stack = a_stack(a_security_group("stacked"))
    made.finish(made.stacks.deployment_stacks.begin_create_or_update_at_resource_group, "rg", "unit", stack)
    return made


def cancelled(azure: Azure, begin: str, cancel: str, *place: str) -> None:
    """Cancel a deployment right after it began."""
    group = azure.deployments.deployments
    body = DEPLOYMENT if len(place) > 1 else EMPTY
    azure.start(getattr(group, begin), *place, body)
    getattr(group, cancel)(*place)


def an_operation(azure: Azure, listed: str, get: str, *place: str) -> Any:
    group = azure.deployments.deployment_operations
    first = next(iter(getattr(group, listed)(*place)))
    return getattr(group, get)(*place, first.operation_id)


Call = tuple[Any, ...] | Callable[[Azure], Any]
"""The arguments of a call, keywords in a dict of type `Words` at its end; or what makes the call."""


class Words(dict[str, Any]):
    pass


CALLS: dict[str, Call] = {
    "virtual_networks.begin_create_or_update": ("rg", "third", {"location": "eastus", "properties": SPACE}),
    "virtual_networks.begin_delete": ("rg", "other"),
    "virtual_networks.check_ip_address_availability": ("rg", "net", Words(ip_address="10.0.0.9")),
    "virtual_networks.get": ("rg", "net"),
    "virtual_networks.list": ("rg",),
    "virtual_networks.list_all": (),
    "virtual_networks.list_usage": ("rg", "net"),
    "virtual_networks.update_tags": ("rg", "net", TAGS),
    "subnets.begin_create_or_update": ("rg", "net", "more", {"properties": {"addressPrefix": "10.0.7.0/24"}}),
    "subnets.begin_delete": ("rg", "net", "empty"),
    "subnets.get": ("rg", "net", "nodes"),
    "subnets.list": ("rg", "net"),
    "virtual_network_peerings.begin_create_or_update": ("rg", "other", "back", a_half("net")),
    "virtual_network_peerings.begin_delete": ("rg", "net", "to"),
    "virtual_network_peerings.get": ("rg", "net", "to"),
    "virtual_network_peerings.list": ("rg", "net"),
    "network_security_groups.begin_create_or_update": ("rg", "more", {"location": "eastus"}),
    "network_security_groups.begin_delete": ("rg", "nsg"),
    "network_security_groups.get": ("rg", "nsg"),
    "network_security_groups.list": ("rg",),
    "network_security_groups.list_all": (),
    "network_security_groups.update_tags": ("rg", "nsg", TAGS),
    "security_rules.begin_create_or_update": ("rg", "nsg", "ssh", RULE),
    "security_rules.begin_delete": ("rg", "nsg", "ssh"),
    "security_rules.get": ("rg", "nsg", "ssh"),
    "security_rules.list": ("rg", "nsg"),
    "default_security_rules.get": ("rg", "nsg", "DenyAllInBound"),
    "default_security_rules.list": ("rg", "nsg"),
    "nat_gateways.begin_create_or_update": ("rg", "more", GATEWAY),
    "nat_gateways.begin_delete": ("rg", "nat"),
    "nat_gateways.get": ("rg", "nat"),
    "nat_gateways.list": ("rg",),
    "nat_gateways.list_all": (),
    "nat_gateways.update_tags": ("rg", "nat", TAGS),
    "public_ip_addresses.begin_create_or_update": ("rg", "more", ADDRESS),
    "public_ip_addresses.begin_delete": ("rg", "free"),
    "public_ip_addresses.get": ("rg", "door"),
    "public_ip_addresses.get_virtual_machine_scale_set_public_ip_address": (*NODE, "ip", "pub"),
    "public_ip_addresses.list": ("rg",),
    "public_ip_addresses.list_all": (),
    "public_ip_addresses.list_virtual_machine_scale_set_public_ip_addresses": ("rg", "train"),
    "public_ip_addresses.list_virtual_machine_scale_set_vm_public_ip_addresses": (*NODE, "ip"),
    "public_ip_addresses.update_tags": ("rg", "door", TAGS),
    "bastion_hosts.begin_create_or_update": ("rg", "door", a_bastion()),
    "bastion_hosts.begin_delete": ("rg", "door"),
    "bastion_hosts.begin_update": ("rg", "door", TAGS),
    "bastion_hosts.get": ("rg", "door"),
    "bastion_hosts.list": (),
    "bastion_hosts.list_by_resource_group": ("rg",),
    "network_interfaces.get_virtual_machine_scale_set_ip_configuration": (*NODE, "ip"),
    "network_interfaces.get_virtual_machine_scale_set_network_interface": NODE,
    "network_interfaces.list_virtual_machine_scale_set_ip_configurations": NODE,
    "network_interfaces.list_virtual_machine_scale_set_network_interfaces": ("rg", "train"),
    "network_interfaces.list_virtual_machine_scale_set_vm_network_interfaces": ("rg", "train", "0"),
    "usages.list": ("eastus",),
    "resource_groups.begin_delete": ("rg",),
    "resource_groups.check_existence": ("rg",),
    "resource_groups.create_or_update": ("more", {"location": "eastus"}),
    "resource_groups.get": ("rg",),
    "resource_groups.list": (),
    "resource_groups.update": ("rg", TAGS),
    "resources.begin_create_or_update": (
        "rg",
        "Microsoft.ManagedIdentity",
        "",
        "userAssignedIdentities",
        "more",
        {"location": "eastus"},
        Words(VERSION),
    ),
    "resources.begin_create_or_update_by_id": (IDENTITY, {"location": "eastus"}, Words(VERSION)),
    "resources.begin_delete": (
        "rg",
        "Microsoft.ManagedIdentity",
        "",
        "userAssignedIdentities",
        "train",
        Words(VERSION),
    ),
    "resources.begin_delete_by_id": (IDENTITY, Words(VERSION)),
    "resources.begin_update": (
        "rg",
        "Microsoft.ManagedIdentity",
        "",
        "userAssignedIdentities",
        "train",
        TAGS,
        Words(VERSION),
    ),
    "resources.begin_update_by_id": (IDENTITY, TAGS, Words(VERSION)),
    "resources.get": ("rg", "Microsoft.ManagedIdentity", "", "userAssignedIdentities", "train", Words(VERSION)),
    "resources.get_by_id": (IDENTITY, Words(VERSION)),
    "resources.list": (),
    "resources.list_by_resource_group": ("rg",),
    "providers.get": ("Microsoft.Network",),
    "providers.list": (),
    "providers.provider_permissions": ("Microsoft.Network",),
    "providers.register": ("Microsoft.Network",),
    "providers.unregister": ("Microsoft.StorageCache",),
    "provider_resource_types.list": ("Microsoft.Network",),
    "tags.begin_create_or_update_at_scope": (group_id(), {"properties": TAGS}),
    "tags.begin_delete_at_scope": (group_id(),),
    "tags.begin_update_at_scope": (group_id(), {"operation": "Merge", "properties": TAGS}),
    "tags.get_at_scope": (group_id(),),
    "deployments.begin_create_or_update": ("rg", "more", DEPLOYMENT),
    "deployments.begin_create_or_update_at_subscription_scope": ("more", EMPTY),
    "deployments.begin_delete": ("rg", "done"),
    "deployments.begin_delete_at_subscription_scope": ("done",),
    "deployments.begin_validate": ("rg", "more", DEPLOYMENT),
    "deployments.begin_validate_at_subscription_scope": ("more", EMPTY),
    "deployments.begin_what_if": ("rg", "more", DEPLOYMENT),
    "deployments.begin_what_if_at_subscription_scope": ("more", EMPTY),
    "deployments.calculate_template_hash": (a_template(),),
    "deployments.cancel": lambda azure: cancelled(azure, "begin_create_or_update", "cancel", "rg", "more"),
    "deployments.cancel_at_subscription_scope": lambda azure: cancelled(
        azure, "begin_create_or_update_at_subscription_scope", "cancel_at_subscription_scope", "more"
    ),
    "deployments.check_existence": ("rg", "done"),
    "deployments.check_existence_at_subscription_scope": ("done",),
    "deployments.export_template": ("rg", "done"),
    "deployments.export_template_at_subscription_scope": ("done",),
    "deployments.get": ("rg", "done"),
    "deployments.get_at_subscription_scope": ("done",),
    "deployments.list_at_subscription_scope": (),
    "deployments.list_by_resource_group": ("rg",),
    "deployment_operations.get": lambda azure: an_operation(azure, "list", "get", "rg", "done"),
    "deployment_operations.get_at_subscription_scope": lambda azure: an_operation(
        azure, "list_at_subscription_scope", "get_at_subscription_scope", "done"
    ),
    "deployment_operations.list": ("rg", "done"),
    "deployment_operations.list_at_subscription_scope": ("done",),
    "deployment_stacks.begin_create_or_update_at_resource_group": ("rg", "more", a_stack()),
    "deployment_stacks.begin_delete_at_resource_group": ("rg", "unit"),
    "deployment_stacks.begin_validate_stack_at_resource_group": ("rg", "more", a_stack(a_security_group("more"))),
    "deployment_stacks.export_template_at_resource_group": ("rg", "unit"),
    "deployment_stacks.get_at_resource_group": ("rg", "unit"),
    "deployment_stacks.list_at_resource_group": ("rg",),
}

ABSENT = {
    "virtual_networks.begin_list_ddos_protection_status": "InvalidResourceType",
    "virtual_networks.begin_move_ip_configurations": "InvalidResourceType",
    "subnets.begin_prepare_network_policies": "InvalidResourceType",
    "subnets.begin_unprepare_network_policies": "InvalidResourceType",
    "public_ip_addresses.begin_ddos_protection_status": "InvalidResourceType",
    "public_ip_addresses.begin_disassociate_cloud_service_reserved_public_ip": "InvalidResourceType",
    "public_ip_addresses.begin_reserve_cloud_service_public_ip_address": "InvalidResourceType",
    "network_interfaces.begin_create_or_update": "InvalidResourceType",
    "network_interfaces.begin_delete": "InvalidResourceType",
    "network_interfaces.begin_get_effective_route_table": "InvalidResourceType",
    "network_interfaces.begin_list_effective_network_security_groups": "InvalidResourceType",
    "network_interfaces.get": "InvalidResourceType",
    "network_interfaces.list": "InvalidResourceType",
    "network_interfaces.list_all": "InvalidResourceType",
    "network_interfaces.update_tags": "InvalidResourceType",
    "resource_groups.begin_export_template": "NotFound",
    "resources.begin_move_resources": "NotFound",
    "resources.begin_validate_move_resources": "NotFound",
    "tags.create_or_update": "NotFound",
    "tags.create_or_update_value": "NotFound",
    "tags.delete": "NotFound",
    "tags.delete_value": "NotFound",
    "tags.list": "NotFound",
    "operations.list": "InvalidResourceType",
    "deployment_stacks.begin_create_or_update_at_subscription": "InvalidResourceType",
    "deployment_stacks.begin_delete_at_subscription": "InvalidResourceType",
    "deployment_stacks.begin_validate_stack_at_subscription": "InvalidResourceType",
    "deployment_stacks.export_template_at_subscription": "InvalidResourceType",
    "deployment_stacks.get_at_subscription": "InvalidResourceType",
    "deployment_stacks.list_at_subscription": "InvalidResourceType",
}
"""What is not simulated, and the code with which it is refused; docs/simulator.md says it in words."""

AS_AZURE = {
    "resources.check_existence": 405,
    "resources.check_existence_by_id": 405,
}
"""What Azure's providers do not know either: HEAD of a single resource."""


def operations() -> set[str]:
    """Return every operation of the groups as `group.method`."""
    found: set[str] = set()
    azure = Azure()
    for client, groups in GROUPS.items():
        for group in groups:
            for name, _ in inspect.getmembers(getattr(getattr(azure, client), group), inspect.ismethod):
                scoped = name.endswith("_at_scope") and group != "tags"
                if not name.startswith("_") and not scoped and not any(word in name for word in ELSEWHERE):
                    found.add(f"{group}.{name}")
    return found


def method(azure: Azure, operation: str) -> Callable[..., Any]:
    group, _, name = operation.partition(".")
    client = next(client for client, groups in GROUPS.items() if group in groups)
    found: Callable[..., Any] | None = getattr(getattr(getattr(azure, client), group), name, None)
    if found is None:
        pytest.skip("this version of the client has no such operation")
    return found


def result_of(outcome: Any) -> Any:
    """Return what a call brings in the end: an operation's result, all that a list holds."""
    if isinstance(outcome, LROPoller):
        return outcome.result()
    return list(outcome) if hasattr(outcome, "by_page") else outcome


def test_every_operation_is_tried_or_known_to_be_absent() -> None:
    known = [*CALLS, *ABSENT, *AS_AZURE]

    assert len(known) == len(set(known))
    assert operations() - set(known) == set()


@pytest.mark.parametrize("operation", sorted(CALLS))
def test_an_operation_works(azure: Azure, operation: str) -> None:
    call = CALLS[operation]
    before = len(azure.control.log)
    if callable(call):
        found = result_of(call(azure))
    else:
        words = call[-1] if call and isinstance(call[-1], Words) else Words()
        found = result_of(method(azure, operation)(*call[: len(call) - bool(words)], **words))

    sent = azure.control.log[before:]
    assert sent
    assert all(row["status"] < 300 for row in sent)
    if isinstance(found, list):
        assert found
    elif ".get" in operation or "create_or_update" in operation:
        assert found is not None


@pytest.mark.parametrize("operation", sorted([*ABSENT, *AS_AZURE]))
def test_what_is_absent_is_refused_as_arm_refuses_what_it_does_not_know(operation: str) -> None:
    azure = Azure()
    azure.make_group()
    called = method(azure, operation)
    words: dict[str, Any] = {}
    for name, parameter in inspect.signature(called).parameters.items():
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            words[name] = {} if name in ("body", "deployment_stack") or "parameters" in name else "x"
    if "api_version" in words:
        words |= {"api_version": "2025-05-01", "resource_id": network_id("virtualNetworks/net")}
        if operation == "resources.check_existence":
            del words["resource_id"]
            words |= {"resource_provider_namespace": "Microsoft.Network", "resource_type": "virtualNetworks"}
            words |= {"parent_resource_path": ""}

    with pytest.raises(HttpResponseError) as refused:
        result_of(called(**words))

    expected = (404, ABSENT[operation]) if operation in ABSENT else (AS_AZURE[operation], None)
    assert refused.value.response is not None
    code = refused.value.error.code if refused.value.error is not None else None
    assert (refused.value.status_code, code) == expected
