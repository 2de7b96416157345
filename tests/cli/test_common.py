"""Reading and checking files for the verbs that go on with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from provision.cli.common import load_checked

RULES = Path(__file__).parents[1] / "rules"


def test_what_can_be_deployed_comes_back_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    checked, code = load_checked([str(RULES / "zone-not-in-region" / "good.yaml")])

    assert code == 0
    assert [each.environment is not None and each.topology is not None for each in checked] == [True]
    assert capsys.readouterr() == ("", "")


def test_warnings_are_told_on_standard_error_and_stop_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = RULES / "image-version-latest"
    monkeypatch.chdir(folder)

    checked, code = load_checked(["bad.yaml"])

    assert code == 0
    assert checked[0].topology is not None
    assert capsys.readouterr() == ("", (folder / "bad.txt").read_text())


def test_errors_leave_nothing_to_go_on_with(capsys: pytest.CaptureFixture[str]) -> None:
    checked, code = load_checked([str(RULES / "zone-not-in-region" / "bad.yaml")])

    assert code == 3
    assert (checked[0].environment, checked[0].topology) == (None, None)
    assert capsys.readouterr().err.endswith("2 errors in 1 file\n")


def test_a_file_that_can_not_be_read_is_told_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    checked, code = load_checked(["none.yaml", str(RULES / "zone-not-in-region" / "good.yaml")])

    assert code == 1
    assert len(checked) == 1
    assert capsys.readouterr().err == (
        "none.yaml: error: there is no such file\n  fix: check the path, relative to where you are\n"
    )
