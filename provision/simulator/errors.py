"""Azure's refusals: status, code and wording, each in one place. Who refuses decides how the body is laid out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from provision.simulator.messages import Json, Reply


class Refusal(Exception):  # noqa: N818 - it is an answer of Azure, not an error of ours
    """A request that is refused, with ARM's envelope."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        target: str | None = None,
        details: Sequence[Json] | None = None,
        info: Sequence[Json] | None = None,
        gateway: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.gateway = gateway
        self.headers = dict(headers or {})
        self.error: Json = {"code": code, "message": message}
        if target is not None:
            self.error["target"] = target
        if details is not None:
            self.error["details"] = list(details)
        if info is not None:
            self.error["additionalInfo"] = list(info)

    @property
    def code(self) -> str:
        return str(self.error["code"])

    def reply(self) -> Reply:
        cause = {"x-ms-failure-cause": "gateway"} if self.gateway else {}
        return Reply(self.status, {"error": self.error}, {**cause, **self.headers}, indented=not self.gateway)


def service(status: int, code: str, message: str, *, target: str | None = None) -> Refusal:
    """Return a refusal by Compute or Stacks: indented, not marked as the gateway's."""
    return Refusal(status, code, message, target=target, gateway=False)


def network(status: int, code: str, message: str) -> Refusal:
    """Return a refusal by Network, which always carries an empty list of details."""
    return Refusal(status, code, message, details=[], gateway=False)


# --- the gateway ---


def no_token() -> Refusal:
    message = "Authentication failed. The 'Authorization' header is missing."
    challenge = (
        'Bearer authorization_uri="https://login.windows.net/", error="invalid_token", '
        "error_description=\"The authentication failed because of missing 'Authorization' header.\""
    )
    return Refusal(401, "AuthenticationFailed", message, headers={"WWW-Authenticate": challenge})


def no_api_version() -> Refusal:
    message = "The api-version query parameter (?api-version=) is required for all requests."
    return Refusal(400, "MissingApiVersionParameter", message)


def bad_api_version(version: str, known: Sequence[str]) -> Refusal:
    message = f"The api-version '{version}' is invalid. The supported versions are '{','.join(known)}'."
    return Refusal(400, "InvalidApiVersionParameter", message)


def unregistered_version(type_: str, version: str, known: Sequence[str], locations: Sequence[str]) -> Refusal:
    name = type_.partition("/")[2]
    message = (
        f"No registered resource provider found for location '{locations[0]}' and API version '{version}' for type "
        f"'{name}'. The supported api-versions are '{', '.join(known)}'. "
        f"The supported locations are '{', '.join(locations)}'."
    )
    return Refusal(400, "NoRegisteredProviderFound", message)


def unknown_type(namespace: str, version: str) -> Refusal:
    message = f"The resource type could not be found in the namespace '{namespace}' for api version '{version}'."
    return Refusal(404, "InvalidResourceType", message)


def unknown_namespace(namespace: str) -> Refusal:
    return Refusal(404, "InvalidResourceNamespace", f"The resource namespace '{namespace}' is invalid.")


def no_route(url: str) -> Refusal:
    return Refusal(404, "NotFound", f"No HTTP resource was found that matches the request URI '{url}'.")


def wrong_method(method: str) -> Refusal:
    message = f"The requested resource does not support http method '{method}'."
    return Refusal(405, "MethodNotAllowed", message)


def bad_subscription(text: str) -> Refusal:
    message = f"The provided subscription identifier '{text}' is malformed or invalid."
    return Refusal(400, "InvalidSubscriptionId", message)


def bad_content(message: str) -> Refusal:
    return Refusal(
        400,
        "InvalidRequestContent",
        f"The request content was invalid and could not be deserialized: '{message}'.",
    )


def unknown_member(name: str, type_: str) -> Refusal:
    return bad_content(f"Could not find member '{name}' on object of type '{type_}'. Path '{name}'")


def no_location() -> Refusal:
    return Refusal(400, "LocationRequired", "The location property is required for this definition.")


def unknown_location(location: str, type_: str, known: Sequence[str]) -> Refusal:
    code = (
        "LocationNotAvailableForResourceGroup" if type_ == "resourceGroups" else "LocationNotAvailableForResourceType"
    )
    what = "resource group" if type_ == "resourceGroups" else f"resource type '{type_}'"
    message = (
        f"The provided location '{location}' is not available for {what}. "
        f"List of available regions is '{','.join(known)}'."
    )
    return Refusal(400, code, message)


def no_group(name: str) -> Refusal:
    return Refusal(404, "ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


def group_elsewhere(name: str, existing: str, asked: str) -> Refusal:
    message = f"Invalid resource group location '{asked}'. The Resource group already exists in location '{existing}'."
    return Refusal(409, "InvalidResourceGroupLocation", message, target=name)


def group_going(name: str) -> Refusal:
    message = f"The resource group '{name}' is in deprovisioning state and cannot perform this operation."
    return Refusal(409, "ResourceGroupBeingDeleted", message)


def no_resource(type_: str, name: str, group: str) -> Refusal:
    message = (
        f"The Resource '{type_}/{name}' under resource group '{group}' was not found. "
        "For more details please go to https://aka.ms/ARMResourceNotFoundFix"
    )
    return Refusal(404, "ResourceNotFound", message)


def no_parent(type_: str, parent: str) -> Refusal:
    message = (
        f"Failed to perform 'write' on resource(s) of type '{type_}', "
        f"because the parent resource '{parent}' could not be found."
    )
    return Refusal(404, "ParentResourceNotFound", message)


def resource_elsewhere(name: str, existing: str, group: str, asked: str) -> Refusal:
    message = (
        f"The resource '{name}' already exists in location '{existing}' in resource group '{group}'. "
        f"A resource with the same name cannot be created in location '{asked}'. Please select a new resource name."
    )
    return Refusal(409, "InvalidResourceLocation", message)


# --- Network ---


def network_child_missing(resource_id: str) -> Refusal:
    return network(404, "NotFound", f"Resource {resource_id} not found.")


def bad_reference(target: str, source: str) -> Refusal:
    message = (
        f"Resource {target} referenced by resource {source} was not found. Please make sure that the referenced "
        "resource exists, and that both resources are in the same region."
    )
    return network(400, "InvalidResourceReference", message)


def reference_not_ready(target: str, source: str, state: str) -> Refusal:
    message = (
        f"Cannot proceed with operation because resource {target} used by resource {source} is not in Succeeded "
        f"state. Resource is in {state} state."
    )
    return network(400, "ReferencedResourceNotProvisioned", message)


def another_operation(url: str) -> Refusal:
    message = (
        "Another operation on this or dependent resource is in progress. "
        f"To retrieve status of the operation use uri: {url}."
    )
    return network(409, "AnotherOperationInProgress", message)


def subnet_in_use(name: str, by: str) -> Refusal:
    message = (
        f"Subnet {name} is in use by {by} and cannot be deleted. In order to delete the subnet, delete all the "
        "resources within the subnet. See aka.ms/deletesubnet."
    )
    return network(400, "InUseSubnetCannotBeDeleted", message)


def subnet_in_use_for_change(name: str) -> Refusal:
    return network(400, "InUseSubnetCannotBeUpdated", f"Subnet {name} is in use and cannot be updated.")


def security_group_in_use(resource_id: str, by: Iterable[str]) -> Refusal:
    message = (
        f"Network security group {resource_id} cannot be deleted because it is in use by the following resources: "
        f"{', '.join(by)}. In order to delete the Network security group, remove the association with the "
        "resource(s). To learn how to do this, see aka.ms/deletensg."
    )
    return network(400, "InUseNetworkSecurityGroupCannotBeDeleted", message)


def address_in_use(resource_id: str, by: str) -> Refusal:
    message = (
        f"Public IP address {resource_id} can not be deleted since it is still allocated to resource {by}. "
        "In order to delete the public IP, disassociate/detach the Public IP address from the resource. "
        "To learn how to do this, see aka.ms/deletepublicip."
    )
    return network(400, "PublicIPAddressCannotBeDeleted", message)


def gateway_in_use(resource_id: str, subnets: int) -> Refusal:
    message = (
        f"NAT Gateway {resource_id} is still configured on {subnets} subnets. "
        "Remove NAT Gateway from all referenced subnets and then delete NAT Gateway."
    )
    return network(400, "CannotDeleteNatGatewayAssociatedToSubnet", message)


def subnet_outside(subnet: str, vnet: str) -> Refusal:
    return network(400, "NetcfgInvalidSubnet", f"Subnet '{subnet}' is not valid in virtual network '{vnet}'.")


def subnet_overlaps(subnet: str, vnet: str) -> Refusal:
    message = (
        f"Subnet '{subnet}' is not valid because its IP address range overlaps with that of an existing subnet "
        f"in virtual network '{vnet}'."
    )
    return network(400, "NetcfgSubnetRangesOverlap", message)


def subnet_full(subnet: str, prefix: str, wanted: int) -> Refusal:
    message = f"Subnet {subnet} with address prefix {prefix} does not have enough capacity for {wanted} IP addresses."
    return network(400, "SubnetIsFull", message)


# --- Compute ---


def compute_child_missing() -> Refusal:
    return service(404, "NotFound", "The entity was not found in this Azure location.")


def missing_parameter(path: str) -> Refusal:
    return service(400, "InvalidParameter", f"Required parameter '{path}' is missing (null).", target=path)


def bad_parameter(path: str, message: str) -> Refusal:
    return service(400, "InvalidParameter", message, target=path)


def unchangeable(path: str) -> Refusal:
    return service(409, "PropertyChangeNotAllowed", f"Changing property '{path}' is not allowed.", target=path)


def not_allowed(message: str, *, target: str | None = None) -> Refusal:
    return service(409, "OperationNotAllowed", message, target=target)


def concurrent_request() -> Refusal:
    message = (
        "The request failed due to conflict with a concurrent request. To resolve it, please refer to "
        "https://aka.ms/activitylog to get more details on the conflicting requests."
    )
    return service(409, "Conflict", message)


def too_many_instances(name: str, limit: int) -> Refusal:
    return not_allowed(
        f"Unable to create or update VirtualMachineScaleSet '{name}' as it exceeds the total limit of "
        f"'{limit}' Virtual Machine instances."
    )


def quota_text(what: str, location: str, limit: int, usage: int, wanted: int) -> str:
    return (
        f"Operation could not be completed as it results in exceeding approved {what} quota. Additional details - "
        f"Deployment Model: Resource Manager, Location: {location}, Current Limit: {limit}, Current Usage: {usage}, "
        f"Additional Required: {wanted}, (Minimum) New Limit Required: {usage + wanted}. Setup Alerts when Quota "
        "reaches threshold. Learn more at https://aka.ms/quotamonitoringalerting . Submit a request for Quota "
        "increase at https://aka.ms/ProdportalCRP/#blade/Microsoft_Azure_Capacity/UsageAndQuota.ReactView/Parameters/ "
        "by specifying parameters listed in the 'Details' section for deployment to succeed. Please read more about "
        "quota limits at https://docs.microsoft.com/en-us/azure/azure-supportability/per-vm-quota-requests"
    )


def size_not_available(size: str, location: str) -> Refusal:
    message = (
        f"The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: {size}' is "
        f"currently not available in location '{location}'. Please try another size or deploy to a different "
        "location or different zone. See https://aka.ms/azureskunotavailable for details."
    )
    return service(409, "SkuNotAvailable", message, target="sku.name")


def allocation_failed(*, single_placement_group: bool) -> Json:
    if not single_placement_group:
        message = (
            "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. Read "
            "more about improving likelihood of allocation success at http://aka.ms/allocation-guidance"
        )
    else:
        message = (
            "Allocation failed. If you are trying to add a new VM to a Virtual Machine Scale Set with a single "
            "placement group or update/resize an existing VM in a Virtual Machine Scale Set with a single placement "
            "group, please note that such allocation is scoped to a single cluster, and it is possible that the "
            "cluster is out of capacity. Please read more about improving likelihood of allocation success at "
            "http://aka.ms/allocation-guidance."
        )
    return {"code": "AllocationFailed", "message": message}


def zonal_allocation_failed(size: str, zone: str) -> Json:
    message = (
        f"Allocation failed. We do not have sufficient capacity for the requested VM size {size} in zone {zone}. "
        "Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance"
    )
    return {"code": "ZonalAllocationFailed", "message": message}


def preempted() -> Json:
    message = "Operation execution has been preempted by a more recent operation."
    return {"code": "OperationPreempted", "message": message}


# --- deployments and stacks ---


def bad_template(text: str, *, path: str = "") -> Refusal:
    info: dict[str, Any] = {"lineNumber": 0, "linePosition": 0, "path": path}
    return Refusal(
        400,
        "InvalidTemplate",
        f"Deployment template validation failed: '{text}'.",
        info=[{"type": "TemplateViolation", "info": info}],
    )


def no_deployment(name: str) -> Refusal:
    return Refusal(404, "DeploymentNotFound", f"Deployment '{name}' could not be found.")


def deployment_active(resource_id: str) -> Refusal:
    message = (
        f"The deployment with resource id '{resource_id}' cannot be saved, because this would overwrite an existing "
        "deployment which is still active."
    )
    return Refusal(409, "DeploymentActive", message)


def deployment_over(name: str, state: str) -> Refusal:
    message = (
        f"The deployment '{name}' cannot be cancelled as its provisioning state is '{state}'. "
        "Only deployments in 'Accepted' or 'Running' states can be cancelled."
    )
    return Refusal(409, "DeploymentCannotBeCancelled", message)


def preflight_failed(name: str, tracking: str, details: Sequence[Json]) -> Refusal:
    message = (
        f"The template deployment '{name}' is not valid according to the validation procedure. "
        f"The tracking id is '{tracking}'. See inner errors for details."
    )
    return Refusal(400, "InvalidTemplateDeployment", message, details=details)


def no_stack(resource_id: str) -> Refusal:
    message = f"The deployment stack '{resource_id}' could not be found."
    return service(404, "DeploymentStackResourceNotFound", message)


def stack_busy(resource_id: str, state: str) -> Refusal:
    message = (
        f"The deployment stack '{resource_id}' could not be updated as it is currently in a non-terminal state "
        f"'{state}'."
    )
    return service(409, "DeploymentStackInNonTerminalState", message)
