"""Makes the catalog from the text of its files. Where those lie is the caller's business."""

from __future__ import annotations

import json
from collections.abc import Callable

from provision.catalog.model import Catalog, Size


def catalog_from(read: Callable[[str], str]) -> Catalog:
    """Return the catalog; `read` gives the text of `data/NAME` and `catalog/NAME`."""
    unsupported = json.loads(read("catalog/unsupported_sizes.json"))["sizes"]
    sizes = {
        row["name"]: Size(
            name=row["name"],
            rdma=row["rdma"],
            gpus=row.get("gpus"),
            vcpus=row.get("vcpus"),
            memory_gib=row.get("memory_gib"),
            nvme_disks=row.get("nvme_disks", 0),
            quota_family=row.get("quota_family"),
            nccl=row.get("nccl", {}),
            unsupported=unsupported.get(row["name"], {}).get("reason", ""),
        )
        for row in json.loads(read("data/sizes.json"))["sizes"]
    }
    return Catalog(
        sizes=sizes,
        zones={row["name"]: tuple(row["zones"]) for row in json.loads(read("data/regions.json"))["regions"]},
        slots=json.loads(read("catalog/region_slots.json"))["slots"],
        prices={row["size"]: row["usd_per_hour"] for row in json.loads(read("data/prices.json"))["prices"]},
        limits={row["name"]: row["value"] for row in json.loads(read("data/limits.json"))["limits"]},
        api_versions={
            name: row["version"] for name, row in json.loads(read("catalog/api_versions.json"))["versions"].items()
        },
    )
