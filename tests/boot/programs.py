"""Stand-ins for the programs of a node, so that a script can be run whole without one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


def run(folder: Path, script: str, programs: Mapping[str, str], *arguments: str) -> tuple[int, list[str], str, str]:
    """Run a script with `programs`, each a body in bash; return exit code, calls, output and complaints.

    A program's calls are what it appends to the file `calls` of the folder, which is where it runs.
    """
    place = folder / "bin"
    place.mkdir(exist_ok=True)
    for name, text in programs.items():
        (place / name).write_text(f"#!/bin/bash\n{text}\n")
        (place / name).chmod(0o755)
    (folder / "script").write_text(script)
    (folder / "calls").write_text("")
    found = subprocess.run(
        ["bash", "script", *arguments],
        cwd=folder,
        env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, (folder / "calls").read_text().splitlines(), found.stdout, found.stderr
