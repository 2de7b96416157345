"""What Bicep builds is compared value by value with what we render."""

from __future__ import annotations

import copy
from typing import Any

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.render import arm_units
from provision.render.compare import differences
from tests.support.topologies import a_topology


def rendered() -> dict[str, Any]:
    return dict(arm_units(a_topology(), load_catalog(), load_templates())[0].template)


def built() -> dict[str, Any]:
    """Return the network's template as Microsoft's compiler writes it: names and dependencies as expressions."""
    template: dict[str, Any] = copy.deepcopy(rendered())
    template["metadata"] = {"_generator": {"name": "bicep"}}
    _, _, nat, _, subnet = template["resources"]
    subnet["name"] = "[format('{0}/{1}', 'h100-test-westus3-vnet', 'nodes')]"
    subnet["dependsOn"] = [
        "[resourceId('Microsoft.Network/natGateways', 'h100-test-westus3-nat')]",
        "[resourceId('Microsoft.Network/networkSecurityGroups', 'h100-test-westus3-nodes-nsg')]",
        "[resourceId('Microsoft.Network/virtualNetworks', 'h100-test-westus3-vnet')]",
    ]
    nat["dependsOn"] = ["[resourceId('Microsoft.Network/publicIPAddresses', 'h100-test-westus3-nat-ip-0')]"]
    return template


def test_what_bicep_builds_of_our_network_is_what_we_render() -> None:
    assert differences(rendered(), built()) == ()


def test_each_difference_is_told_with_its_resource_and_path() -> None:
    other = built()
    _, address, nat, network, subnet = other["resources"]
    del address["sku"]["tier"]
    nat["properties"]["idleTimeoutInMinutes"] = True
    nat["properties"]["extra"] = 1
    subnet["dependsOn"].pop()
    network["name"] = "another"

    assert differences(rendered(), other) == (
        "only in ARM: Microsoft.Network/virtualNetworks h100-test-westus3-vnet",
        "only in Bicep: Microsoft.Network/virtualNetworks another",
        "Microsoft.Network/publicIPAddresses h100-test-westus3-nat-ip-0: sku.tier is only in ARM",
        "Microsoft.Network/natGateways h100-test-westus3-nat: properties.idleTimeoutInMinutes differs",
        "Microsoft.Network/natGateways h100-test-westus3-nat: properties.extra is only in Bicep",
        "Microsoft.Network/virtualNetworks/subnets h100-test-westus3-vnet/nodes: dependsOn differs",
    )
