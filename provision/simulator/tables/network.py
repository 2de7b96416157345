"""The bodies of virtual networks, their subnets and their peerings."""

from __future__ import annotations

from provision.simulator.bodies.shapes import (
    READ_ONLY,
    REFERENCE,
    TAGS,
    Ignored,
    Needed,
    Object,
    Reference,
    Shape,
    Since,
    Whole,
)
from provision.simulator.tables.common import ENVELOPE, EXTENDED_LOCATION, TRACKED
from provision.simulator.tables.network_parts import SECURITY_GROUP_REFERENCE, among, named, part

_CHILD: dict[str, Shape] = {**ENVELOPE, "location": Ignored(str), "tags": Ignored(TAGS)}
"""A child takes its place from its parent; templates often state one all the same."""

_COMMUNITIES = Object("BgpCommunities", virtualNetworkCommunity=Needed(str), regionalCommunity=READ_ONLY)
_POOL = Object(
    "IpamPoolPrefixAllocation",
    pool=Object("IpamPool", id=str),
    numberOfIpAddresses=str,
    allocatedAddressPrefixes=READ_ONLY,
)
ADDRESS_SPACE = Object("AddressSpace", addressPrefixes=[str], ipamPoolPrefixAllocations=[_POOL])

# --- subnets ---

_ROUTE = named(
    "Route",
    addressPrefix=str,
    nextHopType=Needed(
        among("NextHopType", "VirtualNetworkGateway", "VnetLocal", "Internet", "VirtualAppliance", "None")
    ),
    nextHopIpAddress=str,
    hasBgpOverride=READ_ONLY,
)
_ROUTE_TABLE = part(
    "RouteTable", routes=[_ROUTE], subnets=READ_ONLY, disableBgpRoutePropagation=bool, resourceGuid=READ_ONLY
)
_ENDPOINT_POLICY = part(
    "ServiceEndpointPolicy",
    serviceEndpointPolicyDefinitions=[
        named("ServiceEndpointPolicyDefinition", description=str, service=str, serviceResources=[str])
    ],
    subnets=READ_ONLY,
    resourceGuid=READ_ONLY,
    serviceAlias=str,
    contextualServiceEndpointPolicies=[str],
).having(kind=READ_ONLY)

_SUBNET_PROPERTIES = Object(
    "SubnetProperties",
    addressPrefix=str,
    addressPrefixes=[str],
    networkSecurityGroup=SECURITY_GROUP_REFERENCE,
    routeTable=Reference("routeTables", _ROUTE_TABLE),
    natGateway=Reference("natGateways"),
    serviceEndpoints=[
        Object(
            "ServiceEndpointProperties",
            service=str,
            networkIdentifier=REFERENCE,
            locations=[str],
            provisioningState=READ_ONLY,
        )
    ],
    serviceEndpointPolicies=[Reference("serviceEndpointPolicies", _ENDPOINT_POLICY)],
    delegations=[
        Object(
            "Delegation",
            id=Ignored(str),
            type=Ignored(str),
            etag=READ_ONLY,
            name=Needed(str),
            properties=Object(
                "ServiceDelegationProperties", serviceName=str, actions=READ_ONLY, provisioningState=READ_ONLY
            ),
        )
    ],
    ipAllocations=[REFERENCE],
    privateEndpointNetworkPolicies=among(
        "NetworkPolicies", "Enabled", "Disabled", "NetworkSecurityGroupEnabled", "RouteTableEnabled"
    ),
    privateLinkServiceNetworkPolicies=among("PrivateLinkServiceNetworkPolicies", "Enabled", "Disabled"),
    applicationGatewayIPConfigurations=[named("ApplicationGatewayIPConfiguration", subnet=REFERENCE)],
    sharingScope=among("SharingScope", "Tenant", "DelegatedServices"),
    defaultOutboundAccess=Since("2023-05-01", bool),
    ipamPoolPrefixAllocations=[_POOL],
    serviceGateway=REFERENCE,
    privateEndpoints=READ_ONLY,
    ipConfigurations=READ_ONLY,
    ipConfigurationProfiles=READ_ONLY,
    resourceNavigationLinks=READ_ONLY,
    serviceAssociationLinks=READ_ONLY,
    purpose=READ_ONLY,
    provisioningState=READ_ONLY,
)
_INLINE: dict[str, Shape] = {"id": Ignored(str), "type": READ_ONLY, "etag": READ_ONLY, "name": Needed(str)}

SUBNET = Object("Subnet", **_INLINE, properties=_SUBNET_PROPERTIES)
SUBNET_RESOURCE = Object("Subnet", **_CHILD, properties=_SUBNET_PROPERTIES)

# --- peerings ---

_PEERING_PROPERTIES = Object(
    "VirtualNetworkPeeringProperties",
    allowVirtualNetworkAccess=bool,
    allowForwardedTraffic=bool,
    allowGatewayTransit=bool,
    useRemoteGateways=bool,
    doNotVerifyRemoteGateways=bool,
    peerCompleteVnets=bool,
    enableOnlyIPv6Peering=bool,
    localSubnetNames=[str],
    remoteSubnetNames=[str],
    remoteVirtualNetwork=Needed(Reference("virtualNetworks")),
    remoteAddressSpace=ADDRESS_SPACE,
    remoteVirtualNetworkAddressSpace=Ignored(ADDRESS_SPACE),
    localAddressSpace=Ignored(ADDRESS_SPACE),
    localVirtualNetworkAddressSpace=Ignored(ADDRESS_SPACE),
    remoteBgpCommunities=Ignored(_COMMUNITIES),
    peeringState=Ignored(among("PeeringState", "Initiated", "Connected", "Disconnected")),
    peeringSyncLevel=Ignored(
        among("PeeringSyncLevel", "FullyInSync", "RemoteNotInSync", "LocalNotInSync", "LocalAndRemoteNotInSync")
    ),
    remoteVirtualNetworkEncryption=READ_ONLY,
    resourceGuid=READ_ONLY,
    provisioningState=READ_ONLY,
)

PEERING = Object("VirtualNetworkPeering", **_INLINE, properties=Needed(_PEERING_PROPERTIES))
PEERING_RESOURCE = Object("VirtualNetworkPeering", **_CHILD, properties=Needed(_PEERING_PROPERTIES))

# --- virtual networks ---

VIRTUAL_NETWORK = Object(
    "VirtualNetwork",
    **TRACKED,
    extendedLocation=EXTENDED_LOCATION,
    properties=Object(
        "VirtualNetworkProperties",
        addressSpace=ADDRESS_SPACE,
        dhcpOptions=Object("DhcpOptions", dnsServers=[str]),
        flowTimeoutInMinutes=Whole(4, 30),
        subnets=[SUBNET],
        virtualNetworkPeerings=[PEERING],
        enableDdosProtection=bool,
        enableVmProtection=bool,
        ddosProtectionPlan=Reference("ddosProtectionPlans"),
        bgpCommunities=_COMMUNITIES,
        encryption=Object(
            "VirtualNetworkEncryption",
            enabled=Needed(bool),
            enforcement=among("VirtualNetworkEncryptionEnforcement", "DropUnencrypted", "AllowUnencrypted"),
        ),
        ipAllocations=[REFERENCE],
        privateEndpointVNetPolicies=among("PrivateEndpointVNetPolicies", "Disabled", "Basic"),
        flowLogs=READ_ONLY,
        defaultPublicNatGateway=READ_ONLY,
        resourceGuid=READ_ONLY,
        provisioningState=READ_ONLY,
    ),
)
