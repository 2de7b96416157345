"""A fleet as somebody made it before there was an environment: names, host names and defaults of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.worlds import KEY, SUBSCRIPTION

Json = dict[str, Any]
Put = Callable[[str, Json, str], None]

GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg-hpc"
NETWORK = f"{GROUP}/providers/Microsoft.Network"
SETS = f"{GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets"
SUBNET = f"{NETWORK}/virtualNetworks/vnet-hpc/subnets/snet-nodes"
VERSIONS = {"group": "2025-04-01", "network": "2025-05-01", "compute": "2025-11-01"}

#: The environment that takes it over: it states what the fleet is called, and what Azure fixed when it was made.
ADOPTING = """\
version: 1
name: hpc
subscription: 00000000-0000-0000-0000-000000000001
tags: {owner: ml}
network: {ssh_from: [203.0.113.0/24]}
regions:
  southcentralus:
    zone: "1"
    resource_group: rg-hpc
    address_space: 10.20.0.0/16
    subnets: {nodes: 10.20.0.0/22}
    names:
      virtual_network: vnet-hpc
      nodes_subnet: snet-nodes
      security_group: nsg-hpc
      nat_gateway: ng-hpc
      nat_addresses: [pip-ng-hpc]
    pools:
      train:
        scale_sets:
          - {name: vmss-h100, computer_name_prefix: h100vm, interface: nic-1, ip_configuration: ipconfig1}
pools:
  train:
    size: Standard_ND96isr_H100_v5
    nodes: 4
    admin_user: hpcadmin
    ssh_public_key_file: key.pub
"""


def make_fleet(put: Put, **changes: Any) -> None:
    """Make the group, its network and the scale set; `changes` are of the scale set, see `a_set`."""
    put(GROUP, {"location": "southcentralus", "tags": {"team": "hpc"}}, VERSIONS["group"])
    for name, body in network().items():
        put(f"{NETWORK}/{name}", body, VERSIONS["network"])
    make_set(put, **changes)


def make_set(put: Put, name: str = "vmss-h100", **changes: Any) -> None:
    """Make a scale set in the fleet's network."""
    put(f"{SETS}/{name}", a_set(**changes), VERSIONS["compute"])


def network() -> dict[str, Json]:
    """Return the bodies of the network by kind and name, in the order of making; the subnets stand in the network."""
    nsg, pip, nat = "networkSecurityGroups/nsg-hpc", "publicIPAddresses/pip-ng-hpc", "natGateways/ng-hpc"
    rule = {
        "name": "office",
        "properties": {
            "priority": 200,
            "direction": "Inbound",
            "access": "Allow",
            "protocol": "Tcp",
            "sourceAddressPrefix": "198.51.100.0/24",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "*",
            "destinationPortRange": "22",
        },
    }
    nodes = {
        "addressPrefixes": ["10.20.0.0/22"],  # as the portal writes it
        "networkSecurityGroup": {"id": f"{NETWORK}/{nsg}"},
        "natGateway": {"id": f"{NETWORK}/{nat}"},
        "serviceEndpoints": [{"service": "Microsoft.Storage"}],
    }
    subnets = [
        {"name": "snet-nodes", "properties": nodes},
        {"name": "snet-storage", "properties": {"addressPrefix": "10.20.8.0/24"}},
    ]
    place = {"location": "southcentralus"}
    return {
        nsg: {**place, "tags": {"team": "hpc"}, "properties": {"securityRules": [rule]}},
        pip: {**place, "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}},
        nat: {
            **place,
            "sku": {"name": "Standard"},
            "properties": {"idleTimeoutInMinutes": 10, "publicIpAddresses": [{"id": f"{NETWORK}/{pip}"}]},
        },
        "virtualNetworks/vnet-hpc": {
            **place,
            "properties": {"addressSpace": {"addressPrefixes": ["10.20.0.0/16"]}, "subnets": subnets},
        },
    }


def a_set(
    nodes: int = 4,
    size: str = "Standard_ND96isr_H100_v5",
    zones: list[str] | None = None,
    tags: Json | None = None,
    prefix: str = "h100vm",
    admin: str = "hpcadmin",
    profile: Json | None = None,
    **properties: Any,
) -> Json:
    """Return a scale set's body as `az vmss create` or Terraform writes it."""
    key = {"path": f"/home/{admin}/.ssh/authorized_keys", "keyData": KEY.strip()}
    linux = {"disablePasswordAuthentication": True, "ssh": {"publicKeys": [key]}}
    address = {"name": "ipconfig1", "properties": {"subnet": {"id": SUBNET}}}
    interface = {
        "name": "nic-1",
        "properties": {"primary": True, "enableAcceleratedNetworking": True, "ipConfigurations": [address]},
    }
    model = {
        "osProfile": {
            "computerNamePrefix": prefix,
            "adminUsername": admin,
            "customData": "I2Nsb3VkLWNvbmZpZwo=",
            "linuxConfiguration": linux,
        },
        "storageProfile": {
            "imageReference": {
                "publisher": "microsoft-dsvm",
                "offer": "ubuntu-hpc",
                "sku": "2204",
                "version": "22.04.2026071501",
            },
            "osDisk": {
                "createOption": "FromImage",
                "caching": "ReadWrite",
                "managedDisk": {"storageAccountType": "Premium_LRS"},
            },
        },
        "networkProfile": {"networkInterfaceConfigurations": [interface]},
        **(profile or {}),
    }
    return {
        "location": "southcentralus",
        "tags": tags or {"team": "hpc"},
        "sku": {"name": size, "tier": "Standard", "capacity": nodes},
        "zones": ["1"] if zones is None else zones,
        "properties": {
            "orchestrationMode": "Uniform",
            "singlePlacementGroup": True,
            "overprovision": False,
            "platformFaultDomainCount": 1,
            "upgradePolicy": {"mode": "Manual"},
            "virtualMachineProfile": model,
            **properties,
        },
    }
