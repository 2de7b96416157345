"""The options `--region` and `--pool`: of which part of an environment a plan is made. No verb itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from provision.near import nearest

if TYPE_CHECKING:
    from provision.pipeline import Checked
    from provision.plan import Chosen
    from provision.preflight import Member

_F = TypeVar("_F", bound=Callable[..., Any])


def part_options(function: _F) -> _F:
    """Add the options that choose a part; the verb gets what they say as `part`, None of the whole."""

    @wraps(function)
    def verb(regions: tuple[str, ...], pools: tuple[str, ...], **rest: Any) -> Any:
        from provision.plan import Chosen

        return function(part=Chosen(regions, pools) if regions or pools else None, **rest)

    for option, name in (("--pool", "pools"), ("--region", "regions")):
        verb = click.option(
            option,
            name,
            metavar="NAME,...",
            multiple=True,
            callback=_names,
            help=f"Only these {name}, or with !NAME all but these; what they need is taken along. Repeatable.",
        )(verb)
    return cast(_F, verb)


def _names(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip() for value in values for part in value.split(",")))
    if any(not name.removeprefix("!") for name in names):
        raise click.BadParameter("it names nothing", context, option)
    if both := sorted(name for name in names if f"!{name}" in names):
        raise click.BadParameter(f"{both[0]} is both asked for and left out", context, option)
    return names


def refuse_unknown(part: Chosen | None, checked: Sequence[Checked], members: Sequence[Member]) -> None:
    """Raise UsageError of a name that none of the environments has, now or in what they have made."""
    if part is None:
        return
    known: dict[str, set[str]] = {"region": set(), "pool": set()}
    for each in checked:
        assert each.topology is not None
        known["region"] |= {region.name for region in each.topology.regions}
        known["pool"] |= {pool.name for pool in each.topology.pools}
    for member in members:
        for record in (
            *(record for _, record in member.observed.records(member.environment)),
            *member.observed.orphans(member.environment),
        ):
            known["region"].add(record.region)
            known["pool"] |= {record.pool} if record.pool else set()
    for option, names in (("region", part.regions), ("pool", part.pools)):
        for name in (each.removeprefix("!") for each in names):
            if name not in known[option]:
                near = nearest(name, sorted(known[option]))
                meant = f"did you mean {near}?" if near else f"there are {', '.join(sorted(known[option])) or 'none'}"
                raise click.UsageError(f"--{option} {name}: there is no such {option}; {meant}")
