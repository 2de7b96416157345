"""`provision status`: how the nodes of an environment are."""

from __future__ import annotations

import json
import sys

import click

from provision.cli import exits
from provision.cli.common import colour_on, load_checked, set_option
from provision.cli.target import Which, opened, target_options
from provision.environment import Setting


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@target_options
@set_option
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How it is shown.")
def status(environments: tuple[str, ...], chosen: Which, settings: tuple[Setting, ...], shape: str) -> int:
    """Show what runs beside what is stated; exit 7 when that is less, or not healthy."""
    checked, code = load_checked(environments, settings)
    if code != exits.DONE:
        return code
    from provision.adapters.files import load_catalog
    from provision.observe import read_status
    from provision.report.status import status_as_dict, status_as_text

    codes, documents = [], []
    for each in checked:
        assert each.topology is not None
        with opened(chosen, each.topology.subscription, load_catalog()) as target:
            pools = read_status(target.arm, each.topology)
        if shape == "json":
            documents.append(status_as_dict(each.topology.environment, pools))
        else:
            click.echo(status_as_text(each.topology.environment, pools, colour_on(sys.stdout)), nl=False, color=True)
        codes.append(exits.DONE if all(pool.complete for pool in pools) else exits.DEGRADED)
    if shape == "json":
        whole = documents[0] if len(documents) == 1 else {"format_version": 1, "environments": documents}
        click.echo(json.dumps(whole, indent=1, ensure_ascii=False))
    return exits.worst(codes)
