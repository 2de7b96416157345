"""The shell that nodes run, as ShellCheck sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from provision.boot import check, lustre, scratch

SHELLCHECK = Path(sys.executable).with_name("shellcheck")


@pytest.mark.parametrize("script", [scratch.SCRIPT, check.SCRIPT, lustre.SCRIPT], ids=["scratch", "check", "lustre"])
def test_shellcheck_has_nothing_to_say(script: str, tmp_path: Path) -> None:
    file = tmp_path / "script"
    file.write_text(script)

    found = subprocess.run([SHELLCHECK, "--shell=bash", file], capture_output=True, text=True, check=False)

    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)
