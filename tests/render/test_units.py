"""What is stated for each unit: whole resources, in both languages, as Microsoft's types have them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.render import RenderError, Unit, arm_units, bicep_texts
from provision.render.arm_json import unescaped
from provision.topology import Topology
from tests.support.bicep import parameters_in, resources_in
from tests.support.nasty import NASTY
from tests.support.topologies import (
    EXAMPLES,
    GALLERY_IMAGE,
    HUB,
    IDENTITY,
    SSH_KEY,
    SUBNET,
    SUBSCRIPTION,
    a_file_system,
    a_pool,
    a_topology,
    an_example,
    an_extension,
)

TYPECHECK = Path(__file__).parents[3] / "shared" / "tools" / "arm-typecheck"

#: One topology for each branch that a template can take.
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no-way-out": {"network": {"outbound": "none"}},
    "addresses": {
        "network": {"outbound": {"nat_gateway": {"addresses": 3}}, "ssh_from": ("203.0.113.0/24", "198.51.100.7/32")}
    },
    "zone": {"regions": {"westus3": {"zone": "3"}, "eastus": {}}},
    "rolling": {"pools": {"train": a_pool(upgrade="rolling")}},
    "spot": {"pools": {"train": a_pool(priority="spot")}},
    "disks": {
        "pools": {
            "a": a_pool(os_disk={"kind": "premium", "size_gib": 256}),
            "b": a_pool(os_disk={"kind": "ephemeral"}),
            "c": a_pool(os_disk={"kind": "ephemeral", "size_gib": 512}),
        }
    },
    "all-that-a-pool-may-have": {
        "pools": {
            "train": a_pool(
                upgrade="rolling",
                public_ip=True,
                data_disks=({"size_gib": 1024}, {"size_gib": 64, "kind": "standard"}),
                identities=(IDENTITY,),
                image=GALLERY_IMAGE,
                extensions={
                    "monitor": an_extension(settings={"nested": {"list": [1, True, "x"], **dict.fromkeys(NASTY, 0)}}),
                    "after": an_extension(type="Other", after=("monitor", "health"), auto_upgrade=False),
                },
            )
        }
    },
    "no-infiniband": {"pools": {"train": a_pool(infiniband="none", size="Standard_ND96is_H100_v5")}},
    "bastion": {"network": {"bastion": True}},
    "bastion-without-way-out": {"network": {"bastion": True, "outbound": "none"}},
    "mesh": {"regions": {"westus3": {}, "eastus": {}, "southcentralus": {}}, "network": {"peering": "mesh"}},
    "others": {"network": {"peer_with": {"hub": {"id": HUB, "address_space": ("192.168.0.0/16",)}}}},
    "storage": {"storage": {"a": a_file_system(), "b": a_file_system(tier=40, size_tib=48, zone="1", mount="/b")}},
    "given": {"regions": {"westus3": {"resource_group": "rg", "subnets": {"nodes": SUBNET}}}},
    "ranges": {
        "network": {"bastion": True},
        "storage": {"a": a_file_system()},
        "regions": {
            "westus3": {
                "address_space": "10.2.0.0/20",
                "subnets": {"nodes": "10.2.8.0/22", "lustre": "10.2.4.0/24", "bastion": "10.2.15.0/24"},
            }
        },
    },
    "several-sets": {"pools": {"train": a_pool(nodes=250), "eval": a_pool(nodes=1)}},
    "nasty": {"tags": {f"{n} {text}": text for n, text in enumerate(NASTY)} | dict.fromkeys(NASTY, "key")},
}


def units_of(topology: Topology) -> tuple[Unit, ...]:
    return arm_units(topology, load_catalog(), load_templates())


def resources_of(unit: Unit) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = unescaped(unit.template["resources"])
    return found


def topologies() -> list[Any]:
    made = [pytest.param(lambda s=settings: a_topology(**s), id=name) for name, settings in VARIANTS.items()]
    return [*made, *(pytest.param(lambda n=name: an_example(n), id=name) for name in EXAMPLES)]


@pytest.mark.parametrize("topology", topologies())
def test_bicep_states_what_arm_json_states(topology: Any) -> None:
    made = topology()
    texts = bicep_texts(made, load_catalog(), load_templates())
    units = units_of(made)

    assert list(texts) == [(unit.region, unit.name) for unit in units]
    for unit in units:
        text = texts[unit.region, unit.name]
        stated = [
            {**resource, "dependsOn": sorted(resource["dependsOn"])} if "dependsOn" in resource else resource
            for resource in resources_of(unit)
        ]
        assert resources_in(text, SUBSCRIPTION, unit.group) == stated
        assert parameters_in(text) == {"provision": "object"}
        assert unit.template["parameters"] == {"provision": {"type": "object"}}


@pytest.mark.skipif(not TYPECHECK.exists(), reason="the published resource types are not beside this checkout")
def test_all_arm_json_is_as_microsoft_s_resource_types_have_it(tmp_path: Path) -> None:
    files = []
    made = [(name, a_topology(**settings)) for name, settings in VARIANTS.items()]
    for name, topology in [*made, *((name, an_example(name)) for name in EXAMPLES)]:
        for unit in units_of(topology):
            files.append(tmp_path / f"{name}.{unit.region}.{unit.name}.json")
            files[-1].write_text(unit.text, encoding="utf-8")

    run = subprocess.run(
        [sys.executable, str(TYPECHECK), *map(str, files)], capture_output=True, text=True, check=False
    )

    count = sum(len(json.loads(file.read_text(encoding="utf-8"))["resources"]) for file in files)
    assert run.stdout == f"{count} resources checked, 0 problems\n"


@pytest.mark.parametrize("name", EXAMPLES)
def test_rendering_twice_gives_the_same_bytes(name: str) -> None:
    catalog, templates = load_catalog(), load_templates()

    first, second = (
        ([u.text for u in arm_units(t, catalog, templates)], bicep_texts(t, catalog, templates))
        for t in (an_example(name), an_example(name))
    )

    assert first == second


def test_units_come_by_region_and_at_last_the_peerings_which_wait_for_every_network() -> None:
    topology = a_topology(
        regions={"westus3": {}, "eastus": {}},
        network={"peering": "mesh"},
        storage={"scratch": a_file_system()},
        pools={"train": a_pool(nodes={"eastus": 150}, protect=True), "eval": a_pool(size="Standard_ND96is_H100_v5")},
    )

    rows = [
        (u.region, u.name, u.stack, u.group, u.after, u.pool, u.nodes, u.gpus, u.protect, u.origin)
        for u in units_of(topology)
    ]

    eastus, westus = "h100-test-eastus", "h100-test-westus3"
    east, west = ("eastus", "network"), ("westus3", "network")
    net, mesh, train, evaluate = ("network",), ("network", "peering"), ("pools", "train"), ("pools", "eval")
    assert rows == [
        ("eastus", "network", "h100-test.network", eastus, (), None, 0, 0, False, net),
        ("eastus", "eval-0", "h100-test.eval-0", eastus, (east,), "eval", 2, 16, False, evaluate),
        ("eastus", "train-0", "h100-test.train-0", eastus, (east,), "train", 100, 800, True, train),
        ("eastus", "train-1", "h100-test.train-1", eastus, (east,), "train", 50, 400, True, train),
        ("westus3", "network", "h100-test.network", westus, (), None, 0, 0, False, net),
        ("westus3", "storage", "h100-test.storage", westus, (west,), None, 0, 0, False, ("storage",)),
        ("westus3", "eval-0", "h100-test.eval-0", westus, (west,), "eval", 2, 16, False, evaluate),
        ("eastus", "peering", "h100-test.peering", eastus, (east, west), None, 0, 0, False, mesh),
        ("westus3", "peering", "h100-test.peering", westus, (east, west), None, 0, 0, False, mesh),
    ]


def test_a_scale_set_is_stated_whole() -> None:
    _, train = units_of(a_topology(tags={"owner": "ml"}))

    (scale_set,) = resources_of(train)

    custom_data = scale_set["properties"]["virtualMachineProfile"]["osProfile"].pop("customData")
    assert isinstance(custom_data, str)
    providers = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/h100-test-westus3/providers/Microsoft.Network"
    network = f"{providers}/virtualNetworks/h100-test-westus3-vnet"
    assert scale_set == {
        "type": "Microsoft.Compute/virtualMachineScaleSets",
        "apiVersion": "2025-11-01",
        "name": "h100-test-train-0",
        "location": "westus3",
        "tags": {"owner": "ml", "provision": "h100-test/train-0"},
        "sku": {"name": "Standard_ND96isr_H100_v5", "tier": "Standard", "capacity": 2},
        "properties": {
            "orchestrationMode": "Uniform",
            "singlePlacementGroup": True,
            "overprovision": False,
            "platformFaultDomainCount": 1,
            "upgradePolicy": {"mode": "Manual"},
            "automaticRepairsPolicy": {"enabled": False},
            "scaleInPolicy": {"rules": ["NewestVM"], "forceDeletion": False},
            "virtualMachineProfile": {
                "priority": "Regular",
                "osProfile": {
                    "computerNamePrefix": "train-0-",
                    "adminUsername": "azureuser",
                    "linuxConfiguration": {
                        "disablePasswordAuthentication": True,
                        "provisionVMAgent": True,
                        "ssh": {"publicKeys": [{"path": "/home/azureuser/.ssh/authorized_keys", "keyData": SSH_KEY}]},
                    },
                    "allowExtensionOperations": True,
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
                        "caching": "ReadOnly",
                        "managedDisk": {"storageAccountType": "Premium_LRS"},
                    },
                },
                "securityProfile": {"securityType": "Standard"},
                "networkProfile": {
                    "networkInterfaceConfigurations": [
                        {
                            "name": "nic",
                            "properties": {
                                "primary": True,
                                "enableAcceleratedNetworking": True,
                                "enableIPForwarding": False,
                                "networkSecurityGroup": {
                                    "id": f"{providers}/networkSecurityGroups/h100-test-westus3-nodes-nsg"
                                },
                                "ipConfigurations": [
                                    {
                                        "name": "nodes",
                                        "properties": {
                                            "primary": True,
                                            "subnet": {"id": f"{network}/subnets/nodes"},
                                        },
                                    }
                                ],
                            },
                        }
                    ]
                },
                "diagnosticsProfile": {"bootDiagnostics": {"enabled": True}},
            },
        },
    }


def test_what_a_pool_asks_for_stands_in_its_scale_set_and_nothing_else_changes() -> None:
    def profile_of(**pool: Any) -> dict[str, Any]:
        (resource,) = resources_of(units_of(a_topology(pools={"train": a_pool(**pool)}))[1])
        properties: dict[str, Any] = resource["properties"]
        return {**properties["virtualMachineProfile"], "upgradePolicy": properties["upgradePolicy"]}

    plain = profile_of()

    def changed(**pool: Any) -> dict[str, Any]:
        return {key: value for key, value in profile_of(**pool).items() if plain.get(key) != value}

    assert changed(priority="spot") == {
        "priority": "Spot",
        "evictionPolicy": "Delete",
        "billingProfile": {"maxPrice": -1},
    }
    assert changed(upgrade="rolling") == {
        "upgradePolicy": {
            "mode": "Rolling",
            "rollingUpgradePolicy": {
                "maxBatchInstancePercent": 20,
                "maxUnhealthyInstancePercent": 20,
                "maxUnhealthyUpgradedInstancePercent": 20,
                "pauseTimeBetweenBatches": "PT0S",
            },
        },
        "extensionProfile": {
            "extensions": [
                {
                    "name": "health",
                    "properties": {
                        "publisher": "Microsoft.ManagedServices",
                        "type": "ApplicationHealthLinux",
                        "typeHandlerVersion": "1.0",
                        "autoUpgradeMinorVersion": True,
                        "settings": {"protocol": "tcp", "port": 22},
                    },
                }
            ]
        },
    }
    assert changed(os_disk={"kind": "ephemeral", "size_gib": 512})["storageProfile"]["osDisk"] == {
        "createOption": "FromImage",
        "caching": "ReadOnly",
        "diffDiskSettings": {"option": "Local"},
        "diskSizeGB": 512,
        "managedDisk": {"storageAccountType": "Standard_LRS"},
    }


def test_disks_addresses_images_and_extensions_stand_in_the_scale_set_where_a_pool_asks_for_them() -> None:
    def set_of(**pool: Any) -> dict[str, Any]:
        (resource,) = resources_of(units_of(a_topology(pools={"train": a_pool(**pool)}))[1])
        return resource

    def profile_of(**pool: Any) -> dict[str, Any]:
        profile: dict[str, Any] = set_of(**pool)["properties"]["virtualMachineProfile"]
        return profile

    assert "identity" not in set_of()
    assert set_of(identities=(IDENTITY,))["identity"] == {
        "type": "UserAssigned",
        "userAssignedIdentities": {IDENTITY: {}},
    }
    storage = profile_of(data_disks=({"size_gib": 1024}, {"size_gib": 64, "kind": "standard"}))["storageProfile"]
    assert storage["dataDisks"] == [
        {
            "lun": lun,
            "createOption": "Empty",
            "caching": "None",
            "diskSizeGB": size,
            "managedDisk": {"storageAccountType": type},
        }
        for lun, size, type in ((0, 1024, "Premium_LRS"), (1, 64, "Standard_LRS"))
    ]
    assert profile_of(image=GALLERY_IMAGE)["storageProfile"]["imageReference"] == {"id": GALLERY_IMAGE}
    (interface,) = profile_of(public_ip=True)["networkProfile"]["networkInterfaceConfigurations"]
    (address,) = interface["properties"]["ipConfigurations"]
    assert address["properties"]["publicIPAddressConfiguration"] == {
        "name": "public",
        "sku": {"name": "Standard", "tier": "Regional"},
        "properties": {"publicIPAddressVersion": "IPv4", "idleTimeoutInMinutes": 4},
    }
    extensions = {
        "b": an_extension(settings={"proxy": {"mode": "none"}}),
        "a": an_extension(type="Other", after=("b",), auto_upgrade=False),
    }
    assert profile_of(extensions=extensions)["extensionProfile"] == {
        "extensions": [
            {
                "name": "a",
                "properties": {
                    "publisher": "Microsoft.Azure.Monitor",
                    "type": "Other",
                    "typeHandlerVersion": "1.29",
                    "autoUpgradeMinorVersion": False,
                    "provisionAfterExtensions": ["b"],
                    "settings": {},
                },
            },
            {
                "name": "b",
                "properties": {
                    "publisher": "Microsoft.Azure.Monitor",
                    "type": "AzureMonitorLinuxAgent",
                    "typeHandlerVersion": "1.29",
                    "autoUpgradeMinorVersion": True,
                    "settings": {"proxy": {"mode": "none"}},
                },
            },
        ]
    }


def test_what_a_pool_has_otherwise_in_one_region_stands_in_that_region_s_scale_sets_only() -> None:
    topology = a_topology(
        regions={"westus3": {}, "eastus": {"pools": {"train": {"image": GALLERY_IMAGE, "domain_size": 1}}}},
        pools={"train": a_pool()},
    )

    sets = [(unit.region, unit.name, resources_of(unit)[0]) for unit in units_of(topology) if unit.pool]
    profiles = [(region, name, body["properties"]["virtualMachineProfile"]) for region, name, body in sets]
    assert [(region, name, list(each["storageProfile"]["imageReference"])) for region, name, each in profiles] == [
        ("eastus", "train-0", ["id"]),
        ("eastus", "train-1", ["id"]),
        ("westus3", "train-0", ["publisher", "offer", "sku", "version"]),
    ]


def test_a_zone_is_stated_only_where_there_is_one() -> None:
    units = units_of(a_topology(regions={"eastus": {}, "westus3": {"zone": "3"}}))

    assert [[r.get("zones") for r in resources_of(unit)] for unit in units if unit.pool] == [[None], [["3"]]]
    assert [r.get("zones") for unit in units if not unit.pool for r in resources_of(unit)] == [None] * 10


def test_a_network_is_stated_whole() -> None:
    network = {"ssh_from": ("203.0.113.0/24",), "outbound": {"nat_gateway": {"addresses": 2}}}
    providers = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/h100-test-westus3/providers/Microsoft.Network"
    addresses = [f"{providers}/publicIPAddresses/h100-test-westus3-nat-ip-{n}" for n in (0, 1)]
    tags = {"provision": "h100-test/network"}
    common = {"apiVersion": "2025-05-01", "location": "westus3", "tags": tags}

    assert resources_of(units_of(a_topology(network=network))[0]) == [
        {
            "type": "Microsoft.Network/networkSecurityGroups",
            "name": "h100-test-westus3-nodes-nsg",
            **common,
            "properties": {
                "securityRules": [
                    {
                        "name": "allow-ssh",
                        "properties": {
                            "priority": 1000,
                            "direction": "Inbound",
                            "access": "Allow",
                            "protocol": "Tcp",
                            "sourceAddressPrefixes": ["203.0.113.0/24"],
                            "sourcePortRange": "*",
                            "destinationAddressPrefix": "*",
                            "destinationPortRange": "22",
                        },
                    }
                ]
            },
        },
        *(
            {
                "type": "Microsoft.Network/publicIPAddresses",
                "name": f"h100-test-westus3-nat-ip-{n}",
                **common,
                "sku": {"name": "Standard", "tier": "Regional"},
                "properties": {"publicIPAddressVersion": "IPv4", "publicIPAllocationMethod": "Static"},
            }
            for n in (0, 1)
        ),
        {
            "type": "Microsoft.Network/natGateways",
            "name": "h100-test-westus3-nat",
            **common,
            "sku": {"name": "Standard"},
            "properties": {"idleTimeoutInMinutes": 4, "publicIpAddresses": [{"id": id} for id in addresses]},
            "dependsOn": addresses,
        },
        {
            "type": "Microsoft.Network/virtualNetworks",
            "name": "h100-test-westus3-vnet",
            **common,
            "properties": {"addressSpace": {"addressPrefixes": ["10.120.0.0/15"]}},
        },
        {
            "type": "Microsoft.Network/virtualNetworks/subnets",
            "apiVersion": "2025-05-01",
            "name": "h100-test-westus3-vnet/nodes",
            "properties": {
                "addressPrefix": "10.120.0.0/16",
                "networkSecurityGroup": {"id": f"{providers}/networkSecurityGroups/h100-test-westus3-nodes-nsg"},
                "natGateway": {"id": f"{providers}/natGateways/h100-test-westus3-nat"},
                "defaultOutboundAccess": False,
            },
            "dependsOn": [
                f"{providers}/virtualNetworks/h100-test-westus3-vnet",
                f"{providers}/networkSecurityGroups/h100-test-westus3-nodes-nsg",
                f"{providers}/natGateways/h100-test-westus3-nat",
            ],
        },
    ]


def test_without_a_way_out_there_is_no_gateway_and_no_address_and_no_rule_that_nobody_asked_for() -> None:
    resources = resources_of(units_of(a_topology(network={"outbound": "none"}))[0])

    assert [r["type"].rpartition("/")[2] for r in resources] == ["networkSecurityGroups", "virtualNetworks", "subnets"]
    assert resources[0]["properties"] == {"securityRules": []}
    assert set(resources[2]["properties"]) == {"addressPrefix", "networkSecurityGroup", "defaultOutboundAccess"}


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_text_reaches_azure_as_it_was_typed(text: str) -> None:
    _, train = units_of(a_topology(tags={"note": text, f"{text}-key": "x"}, ssh_key=f"ssh-ed25519 AAAA {text}."))
    (scale_set,) = resources_of(train)

    assert scale_set["tags"] == {"note": text, f"{text}-key": "x", "provision": "h100-test/train-0"}
    linux = scale_set["properties"]["virtualMachineProfile"]["osProfile"]["linuxConfiguration"]
    assert linux["ssh"]["publicKeys"][0]["keyData"] == f"ssh-ed25519 AAAA {text}."
    assert set(scale_set) == {"type", "apiVersion", "name", "location", "tags", "sku", "properties"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"resources": [{{ network.location }} {{ network.location }}]}',
            "what it makes of network in westus3 is no JSON: Expecting ',' delimiter: line 1 column 26 (char 25): "
            '{"resources": ["westus3" "westus3"]}',
        ),
        (
            '{"resources": [], "resources": []}',
            'what it makes of network in westus3 is no JSON: the key "resources" stands twice in one object',
        ),
        ('{"parameters": {}}', "what it makes of network in westus3 has no list `resources`"),
        ('{"resources": {}}', "what it makes of network in westus3 has no list `resources`"),
    ],
)
def test_a_template_that_makes_no_arm_template_is_told_with_what_it_makes(text: str, message: str) -> None:
    with pytest.raises(RenderError) as raised:
        arm_units(a_topology(), load_catalog(), {**load_templates(), "network/arm.json.j2": text})

    assert (raised.value.file, raised.value.message) == ("network/arm.json.j2", message)
