"""Whatever a client sends, the simulator answers: it refuses or takes, and what it took it can live with."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulator.azure import (
    Azure,
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
    network_path,
    path_of,
    set_id,
)

SCALE_SET = a_scale_set(
    nodes=2,
    tags={"a": "b"},
    zones=["1"],
    identity={"type": "UserAssigned", "userAssignedIdentities": {identity_id(): {}}},
    properties={
        "scaleInPolicy": {"rules": ["NewestVM"]},
        "automaticRepairsPolicy": {"enabled": True},
        "upgradePolicy": {"mode": "Rolling", "rollingUpgradePolicy": {"maxBatchInstancePercent": 20}},
    },
)
SCALE_SET["properties"]["virtualMachineProfile"] |= {
    "extensionProfile": {
        "extensions": [
            {"name": "x", "properties": {"publisher": "a", "type": "ApplicationHealthLinux", "protectedSettings": {}}},
            {"name": "y", "properties": {"typeHandlerVersion": "1.0", "provisionAfterExtensions": ["x"]}},
        ]
    },
    "securityProfile": {"securityType": "Standard"},
}
STORAGE = SCALE_SET["properties"]["virtualMachineProfile"]["storageProfile"]
STORAGE["dataDisks"] = [{"lun": 0, "createOption": "Empty", "diskSizeGB": 64, "managedDisk": {}}]
_INTERFACE = SCALE_SET["properties"]["virtualMachineProfile"]["networkProfile"]["networkInterfaceConfigurations"][0]
_INTERFACE["properties"]["ipConfigurations"][0]["properties"]["publicIPAddressConfiguration"] = {
    "name": "public",
    "sku": {"name": "Standard"},
    "properties": {"idleTimeoutInMinutes": 4},
}
HALF = {"properties": {"remoteVirtualNetwork": {"id": network_id("virtualNetworks/far")}, "remoteAddressSpace": {}}}
BASTION = {
    "location": "eastus",
    "sku": {"name": "Standard"},
    "properties": {
        "scaleUnits": 2,
        "ipConfigurations": [
            {
                "name": "conf",
                "properties": {
                    "subnet": {"id": network_id("virtualNetworks/net/subnets/AzureBastionSubnet")},
                    "publicIPAddress": {"id": network_id("publicIPAddresses/door")},
                },
            }
        ],
    },
}
FILE_SYSTEM = a_file_system(
    tib=8,
    tags={"a": "b"},
    identity={"type": "UserAssigned", "userAssignedIdentities": {identity_id(): {}}},
    properties={"hsm": {"settings": {"container": "x"}}, "rootSquashSettings": {"mode": "None"}},
)
SUBNET = {
    "name": "s",
    "properties": {"addressPrefix": "10.0.9.0/24", "networkSecurityGroup": {"id": network_id("x/y")}},
}
VNET = {
    "location": "eastus",
    "properties": {
        "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
        "subnets": [SUBNET],
        "virtualNetworkPeerings": [{"name": "p", **HALF}],
    },
}
NSG = a_security_group(
    properties={
        "securityRules": [
            {
                "name": "ssh",
                "properties": {"priority": 100, "direction": "Inbound", "access": "Allow", "protocol": "Tcp"},
            }
        ]
    }
)
NESTED = {
    "type": "Microsoft.Resources/deployments",
    "apiVersion": "2025-04-01",
    "name": "inside",
    "resourceGroup": "rg",
    "properties": {
        "mode": "Incremental",
        "expressionEvaluationOptions": {"scope": "inner"},
        "parameters": {"p": {"value": "x"}},
        "template": a_template(
            a_security_group("inside", dependsOn=[]), parameters={"p": {"type": "string", "minLength": 1}}
        ),
    },
}
OUTPUTS = {"o": {"type": "string", "value": "x"}}
STACK = a_stack(
    {**NSG, "dependsOn": []},
    {**NESTED, "dependsOn": []},
    parameters={"p": {"value": "x"}},
    outputs=OUTPUTS,
)
DEPLOYMENT = {"tags": {"a": "b"}, "properties": {**STACK["properties"], "mode": "Incremental"}}
DEPLOYMENT["properties"]["template"]["parameters"] = {"p": {"type": "string", "minLength": 1, "defaultValue": "d"}}
REQUESTS: list[tuple[str, str, Any]] = [
    ("PUT", path_of("virtualMachineScaleSets/new"), SCALE_SET),
    ("PUT", path_of("virtualMachineScaleSets/train"), SCALE_SET),
    ("PATCH", path_of("virtualMachineScaleSets/train"), SCALE_SET),
    ("POST", path_of("virtualMachineScaleSets/train/restart"), {"instanceIds": ["0"]}),
    ("PUT", network_path("virtualNetworks/net"), VNET),
    ("PUT", network_path("virtualNetworks/net/subnets/s"), SUBNET),
    (
        "PUT",
        network_path("virtualNetworks/net/virtualNetworkPeerings/p"),
        HALF,
    ),
    ("PUT", network_path("bastionHosts/door"), BASTION),
    ("PUT", f"{lustre_id()}?api-version=2025-07-01", FILE_SYSTEM),
    ("PUT", f"{lustre_id('old')}?api-version=2025-07-01", FILE_SYSTEM),
    (
        "PUT",
        f"{identity_id()}?api-version=2024-11-30",
        {"location": "eastus", "tags": {"a": "b"}, "properties": {"isolationScope": "None"}},
    ),
    (
        "PUT",
        f"{group_id()}/providers/Microsoft.Authorization/locks/x?api-version=2020-05-01",
        {"properties": {"level": "ReadOnly", "notes": "x"}},
    ),
    (
        "POST",
        "/_simulator/nodes",
        {"scaleSet": set_id(), "instances": ["0"], "power": "stopped", "health": "unhealthy", "failed": None},
    ),
    ("PUT", network_path("networkSecurityGroups/nsg"), NSG),
    (
        "PUT",
        network_path("publicIPAddresses/ip"),
        {"location": "eastus", "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}},
    ),
    (
        "PUT",
        network_path("natGateways/nat"),
        {
            "location": "eastus",
            "sku": {"name": "Standard"},
            "properties": {"publicIpAddresses": [{"id": network_id("x/y")}]},
        },
    ),
    ("PATCH", network_path("virtualNetworks/net"), {"tags": {"a": "b"}}),
    ("PUT", f"{group_id('other')}?api-version=2025-04-01", {"location": "eastus", "tags": {"a": "b"}}),
    ("PATCH", f"{group_id()}?api-version=2025-04-01", {"tags": {"a": "b"}}),
    ("PUT", f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01", DEPLOYMENT),
    ("PUT", f"{group_id()}/providers/Microsoft.Resources/deployments/x?api-version=2025-04-01", DEPLOYMENT),
    ("POST", f"{group_id()}/providers/Microsoft.Resources/deployments/x/validate?api-version=2025-04-01", DEPLOYMENT),
    ("PUT", "/_simulator/world", None),
]

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 500)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.just("[parameters('p')]"),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["id", "name", "properties", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(body: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a body, the body itself first."""
    found = [here]
    entries = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for key, value in entries:
        found += places(value, (*here, key))
    return found


def changed(body: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    made = copy.deepcopy(body)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return made


def standing() -> Azure:
    azure = azure_with_a_network()
    azure.make_identity()
    azure.make_scale_set(nodes=2, zones=["1"])
    far = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}}}
    door = {"location": "eastus", "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}}
    azure.ask("PUT", network_path("virtualNetworks/far"), far)
    azure.ask("PUT", network_path("publicIPAddresses/door"), door)
    azure.ask(
        "PUT",
        network_path("virtualNetworks/net/subnets/AzureBastionSubnet"),
        {"properties": {"addressPrefix": "10.0.4.0/26"}},
    )
    azure.ask("PUT", f"{lustre_id('old')}?api-version=2025-07-01", a_file_system(tib=8))
    azure.ask(
        "PUT", f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/old?api-version=2025-07-01", DEPLOYMENT
    )
    azure.wait(800)
    return azure


@settings(derandomize=True, deadline=None, max_examples=600, database=None)
@given(st.data())
def test_any_body_is_answered(data: st.DataObject) -> None:
    azure = standing()
    method, path, body = data.draw(st.sampled_from(REQUESTS))
    body = azure.world if body is None else body
    place = data.draw(st.sampled_from(places(body)))

    answer = azure.ask(method, path, changed(body, place, data.draw(ANYTHING)))
    azure.wait(1000)

    assert answer.status < 500
    assert azure.ask("GET", "/_simulator/world").status == 200
    assert azure.ask(
        "GET", f"{path_of('virtualMachineScaleSets/train/virtualMachines')}&$expand=instanceView"
    ).status in (200, 404)
