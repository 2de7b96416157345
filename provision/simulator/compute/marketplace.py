"""Marketplace images: which there are, their versions, and the purchase plans of those that are sold.

Known are the images of the project's data, each with the versions that are known from public material, and what the
tester adds by the setting `images`: `{"publisher:offer:sku": {versions?, plan?}}`, where `plan` is the name of the
plan that has to be bought. An image that nobody lists exists too, in any version, unless the setting `missingImages`
names it, as `publisher:offer:sku` or with `:version` behind; the same list names gallery images by their ids.
"""

from __future__ import annotations

from dataclasses import dataclass

from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals import errors
from provision.simulator.state.facts import images, location_name, sizes
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json

IMAGES, MISSING_IMAGES, IMAGE_REGIONS = "images", "missingImages", "imageRegions"

_SEEN = {
    "microsoft-dsvm:ubuntu-hpc:2204": (
        "22.04.2023080201",
        "22.04.2024043001",
        "22.04.2024102301",
        "22.04.2026071501",
    ),
    "microsoft-dsvm:ubuntu-hpc:2404": ("24.04.2026052601", "24.04.2026071501"),
    "almalinux:almalinux-hpc:8_10-hpc-gen2": ("8.10.2024101801",),
    "almalinux:almalinux-hpc:8_7-hpc-gen2": ("8.7.2024042601",),
}
"""Versions seen in public repositories (GitHub, read 2026-11-30); Azure has more."""

_ONLY_VERSION = "1.0.2026071501"
"""The one version that is shown of an image of which no real one is known."""


@dataclass(frozen=True, slots=True)
class Image:
    publisher: str
    offer: str
    sku: str
    versions: tuple[str, ...]
    """Lowest first."""
    plan: str
    """The name of the plan that has to be bought; empty where none has to be."""
    generations: tuple[int, ...]
    """Those that the data knows; empty where it knows none."""
    architecture: str
    """Empty where the data does not know it."""
    closed: bool
    """Whether there are no versions but those listed."""


def listed(world: World) -> list[Image]:
    """Return the images that lists show, by publisher, offer and sku."""
    names = sorted({name.lower() for name in (*images(), *_added(world))})
    found = [find(world, *name.split(":")) for name in names]
    return [image for image in found if image is not None]


def find(world: World, publisher: str, offer: str, sku: str) -> Image | None:
    """Return an image, or None where there is none such; spelling follows the list, where it has it."""
    key = f"{publisher}:{offer}:{sku}".lower()
    if key in _missing(world):
        return None
    facts = images().get(key, {})
    name = next((name for name in _added(world) if name.lower() == key), "")
    added: Json = _added(world).get(name, {})
    names = str(facts.get("image") or name or f"{publisher}:{offer}:{sku}").split(":")
    stated = added.get("versions")
    versions = stated or _SEEN.get(key) or (_ONLY_VERSION,)
    return Image(
        names[0],
        names[1],
        names[2],
        tuple(each for each in sorted(versions, key=_order) if f"{key}:{each}".lower() not in _missing(world)),
        str(added.get("plan", "")),
        tuple(facts.get("generations") or ()),
        str(facts.get("architecture", "")),
        stated is not None,
    )


def has(world: World, image: Image, version: str) -> bool:
    if version.lower() == "latest":
        return bool(image.versions)
    key = f"{image.publisher}:{image.offer}:{image.sku}:{version}".lower()
    return key not in _missing(world) and (version in image.versions or not image.closed)


def exact_version(world: World, reference: Json) -> str:
    """Return the version that an image reference means now: of `latest`, the newest; empty where it names none."""
    version = str(reference.get("version", ""))
    if version.lower() != "latest":
        return version
    image = find(world, *_names(reference))
    return image.versions[-1] if image is not None and image.versions else ""


def refresh(world: World, row: ScaleSet) -> None:
    """Note which version the instances that a set makes from now on get."""
    reference = row.properties["virtualMachineProfile"].get("storageProfile", {}).get("imageReference", {})
    row.image = exact_version(world, reference)


def check(world: World, row: ScaleSet) -> None:
    """Refuse an image that is not there, that the size cannot run, or whose plan is not stated or not bought."""
    profile = row.properties["virtualMachineProfile"]
    reference = profile.get("storageProfile", {}).get("imageReference", {})
    gallery = reference.get("id")
    if gallery is not None:
        places = replicated_to(world, str(gallery))
        if str(gallery).lower() in _missing(world) or (places is not None and row.location not in places):
            raise errors.no_gallery_image(gallery, row.location)
    if gallery is not None or not all(_names(reference)):
        return
    version = str(reference.get("version", "latest"))
    image = find(world, *_names(reference))
    if image is None or not has(world, image, version):
        raise refused.no_platform_image(":".join([*_names(reference), version]))
    _check_size(image, row)
    _check_plan(world, image, row)


def _check_size(image: Image, row: ScaleSet) -> None:
    """Refuse an image that the size cannot boot; where the data does not know, all is well."""
    size = sizes().get(str(row.body["sku"]["name"]).lower())
    if size is None:
        return
    boots = [number for number in (1, 2) if size.facts.get(f"generation_{number}") is True]
    if boots and image.generations and not set(boots) & set(image.generations):
        raise refused.wrong_generation(size.name, str(image.generations[0]))
    architecture = size.facts.get("architecture", "x64")
    if image.architecture and architecture != image.architecture:
        raise refused.wrong_architecture(size.name, architecture, image.architecture)


def _check_plan(world: World, image: Image, row: ScaleSet) -> None:
    plan = row.body.get("plan")
    if not image.plan:
        if plan:
            raise refused.plan_not_needed(row.id)
        return
    if not plan:
        raise refused.plan_needed(row.id)
    stated = [str(plan.get(key, "")) for key in ("publisher", "product", "name")]
    if [each.lower() for each in stated] != [each.lower() for each in (image.publisher, image.offer, image.plan)]:
        raise refused.plan_mismatch(row.id)
    if agreement(row.rid.subscription, *stated) not in world.agreements:
        raise refused.terms_not_accepted(*stated)


def agreement(subscription: str, publisher: str, offer: str, plan: str) -> str:
    """Return the key under which accepted terms are remembered."""
    return f"{subscription}/{publisher}/{offer}/{plan}".lower()


def replicated_to(world: World, gallery: str) -> list[str] | None:
    """Return the regions that a version of a gallery image has been replicated to; None for everywhere."""
    stated = {str(id).lower(): places for id, places in world.setting(IMAGE_REGIONS, {}).items()}
    places = stated.get(gallery.lower())
    return None if places is None else [location_name(each) for each in places]


def check_regions(images: Json) -> None:
    """Raise ValueError where the setting `imageRegions` makes no sense."""
    for name, places in images.items():
        if not isinstance(places, list) or not all(isinstance(each, str) for each in places):
            raise ValueError(f"settings.imageRegions.{name} is a list of regions")


def check_setting(images: Json) -> None:
    """Raise ValueError, saying what is wrong, where the setting `images` makes no sense."""
    for name, image in images.items():
        if name.count(":") != 2 or not all(name.split(":")):
            raise ValueError(f"settings.images names images as publisher:offer:sku, not {name}")
        if not isinstance(image, dict) or set(image) - {"versions", "plan"}:
            raise ValueError(f"settings.images.{name} may have versions and plan")
        versions = image.get("versions", [])
        if not isinstance(versions, list) or not all(isinstance(each, str) and each for each in versions):
            raise ValueError(f"settings.images.{name}.versions is a list of versions")
        if not isinstance(image.get("plan", ""), str):
            raise ValueError(f"settings.images.{name}.plan is the name of a plan")


def _names(reference: Json) -> tuple[str, str, str]:
    return str(reference.get("publisher", "")), str(reference.get("offer", "")), str(reference.get("sku", ""))


def _added(world: World) -> Json:
    found: Json = world.setting(IMAGES, {})
    return found


def _missing(world: World) -> set[str]:
    return {str(each).lower() for each in world.setting(MISSING_IMAGES, [])}


def _order(version: str) -> list[tuple[int, str]]:
    """Return what versions are sorted by: number by number, words last."""
    return [(int(part), "") if part.isdecimal() else (2**63, part) for part in version.split(".")]
