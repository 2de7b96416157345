"""What every verb shares: usage, help, and how a run ends that could not go on."""

from __future__ import annotations

import pytest

from provision import __version__
from provision.cli.main import main


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"provision {__version__}\n"


def test_help_lists_the_verbs_and_no_module_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    verbs = [line.split()[0] for line in shown.partition("Commands:\n")[2].splitlines() if line.strip()]

    assert verbs == sorted(verbs)
    assert {"explain", "schema", "validate"} <= set(verbs)
    assert not {"common", "exits", "main"} & set(verbs)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["validat"], "Error: there is no verb validat; did you mean validate?\n"),
        (["validate"], "Error: Missing argument 'ENVIRONMENT...'.\n"),
        (["validate", "--fromat", "json", "x"], "Error: No such option '--fromat'. Did you mean '--format'?\n"),
        (
            ["validate", "--format", "xml", "x"],
            "Error: Invalid value for '--format': 'xml' is not one of text, json, sarif, junit, github, markdown\n",
        ),
        (["common"], "Error: there is no verb common; the verbs are "),
    ],
)
def test_wrong_usage_ends_with_64(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args) == 64

    out, err = capsys.readouterr()
    assert out == ""
    assert err[err.index("Error:") :].startswith(said)


def test_what_a_run_can_not_go_on_without_is_said_with_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "duplicate-kye"]) == 1
    assert capsys.readouterr() == (
        "",
        "error: there is no rule duplicate-kye; did you mean duplicate-key?\n"
        "  fix: `provision explain` lists all rules\n",
    )
