"""Whether each image is there in each region, and whether its terms have been accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from provision.arm import SCALE_SETS, ResourceId
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status
from provision.source import Path

RULE = Rule(
    id="image-not-there",
    severity=Severity.ERROR,
    why="a node is made from the image of its own region; one that is not there, or whose terms nobody has accepted, "
    "fails when the network stands already",
    link="https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage",
    what="each image version that a region does not have, or that is not replicated to it",
    remedy="take a version that is there, or replicate it first",
)
_PARTS = ("publisher", "offer", "sku", "version")
_IMAGES, _TERMS = "Microsoft.Compute/images", "Microsoft.MarketplaceOrdering/offerTypes"
_GALLERY = "Microsoft.Compute/galleries/images/versions"


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    seen = set()
    for number, member in enumerate(members):
        for stated in member.stated(SCALE_SETS):
            region = stated.body["location"]
            reference = stated.body["properties"]["virtualMachineProfile"]["storageProfile"]["imageReference"]
            image = reference.get("id") or ":".join(reference[part] for part in _PARTS)
            key = member.subscription, region, image.lower()
            if key in seen:
                continue
            seen.add(key)
            at = (*stated.unit.origin, "image")
            subject = f"{_short(image)} in {region}"
            if image.startswith("/"):
                yield Item(
                    subject,
                    at,
                    (Question(image, _GALLERY, "$expand=ReplicationStatus&", may_be_absent=True),),
                    lambda body, subject=subject, region=region, at=at, number=number: [
                        _of_gallery(body, subject, region, at, number)
                    ],
                    number,
                )
            else:
                yield _of_marketplace(member.subscription, image, region, subject, at, number)


def _of_marketplace(subscription: str, image: str, region: str, subject: str, at: Path, member: int) -> Item:
    publisher, offer, sku, version = image.split(":")
    path = (
        f"/subscriptions/{subscription}/providers/Microsoft.Compute/locations/{region}/publishers/{publisher}"
        f"/artifacttypes/vmimage/offers/{offer}/skus/{sku}/versions"
    )
    if version == "latest":
        question = Question(path, _IMAGES, "$orderby=name desc&$top=1&", may_be_absent=True)
        return Item(subject, at, (question,), lambda found: [_latest(found, subject, at, member)], member)
    question = Question(f"{path}/{version}", _IMAGES, may_be_absent=True)
    return Item(
        subject, at, (question,), lambda found: [_version(found, subscription, subject, image, at, member)], member
    )


def _latest(found: Any, subject: str, at: Path, member: int) -> Row:
    names = [str(each.get("name")) for each in found or ()]
    if not names:
        message = "no version of this image is in the region"
        return Row(RULE.id, subject, Status.FAIL, message, at, "choose another image", member)
    message = f"latest is {names[0]} today, and may be another tomorrow"
    return Row(RULE.id, subject, Status.PASS, message, at, member=member)


def _version(found: Any, subscription: str, subject: str, image: str, at: Path, member: int) -> Row | Item:
    if found is None:
        fix = f"`az vm image list --all --publisher {image.split(':')[0]}` lists what is there"
        return Row(RULE.id, subject, Status.FAIL, "this version is not in the region", at, fix, member)
    plan = (found.get("properties") or {}).get("plan")
    if not plan:
        return Row(RULE.id, subject, Status.PASS, "is there", at, member=member)
    publisher, offer, name = plan["publisher"], plan["product"], plan["name"]
    terms = Question(
        f"/subscriptions/{subscription}/providers/{_TERMS}/virtualMachine/publishers/{publisher}/offers/{offer}"
        f"/plans/{name}/agreements/current",
        _TERMS,
        may_be_absent=True,
    )
    return Item(subject, at, (terms,), lambda agreement: [_agreed(agreement, subject, image, at, member)], member)


def _agreed(agreement: Any, subject: str, image: str, at: Path, member: int) -> Row:
    if agreement is not None and (agreement.get("properties") or {}).get("accepted"):
        return Row(RULE.id, subject, Status.PASS, "is there, and its terms have been accepted", at, member=member)
    message = "its publisher's terms have not been accepted in this subscription"
    fix = f"whoever may buy accepts them once: az vm image terms accept --urn {image}"
    return Row(RULE.id, subject, Status.FAIL, message, at, fix, member)


def _of_gallery(body: Mapping[str, Any] | None, subject: str, region: str, at: Path, member: int) -> Row:
    def row(status: Status, message: str, fix: str = "") -> Row:
        return Row(RULE.id, subject, status, message, at, fix, member)

    if body is None:
        return row(Status.FAIL, "the gallery has no such version", "check the id, and that the version was not deleted")
    properties = body.get("properties") or {}
    profile = properties.get("publishingProfile") or {}
    targets = {_plain(each.get("name", "")): each for each in profile.get("targetRegions") or ()}
    if region not in targets:
        return row(
            Status.FAIL,
            f"the version is replicated to {', '.join(sorted(targets)) or 'no region'}, and not to {region}",
            f"add {region} to the version's target regions, and wait until it has arrived",
        )
    states = {
        _plain(each.get("region", "")): each
        for each in (properties.get("replicationStatus") or {}).get("summary") or ()
    }
    state = states.get(region)
    if state is not None and str(state.get("state")).lower() != "completed":
        return row(Status.FAIL, f"its replication is {state.get('state')} at {state.get('progress')} %", "wait for it")
    return row(Status.PASS, "is replicated to the region")


def _plain(region: str) -> str:
    return region.replace(" ", "").lower()


def _short(image: str) -> str:
    return "/".join(ResourceId(image).full_name.split("/")) if image.startswith("/") else image


IMAGES = Check(RULE, _items)
