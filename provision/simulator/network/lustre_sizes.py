"""What a managed Lustre file system of a tier and capacity needs of its subnet."""

from __future__ import annotations

import math
from collections.abc import Iterator

from provision.simulator.state.facts import LustreTier, lustre_tiers
from provision.simulator.wire.messages import Json

TYPE = "microsoft.storagecache/amlfilesystems"

SERVERS_BASE = 11
"""Addresses that any file system takes beside one for each step of capacity.

Inferred, not published: Azure answers 21 for 480 TiB of the 40 tier, and Microsoft's own form for clusters gives a /25
up to 256 TiB, a /24 up to 512 and a /23 above. The guide's table (amlfs-prerequisites) asks for more than this.
"""


def tier_of(body: Json) -> LustreTier:
    return lustre_tiers()[str(body["sku"]["name"]).lower()]


def addresses_needed(body: Json) -> int:
    capacity: float = body["properties"]["storageCapacityTiB"]
    return SERVERS_BASE + math.ceil(capacity / tier_of(body).step_tib)


def addresses(resource_id: str, body: Json) -> Iterator[str]:
    """Yield the ids of the ip configurations that a file system has in its subnet."""
    for number in range(addresses_needed(body)):
        yield f"{resource_id}/networkInterfaces/{number}/ipConfigurations/ipconfig"
