"""What each resource type of the simulated Azure takes, property by property: the simulator's own tables.

Facts of Azure's published REST specifications at the api-versions that `provision` speaks (read 2026-11-30), and what
the services refuse although the specifications leave it open. A test compares them with Microsoft's type data.
"""

from __future__ import annotations

from provision.simulator.bodies.shapes import Object
from provision.simulator.tables import (
    arm,
    compute,
    compute_commands,
    compute_placement,
    compute_profile,
    network,
    network_parts,
    storage,
)

RESOURCES: dict[str, Object] = {
    "microsoft.compute/virtualmachinescalesets": compute.SCALE_SET,
    "microsoft.compute/virtualmachinescalesets/virtualmachines/runcommands": compute_commands.RUN_COMMAND,
    "microsoft.compute/virtualmachinescalesets/extensions": compute_profile.EXTENSION_RESOURCE,
    "microsoft.compute/proximityplacementgroups": compute_placement.PROXIMITY_GROUP,
    "microsoft.compute/capacityreservationgroups": compute_placement.RESERVATION_GROUP,
    "microsoft.compute/capacityreservationgroups/capacityreservations": compute_placement.RESERVATION,
    "microsoft.network/bastionhosts": network_parts.BASTION,
    "microsoft.network/natgateways": network_parts.NAT_GATEWAY,
    "microsoft.network/networksecuritygroups": network_parts.SECURITY_GROUP,
    "microsoft.network/networksecuritygroups/securityrules": network_parts.SECURITY_RULE_RESOURCE,
    "microsoft.network/publicipaddresses": network_parts.PUBLIC_ADDRESS,
    "microsoft.network/virtualnetworks": network.VIRTUAL_NETWORK,
    "microsoft.network/virtualnetworks/subnets": network.SUBNET_RESOURCE,
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": network.PEERING_RESOURCE,
    "microsoft.storagecache/amlfilesystems": storage.FILE_SYSTEM,
    "microsoft.managedidentity/userassignedidentities": storage.IDENTITY,
    "microsoft.resources/resourcegroups": arm.GROUP,
    "microsoft.resources/deployments": arm.DEPLOYMENT,
    "microsoft.resources/deploymentstacks": arm.STACK,
    "microsoft.resources/tags": arm.TAGS_RESOURCE,
    "microsoft.authorization/locks": arm.LOCK,
    "microsoft.authorization/roleassignments": arm.ROLE_ASSIGNMENT,
}
"""By resource type, in lower case: the body of a PUT."""
