"""The entry point: finds the verb, runs it, and turns whatever ends it into a message and an exit code.

A verb is a file of this folder with a click command that is named like it; only the verb that is asked for is
imported. Its function returns the exit code, None for 0.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

import click

import provision.cli
from provision import __version__
from provision.cli import exits
from provision.errors import ProvisionError

#: How many values are made before Python looks for cycles among them. A run keeps nearly all that it makes, and by
#: Python's own number, 700, a plan of thousands of scale sets spends a third of its time on looking.
VALUES_BETWEEN_COLLECTIONS = 200_000


class _Verbs(click.Group):
    """The verbs of the command line, imported when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules beside this one; those that are no verb have no command."""
        return sorted(module.name for module in iter_modules(provision.cli.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb's command; None when there is no such verb."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = getattr(import_module(f"provision.cli.{cmd_name}"), cmd_name, None)
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb that is asked for; of one that there isn't, say which may have been meant."""
        if self.get_command(ctx, args[0]) is None:
            from provision.near import nearest

            verbs = [name for name in self.list_commands(ctx) if self.get_command(ctx, name) is not None]
            near = nearest(args[0], verbs)
            meant = f"did you mean {near}?" if near else f"the verbs are {', '.join(verbs)}"
            ctx.fail(f"there is no verb {args[0]}; {meant}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="provision", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, envvar="PROVISION_DEBUG", help="Show the traceback of an unexpected error.")
def cli(debug: bool) -> None:
    """Declare, check, plan and apply GPU supercomputers on Azure."""


def run() -> None:
    """Run the command line of this process and end it."""
    gc.set_threshold(VALUES_BETWEEN_COLLECTIONS)
    # Whoever started us may have closed them.
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115 - open as long as the process
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character gets it spelt out
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))


def main(args: Sequence[str]) -> int:
    """Run a command line and return its exit code; what went wrong is told on standard error."""
    try:
        code = cli.main(list(args), prog_name="provision", standalone_mode=False)
        return _flushed(code if isinstance(code, int) else exits.DONE)
    except click.ClickException as error:
        error.show()
        return exits.USAGE
    except ProvisionError as error:
        from provision.cli.common import show_error

        show_error(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return exits.INTERRUPTED
    except BrokenPipeError:
        _let_go_of_output()
        return exits.COULD_NOT_RUN
    except Exception as error:
        return _bug(error, debug="--debug" in args or bool(os.environ.get("PROVISION_DEBUG")))


def _flushed(code: int) -> int:
    """Return the code after all output is written; a reader that went away changes nothing about it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_output()
    except OSError as error:  # a full disk
        _let_go_of_output()
        click.echo(f"error: the output could not be written: {error.strerror}", err=True)
        return code or exits.COULD_NOT_RUN
    return code


def _let_go_of_output() -> None:
    """Send what is left to nowhere: Python would complain once more when it closes standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(error: Exception, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exc()
    click.echo(
        f"error: this is a bug in provision {__version__}: {type(error).__name__}: {error}\n"
        "  fix: please report it, with what the same command prints after `provision --debug`; "
        "look through it for what must stay private first",
        err=True,
    )
    return exits.COULD_NOT_RUN


if __name__ == "__main__":
    run()
