"""`provision render`: write an environment's templates to a folder, or check that the folder holds them."""

from __future__ import annotations

import os

import click

from provision.adapters.files import load_catalog
from provision.adapters.rendering import differences, listed_files, replace
from provision.adapters.templates import load_templates
from provision.cli import exits
from provision.cli.common import load_checked, set_option
from provision.environment import Setting
from provision.environment.expand import expanded
from provision.pipeline import Checked, rendered
from provision.render import Unit, documents

_FORMATS = {"arm": ("arm",), "bicep": ("bicep",), "both": ("arm", "bicep")}


@click.command()
@click.argument("environment", metavar="ENVIRONMENT")
@set_option
@click.option("--output", metavar="DIR", default="", help="The folder of the rendering; made where there is none.")
@click.option("--format", "shape", type=click.Choice(list(_FORMATS)), default="both", help="What is rendered.")
@click.option("--check", is_flag=True, help="Write nothing; exit 2 when the folder differs from what would be written.")
@click.option("--expand", is_flag=True, help="Print the file that it all comes to, and where each value is from.")
def render(environment: str, settings: tuple[Setting, ...], output: str, shape: str, check: bool, expand: bool) -> int:
    """Write an environment's templates as ARM JSON and Bicep; `-` is standard input.

    Files of an earlier rendering that are no longer rendered are removed; no other file is touched.
    """
    if not expand and not output:
        raise click.UsageError("give --output DIR, or --expand")
    checked, code = load_checked([environment], settings)
    if expand:
        for each in checked:
            click.echo(expanded(each.data, each.source), nl=False)
        return code
    if code != exits.DONE:
        return code
    topology = checked[0].topology
    assert topology is not None, "an environment without errors has a topology"
    files = documents(topology, load_catalog(), load_templates(), _FORMATS[shape], checked[0].own)
    before = listed_files(output, topology.environment)
    if check:
        return _check(checked[0], output, files, before)
    removed = replace(output, files, before)
    for name in removed:
        click.echo(f"removed {os.path.join(output, name)}")
    click.echo(f"wrote {len(files)} files to {output}")
    return exits.DONE


def _check(checked: Checked, output: str, files: dict[str, str], before: tuple[str, ...]) -> int:
    lines = list(differences(output, files, before))
    units = [unit for unit in rendered(checked, load_catalog(), load_templates()) if _bicep(unit) in files]
    if units and not lines:
        lines += _built_differences(units, output)
    for line in lines:
        click.echo(line)
    if lines:
        return exits.DIFFERENCES
    click.echo(f"{output} is what would be written: {len(files)} files")
    return exits.DONE


def _built_differences(units: list[Unit], output: str) -> list[str]:
    """Return how what the Bicep files build to differs from the ARM templates, as far as there is a compiler."""
    from provision.adapters import bicep_build
    from provision.render.compare import differences

    executable = bicep_build.compiler()
    if executable is None:
        click.echo("the Bicep files were not built: there is no bicep on PATH", err=True)
        return []
    return [
        f"differs when built: {_bicep(unit)}: {line}"
        for unit in units
        for line in differences(unit.template, bicep_build.built(executable, os.path.join(output, _bicep(unit))))
    ]


def _bicep(unit: Unit) -> str:
    return f"{unit.region}/{unit.name}.bicep"
