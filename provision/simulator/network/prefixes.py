"""Address prefixes as Network reads them: in CIDR notation, without host bits, outside the ranges that Azure keeps."""

from __future__ import annotations

import ipaddress

from provision.simulator.refusals.network_errors import network
from provision.simulator.wire.messages import Json

Prefix = ipaddress.IPv4Network | ipaddress.IPv6Network

_KEPT = tuple(
    ipaddress.IPv4Network(text)
    for text in ("224.0.0.0/4", "255.255.255.255/32", "127.0.0.0/8", "169.254.0.0/16", "168.63.129.16/32")
)
"""Multicast, broadcast, loopback, link-local and Azure's own DNS: azure-docs, virtual-networks-faq."""


def parsed(text: str) -> Prefix:
    """Return a prefix that is known to be one."""
    return ipaddress.ip_network(text)


def prefixes_of(properties: Json) -> list[str]:
    """Return the prefixes of a subnet; newer ones have a list."""
    prefixes: list[str] = properties.get("addressPrefixes") or [properties["addressPrefix"]]
    return prefixes


def checked(text: str, resource_id: str) -> Prefix:
    """Return the prefix; refuse a text that is none, or that has bits behind its length."""
    try:
        if "/" not in text:
            raise ValueError
        loose = ipaddress.ip_network(text, strict=False)
    except ValueError as error:
        message = (
            f"Address prefix {text} of resource {resource_id} is not formatted correctly. "
            "It should follow CIDR notation, for example 10.0.0.0/24."
        )
        raise network(400, "InvalidAddressPrefixFormat", message) from error
    if ipaddress.ip_interface(text).ip != loose.network_address:
        message = (
            f"The address prefix {text} in resource {resource_id} has an invalid CIDR notation. "
            f"For the given prefix length, the address prefix should be {loose}."
        )
        raise network(400, "InvalidCIDRNotation", message)
    return loose


def check_space(texts: list[str], resource_id: str, name: str) -> None:
    """Refuse an address space that is empty, overlaps itself, or reaches into what Azure keeps."""
    if not texts:
        message = f"Virtual network {name} must have an address space with at least one address prefix."
        raise network(400, "NetcfgInvalidVirtualNetworkSite", message)
    seen: list[Prefix] = []
    for text in texts:
        prefix = checked(text, resource_id)
        if any(overlap(prefix, kept) for kept in _KEPT):
            message = f"Address prefix {text} of virtual network {name} is not valid: Azure keeps it for itself."
            raise network(400, "NetcfgInvalidIPAddressPrefix", message)
        for other in seen:
            if overlap(prefix, other):
                message = f"Virtual network {name} is not valid: its address prefixes {other} and {prefix} overlap."
                raise network(400, "NetcfgInvalidVirtualNetworkSite", message)
        seen.append(prefix)


def overlap(one: Prefix, other: Prefix) -> bool:
    """Return whether two prefixes have an address in common; those of different versions have none."""
    return (
        one.version == other.version
        and one.network_address <= other.broadcast_address  # type: ignore[operator]  # of one version by now
        and other.network_address <= one.broadcast_address  # type: ignore[operator]  # of one version by now
    )


def lies_in(inner: Prefix, outer: Prefix) -> bool:
    return (
        inner.version == outer.version
        and outer.network_address <= inner.network_address  # type: ignore[operator]  # of one version by now
        and inner.broadcast_address <= outer.broadcast_address  # type: ignore[operator]  # of one version by now
    )
