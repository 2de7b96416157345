"""Whether the subscription's vCPU quota holds what the run adds: by family, by region, and for Spot nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from provision.arm import SCALE_SETS
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Stated, Status
from provision.source import Path

RULE = Rule(
    id="quota-too-small",
    severity=Severity.ERROR,
    why="Azure refuses nodes over the vCPU quota of their family or region, Spot nodes over a bucket of their own",
    link="https://learn.microsoft.com/azure/virtual-machines/quotas",
    what="each quota that what runs and what is added exceed together",
    remedy="ask for the limit that the message names (the body is in the JSON), or state fewer nodes",
)
REGIONAL, SPOT = "cores", "lowPriorityCores"
_USAGES = "Microsoft.Compute/usages"


@dataclass(slots=True)
class _Need:
    """vCPUs that are added to a counter, and where the most of them come from."""

    vcpus: int = 0
    member: int = 0
    at: Path = ("pools",)
    most: int = -1

    def add(self, vcpus: int, member: int, at: Path) -> None:
        self.vcpus += vcpus
        if vcpus > self.most:
            self.most, self.member, self.at = vcpus, member, at


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for (subscription, region), needs in sorted(_needs(members, catalog).items()):
        if all(need.vcpus <= 0 for need in needs.values()):
            continue  # nothing is added here
        path = f"/subscriptions/{subscription}/providers/Microsoft.Compute/locations/{region}/usages"
        worst = max(needs.values(), key=lambda need: need.vcpus)
        yield Item(
            region,
            worst.at,
            (Question(path, _USAGES),),
            lambda usages, region=region, needs=needs, subscription=subscription: _rows(
                usages, subscription, region, needs
            ),
            worst.member,
        )


def _needs(members: tuple[Member, ...], catalog: Catalog) -> Mapping[tuple[str, str], dict[str, _Need]]:
    """Return what is added to each counter of each region, by (subscription, region)."""
    found: dict[tuple[str, str], dict[str, _Need]] = defaultdict(lambda: defaultdict(_Need))
    for number, member in enumerate(members):
        for stated in member.stated(SCALE_SETS):
            size = catalog.sizes.get(stated.body["sku"]["name"])
            if size is None or size.vcpus is None:
                continue
            nodes = stated.body["sku"]["capacity"] - _running(member, stated, size.name)
            profile = stated.body["properties"]["virtualMachineProfile"]
            spot = str(profile.get("priority", "")).lower() == "spot"
            for name in (SPOT,) if spot else (size.quota_family, REGIONAL):
                if name is not None:
                    need = found[member.subscription, stated.body["location"]][name]
                    need.add(nodes * size.vcpus, number, stated.unit.origin)
    return found


def _running(member: Member, stated: Stated, size: str) -> int:
    """Return the nodes of a size that count already; those of another size free another counter."""
    sku = (member.observed.resources.get(stated.id.key) or {}).get("sku") or {}
    return member.running(stated.id) if str(sku.get("name", "")).lower() == size.lower() else 0


def _rows(
    usages: Iterable[Mapping[str, Any]], subscription: str, region: str, needs: Mapping[str, _Need]
) -> Iterator[Row]:
    reported = {_plain(usage["name"]["value"]): usage for usage in usages}
    for name, need in sorted(needs.items()):
        if need.vcpus <= 0:
            continue
        subject = f"{name} in {region}"
        usage = reported.get(_plain(name))
        if usage is None:
            message = f"Azure lists no quota {name} for {region}, so whether {need.vcpus:,} vCPUs fit is not known"
            yield Row(RULE.id, subject, Status.COULD_NOT_RUN, message, need.at, "look it up in the portal", need.member)
            continue
        used, limit = int(usage["currentValue"]), int(usage["limit"])
        after = used + need.vcpus
        numbers = {"required": need.vcpus, "used": used, "limit": limit, "after": after}
        told = f"{need.vcpus:,} vCPUs are added to {used:,} in use, {after:,} in all; the limit is {limit:,}"
        if after <= limit:
            yield Row(RULE.id, subject, Status.PASS, told, need.at, member=need.member, numbers=numbers)
            continue
        yield Row(
            RULE.id,
            subject,
            Status.FAIL,
            told,
            need.at,
            f"ask for a limit of {after:,} or more, or state fewer nodes",
            need.member,
            {**numbers, "ask_for": after},
            _request(subscription, region, usage["name"]["value"], after),
        )


def _request(subscription: str, region: str, name: str, limit: int) -> Mapping[str, Any]:
    """Return what to send to Microsoft.Quota to ask for a limit (API 2025-09-01)."""
    scope = f"/subscriptions/{subscription}/providers/Microsoft.Compute/locations/{region}"
    return {
        "method": "PUT",
        "path": f"{scope}/providers/Microsoft.Quota/quotas/{name}",
        "api_version": "2025-09-01",
        "body": {"properties": {"limit": {"limitObjectType": "LimitValue", "value": limit}, "name": {"value": name}}},
    }


def _plain(name: str) -> str:
    """Return a counter's name as it compares: Azure spells families with stray blanks and in any case."""
    return "".join(name.split()).lower()


QUOTA = Check(RULE, _items)
