"""Whether existing subnets have addresses left for the nodes that are added to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import SCALE_SETS, SUBNETS, VIRTUAL_NETWORKS, ResourceId
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Stated, Status

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
        ours = {stated.id.key for stated in member.stated(SUBNETS)}
        for stated in member.stated(SCALE_SETS):
            subnet = subnet_of(stated)
            if subnet.key not in ours:
                first.setdefault(subnet.key, (subnet, number, stated.body["location"]))
                added[subnet.key] += stated.body["sku"]["capacity"] - member.running(stated.id)
    for key, (subnet, number, region) in sorted(first.items()):
        question = Question(f"{subnet.parent}/usages", VIRTUAL_NETWORKS, may_be_absent=True)
        yield Item(
            f"subnet {subnet.name}",
            ("regions", region, "subnets", "nodes"),
            (question,),
            lambda usages, subnet=subnet, number=number, region=region, key=key: [
                _row(usages, subnet, added[key], region, number)
            ],
            number,
        )


def subnet_of(stated: Stated) -> ResourceId:
    """Return the subnet that a scale set's nodes stand in."""
    network = stated.body["properties"]["virtualMachineProfile"]["networkProfile"]
    (interface,) = network["networkInterfaceConfigurations"]
    return ResourceId(interface["properties"]["ipConfigurations"][0]["properties"]["subnet"]["id"])


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
