"""The bodies of security groups and their rules, public addresses, NAT gateways and Bastion hosts."""

from __future__ import annotations

from provision.simulator.bodies.shapes import (
    READ_ONLY,
    REFERENCE,
    TAGS,
    Demanded,
    Fixed,
    Ignored,
    Needed,
    Object,
    OneOf,
    Reference,
    Shape,
    Text,
    Whole,
)
from provision.simulator.tables.common import DELETE_OPTION, ENVELOPE, EXTENDED_LOCATION, TRACKED

_CONTRACTS = "Microsoft.WindowsAzure.Networking.Nrp.Frontend.Contract.Csm.Public"


def among(name: str, *values: str) -> OneOf:
    """Return a closed set under the full name that Network's messages give to it."""
    return OneOf(*values, name=f"{_CONTRACTS}.{name}")


def named(name: str, /, **properties: Shape) -> Object:
    """Return an entry of a list that Network treats as a resource: with a name, an id, an etag and properties."""
    inner = Object(f"{name}Properties", provisioningState=READ_ONLY, **properties)
    return Object(name, id=Ignored(str), type=READ_ONLY, etag=READ_ONLY, name=Needed(str), properties=inner)


def part(name: str, /, **properties: Shape) -> Object:
    """Return what a reference may hold of the resource that it refers to; none of it means anything."""
    inner = Object(f"{name}Properties", provisioningState=READ_ONLY, **properties)
    return Object(name, name=READ_ONLY, type=READ_ONLY, etag=READ_ONLY, location=str, tags=TAGS, properties=inner)


# --- security groups ---

_APPLICATION_GROUP = Reference("applicationSecurityGroups", part("ApplicationSecurityGroup", resourceGuid=READ_ONLY))
_RULE_PROPERTIES = Object(
    "SecurityRuleProperties",
    description=Text(longest=140),
    protocol=Demanded(among("SecurityRuleProtocol", "Tcp", "Udp", "Icmp", "Esp", "*", "Ah")),
    access=Demanded(among("SecurityRuleAccess", "Allow", "Deny")),
    priority=Demanded(int),
    direction=Demanded(among("SecurityRuleDirection", "Inbound", "Outbound")),
    sourcePortRange=str,
    sourcePortRanges=[str],
    destinationPortRange=str,
    destinationPortRanges=[str],
    sourceAddressPrefix=str,
    sourceAddressPrefixes=[str],
    sourceApplicationSecurityGroups=[_APPLICATION_GROUP],
    destinationAddressPrefix=str,
    destinationAddressPrefixes=[str],
    destinationApplicationSecurityGroups=[_APPLICATION_GROUP],
    provisioningState=READ_ONLY,
)
_RULE = Object(
    "SecurityRule",
    id=Ignored(str),
    type=READ_ONLY,
    etag=READ_ONLY,
    name=Needed(str),
    properties=Needed(_RULE_PROPERTIES),
)
_GROUP_PROPERTIES = Object(
    "NetworkSecurityGroupProperties",
    flushConnection=bool,
    securityRules=[_RULE],
    defaultSecurityRules=READ_ONLY,
    networkInterfaces=READ_ONLY,
    subnets=READ_ONLY,
    flowLogs=READ_ONLY,
    resourceGuid=READ_ONLY,
    provisioningState=READ_ONLY,
)
SECURITY_GROUP = Object("NetworkSecurityGroup", **TRACKED, properties=_GROUP_PROPERTIES)
SECURITY_RULE_RESOURCE = Object("SecurityRule", **ENVELOPE, properties=Needed(_RULE_PROPERTIES))
SECURITY_GROUP_REFERENCE = Reference(
    "networkSecurityGroups", part("NetworkSecurityGroup").having(properties=_GROUP_PROPERTIES)
)

# --- NAT gateways ---

_NAT_PROPERTIES = Object(
    "NatGatewayProperties",
    idleTimeoutInMinutes=Whole(4, 120),
    publicIpAddresses=[Reference("publicIPAddresses")],
    publicIpAddressesV6=[Reference("publicIPAddresses")],
    publicIpPrefixes=[Reference("publicIPPrefixes")],
    publicIpPrefixesV6=[Reference("publicIPPrefixes")],
    sourceVirtualNetwork=Reference("virtualNetworks"),
    serviceGateway=REFERENCE,
    subnets=READ_ONLY,
    resourceGuid=READ_ONLY,
    provisioningState=READ_ONLY,
)
_NAT_SKU = Object("NatGatewaySku", name=among("NatGatewaySkuName", "Standard", "StandardV2"))
NAT_GATEWAY = Object("NatGateway", **TRACKED, sku=_NAT_SKU, zones=[str], properties=_NAT_PROPERTIES)

# --- public addresses ---

_ADDRESS_SKU = Object(
    "PublicIPAddressSku",
    name=among("PublicIPAddressSkuName", "Basic", "Standard", "StandardV2"),
    tier=among("PublicIPAddressSkuTier", "Regional", "Global"),
)
_ADDRESS_PROPERTIES = Object(
    "PublicIPAddressProperties",
    publicIPAllocationMethod=among("IpAllocationMethod", "Static", "Dynamic"),
    publicIPAddressVersion=Fixed(among("IpVersion", "IPv4", "IPv6")),
    dnsSettings=Object(
        "PublicIPAddressDnsSettings",
        domainNameLabel=str,
        domainNameLabelScope=among(
            "DomainNameLabelScope", "TenantReuse", "SubscriptionReuse", "ResourceGroupReuse", "NoReuse"
        ),
        fqdn=Ignored(str),
        reverseFqdn=str,
    ),
    ddosSettings=Object(
        "DdosSettings",
        protectionMode=among("DdosProtectionMode", "VirtualNetworkInherited", "Enabled", "Disabled"),
        ddosProtectionPlan=Reference("ddosProtectionPlans"),
    ),
    ipTags=Fixed([Object("IpTag", ipTagType=str, tag=str)]),
    ipAddress=Ignored(str),
    publicIPPrefix=Fixed(Reference("publicIPPrefixes")),
    idleTimeoutInMinutes=Whole(4, 30),
    migrationPhase=among("MigrationPhase", "None", "Prepare", "Commit", "Abort", "Committed"),
    deleteOption=DELETE_OPTION,
    ipConfiguration=READ_ONLY,
    resourceGuid=READ_ONLY,
    provisioningState=READ_ONLY,
)
_ADDRESS_PART = Object(
    "PublicIPAddress",
    **{key: each for key, each in TRACKED.items() if key not in ("id", "apiVersion", "systemData", "location")},
    location=str,
    sku=_ADDRESS_SKU,
    zones=[str],
    extendedLocation=EXTENDED_LOCATION,
    properties=_ADDRESS_PROPERTIES,
)
_NAT_PART = part("NatGateway").having(sku=_NAT_SKU, zones=[str], properties=_NAT_PROPERTIES)
# An address may hold whole addresses that hold addresses, so the shape gets hold of itself here.
_ADDRESS_PROPERTIES.add(
    servicePublicIPAddress=Reference("publicIPAddresses", _ADDRESS_PART, needed=False),
    linkedPublicIPAddress=Reference("publicIPAddresses", _ADDRESS_PART, needed=False),
    natGateway=Ignored(Reference("natGateways", _NAT_PART, needed=False)),
)
PUBLIC_ADDRESS = Object(
    "PublicIPAddress",
    **TRACKED,
    sku=_ADDRESS_SKU,
    zones=[str],
    extendedLocation=EXTENDED_LOCATION,
    properties=_ADDRESS_PROPERTIES,
)

# --- Bastion ---

BASTION = Object(
    "BastionHost",
    **TRACKED,
    sku=Object("Sku", name=among("BastionHostSkuName", "Basic", "Standard", "Developer", "Premium")),
    zones=[str],
    properties=Object(
        "BastionHostProperties",
        ipConfigurations=[
            Object(
                "BastionHostIPConfiguration",
                id=Ignored(str),
                type=READ_ONLY,
                etag=READ_ONLY,
                name=Needed(str),
                properties=Needed(
                    Object(
                        "BastionHostIPConfigurationProperties",
                        subnet=Needed(Reference("virtualNetworks/subnets")),
                        publicIPAddress=Reference("publicIPAddresses"),
                        privateIPAllocationMethod=among("IpAllocationMethod", "Static", "Dynamic"),
                        provisioningState=READ_ONLY,
                    )
                ),
            )
        ],
        dnsName=Ignored(str),
        virtualNetwork=Reference("virtualNetworks"),
        networkAcls=Object("BastionHostNetworkAcls", ipRules=[Object("IPRule", addressPrefix=str)]),
        scaleUnits=Whole(2, 50),
        disableCopyPaste=bool,
        enableFileCopy=bool,
        enableIpConnect=bool,
        enableShareableLink=bool,
        enableTunneling=bool,
        enableKerberos=bool,
        enableSessionRecording=bool,
        enablePrivateOnlyBastion=bool,
        provisioningState=READ_ONLY,
    ),
)
