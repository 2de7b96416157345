"""Whether the subscription may use each size where it is asked for: in the region, and in the zone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import SCALE_SETS
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status
from provision.source import Path

RULE = Rule(
    id="size-restricted",
    severity=Severity.ERROR,
    why="a subscription may use a size only where Azure has opened it, whatever its quota; that promises no room",
    link="https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-sku-not-available",
    what="each size that the subscription may not use in a region or zone",
    remedy="take a zone that remains, another region, or ask Azure support for access",
)


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    seen = set()
    for number, member in enumerate(members):
        for stated in member.stated(SCALE_SETS):
            size, region, zones = stated.body["sku"]["name"], stated.body["location"], stated.body.get("zones") or ()
            zone = str(zones[0]) if zones else None
            key = member.subscription, region, size, zone
            if key in seen:
                continue
            seen.add(key)
            at = ("regions", region, "zone") if zone else stated.unit.origin
            path = f"/subscriptions/{member.subscription}/providers/Microsoft.Compute/skus"
            yield Item(
                f"{size} in {region}",
                at,
                (Question(path, "Microsoft.Compute/skus", f"$filter=location eq '{region}'&"),),
                lambda skus, size=size, region=region, zone=zone, at=at, number=number: [
                    _row(skus, size, region, zone, at, number)
                ],
                number,
            )


def _row(skus: Iterable[Mapping[str, Any]], size: str, region: str, zone: str | None, at: Path, member: int) -> Row:
    subject = f"{size} in {region}" + (f", zone {zone}" if zone else "")
    sku = next((each for each in skus if _is(each, size, region)), None)

    def row(status: Status, message: str, fix: str = "") -> Row:
        return Row(RULE.id, subject, status, message, at, fix, member)

    if sku is None:
        return row(
            Status.FAIL, f"Azure does not list {size} in {region} for this subscription", "choose another region"
        )
    zones = _zones(sku, region)
    closed: set[str] = set()
    for restriction in sku.get("restrictions") or ():
        reason = restriction.get("reasonCode", "restricted")
        if str(restriction.get("type")).lower() == "location":
            return row(
                Status.FAIL,
                f"{size} is closed to this subscription in all of {region} ({reason})",
                "choose another region, or ask Azure support for access",
            )
        closed |= {str(each) for each in (restriction.get("restrictionInfo") or {}).get("zones") or ()}
    left = sorted(zones - closed)
    remain = f"open are {', '.join(left)}" if left else "no zone is open"
    if zone and zone not in left:
        why = "closed to this subscription" if zone in closed else "not offered"
        return row(Status.FAIL, f"{size} is {why} in zone {zone} of {region}; {remain}", f"set regions.{region}.zone")
    if not zone and zones and len(left) == 1:
        message = f"{size} is open in zone {left[0]} of {region} only, and without a zone Azure may look elsewhere"
        return row(Status.WARN, message, f'write regions.{region}.zone: "{left[0]}"')
    return row(Status.PASS, f"open to this subscription; {remain}" if zones else "open to this subscription")


def _is(sku: Mapping[str, Any], size: str, region: str) -> bool:
    kind = str(sku.get("resourceType", "virtualMachines")).lower()
    places = [str(each).lower() for each in sku.get("locations") or ()]
    return kind == "virtualmachines" and str(sku.get("name")).lower() == size.lower() and region.lower() in places


def _zones(sku: Mapping[str, Any], region: str) -> set[str]:
    infos = [each for each in sku.get("locationInfo") or () if str(each.get("location")).lower() == region.lower()]
    return {str(zone) for info in infos for zone in info.get("zones") or ()}


SIZES = Check(RULE, _items)
