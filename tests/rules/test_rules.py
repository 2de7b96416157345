"""Each rule in its folder: `bad.yaml` gives exactly the text of `bad.txt`, `good.yaml` gives no finding at all."""

from __future__ import annotations

from contextlib import chdir
from datetime import date
from pathlib import Path

import pytest

from provision.adapters.files import load_catalog, read_text
from provision.adapters.templates import read_templates
from provision.pipeline import Checked, check
from provision.report.findings import as_text
from tests.conftest import Golden

TODAY = date(2026, 11, 30)
FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/bad.yaml"))


def checked(folder: Path, name: str) -> Checked:
    with chdir(folder):
        return check(name, read_text, load_catalog(), today=TODAY, read_folder=read_templates)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_wrong_is_said_in_full(folder: Path, golden: Golden) -> None:
    findings = checked(folder, "bad.yaml").findings

    golden(folder / "bad.txt", as_text(findings))
    assert folder.name in {finding.rule for finding in findings}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_right_is_left_alone(folder: Path) -> None:
    assert checked(folder, "good.yaml").findings == ()
