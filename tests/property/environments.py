"""Environment files over every key of the format, without a mistake in them, and what of others they refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from hypothesis import strategies as st

from tests.support.nasty import NASTY
from tests.support.topologies import GALLERY_IMAGE, IDENTITY, SUBSCRIPTION

#: By region, its zones; both sizes of GPU nodes below are offered in each.
REGIONS = {"southcentralus": ("1", "2", "3"), "westus3": ("1", "2", "3"), "eastus2": ("1", "2", "3"), "westus": ()}
INFINIBAND = ("Standard_ND96isr_H100_v5", "Standard_ND96amsr_A100_v4")
#: Sizes without InfiniBand: one that cannot have ephemeral disks, and one that can.
OTHER_SIZES = ("Standard_D8s_v5", "Standard_D8ds_v5")
IMAGES = (
    "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026071501",
    "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026080101",
    GALLERY_IMAGE,
)
BOOT = "#cloud-config\nwrite_files:\n  - {path: /etc/motd, content: of ours}\n"

#: A template of one's own: a resource, and one in it that takes no tags and has the file's values as its properties.
TEMPLATES = {
    "any/arm.json.j2": """{
      "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
      "contentVersion": "1.0.0.0",
      "parameters": {"provision": {"type": "object"}},
      "resources": [{
        "type": {{ unit.resources.outer.type }},
        "apiVersion": {{ unit.resources.outer.api_version }},
        "name": {{ unit.resources.outer.name }},
        "location": {{ unit.location }},
        "tags": {{ unit.tags }},
        "properties": {"nodes": {{ unit.nodes_subnet_id }}, "network": {{ unit.virtual_network_id }}}
      }, {
        "type": {{ unit.resources.inner.type }},
        "apiVersion": {{ unit.resources.inner.api_version }},
        "name": {{ unit.resources.inner.name }},
        "properties": {{ unit.values }},
        "dependsOn": {{ unit.resources.inner.depends_on }}
      }]
    }""",
    "any/bicep.j2": "",
}
_PROVIDERS = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shared/providers"
HUB = f"{_PROVIDERS}/Microsoft.Network/virtualNetworks/hub"
IDENTITIES = (IDENTITY, IDENTITY.replace("/train", "/Data"))
#: A text that is no placeholder of a variable: `$` is for those.
TEXTS = tuple(text for text in NASTY if "$" not in text)


@dataclass(frozen=True)
class Drawn:
    """An environment file's text, and the groups and networks of others, by region, that it refers to."""

    text: str
    given_groups: tuple[str, ...]
    existing_subnets: tuple[str, ...]


def given_group(region: str) -> str:
    """Return the group that a region is given."""
    return f"Given_{region}.(1)"


def existing_network(region: str) -> str:
    """Return the id of the network whose subnet `compute` a region is given."""
    return f"{_PROVIDERS}/Microsoft.Network/virtualNetworks/theirs-{region}"


class _Quoted(yaml.SafeDumper):
    """Writes every text in quotes, with escapes for what YAML could not hold."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Quoted.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def written(data: Any) -> str:
    """Return data as an environment file."""
    return yaml.dump(data, Dumper=_Quoted, allow_unicode=False, sort_keys=False, width=10_000)


@st.composite
def environments(draw: st.DrawFn) -> Drawn:
    """Draw an environment file that has no error."""
    names = draw(st.lists(st.sampled_from(sorted(REGIONS)), min_size=1, max_size=3, unique=True))
    has_storage = draw(st.sampled_from([False, False, True]))
    regions = {name: draw(_regions(name, number, has_storage and not number)) for number, name in enumerate(names)}
    data: dict[str, Any] = {
        "version": 1,
        "name": draw(st.sampled_from(["a0", "h100-train", "an-environment-of-24-let"])),
        "subscription": SUBSCRIPTION,
        "x-note": {"anything": [1, {"at": "all"}]},
        "regions": regions,
        "network": draw(_networks()),
    }
    keys: st.SearchStrategy[str] = st.sampled_from(["owner", "cost-center", "Größe", "a b", "x.y_z[0]", "hidden-title"])
    data["tags"] = draw(st.dictionaries(keys, st.sampled_from(TEXTS), max_size=4))
    if has_storage:
        data["storage"] = {
            name: draw(_file_systems(names[0], f"/{name}"))
            for name in draw(st.sampled_from([["fast"], ["data", "fast"]]))
        }
    pools = draw(
        st.lists(st.sampled_from(["train", "infer", "a-pool-of-20-letters"]), min_size=1, max_size=2, unique=True)
    )
    data["pools"] = {name: draw(_pools(names)) for name in pools}
    if draw(st.booleans()):
        data["templates"] = "own"
        data["units"] = {name: draw(_units(names)) for name in draw(st.sampled_from([["any"], ["a-1", "b"]]))}
        for name, unit in data["units"].items():
            unit["resources"] = _resources(f"theirs-{name}")
    for name in names:
        if draw(st.booleans()):
            here = draw(_here(data["pools"][pools[0]], name))
            if here:
                regions[name]["pools"] = {pools[0]: here}
    if draw(st.booleans()):
        data["prices"] = {"Standard_ND96isr_H100_v5": 61.5, "standard_d8s_v5": 1}
        data["limits"] = {"delete_nodes": 0, "usd_per_hour_increase": 1_000_000}
        data["suppress"] = [{"rule": "image-version-latest", "at": f"pools.{pools[0]}", "reason": "known"}]
    return Drawn(
        written(data),
        tuple(name for name in names if "resource_group" in regions[name]),
        tuple(name for name in names if str(regions[name].get("subnets", {}).get("nodes", "")).startswith("/")),
    )


@st.composite
def _regions(draw: st.DrawFn, name: str, number: int, has_storage: bool) -> dict[str, Any]:
    region: dict[str, Any] = {}
    if draw(st.booleans()) and REGIONS[name]:
        region["zone"] = draw(st.sampled_from(REGIONS[name]))
    if draw(st.sampled_from([False, False, True])):
        region["resource_group"] = given_group(name)
    match draw(st.sampled_from(["derived", "derived", "stated", "cut", "existing"])):
        case "stated":
            region["address_space"] = f"10.250.{16 * number}.0/20"
        case "cut":
            region["address_space"] = f"10.250.{16 * number}.0/20"
            region["subnets"] = {
                "nodes": f"10.250.{16 * number + 8}.0/22",
                "lustre": f"10.250.{16 * number + 4}.0/24",
                "bastion": f"10.250.{16 * number}.64/26",
            }
        case "existing" if not has_storage:
            region["subnets"] = {"nodes": f"{existing_network(name)}/subnets/compute"}
    return region


@st.composite
def _networks(draw: st.DrawFn) -> dict[str, Any]:
    network: dict[str, Any] = {}
    if draw(st.booleans()):
        network["address_space"] = draw(st.sampled_from(["10.0.0.0/8", "10.64.0.0/12"]))
    if draw(st.booleans()):
        network["peering"] = draw(st.sampled_from(["mesh", "mesh", "none"]))
    if draw(st.booleans()):
        network["outbound"] = draw(st.sampled_from(["none", {"nat_gateway": None}, {"nat_gateway": {"addresses": 2}}]))
    if draw(st.booleans()):
        network["bastion"] = draw(st.booleans())
    if draw(st.booleans()):
        network["ssh_from"] = ["203.0.113.0/24", "198.51.100.7/32"][: draw(st.integers(0, 2))]
    if draw(st.sampled_from([False, False, True])):
        network["peer_with"] = {"hub": {"id": HUB, "address_space": ["192.168.0.0/16"]}}
    return network


@st.composite
def _file_systems(draw: st.DrawFn, region: str, mount: str) -> dict[str, Any]:
    tier, step = draw(st.sampled_from([(40, 48), (125, 16), (250, 8), (500, 4)]))
    found = {"kind": "managed-lustre", "region": region, "tier": tier, "size_tib": step, "mount": mount}
    if REGIONS[region]:
        found["zone"] = draw(st.sampled_from(REGIONS[region]))
    return found


@st.composite
def _pools(draw: st.DrawFn, regions: list[str]) -> dict[str, Any]:
    size = draw(st.sampled_from([*INFINIBAND, *OTHER_SIZES]))
    pool: dict[str, Any] = {"size": size, "ssh_public_key_file": "key.pub"}
    most = draw(st.integers(0, 5))
    pool["nodes"] = draw(st.just(most) | st.dictionaries(st.sampled_from(regions), st.integers(0, most)))
    least = most if isinstance(pool["nodes"], int) else min(pool["nodes"].get(name, 0) for name in regions)
    if size in INFINIBAND and draw(st.booleans()):
        pool["infiniband"] = draw(st.sampled_from(["required", "none"]))
    if draw(st.booleans()):
        pool["domain_size"] = draw(st.integers(2, 4))
    if draw(st.booleans()):
        pool["job_size"] = 1
        pool["spares"] = draw(st.integers(0, 1))
    if draw(st.booleans()):
        pool["placement_group_limit"] = draw(st.sampled_from([100, 4]))
    if draw(st.booleans()):
        pool["min_nodes"] = draw(st.integers(0, least))
        pool["max_nodes"] = most + draw(st.integers(0, 20))
    if draw(st.booleans()):
        pool["image"] = draw(st.sampled_from(IMAGES))
    if draw(st.booleans()):
        kinds = ["premium"] if size == "Standard_D8s_v5" else ["premium", "ephemeral"]
        pool["os_disk"] = {"kind": draw(st.sampled_from(kinds)), "size_gib": draw(st.sampled_from([128, 256]))}
    if draw(st.booleans()):
        pool["data_disks"] = [{"size_gib": 64}, {"size_gib": 128, "kind": "standard"}][: draw(st.integers(0, 2))]
    if draw(st.booleans()):
        pool["identities"] = list(IDENTITIES[: draw(st.integers(0, 2))])
    if draw(st.booleans()):
        pool["extensions"] = draw(_extensions())
    if draw(st.booleans()):
        pool["cloud_init_file"] = "boot.yaml"
    pool |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "admin_user": st.sampled_from(["azureuser", "ops_1"]),
                "upgrade": st.sampled_from(["manual", "rolling"]),
                "priority": st.sampled_from(["regular", "spot"]),
                "capacity": st.sampled_from(["stated", "external"]),
                "public_ip": st.booleans(),
                "protect": st.just(False),
            },
        )
    )
    return pool


@st.composite
def _extensions(draw: st.DrawFn) -> dict[str, Any]:
    text = draw(st.sampled_from([text for text in TEXTS if "<" not in text and "{{" not in text]))
    found: dict[str, Any] = {
        "monitor": {
            "publisher": "Microsoft.Azure.Monitor",
            "type": "AzureMonitorLinuxAgent",
            "version": "1.29",
            "settings": {"text": text, "deep": {"list": [1, True, None, {"[x]": text}], "empty": {}}},
        }
    }
    if draw(st.booleans()):
        found["after"] = {
            "publisher": "Ours",
            "type": "Other",
            "version": "2.0",
            "auto_upgrade": False,
            "after": ["monitor"],
        }
    return found


@st.composite
def _units(draw: st.DrawFn, regions: list[str]) -> dict[str, Any]:
    text = draw(st.sampled_from([text for text in TEXTS if "<" not in text and "{{" not in text]))
    unit: dict[str, Any] = {"template": "any", "in_place": draw(st.sampled_from([[], ["properties.a"]]))}
    unit["values"] = {"text": text, "deep": {"list": [1, True, None, {"[x]": text}], "empty": {}, "nothing": None}}
    if draw(st.booleans()):
        unit["regions"] = draw(st.lists(st.sampled_from(regions), min_size=1, unique=True))
    return unit


def _resources(name: str) -> dict[str, Any]:
    account = {"type": "Microsoft.NetApp/netAppAccounts", "api_version": "2025-06-01"}
    return {
        "outer": {**account, "name": name},
        "inner": {**account, "type": f"{account['type']}/capacityPools", "name": f"{name}/(1)"},
    }


@st.composite
def _here(draw: st.DrawFn, pool: dict[str, Any], region: str) -> dict[str, Any]:
    nodes = pool["nodes"] if isinstance(pool["nodes"], int) else pool["nodes"].get(region, 0)
    least = st.just(nodes)
    return draw(
        st.fixed_dictionaries(
            {},
            optional={
                "image": st.sampled_from(IMAGES),
                "domain_size": st.integers(2, 4),
                "min_nodes": least.map(lambda most: max(0, most - 1)),
                "max_nodes": least.map(lambda most: most + 2),
                "job_size": st.just(1),
                "spares": st.integers(0, 1),
                "placement_group_limit": st.sampled_from([4, 100]),
                "identities": st.sampled_from([[], [IDENTITIES[1]]]),
            },
        )
    )
