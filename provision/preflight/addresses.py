"""Whether existing subnets have addresses left for the nodes that are added to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import SCALE_SETS, VIRTUAL_NETWORKS, ResourceId, resource_id
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.plan.context import capacity
from provision.preflight.model import Check, Item, Member, Question, Row, Status

RULE = Rule(
    id="subnet-full",
    severity=Severity.ERROR,
    why="each node takes an address of its subnet, of which Azure keeps five; without one it is not made",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq",
    what="each existing subnet that has fewer addresses left than nodes are added",
    remedy="take a larger subnet, or state fewer nodes",
)


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    added: dict[str, int] = defaultdict(int)
    first: dict[str, tuple[ResourceId, int, str]] = {}
    for number, member in enumerate(members):
        for region in member.topology.regions:
            if region.network is not None:
                continue
            subnet = region.nodes_subnet
            first.setdefault(subnet.key, (subnet, number, region.name))
            for scale_set in region.scale_sets:
                id = resource_id(member.topology.subscription, region.group, SCALE_SETS, scale_set.name)
                added[subnet.key] += scale_set.nodes - capacity(member.observed.resources.get(id.key))
    for key, (subnet, number, name) in sorted(first.items()):
        question = Question(f"{subnet.parent}/usages", VIRTUAL_NETWORKS, may_be_absent=True)
        yield Item(
            f"subnet {subnet.name}",
            ("regions", name, "subnets", "nodes"),
            (question,),
            lambda usages, subnet=subnet, number=number, name=name, key=key: [
                _row(usages, subnet, added[key], name, number)
            ],
            number,
        )


def _row(usages: Iterable[Mapping[str, Any]] | None, subnet: ResourceId, added: int, region: str, member: int) -> Row:
    at = ("regions", region, "subnets", "nodes")
    subject = f"subnet {subnet.name} of {subnet.parent.name}"
    usage = next((each for each in usages or () if ResourceId(str(each.get("id"))).key == subnet.key), None)
    if usage is None:
        message = "there is no such subnet"
        return Row(RULE.id, subject, Status.FAIL, message, at, "check the id, or have its owner make it", member)
    used, limit = int(usage["currentValue"]), int(usage["limit"])
    numbers = {"required": max(added, 0), "used": used, "limit": limit, "after": used + added}
    told = f"{max(added, 0)} addresses are added to {used} in use; it has {limit}"
    good = used + added <= limit
    fix = "" if good else f"take a subnet with {used + added} addresses or more, or state fewer nodes"
    return Row(RULE.id, subject, Status.PASS if good else Status.FAIL, told, at, fix, member, numbers)


ADDRESSES = Check(RULE, _items)
