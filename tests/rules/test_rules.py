"""Each rule in its folder: `bad.yaml` gives exactly the text of `bad.txt`, `good.yaml` gives no finding at all."""

from __future__ import annotations

from contextlib import chdir
from datetime import date
from pathlib import Path

import pytest

from provision.adapters.files import load_catalog, read_text
from provision.adapters.templates import read_templates
from provision.findings import Finding
from provision.pipeline import check, check_together
from provision.report.findings import as_text
from tests.conftest import Golden

TODAY = date(2026, 11, 30)
FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/bad.yaml"))


def findings(folder: Path, name: str) -> tuple[Finding, ...]:
    """Return what is found in a file; where a rule is about several, together with the `other.yaml` before it."""
    names = [name for name in ("other.yaml", name) if (folder / name).exists()]
    catalog = load_catalog()
    with chdir(folder):
        each = [check(name, read_text, catalog, today=TODAY, read_folder=read_templates) for name in names]
    return tuple(finding for checked in check_together(each, catalog) for finding in checked.findings)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_wrong_is_said_in_full(folder: Path, golden: Golden) -> None:
    found = findings(folder, "bad.yaml")

    golden(folder / "bad.txt", as_text(found))
    assert folder.name in {finding.rule for finding in found}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_right_is_left_alone(folder: Path) -> None:
    assert findings(folder, "good.yaml") == ()
