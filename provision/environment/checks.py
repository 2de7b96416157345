"""What must agree between the parts of an environment file; single values are the model's business."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from provision.environment.model import Environment, OwnUnit, UnitResource
from provision.findings import Problem
from provision.near import nearest
from provision.source import Path

_LARGEST_SET = 1000

#: Words that a resource's symbol in Bicep can't be: those of the language, and the parameter of every unit.
_BICEP_WORDS = frozenset({"false", "for", "if", "in", "null", "provision", "true"})

#: Far more than Azure lets a subscription have (2,500 in a region), and as many as can be laid out in a minute.
MOST_SCALE_SETS = 500_000


def is_laid_out(environment: Environment) -> bool:
    """Return whether the scale sets of an environment are few enough to be laid out at all."""
    return _scale_sets(environment) <= MOST_SCALE_SETS


def problems_in(environment: Environment) -> Iterator[Problem]:
    """Yield each region that the environment lacks, a number of scale sets that nobody can mean, and what in a unit of
    one's own does not hold together.
    """
    if not is_laid_out(environment):
        yield Problem(
            ("pools",),
            f"the pools come to {_scale_sets(environment):,} scale sets; at most {MOST_SCALE_SETS:,} are laid out",
            "lower the numbers of nodes, raise domain_size, or split the environment",
        )
    for name, pool in environment.pools.items():
        for region in pool.nodes if isinstance(pool.nodes, dict) else ():
            if region not in environment.regions:
                yield _no_region(environment, ("pools", name, "nodes", region), f"pool {name} has nodes", on_key=True)
    for name, unit in environment.units.items():
        for index, region in enumerate(unit.regions or ()):
            if region not in environment.regions:
                yield _no_region(environment, ("units", name, "regions", index), f"unit {name} is deployed", region)
            elif region in (unit.regions or ())[:index]:
                yield Problem(("units", name, "regions", index), f"{region} stands here twice", "take one out")
        yield from _unit_problems(("units", name, "resources"), unit)


def _no_region(environment: Environment, at: Path, what: str, region: str = "", *, on_key: bool = False) -> Problem:
    region = region or str(at[-1])
    near = nearest(region, environment.regions)
    return Problem(
        at,
        f"{what} in {region}, which is none of this environment's regions ({', '.join(environment.regions)})",
        f"write {near}, or add {region} to `regions`" if near else f"add {region} to `regions`",
        on_key=on_key,
    )


def _unit_problems(at: Path, unit: OwnUnit) -> Iterator[Problem]:
    """Yield what is wrong among a unit's resources; each may rest on those above it only."""
    above: dict[str, UnitResource] = {}
    for key, resource in unit.resources.items():
        here = (*at, key)
        yield from _form_problems(here, resource, above)
        if key in _BICEP_WORDS:
            yield Problem(here, f"{key} is a word of Bicep's own", f"name it otherwise, such as {key}_1", on_key=True)
        for index, need in enumerate(resource.after):
            if need not in above:
                what = "does not stand above it" if need in unit.resources else "is none of this unit's resources"
                fix = f"write one of {', '.join(above)}" if above else "take it out"
                yield Problem((*here, "after", index), f"{key} comes after {need}, which {what}", fix)
        above[key] = resource


def _form_problems(here: Path, resource: UnitResource, above: Mapping[str, UnitResource]) -> Iterator[Problem]:
    kinds, names = resource.type.split("/")[1:], resource.name.split("/")
    if "providers" in (part.lower() for part in (*kinds, *names)):
        yield Problem(here, "`providers` is a word of resource ids, and no type or name here", "write another", True)
    elif len(kinds) != len(names):
        wanted = "/".join(f"<{kind}>" for kind in kinds)
        yield Problem(
            (*here, "name"),
            f"the name {resource.name} has {len(names)} parts; one of the type {resource.type} has {len(kinds)}",
            f"write {wanted}, each with its own name",
        )
    elif len(kinds) > 1:
        parent = (resource.type.rpartition("/")[0].lower(), resource.name.rpartition("/")[0].lower())
        if parent not in {(each.type.lower(), each.name.lower()) for each in above.values()}:
            yield Problem(
                here,
                f"its parent, {resource.type.rpartition('/')[0]} {resource.name.rpartition('/')[0]}, "
                "does not stand above it",
                "state the parent above it in the same unit",
                on_key=True,
            )
    for other in above.values():
        if other.type.lower() == resource.type.lower() and other.api_version != resource.api_version:
            yield Problem(
                (*here, "api_version"),
                f"{resource.type} stands in this unit by the API versions {other.api_version} and "
                f"{resource.api_version}",
                "write the same for both",
            )
            break


def _scale_sets(environment: Environment) -> int:
    """Return how many scale sets the pools come to, at least."""
    return sum(
        -(-pool.nodes_in(region) // (pool.domain_size or _LARGEST_SET)) for _, region, pool in environment.shares()
    )
