"""What the network interfaces of a scale set's machines are made from: `networkProfile` of their profile."""

from __future__ import annotations

from provision.simulator.bodies.shapes import REFERENCE, TAGS, Needed, Object, OneOf, Since, Whole
from provision.simulator.tables.common import DELETE_OPTION

_IP_VERSION = OneOf("IPv4", "IPv6", name="IPVersion")


_PUBLIC_ADDRESS = Object(
    "PublicIPAddressConfiguration",
    name=Needed(str),
    sku=Object(
        "PublicIPAddressSku",
        name=OneOf("Basic", "Standard", name="PublicIPAddressSkuName"),
        tier=OneOf("Regional", "Global", name="PublicIPAddressSkuTier"),
    ),
    tags=TAGS,
    properties=Object(
        "PublicIPAddressConfigurationProperties",
        idleTimeoutInMinutes=Whole(4, 30),
        dnsSettings=Object(
            "PublicIPAddressConfigurationDnsSettings",
            domainNameLabel=Needed(str),
            domainNameLabelScope=OneOf(
                "TenantReuse", "SubscriptionReuse", "ResourceGroupReuse", "NoReuse", name="DomainNameLabelScopeTypes"
            ),
        ),
        ipTags=[Object("IpTag", ipTagType=str, tag=str)],
        publicIPPrefix=REFERENCE,
        publicIPAddressVersion=_IP_VERSION,
        deleteOption=DELETE_OPTION,
    ),
)

_ADDRESS = Object(
    "IPConfiguration",
    name=Needed(str),
    properties=Needed(
        Object(
            "IPConfigurationProperties",
            subnet=REFERENCE,
            primary=bool,
            publicIPAddressConfiguration=_PUBLIC_ADDRESS,
            privateIPAddressVersion=_IP_VERSION,
            applicationGatewayBackendAddressPools=[REFERENCE],
            applicationSecurityGroups=[REFERENCE],
            loadBalancerBackendAddressPools=[REFERENCE],
            loadBalancerInboundNatPools=[REFERENCE],
        )
    ),
)

_INTERFACE = Object(
    "NetworkConfiguration",
    name=Needed(str),
    tags=TAGS,
    properties=Needed(
        Object(
            "NetworkConfigurationProperties",
            primary=bool,
            enableAcceleratedNetworking=bool,
            disableTcpStateTracking=bool,
            enableFpga=bool,
            enableIPForwarding=bool,
            networkSecurityGroup=REFERENCE,
            dnsSettings=Object("NetworkConfigurationDnsSettings", dnsServers=[str]),
            ipConfigurations=Needed([_ADDRESS]),
            deleteOption=DELETE_OPTION,
            auxiliaryMode=OneOf("None", "AcceleratedConnections", "Floating", name="NetworkInterfaceAuxiliaryMode"),
            auxiliarySku=OneOf("None", "A1", "A2", "A4", "A8", name="NetworkInterfaceAuxiliarySku"),
        )
    ),
)

NETWORK_PROFILE = Object(
    "NetworkProfile",
    healthProbe=REFERENCE,
    networkInterfaceConfigurations=[_INTERFACE],
    networkApiVersion=OneOf("2020-11-01", "2022-11-01", name="NetworkApiVersion"),
    interconnectGroupProfile=Since(
        "2026-03-01",
        Object("InterconnectGroupProfile", interconnectGroup=REFERENCE, subgroups=object),
    ),
)
