"""Resource Manager itself through its client: groups, lists, providers, tags, and who and what stands in the way."""

from __future__ import annotations

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Json,
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
    subnet_id,
)

HERE = f"/subscriptions/{SUBSCRIPTION}"
NET = network_id("virtualNetworks/net")
LOCKS, LUSTRE, IDENTITY, ROLES = "2020-05-01", "2025-07-01", "2024-11-30", "2022-04-01"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
GRANT = "11111111-2222-4333-8444-555555555555"
GUARD: Json = {"location": "eastus", "properties": {}}


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def put(azure: Azure, resource_id: str, version: str, body: Json) -> Any:
    begin = azure.resources.resources.begin_create_or_update_by_id
    return azure.finish(begin, resource_id, api_version=version, parameters=body)


def refused_put(azure: Azure, resource_id: str, version: str, body: Json) -> tuple[int, str, str]:
    begin = azure.resources.resources.begin_create_or_update_by_id
    return refusal(begin, resource_id, api_version=version, parameters=body)


def delete(azure: Azure, resource_id: str, version: str) -> None:
    azure.finish(azure.resources.resources.begin_delete_by_id, resource_id, api_version=version)


# --- groups and lists ---


def test_a_group_is_made_read_changed_listed_and_deleted_with_all_in_it(azure: Azure) -> None:
    groups = azure.resources.resource_groups
    azure.make_scale_set(nodes=2)
    other = groups.create_or_update("other", {"location": "West US", "tags": {"a": "b"}})
    changed = groups.update("other", {"tags": {"c": "d"}})

    assert (other.location, changed.tags) == ("westus", {"c": "d"})
    assert refusal(groups.create_or_update, "other", {"location": "eastus"})[1] == "InvalidResourceGroupLocation"
    assert [row.name for row in groups.list()] == ["other", "rg"]
    assert [row.name for row in groups.list(filter="tagName eq 'c' and tagValue eq 'd'")] == ["other"]
    started = azure.start(groups.begin_delete, "rg")
    assert groups.get("rg").as_dict()["properties"]["provisioningState"] == "Deleting"
    assert refusal(groups.create_or_update, "rg", {"location": "eastus"})[:2] == (409, "ResourceGroupBeingDeleted")
    azure.wait(1800)
    assert (started.status, groups.check_existence("rg")) == (202, False)
    assert list(azure.resources.resources.list()) == []


def test_a_group_whose_deletion_ends_badly_is_told_on_the_poll(azure: Azure) -> None:
    azure.control.fault("fail-operation", match={"method": "DELETE", "resource": group_id()}, code="Conflict")

    with pytest.raises(HttpResponseError) as found:
        azure.resources.resource_groups.begin_delete("rg").result()

    assert found.value.status_code == 409
    assert azure.resources.resource_groups.check_existence("rg") is True


def test_resources_are_listed_filtered_and_expanded(azure: Azure) -> None:
    resources = azure.resources.resources
    azure.finish(
        azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", {**GUARD, "tags": {"a": "b"}}
    )

    def names(wanted: str | None = None) -> list[str]:
        return sorted(str(row.name) for row in resources.list_by_resource_group("rg", filter=wanted))

    assert (names(), names("resourceType eq 'Microsoft.Network/virtualNetworks'")) == (["net", "nsg"], ["net"])
    assert (names("tagName eq 'a' and tagValue eq 'b'"), names("name eq 'net'")) == (["nsg"], ["net"])
    (expanded,) = resources.list(filter="name eq 'net'", expand="createdTime,changedTime,provisioningState")
    assert {"createdTime", "changedTime", "provisioningState"} <= set(expanded.as_dict())
    assert refusal(list, resources.list(filter="odd"))[:2] == (400, "InvalidFilterInQueryString")


# --- providers ---


def test_a_provider_is_registered_before_it_is_used(azure: Azure) -> None:
    providers, identity = azure.resources.providers, {"location": "eastus"}
    azure.set_world(registrations={"Microsoft.ManagedIdentity": "NotRegistered"})

    refused = refused_put(azure, identity_id(), IDENTITY, identity)
    started = providers.register("Microsoft.ManagedIdentity")
    azure.wait(300)
    put(azure, identity_id(), IDENTITY, identity)

    assert refused[:2] == (409, "MissingSubscriptionRegistration")
    assert started.registration_state == "Registering"
    assert providers.get("Microsoft.ManagedIdentity").registration_state == "Registered"
    assert "Microsoft.Network" in [row.namespace for row in providers.list()]
    types = {row.resource_type: row for row in providers.get("Microsoft.Compute").resource_types or []}
    assert "2025-04-01" in (types["proximityPlacementGroups"].api_versions or [])
    assert refusal(providers.unregister, "Microsoft.ManagedIdentity")[0] == 409
    delete(azure, identity_id(), IDENTITY)
    assert providers.unregister("Microsoft.ManagedIdentity").registration_state in ("Unregistering", "NotRegistered")


def test_providers_and_their_types_are_listed_for_a_subscription_and_for_the_tenant(azure: Azure) -> None:
    resources = azure.resources
    of_tenant = {row.namespace: row for row in resources.providers.list_at_tenant_scope()}
    types = [row.resource_type for row in resources.provider_resource_types.list("Microsoft.Network").value or []]

    assert of_tenant.keys() == {row.namespace for row in resources.providers.list()}
    assert {row.registration_state for row in of_tenant.values()} == {None}
    assert types == [row.resource_type for row in of_tenant["Microsoft.Network"].resource_types or []]
    assert "virtualNetworks/subnets" in types


# --- tags ---


def test_tags_of_a_resource_are_merged_taken_away_replaced_and_cleared(azure: Azure) -> None:
    tags: Any = azure.resources.tags

    def patched(operation: str, **given: str) -> Any:
        patch = {"operation": operation, "properties": {"tags": given}}
        return azure.finish(tags.begin_update_at_scope, NET, patch).as_dict()["properties"]["tags"]

    assert patched("Merge", a="1", b="2") == {"a": "1", "b": "2"}
    assert patched("Delete", a="1") == {"b": "2"}
    assert patched("Replace", c="3") == {"c": "3"}
    assert azure.network.virtual_networks.get("rg", "net").tags == {"c": "3"}
    azure.finish(tags.begin_delete_at_scope, NET)
    assert tags.get_at_scope(NET).as_dict()["properties"]["tags"] == {}
    many = {"properties": {"tags": {f"t{number}": "x" for number in range(51)}}}
    assert refusal(tags.begin_create_or_update_at_scope, NET, many)[0] == 400


# --- locks ---


def test_a_lock_keeps_what_is_below_it(azure: Azure) -> None:
    lock = f"{group_id()}/providers/Microsoft.Authorization/locks/keep"
    networks = azure.network.virtual_networks
    put(azure, lock, LOCKS, {"properties": {"level": "CanNotDelete"}})

    assert azure.resources.resources.get_by_id(lock, api_version=LOCKS).as_dict()["properties"] == {
        "level": "CanNotDelete"
    }
    for act in (
        lambda: networks.begin_delete("rg", "net"),
        lambda: azure.resources.resource_groups.begin_delete("rg"),
        lambda: azure.network.subnets.begin_delete("rg", "net", "nodes"),
    ):
        assert refusal(act)[:2] == (409, "ScopeLocked")
    networks.update_tags("rg", "net", {"tags": {"a": "b"}})
    put(azure, lock, LOCKS, {"properties": {"level": "ReadOnly"}})
    assert refusal(networks.update_tags, "rg", "net", {"tags": {}})[:2] == (409, "ScopeLocked")
    delete(azure, lock, LOCKS)
    azure.finish(networks.begin_delete, "rg", "net")


# --- policies, roles, principals ---


def test_a_policy_denies_a_write_a_deployment_and_what_a_stack_makes(azure: Azure) -> None:
    azure.control.set(policies=[{"name": "no-groups", "match": {"type": "Microsoft.Network/networkSecurityGroups"}}])
    body = {"properties": {"mode": "Incremental", "template": a_template(a_security_group())}}
    deployments, groups = azure.deployments.deployments, azure.network.network_security_groups

    assert refusal(groups.begin_create_or_update, "rg", "nsg", GUARD)[:2] == (403, "RequestDisallowedByPolicy")
    with pytest.raises(HttpResponseError) as found:
        azure.finish(deployments.begin_create_or_update, "rg", "unit", body)
    assert found.value.error is not None
    assert found.value.error.code == "InvalidTemplateDeployment"
    assert [each.code for each in found.value.error.details] == ["RequestDisallowedByPolicy"]
    with pytest.raises(HttpResponseError, match="RequestDisallowedByPolicy"):
        azure.finish(
            azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group,
            "rg",
            "unit",
            a_stack(a_security_group()),
        )
    assert list(groups.list("rg")) == []


def test_what_the_caller_may_not_do_is_refused_with_action_and_scope(azure: Azure) -> None:
    azure.control.set(permissions=[{"actions": ["*/read"]}])
    code = "AuthorizationFailed"
    sets = azure.compute.virtual_machine_scale_sets

    refused = refusal(sets.begin_create_or_update, "rg", "train", a_scale_set(1))
    assert refused[:2] == (403, code)
    assert "action 'Microsoft.Compute/virtualMachineScaleSets/write' over scope" in refused[2]
    assert set_id() in refused[2]
    assert refusal(azure.resources.resource_groups.begin_delete, "rg")[:2] == (403, code)
    assert refusal(azure.network.virtual_networks.begin_delete, "rg", "net")[:2] == (403, code)
    assert [row.name for row in azure.network.virtual_networks.list_all()] == ["net"]
    azure.control.set(
        permissions=[{"actions": ["*"], "notActions": ["Microsoft.Network/virtualNetworks/subnets/join/action"]}]
    )
    joined = refusal(sets.begin_create_or_update, "rg", "train", a_scale_set(1))
    assert joined[:2] == (403, "LinkedAuthorizationFailed")
    assert subnet_id().lower() in joined[2].lower()


def test_a_new_identity_is_no_principal_for_a_while(azure: Azure) -> None:
    identity = put(azure, identity_id(), IDENTITY, {"location": "eastus"}).as_dict()
    principal = identity["properties"]["principalId"]
    grant = f"{group_id()}/providers/Microsoft.Authorization/roleAssignments/{GRANT}"
    role = f"{HERE}/providers/Microsoft.Authorization/roleDefinitions/{READER}"
    body = {"properties": {"roleDefinitionId": role, "principalId": principal}}

    early = refused_put(azure, grant, ROLES, body)
    azure.wait(61)
    put(azure, grant, ROLES, body)

    assert early[:2] == (400, "PrincipalNotFound")
    found: Any = azure.resources.resources.get_by_id(grant, api_version=ROLES).as_dict()["properties"]
    assert (found["principalId"], found["scope"], found["principalType"]) == (principal, group_id(), "ServicePrincipal")
    twice = f"{group_id()}/providers/Microsoft.Authorization/roleAssignments/{GRANT[:-1]}6"
    assert refused_put(azure, twice, ROLES, body)[:2] == (409, "RoleAssignmentExists")
    delete(azure, grant, ROLES)
    assert azure.world["roleAssignments"] == []


# --- identities and file systems ---


def test_an_identity_is_made_used_and_gone(azure: Azure) -> None:
    sets = azure.compute.virtual_machine_scale_sets
    given = {"type": "UserAssigned", "userAssignedIdentities": {identity_id(): {}}}
    early = refusal(sets.begin_create_or_update, "rg", "train", a_scale_set(1, identity=given))
    made = put(azure, identity_id(), IDENTITY, {"location": "eastus"}).as_dict()
    azure.finish(sets.begin_create_or_update, "rg", "train", a_scale_set(1, identity=given))

    assert early[:2] == (400, "FailedIdentityOperation")
    shown: Any = sets.get("rg", "train").as_dict()["identity"]["userAssignedIdentities"]
    assert [each["principalId"] for each in shown.values()] == [made["properties"]["principalId"]]
    delete(azure, identity_id(), IDENTITY)
    absent = refusal(azure.resources.resources.get_by_id, identity_id(), api_version=IDENTITY)
    assert absent[:2] == (404, "ResourceNotFound")


def test_a_file_system_is_made_read_changed_and_deleted(azure: Azure) -> None:
    resources = azure.resources.resources
    started = azure.start(
        resources.begin_create_or_update_by_id, lustre_id(), api_version=LUSTRE, parameters=a_file_system()
    )
    creating = resources.get_by_id(lustre_id(), api_version=LUSTRE).as_dict()
    azure.wait(1200)
    made: Any = resources.get_by_id(lustre_id(), api_version=LUSTRE).as_dict()
    patch = {"tags": {"a": "b"}}
    azure.finish(resources.begin_update_by_id, lustre_id(), api_version=LUSTRE, parameters=patch)
    bigger = refused_put(azure, lustre_id(), LUSTRE, a_file_system(tib=32))
    held = refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes")
    delete(azure, lustre_id(), LUSTRE)

    assert (started.status, creating["properties"]["provisioningState"]) == (201, "Creating")
    assert made["properties"]["provisioningState"] == "Succeeded"
    assert made["properties"]["clientInfo"]["mgsAddress"] == "10.0.0.4"
    assert bigger[0] in (400, 409)
    assert held[1] == "InUseSubnetCannotBeDeleted"
    azure.finish(azure.network.subnets.begin_delete, "rg", "net", "nodes")
