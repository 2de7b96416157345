"""Makes the catalog from the text of its files. Where those lie is the caller's business."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from provision.catalog.model import Catalog, Durations, Image, Lustre, Node, Size


def catalog_from(read: Callable[[str], str]) -> Catalog:
    """Return the catalog; `read` gives the text of `data/NAME` and `catalog/NAME`."""
    unsupported = json.loads(read("catalog/unsupported_sizes.json"))["sizes"]
    nodes = {row["size"]: _node(row) for row in json.loads(read("data/nodes.json"))["nodes"]}
    sizes = {
        row["name"]: _size(row, nodes.get(row["name"]), unsupported.get(row["name"], {}).get("reason", ""))
        for row in json.loads(read("data/sizes.json"))["sizes"]
    }
    return Catalog(
        sizes=sizes,
        zones={row["name"]: tuple(row["zones"]) for row in json.loads(read("data/regions.json"))["regions"]},
        slots=json.loads(read("catalog/region_slots.json"))["slots"],
        images={row["image"].lower(): _image(row) for row in json.loads(read("data/images.json"))["images"]},
        prices={row["size"]: row["usd_per_hour"] for row in json.loads(read("data/prices.json"))["prices"]},
        limits={row["name"]: row["value"] for row in json.loads(read("data/limits.json"))["limits"]},
        lustre=_lustre(json.loads(read("data/lustre.json"))),
        durations=Durations(
            {row["name"]: row["seconds"] for row in json.loads(read("catalog/durations.json"))["durations"]}
        ),
        api_versions={
            name: row["version"] for name, row in json.loads(read("catalog/api_versions.json"))["versions"].items()
        },
    )


def _size(row: Mapping[str, Any], node: Node | None, unsupported: str) -> Size:
    return Size(
        name=row["name"],
        rdma=row["rdma"],
        gpus=row.get("gpus"),
        vcpus=row.get("vcpus"),
        memory_gib=row.get("memory_gib"),
        nvme_disks=row.get("nvme_disks", 0),
        max_data_disks=row.get("max_data_disks"),
        ephemeral_os_disk=row.get("ephemeral_os_disk"),
        generations=tuple(number for number in (1, 2) if row.get(f"generation_{number}")),
        architecture=row.get("architecture", "x64"),
        quota_family=row.get("quota_family"),
        node=node,
        unsupported=unsupported,
    )


def _node(row: Mapping[str, Any]) -> Node:
    return Node(
        nvidia=row["nvidia"],
        services=tuple(row["services"]),
        modules=tuple(row["modules"]),
        infiniband_ports=row["infiniband_ports"],
        nccl=row["nccl"],
    )


def _image(row: Mapping[str, Any]) -> Image:
    end, sizes = row["end_of_life"], row["gpu_sizes"]
    return Image(
        name=row["image"],
        generations=tuple(row["generations"]),
        architecture=row["architecture"],
        infiniband=row["infiniband"],
        gpu_sizes=None if sizes is None else tuple(sizes),
        end_of_life=end,
        read_on=row["date"],
    )


def _lustre(document: dict[str, Any]) -> Lustre:
    return Lustre(
        steps_tib={row["tier"]: row["step_tib"] for row in document["tiers"]},
        addresses=tuple(sorted((row["up_to_steps"], row["addresses"]) for row in document["addresses"])),
    )
