"""Azure's refusals: status, code and wording, each in one place. Who refuses decides how the body is laid out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from provision.simulator.wire.messages import Json, Reply
from provision.simulator.wire.times import american


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


# --- the gateway ---


def _challenge(code: str, message: str, tenant: str, description: str = "") -> Refusal:
    challenge = (
        f'Bearer authorization_uri="https://login.windows.net/{tenant}", error="invalid_token", '
        f'error_description="{description or message}"'
    )
    return Refusal(401, code, message, headers={"WWW-Authenticate": challenge})


def no_token(tenant: str) -> Refusal:
    message = "Authentication failed. The 'Authorization' header is missing."
    description = "The authentication failed because of missing 'Authorization' header."
    return _challenge("AuthenticationFailed", message, tenant, description)


def bad_token(tenant: str) -> Refusal:
    return _challenge("InvalidAuthenticationToken", "The access token is invalid.", tenant)


def expired_token(tenant: str, expired: float, now: float) -> Refusal:
    message = (
        f"The access token expiry UTC time '{american(expired)}' is earlier than current UTC time '{american(now)}'."
    )
    return _challenge("ExpiredAuthenticationToken", message, tenant)


def too_many_requests(what: str, subscription: str, principal: str, wait: float) -> Refusal:
    seconds = math.ceil(wait)
    message = (
        f"Number of '{what}' requests for subscription '{subscription}' actor '{principal}' exceeded. Please try again "
        f"after '{seconds}' seconds after additional tokens are available. Refer to https://aka.ms/arm-throttling for "
        "additional information."
    )
    return Refusal(429, "SubscriptionRequestsThrottled", message, headers={"Retry-After": str(seconds)})


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


def no_job() -> Refusal:
    return Refusal(404, "NotFound", "The job could not be found: it never was, or it ended too long ago.")


def bad_skip_token(token: str) -> Refusal:
    return Refusal(400, "InvalidSkipToken", f"The skip token '{token}' is invalid.")


def wrong_method(method: str) -> Refusal:
    message = f"The requested resource does not support http method '{method}'."
    return Refusal(405, "MethodNotAllowed", message)


def bad_subscription(text: str) -> Refusal:
    message = f"The provided subscription identifier '{text}' is malformed or invalid."
    return Refusal(400, "InvalidSubscriptionId", message)


def no_subscription(text: str) -> Refusal:
    return Refusal(404, "SubscriptionNotFound", f"The subscription '{text}' could not be found.")


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


def group_deletion_blocked(name: str, held: Sequence[tuple[str, Json]], tracking: str) -> Json:
    """Return the error that a group's deletion ends with; what each member answered stands in a text, as JSON."""
    named = ",".join("/".join(resource_id.split("/providers/")[1].split("/")) for resource_id, _ in held)
    message = (
        f"Deletion of resource group '{name}' failed as resources with identifiers '{named}' could not be deleted. "
        f"The provisioning state of the resource group will be rolled back. The tracking Id is '{tracking}'. Please "
        "check audit logs for more details."
    )
    details = [
        {"code": None, "target": resource_id, "message": json.dumps({"error": error})} for resource_id, error in held
    ]
    return {"code": "ResourceGroupDeletionBlocked", "target": None, "message": message, "details": details}


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


def nested_resources(resource_id: str, children: Sequence[str]) -> Refusal:
    message = (
        f"Cannot delete resource '{resource_id}' while nested resources exist. "
        f"Some existing nested resource IDs include: '{', '.join(children)}'. Please delete all nested resources "
        "before deleting this resource."
    )
    return Refusal(409, "CannotDeleteResource", message)


def scope_locked(scope: str, action: str, locked: Sequence[str]) -> Refusal:
    message = (
        f"The scope '{scope}' cannot perform {action} operation because following scope(s) are locked: "
        f"'{', '.join(locked)}'. Please remove the lock and try again."
    )
    return Refusal(409, "ScopeLocked", message)


def no_identity(resource_id: str, identity: str) -> Refusal:
    """Return the gateway's refusal, which has the identity service's own answer inside its text."""
    inner = f'{{"error":{{"code":"BadRequest","message":"Resource \'{identity}\' was not found."}}}}'
    message = (
        f"Identity operation for resource '{resource_id}' failed with error 'Failed to perform resource identity "
        f"operation. Status: 'BadRequest'. Response: '{inner}'.'."
    )
    return Refusal(400, "FailedIdentityOperation", message)


def bad_identity_value(identity: str) -> Refusal:
    message = (
        f"Invalid value for the identities '{identity}'. The 'UserAssignedIdentities' property keys should only be "
        "empty json objects, null or the resource exisiting property."
    )
    return Refusal(400, "InvalidIdentityValues", message)


def resource_elsewhere(name: str, existing: str, group: str, asked: str) -> Refusal:
    message = (
        f"The resource '{name}' already exists in location '{existing}' in resource group '{group}'. "
        f"A resource with the same name cannot be created in location '{asked}'. Please select a new resource name."
    )
    return Refusal(409, "InvalidResourceLocation", message)


# --- Compute ---


def compute_child_missing() -> Refusal:
    return service(404, "NotFound", "The entity was not found in this Azure location.")


def missing_parameter(path: str) -> Refusal:
    return service(400, "InvalidParameter", f"Required parameter '{path}' is missing (null).", target=path)


def bad_parameter(path: str, message: str) -> Refusal:
    return service(400, "InvalidParameter", message, target=path)


def too_many_for_compute(details: Sequence[Json], wait: float) -> Refusal:
    message = "The server rejected the request because too many requests have been received for this subscription."
    headers = {"Retry-After": str(math.ceil(wait))}
    return Refusal(429, "OperationNotAllowed", message, details=details, gateway=False, headers=headers)


def unchangeable(path: str) -> Refusal:
    return service(409, "PropertyChangeNotAllowed", f"Changing property '{path}' is not allowed.", target=path)


def not_allowed(message: str, *, target: str | None = None) -> Refusal:
    return service(409, "OperationNotAllowed", message, target=target)


def no_gallery_image(image: str, location: str) -> Refusal:
    message = (
        f"The gallery image {image} is not available in {location} region. Please contact image owner to replicate to "
        "this region, or change your requested region."
    )
    return service(404, "GalleryImageNotFound", message, target="imageReference")


def handler_twice(name: str, handler: str) -> Refusal:
    message = (
        f"Multiple VMExtensions per handler not supported for OS type 'Linux'. VMExtension '{name}' with handler "
        f"'{handler}' already added or specified in input."
    )
    return service(400, "BadRequest", message)


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


def overconstrained(zone: str, constraints: Sequence[str]) -> Json:
    """Return the failure of a request that no hardware suits, with the constraints that are to be loosened."""
    applied = sorted([*constraints, "VM Size", *(["Availability Zone"] if zone else [])])
    lines = "".join(f"  - {each}\n" for each in applied)
    message = (
        "Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too "
        f"restrictive. Please remove some constraints and try again. Constraints applied are:\n{lines}"
    )
    return {"code": f"Overconstrained{'Zonal' if zone else ''}AllocationRequest", "message": message}


def os_timed_out(name: str) -> Json:
    message = (
        f"OS Provisioning for VM '{name}' did not finish in the allotted time. The VM may still finish provisioning "
        "successfully. Please check provisioning state later. For details on how to check current provisioning state "
        "of Windows VMs, refer to https://aka.ms/WindowsVMLifecycle and Linux VMs, refer to "
        "https://aka.ms/LinuxVMLifecycle."
    )
    return {"code": "OSProvisioningTimedOut", "message": message}


def extension_failed(extension: str) -> Json:
    message = (
        f"VM has reported a failure when processing extension '{extension}'. Error message: \"Enable failed: failed to "
        'execute command: command terminated with exit status=1". More information on troubleshooting is available at '
        "https://aka.ms/VMExtensionCSELinuxTroubleshoot"
    )
    return {"code": "VMExtensionProvisioningError", "message": message}


def preempted() -> Json:
    message = "Operation execution has been preempted by a more recent operation."
    return {"code": "OperationPreempted", "message": message}
