"""The live display of an apply on a terminal: events above, what runs now in one line beneath."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.text import Text

from provision.apply.events import Event
from provision.apply.scheduler import Progress, Status
from provision.cli.common import colour_on
from provision.report.applying import event_as_text, operation_as_text

_SHOWN = 3


def tell_live(events: Iterator[Event], progress: Callable[[], Progress]) -> None:
    """Show events as they come, until there are no more."""
    console = Console(stderr=True)
    colour = colour_on(sys.stderr)
    with console.status("reading") as status:
        for event in events:
            if event.event != "heartbeat" and (line := event_as_text(event, progress(), colour)):
                console.print(Text.from_ansi(line))
            status.update(Text(_now(progress())))


def _now(progress: Progress) -> str:
    running = [operation_as_text(operation) for operation in progress.of(Status.RUNNING)]
    counts = f"{len(progress.of(Status.DONE))} done, {len(running)} running, {len(progress.of(Status.WAITING))} to come"
    more = f" and {len(running) - _SHOWN} more" if len(running) > _SHOWN else ""
    return f"{counts}{': ' if running else ''}{', '.join(running[:_SHOWN])}{more}"
