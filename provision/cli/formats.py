"""The option `--format NAME[=FILE]`: in which formats a verb tells its result, and where each goes. No verb itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import click

from provision.cli.common import colour_on, fitting

_F = TypeVar("_F", bound=Callable[..., object])


class Output(NamedTuple):
    """A format and the file that it goes to; standard output when there is none."""

    name: str
    file: str


def format_option(names: Sequence[str], what: str) -> Callable[[_F], _F]:
    """Return a decorator that adds the option; its value is a tuple of `Output`, the first of `names` by default."""

    def parsed(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[Output, ...]:
        outputs = tuple(Output(*value.partition("=")[::2]) for value in values) or (Output(names[0], ""),)
        for value, output in zip(values, outputs, strict=False):
            if output.name not in names:
                raise click.BadParameter(f"{output.name!r} is not one of {', '.join(names)}", context, option)
            if "=" in value and not output.file:
                raise click.BadParameter(f"{value!r} names no file", context, option)
        files = [output.file for output in outputs]
        if len(set(files)) < len(files):
            raise click.BadParameter("two formats can't go to the same place; give NAME=FILE", context, option)
        return outputs

    return click.option(
        "--format",
        "outputs",
        metavar="NAME[=FILE]",
        multiple=True,
        callback=parsed,
        help=f"How {what}: {', '.join(names)}; to a file, or to standard output. Repeatable.",
    )


def write(outputs: Sequence[Output], shown: Callable[[str, bool], str]) -> None:
    """Write each output, files first; `shown` makes one from a format's name and whether it may have colour."""
    from provision.adapters.files import write_tree

    write_tree("", {output.file: shown(output.name, False) for output in outputs if output.file})
    for output in outputs:
        if not output.file:
            text = shown(output.name, colour_on(sys.stdout))
            click.echo(fitting(text, sys.stdout) if output.name == "text" else text, nl=False, color=True)
