"""Network's refusals: code and wording, each in one place."""

from __future__ import annotations

from collections.abc import Iterable

from provision.simulator.refusals.errors import Refusal


def network(status: int, code: str, message: str) -> Refusal:
    """Return a refusal by Network, which always carries an empty list of details."""
    return Refusal(status, code, message, details=[], gateway=False)


def network_child_missing(resource_id: str) -> Refusal:
    return network(404, "NotFound", f"Resource {resource_id} not found.")


def bad_reference(target: str, source: str) -> Refusal:
    message = (
        f"Resource {target} referenced by resource {source} was not found. Please make sure that the referenced "
        "resource exists, and that both resources are in the same region."
    )
    return network(400, "InvalidResourceReference", message)


def reference_not_ready(target: str, source: str, state: str, doing: str = "") -> Refusal:
    last = f" and the last operation that updated/is updating the resource is {doing}" if doing else ""
    message = (
        f"Cannot proceed with operation because resource {target} used by resource {source} is not in Succeeded "
        f"state. Resource is in {state} state{last}."
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


def subnet_of_a_service(name: str, service: str) -> Refusal:
    """Of AzureBastionSubnet as a user met it (Azure/ato-toolkit#26); of the others inferred after it."""
    message = f"Subnet with name '{name}' can be used only for the {service} resource."
    return network(400, name, message)


def prefix_in_use(prefix: str, subnet: str) -> Refusal:
    message = f"IpPrefix {prefix} on Subnet {subnet} has active allocations and cannot be deleted."
    return network(400, "InUsePrefixCannotBeDeleted", message)


def no_more(what: str, words: str, most: int) -> Refusal:
    """The code and text that public addresses are known by; of networks and security groups inferred after them."""
    message = f"Cannot create more than {most} {words} for this subscription in this region."
    return network(400, f"{what}CountLimitReached", message)


def no_subnet_has(address: str, vnet: str) -> Refusal:
    """The code is Azure's, its text is not known."""
    message = f"Private IP address {address} is in none of the subnets of virtual network {vnet}."
    return network(400, "PrivateIPAddressNotInAnySubnet", message)


def no_address(text: str) -> Refusal:
    message = f"The value '{text}' of parameter 'ipAddress' is not an IPv4 address."
    return network(400, "InvalidIPAddress", message)


def delegation_in_use(subnet: str, was: list[str], becomes: list[str], by: str) -> Refusal:
    """Return the refusal of another delegation: MicrosoftDocs/azure-docs#39112."""
    message = (
        f"Delegations of subnet {subnet} cannot be changed from [{', '.join(was)}] to [{', '.join(becomes)}] because "
        f"it is being used by the resource {by}."
    )
    return network(400, "SubnetDelegationsCannotChangeWhenSubnetUsedByResource", message)


def too_many(vnet: str, what: str, most: int) -> Refusal:
    message = f"Virtual network {vnet} cannot have more than {most} {what}."
    return network(400, f"Max{what[:1].upper()}{what[1:]}PerVirtualNetworkReached", message)


def no_group_allowed(group: str, subnet: str) -> Refusal:
    """Of GatewaySubnet as a user met it (Azure-Terraform/terraform-azurerm-virtual-network#18); else inferred."""
    name = group.rpartition("/")[2]
    message = (
        f"The operation failed because the network security group {name} can not be associated to the {subnet}. "
        f"Please remove the network security group associated to the {subnet}. No changes have occurred on the "
        f"gateway at this time. See here for additional details: https://aka.ms/{subnet}."
    )
    return network(400, f"NetworkSecurityGroupCannotBeAttachedTo{subnet}", message)


def no_route_table_allowed(subnet: str) -> Refusal:
    return network(400, "RouteTableCannotBeAttachedForAzureBastionSubnet", f"Subnet {subnet} takes no route table.")


def fixed_property(resource_id: str, name: str) -> Refusal:
    message = f"Property {name} of resource {resource_id} is set at creation time and cannot be changed."
    return network(400, "PropertyCannotBeChangedOnUpdate", message)


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


def gateway_elsewhere(gateway: str, used_on: str, vnet: str) -> Refusal:
    """As a user met it: microsoft/azure_arc#3288."""
    message = (
        f"NAT Gateway cannot be configured on multiple virtual networks. NAT Gateway {gateway} is currently used on "
        f"virtual network {used_on} and cannot be added to virtual network {vnet}."
    )
    return network(400, "NatGatewayCannotBeUsedBySubnetsBelongingToDifferentVirtualNetworks", message)


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


# --- peerings ---


def remote_peering_disconnected(peering: str, remote: str, parent: str) -> Refusal:
    message = (
        f"Cannot create or update peering {peering} because remote peering {remote} referencing parent virtual "
        f"network {parent} is in Disconnected state. Update or re-create the remote peering to get it back to "
        "Initiated state. Peering gets Disconnected when remote vnet or remote peering is deleted and re-created."
    )
    return network(400, "RemotePeeringIsDisconnected", message)


def spaces_overlap(peering: str, here: str, there: str, prefixes: Iterable[str]) -> Refusal:
    message = (
        f"Cannot create or update peering {peering}. Virtual networks {here} and {there} cannot be peered because "
        f"their address spaces overlap. Overlapping address prefixes: {', '.join(prefixes)}"
    )
    return network(400, "VnetAddressSpacesOverlap", message)


def space_overlaps_a_peers(peering: str, first: str, second: str, other: str, prefixes: Iterable[str]) -> Refusal:
    message = (
        f"Cannot create or update peering {peering}. Virtual networks {first} and {second} cannot be peered because "
        f"address space of the first virtual network overlaps with address space of virtual network {other} already "
        f"peered with the second virtual network. Overlapping address prefixes: {', '.join(prefixes)}. "
        "For more information please refer to https://aka.ms/VnetPeeringInfo"
    )
    return network(400, "VnetAddressSpaceOverlapsWithAlreadyPeeredVnet", message)


def peered_already(peering: str, other: str, remote: str) -> Refusal:
    message = (
        f"Peering {other} already references remote virtual network {remote}. "
        f"Cannot add another peering {peering} referencing the same remote virtual network."
    )
    return network(400, "AnotherPeeringAlreadyReferencesRemoteVnet", message)


def remote_changed(peering: str, remote: str) -> Refusal:
    message = f"Changing remote virtual network of peering {peering} is not allowed: it is {remote}."
    return network(400, "ChangingRemoteVirtualNetworkNotAllowed", message)


def no_remote_gateway(peering: str, remote: str) -> Refusal:
    message = (
        f"Peering {peering} cannot have UseRemoteGateways flag set to true because remote virtual network {remote} "
        "referenced by the peering does not have any gateways."
    )
    return network(400, "RemoteVnetHasNoGateways", message)


# --- Bastion ---


def bastion_subnet_name(subnet: str) -> Refusal:
    message = (
        f"Subnet name {subnet} is invalid for Azure Bastion. "
        "Azure Bastion can only be created in subnet with name 'AzureBastionSubnet'."
    )
    return network(400, "SubnetNameMustBeAzureBastionSubnet", message)


def bastion_lacks(host: str, what: str) -> Refusal:
    return network(400, "BastionHostConfigurationIncomplete", f"Bastion host {host} must have {what}.")


def bastion_lowered(host: str, was: str, becomes: str) -> Refusal:
    message = f"The SKU of Bastion host {host} cannot be lowered from {was} to {becomes}."
    return network(400, "BastionHostSkuDowngradeNotSupported", message)


def bastion_needs(host: str, switch: str, needed: str, sku: str) -> Refusal:
    message = f"{switch} of Bastion host {host} needs SKU {needed} or higher, and the host has {sku}."
    return network(400, "BastionHostSkuDoesNotSupportFeature", message)


def bastion_twice(host: str, other: str, subnet: str) -> Refusal:
    message = f"Bastion host {host} cannot be created in subnet {subnet}: Bastion host {other} is there already."
    return network(400, "BastionHostAlreadyExistsInVirtualNetwork", message)


def group_keeps_bastion_off(group: str, subnet: str) -> Refusal:
    message = f"Network security group {group} does not have necessary rules for Azure Bastion Subnet {subnet}."
    return network(400, "NetworkSecurityGroupNotCompliantForAzureBastionSubnet", message)


def bastion_subnet_small(subnet: str, prefix: str) -> Refusal:
    message = f"Subnet {subnet} with address prefix {prefix} is too small for a Bastion host: it must be /26 or larger."
    return network(400, "BastionHostSubnetTooSmall", message)


def bastion_address(address: str) -> Refusal:
    message = (
        f"Public IP address {address} of a Bastion host must have Standard sku and AllocationMethod set to Static."
    )
    return network(400, "BastionHostPublicIpAddressInvalid", message)


def address_taken(resource: str, address: str, by: str) -> Refusal:
    message = (
        f"Resource {resource} is referencing public IP address {address} that is already allocated to resource {by}."
    )
    return network(400, "PublicIPAddressInUse", message)
