"""Requests about marketplace images: publishers, offers, skus and versions, and the terms of those that are sold."""

from __future__ import annotations

import hashlib
import re

from provision.simulator.bodies import bodies
from provision.simulator.bodies.shapes import Needed
from provision.simulator.compute import marketplace
from provision.simulator.compute.marketplace import Image
from provision.simulator.compute.scale_set_defaults import IMAGE_DISK_GIB
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import compute_errors, errors
from provision.simulator.state.facts import location_name, regions
from provision.simulator.wire.messages import Json, Reply
from provision.simulator.wire.times import iso

_TERMS = Needed({"properties": Needed({"accepted": Needed(bool)})})
_PARTS = ("Publishers", "ArtifactTypes/VMImage/Offers", "Skus", "Versions")


def publishers(call: Call) -> Reply:
    return _list(call, [image.publisher for image in marketplace.listed(call.world)])


def offers(call: Call) -> Reply:
    wanted = call.params["publisher"].lower()
    found = [image for image in marketplace.listed(call.world) if image.publisher.lower() == wanted]
    return _list(call, [image.offer for image in found], found[0].publisher if found else "")


def skus(call: Call) -> Reply:
    wanted = (call.params["publisher"].lower(), call.params["offer"].lower())
    found = [
        image for image in marketplace.listed(call.world) if (image.publisher.lower(), image.offer.lower()) == wanted
    ]
    return _list(call, [image.sku for image in found], *((found[0].publisher, found[0].offer) if found else ()))


def versions(call: Call) -> Reply:
    """Answer with the versions of an image, oldest first unless `$orderby` says otherwise; `$top` cuts the list."""
    image = _image(call)
    found = list(image.versions)
    if re.fullmatch(r"name\s+desc", call.request.query.get("$orderby", ""), re.IGNORECASE):
        found.reverse()
    top = call.request.query.get("$top", "")
    if top.isdecimal():
        found = found[: int(top)]
    whole = call.request.query.get("$expand", "").lower() == "properties"
    return Reply(200, [_shown(call, image, each, whole=whole) for each in found])


def version(call: Call) -> Reply:
    """Answer with one version of an image; `latest` is the newest."""
    image, name = _image(call), call.params["version"]
    if not marketplace.has(call.world, image, name):
        raise compute_errors.no_image()
    return Reply(200, _shown(call, image, image.versions[-1] if name.lower() == "latest" else name, whole=True))


# --- the terms of plans ---


def terms(call: Call) -> Reply:
    return Reply(200, _terms(call))


def accept_terms(call: Call) -> Reply:
    accepted = bodies.fit(_TERMS, call.body, call.origin.text)["properties"]["accepted"]
    agreements = set(call.world.agreements) - {_agreement(call)}
    call.world.agreements = sorted(agreements | ({_agreement(call)} if accepted else set()))
    return Reply(200, _terms(call))


def _terms(call: Call) -> Json:
    publisher, offer, plan = (call.params[key] for key in ("publisher", "offer", "plan"))
    path = f"/subscriptions/{call.subscription}/providers/Microsoft.MarketplaceOrdering/offerTypes/VirtualMachine"
    signature = hashlib.sha256(f"{_agreement(call)}".encode()).hexdigest().upper()
    return {
        "id": f"{path}/publishers/{publisher}/offers/{offer}/plans/{plan}/agreements/current",
        "name": plan,
        "type": "Microsoft.MarketplaceOrdering/offertypes",
        "properties": {
            "publisher": publisher,
            "product": offer,
            "plan": plan,
            "licenseTextLink": f"https://legal.invalid/{publisher}/{offer}/{plan}/license.txt",
            "privacyPolicyLink": f"https://legal.invalid/{publisher}/privacy",
            "retrieveDatetime": iso(call.now),
            "signature": signature,
            "accepted": _agreement(call) in call.world.agreements,
        },
    }


def _agreement(call: Call) -> str:
    return marketplace.agreement(call.subscription, *(call.params[key] for key in ("publisher", "offer", "plan")))


def _image(call: Call) -> Image:
    _check_location(call)
    image = marketplace.find(call.world, *(call.params[key] for key in ("publisher", "offer", "sku")))
    if image is None:
        raise compute_errors.no_image()
    return image


def _list(call: Call, names: list[str], *above: str) -> Reply:
    _check_location(call)
    if not names:
        raise compute_errors.no_image()
    rows = [_row(call, *above, name) for name in dict.fromkeys(names)]
    return Reply(200, rows)


def _row(call: Call, *names: str) -> Json:
    """Return a row as lists show it; ids are capitalised here as nowhere else in Azure."""
    place = call.params["location"]
    path = f"/Subscriptions/{call.subscription}/Providers/Microsoft.Compute/Locations/{place}"
    steps = "".join(f"/{part}/{name}" for part, name in zip(_PARTS, names, strict=False))
    return {"location": place, "name": names[-1], "id": f"{path}{steps}"}


def _shown(call: Call, image: Image, name: str, *, whole: bool) -> Json:
    row = _row(call, image.publisher, image.offer, image.sku, name)
    if not whole:
        return row
    disk = {"operatingSystem": "Linux", "sizeInGb": IMAGE_DISK_GIB, "sizeInBytes": IMAGE_DISK_GIB * 2**30 + 512}
    properties: Json = {
        "hyperVGeneration": f"V{max(image.generations, default=2)}",
        "architecture": image.architecture or "x64",
        "replicaType": "Managed",
        "disallowed": {"vmDiskType": "Unmanaged"},
        "automaticOSUpgradeProperties": {"automaticOSUpgradeSupported": False},
        "imageDeprecationStatus": {"imageState": "Active"},
        "osDiskImage": disk,
        "dataDiskImages": [],
    }
    if image.plan:
        properties["plan"] = {"publisher": image.publisher, "name": image.plan, "product": image.offer}
    return {"properties": properties, **row}


def _check_location(call: Call) -> None:
    if location_name(call.params["location"]) not in regions():
        raise errors.unknown_location(call.params["location"], "locations/publishers", sorted(regions()))
