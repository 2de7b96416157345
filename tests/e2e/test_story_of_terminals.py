"""A plan on a narrow terminal is laid out for it; one that goes into a file or a pipe is as it is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import Shell

COMMAND = [sys.executable, "-m", "provision.cli.main", "plan", "quick.yaml", "--offline"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "COLUMNS": "60", "TERM": "xterm"}
NO_COLOUR = {**ENVIRONMENT, "NO_COLOR": "1"}


def on_a_terminal(folder: Path, environment: dict[str, str]) -> str:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        COMMAND, cwd=folder, env=environment, stdout=theirs, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the terminal is closed: it has ended
                break
            if not part:
                break
            told += part
    os.close(ours)
    assert process.returncode == 0
    return told.decode().replace("\r\n", "\n")


def piped(folder: Path) -> str:
    done = subprocess.run(COMMAND, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_terminal_gets_lines_as_long_as_it_is_wide_and_a_pipe_the_text_as_it_is(provision: Shell) -> None:
    wide, narrow = piped(provision.folder), on_a_terminal(provision.folder, NO_COLOUR)

    assert max(len(line) for line in wide.splitlines()) > 100
    assert all(len(line) <= 60 or " " not in line.strip() for line in narrow.splitlines())
    assert narrow.split() == wide.split()
    assert "\x1b" not in wide + narrow


def test_colour_says_nothing_that_signs_do_not(provision: Shell) -> None:
    coloured = on_a_terminal(provision.folder, ENVIRONMENT)

    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == on_a_terminal(provision.folder, NO_COLOUR)
