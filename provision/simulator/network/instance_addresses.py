"""The public addresses of instances: one for each ip configuration that asks for one, while its node has hardware."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet, guid_of
from provision.simulator.wire.messages import Json


def of(row: ScaleSet, number: int, now: float) -> Iterator[Json]:
    """Yield the addresses of an instance that stands; a deallocated or failed one has none."""
    differs = row.touched.get(str(number), {})
    if instances.state(row, number, now) in ("Creating", "Failed") or differs.get("power") == "deallocated":
        return
    profile = row.properties["virtualMachineProfile"].get("networkProfile", {})
    for interface in profile.get("networkInterfaceConfigurations", []):
        for address in interface["properties"]["ipConfigurations"]:
            public = address["properties"].get("publicIPAddressConfiguration")
            if public is not None:
                place = f"{row.id}/virtualMachines/{number}/networkInterfaces/{interface['name']}"
                yield _address(row, number, f"{place}/ipConfigurations/{address['name']}", public)


def _address(row: ScaleSet, number: int, configuration: str, public: Json) -> Json:
    given = public.get("properties") or {}
    return {
        "name": public["name"],
        "id": f"{configuration}/publicIPAddresses/{public['name']}",
        "etag": f'W/"{guid_of(row.unique_id, str(row.writes))}"',
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": guid_of(row.unique_id, configuration),
            "ipAddress": _number(f"{row.unique_id}/{configuration}"),
            "publicIPAddressVersion": given.get("publicIPAddressVersion", "IPv4"),
            "publicIPAllocationMethod": "Static" if (public.get("sku") or {}).get("name") == "Standard" else "Dynamic",
            "idleTimeoutInMinutes": given.get("idleTimeoutInMinutes", 4),
            "ipTags": given.get("ipTags", []),
            "ipConfiguration": {"id": configuration},
        },
    }


def _number(text: str) -> str:
    first, second, third = hashlib.blake2b(text.encode(), digest_size=3).digest()
    return f"52.{first}.{second}.{third}"
