"""What the verbs share: reading and checking environment files, and where their output goes. No verb itself."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from datetime import date
from typing import TextIO, TypeVar

import click

from provision.adapters.files import STDIN, load_catalog, read_text
from provision.adapters.templates import read_templates
from provision.cli import exits
from provision.environment import Setting, Suppressed, setting_of
from provision.errors import FileError, ProvisionError
from provision.findings import Finding, Rule, has_errors
from provision.pipeline import Checked, check, check_together
from provision.source import STDIN_NAME

_F = TypeVar("_F", bound=Callable[..., object])


def set_option(function: _F) -> _F:
    """Add the option that gives single values on the command line."""
    return click.option(
        "--set",
        "settings",
        metavar="PATH=VALUE",
        multiple=True,
        callback=_settings,
        help="A value that wins over the file's, such as pools.train.nodes=3; written as in the file. Repeatable.",
    )(function)


def rules_option(function: _F) -> _F:
    """Add the option that names folders with rules of the user's own; its value is those rules."""
    return click.option(
        "--rules",
        "own_rules",
        metavar="DIR",
        multiple=True,
        callback=lambda context, option, folders: _own_rules(folders),
        help="A folder with rules of your own, which are applied beside ours. Repeatable.",
    )(function)


def _own_rules(folders: tuple[str, ...]) -> tuple[Rule, ...]:
    from provision.adapters.own_rules import own_rules

    return own_rules(folders)


def _settings(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> tuple[Setting, ...]:
    try:
        return tuple(setting_of(value) for value in values)
    except ValueError as error:
        raise click.UsageError(f"--set {error}", context) from None


def colour_on(stream: TextIO) -> bool:
    """Return whether colour may be written to a stream: only to a terminal, and not against `NO_COLOR`."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def fitting(text: str, stream: TextIO) -> str:
    """Return a text for people as it is written to a stream: a terminal's lines are as long as it is wide."""
    if not stream.isatty():
        return text
    from provision.report.width import fitted

    return fitted(text, shutil.get_terminal_size().columns)


def show_error(error: ProvisionError) -> None:
    """Tell on standard error what ended a run."""
    from provision.report.excerpt import error_as_text

    click.echo(error_as_text(error, colour_on(sys.stderr)), err=True, nl=False, color=True)


def checked_files(
    paths: Sequence[str], settings: tuple[Setting, ...] = (), own_rules: tuple[Rule, ...] = ()
) -> tuple[list[Checked], list[FileError]]:
    """Return the environment files that could be read, checked, and what kept the others from it.

    `-` is standard input. A file that is named twice is read once.
    """
    names = dict.fromkeys(STDIN_NAME if path == STDIN else path for path in paths)
    checked: list[Checked] = []
    unreadable: list[FileError] = []
    for name in names:
        try:
            checked.append(
                check(
                    name,
                    _read,
                    load_catalog(),
                    variables=os.environ,
                    settings=settings,
                    today=date.today(),
                    own_rules=own_rules,
                    read_folder=read_templates,
                )
            )
        except FileError as error:
            unreadable.append(error)
    return check_together(checked, load_catalog(), own_rules), unreadable


def _read(path: str) -> str:
    """Return a file's text; a saved plan, which would only give a page of findings, is told for what it is."""
    text = read_text(path)
    if text.lstrip("\ufeff \t\r\n").startswith("{") and '"operations"' in text and '"format_version"' in text:
        raise FileError(path, "this is a saved plan, not an environment file", fix="provision apply takes it")
    return text


def load_checked(
    paths: Sequence[str], settings: tuple[Setting, ...] = (), own_rules: tuple[Rule, ...] = ()
) -> tuple[list[Checked], int]:
    """Return the environment files, checked, for a verb that goes on with them, and the exit code so far.

    Findings are told on standard error. Unless the code is 0, some file has errors (3) or could not be read (1).
    """
    from provision.report.findings import as_text

    checked, unreadable = checked_files(paths, settings, own_rules)
    for error in unreadable:
        show_error(error)
    findings = findings_of(checked)
    if findings:
        text = as_text(findings, colour_on(sys.stderr), suppressed=len(suppressed_in(checked)))
        click.echo(text, err=True, nl=False, color=True)
    codes = (exits.COULD_NOT_RUN if unreadable else exits.DONE, exits.FINDINGS if has_errors(findings) else exits.DONE)
    return checked, exits.worst(codes)


def findings_of(checked: Sequence[Checked]) -> tuple[Finding, ...]:
    """Return the findings of several files, in the files' order."""
    return tuple(finding for each in checked for finding in each.findings)


def suppressed_in(checked: Sequence[Checked]) -> tuple[Suppressed, ...]:
    """Return what several files suppress, in the files' order."""
    return tuple(each for one in checked for each in one.suppressed)
