"""Public addresses are tried by strangers within minutes."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule

#: Nobody's own: not even the largest holders of addresses have one so large.
_WIDE = 7


@rule(
    id="ssh-open-to-all",
    subject=Environment,
    severity=Severity.WARNING,
    why="a public address with an open SSH port is found and tried within minutes, by machines that do nothing else",
    link="https://learn.microsoft.com/azure/security/fundamentals/network-best-practices",
    remedy="let SSH in from your own ranges, or take a bastion instead of public addresses",
)
def ssh_open_to_all(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each range so wide that it is the internet, from which SSH to nodes with public addresses is let in."""
    regions = environment.regions
    public = [n for n, p in environment.pools.items() if p.public_ip and any(p.nodes_in(r) for r in regions)]
    for index, range in enumerate(environment.network.ssh_from):
        if public and IPv4Network(range).prefixlen <= _WIDE:
            yield Problem(
                at=("network", "ssh_from", index),
                message=f"SSH is let in from {range} to the public addresses of {', '.join(public)}",
                fix="write the range of your office or VPN, such as 203.0.113.0/24, or set network.bastion "
                "and leave public_ip out",
            )
