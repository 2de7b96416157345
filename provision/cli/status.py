"""`provision status`: how the nodes of an environment are."""

from __future__ import annotations

import click

from provision.cli import exits
from provision.cli.common import load_checked, set_option
from provision.cli.formats import Output, format_option, write
from provision.cli.target import Which, opened, target_options
from provision.environment import Setting


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@target_options
@set_option
@format_option(("text", "json"), "it is shown")
def status(
    environments: tuple[str, ...], chosen: Which, settings: tuple[Setting, ...], outputs: tuple[Output, ...]
) -> int:
    """Show what runs beside what is stated; exit 7 when that is less, or not healthy."""
    checked, code = load_checked(environments, settings)
    if code != exits.DONE:
        return code
    from provision.adapters.files import load_catalog
    from provision.observe import read_status
    from provision.report.status import statuses_shown

    codes, found = [], []
    for each in checked:
        assert each.topology is not None
        with opened(chosen, each.topology.subscription, load_catalog()) as target:
            pools = read_status(target.arm, each.topology)
        found.append((each.topology.environment, pools))
        codes.append(exits.DONE if all(pool.complete for pool in pools) else exits.DEGRADED)
    write(outputs, lambda name, colour: statuses_shown(name, found, colour=colour))
    return exits.worst(codes)
