"""Plans without Azure: `--offline` against nothing, `--world` against what `--save-world` saved. No verb itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from provision.arm import group_id
from provision.errors import FileError

if TYPE_CHECKING:
    from provision.pipeline import Checked
    from provision.plan import Observed
    from provision.preflight import Member
    from provision.topology import Topology


def world_of(checked: Sequence[Checked], path: str | None) -> Mapping[str, Observed]:
    """Return what some environments are planned against, by name: what a file holds, or nothing. Raises FileError."""
    from provision.adapters.files import read_text
    from provision.plan import Observed
    from provision.plan.world import world_in

    laid_out = [each.topology for each in checked if each.topology is not None]
    topologies = {(each.environment, each.subscription): each for each in laid_out}
    if path is None:
        return {
            name: Observed(_given(topology), {}, {}, (), named=topology.keys(), environment=name)
            for (name, _), topology in topologies.items()
        }
    try:
        found = world_in(read_text(path))
    except ValueError as error:
        raise FileError(path, f"this is no saved world: {error}", fix="plan --save-world saves one") from None
    if missing := sorted(topologies.keys() - found.keys()):
        name, subscription = missing[0]
        told = ", ".join(f"{name} in {subscription}" for name, subscription in sorted(found)) or "nothing"
        raise FileError(
            path,
            f"this world was not read for {name} in subscription {subscription}, but for {told}",
            fix="save one with the same environments: plan --save-world",
        )
    return {key[0]: replace(found[key], named=topology.keys()) for key, topology in topologies.items()}


def _given(topology: Topology) -> dict[str, dict[str, str]]:
    """Return the groups that an environment takes for given: somebody else makes them, so they are there."""
    given = [region for region in topology.regions if region.group_is_given]
    ids = {region.name: group_id(topology.subscription, region.group) for region in given}
    return {id.key: {"id": str(id), "name": id.name, "location": region} for region, id in ids.items()}


def save_world(path: str, members: Sequence[Member]) -> None:
    """Write what was observed of some environments to a file. Raises FileError."""
    from provision.adapters.files import write_tree
    from provision.plan.world import world_as_text

    observed = {(member.environment, member.subscription): member.observed for member in members}
    write_tree("", {path: world_as_text(observed)})
    click.echo(f"saved what Azure holds in {path}; plan against it with: provision plan --world {path}", err=True)
