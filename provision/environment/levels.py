"""Which keys each level of an environment file has, told from the model; for messages about keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from provision.environment.model import Environment
from provision.environment.scalars import plain
from provision.source import Path

#: What other tools call it, by the key of ours.
_SYNONYMS = {
    "nodes": ("count", "instances", "node_count", "instance_count", "capacity_count"),
    "size": ("vm_size", "sku", "instance_type", "machine_type"),
    "admin_user": ("admin_username", "username"),
    "ssh_public_key_file": ("ssh_key", "ssh_public_key", "public_key"),
    "zone": ("zones", "availability_zone", "availability_zones"),
    "regions": ("location", "locations"),
}
SYNONYMS = {other: ours for ours, others in _SYNONYMS.items() for other in others}

#: What Azure has and a pool must not say, with the reason.
_SETTLED = {
    ("capacity_reservation", "capacity_reservation_group", "capacity_reservation_group_id"): (
        "Azure offers no capacity reservation for sizes with InfiniBand"
    ),
    ("proximity_placement_group", "proximity_placement_group_id", "ppg"): (
        "a scale set of one placement group stands in one InfiniBand fabric already; a proximity placement group adds "
        "a constraint that Azure may not be able to meet"
    ),
    ("orchestration_mode", "orchestration", "flexible"): (
        "scale sets are Uniform: a Flexible one has no single placement group, and so no InfiniBand between its nodes"
    ),
    ("single_placement_group",): "it follows from `infiniband`",
    ("fault_domains", "fault_domain_count", "platform_fault_domain_count"): (
        "it is 1: nodes of one InfiniBand fabric share a fault domain, and Azure refuses to spread them"
    ),
    ("overprovision",): "it is off: surplus nodes would take addresses and quota, and go again while jobs start",
    ("automatic_repairs", "auto_repair", "repair"): "it is off: Azure would replace nodes under running jobs",
    ("security_type", "secure_boot", "trusted_launch"): (
        "it is Standard: with Secure Boot the drivers of GPUs and InfiniBand don't load"
    ),
    ("deployment_mode", "mode"): "units are deployed as stacks that detach: nothing is deleted that was not planned",
}
SETTLED = {key: why for keys, why in _SETTLED.items() for key in keys}

#: Keys that the format is to have and this version does not read.
LATER = frozenset(("boot_diagnostics", "variables"))


@cache
def levels() -> tuple[tuple[Path, type[BaseModel]], ...]:
    """Return each level's path, with `*` for a name that the user chooses, and its model; the outermost first."""
    return tuple(_below((), Environment))


def keys_at(path: Path) -> tuple[str, ...]:
    """Return the keys that the map at a path may have; none where the user chooses them."""
    for level, model in levels():
        if len(level) == len(path) and all(a in ("*", b) for a, b in zip(level, path, strict=True)):
            return tuple(model.model_fields)
    return ()


def levels_with(key: str) -> tuple[str, ...]:
    """Return where a key belongs, `pools.NAME` or `the top`, in the file's order."""
    return tuple(
        ".".join("NAME" if part == "*" else str(part) for part in level) or "the top of the file"
        for level, model in levels()
        if key in model.model_fields
    )


def _below(path: Path, model: type[BaseModel]) -> Iterator[tuple[Path, type[BaseModel]]]:
    yield path, model
    for name, field in model.model_fields.items():
        for star, part in _models_in(field.annotation):
            yield from _below((*path, name, *star), part)


def _models_in(annotation: Any) -> Iterator[tuple[Path, type[BaseModel]]]:
    """Yield the models inside a type; those that are a map's values with a `*` before them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield (), annotation
        return
    inside = get_args(annotation)
    star: Path = ("*",) if get_origin(annotation) is dict else ()
    for part in inside[1:] if star else inside:
        for deeper, model in _models_in(part):
            yield (*star, *deeper), model


def example_of(path: Path) -> str:
    """Return an example of the value at a path, as written in a file; empty when the model gives none."""
    for level, model in levels():
        if len(level) == len(path) - 1 and all(a in ("*", b) for a, b in zip(level, path, strict=False)):
            field = model.model_fields.get(str(path[-1]))
            return written(field.examples[-1]) if field and field.examples else ""
    return ""


def written(value: Any) -> str:
    """Return a value as it is written in a file, on one line; text only quoted where it must be."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(part) for part in value) + "]"
    return f'"{value}"' if isinstance(value, str) and plain(value) != value else str(value)
