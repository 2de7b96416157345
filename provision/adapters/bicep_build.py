"""Builds Bicep with Microsoft's own compiler, where there is one on PATH."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

from provision.errors import FileError


def compiler() -> str | None:
    """Return the path of the `bicep` executable, None where PATH has none."""
    return shutil.which("bicep")


def built(executable: str, file: str) -> dict[str, Any]:
    """Return the ARM template that a Bicep file builds to. Raises FileError with what the compiler said."""
    # A large file with many literal ids takes a second or two; a compiler that hangs must not hang a pipeline.
    try:
        run = subprocess.run(
            [executable, "build", "--stdout", file], capture_output=True, encoding="utf-8", timeout=120, check=False
        )
        template = json.loads(run.stdout) if run.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise FileError(file, f"bicep could not build it: {error}") from None
    if not isinstance(template, dict):
        raise FileError(file, f"bicep could not build it: {run.stderr.strip() or 'it gave no template'}")
    return template
