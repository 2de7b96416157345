"""Rules of the user's own: in a folder, as the documentation shows it, and offered by an installed package."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e.test_validate import RULES, provision

DOCUMENT = Path(__file__).parents[2] / "docs" / "own-rules.md"
(RULE,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
GOOD = str(RULES / "no-way-in" / "good.yaml")
SAID = f"""\
{GOOD}:1:1: error: there is no tag owner [acme-owner-tag]
    1 | version: 1
      | ^^^^^^^
  why: costs are booked to the owner
       https://wiki.example.com/costs
  fix: add tags: {{owner: TEAM}}

1 error in 1 file
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "acme_owner_tag.py").write_text(RULE, "utf-8")
    return tmp_path


def test_the_documented_rule_finds_what_it_says(folder: Path) -> None:
    assert provision("validate", "--rules", str(folder), GOOD) == (3, SAID, "")
    assert provision("validate", "--rules", str(folder), "--set", "tags.owner=ml", GOOD)[0] == 0


def test_every_verb_that_goes_on_with_a_file_obeys_it(folder: Path) -> None:
    for verb in (["plan", "--simulate"], ["apply", "--simulate", "--yes"], ["render", "--output", str(folder / "out")]):
        code, _, err = provision(*verb, "--rules", str(folder), GOOD, cwd=folder)

        assert code == 3
        assert "[acme-owner-tag]" in err


def test_it_is_suppressed_weighed_and_explained_like_any_other(folder: Path) -> None:
    arguments = ["validate", "--rules", str(folder), "--format", "json", GOOD]

    _, out, _ = provision(*arguments, "--set", "suppress=[{rule: acme-owner-tag, at: tags, reason: a trial}]")
    assert [each["rule"] for each in json.loads(out)["suppressed"]] == ["acme-owner-tag"]
    _, out, _ = provision(*arguments, "--set", "severity={acme-owner-tag: info}")
    assert [each["severity"] for each in json.loads(out)["findings"]] == ["info"]
    assert provision("explain", "--rules", str(folder), "acme-owner-tag")[1].startswith("acme-owner-tag: error\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("environment.tags:", "environment.tagz:"), ":18: error: the rule acme-owner-tag fails: AttributeError: "),
        (("from provision.catalog", "from provision.katalog"), ":3: error: the rule can't be loaded: ModuleNotFound"),
        (("def acme", "deff acme"), ":16: error: the rule can't be loaded: SyntaxError: "),
        (("def acme_owner_tag", "def acme"), ": error: there is no rule called acme_owner_tag in it"),
        (
            ("    if ", "    raise SystemExit(0)\n    if "),
            ":18: error: the rule acme-owner-tag fails: SystemExit: 0\n  fix: mend it",
        ),
        (
            ("from provision.catalog", "exit(0)\nfrom provision.catalog"),
            ":3: error: the rule can't be loaded: SystemExit",
        ),
        (
            ("    if ", "    yield 'no owner'\n    if "),
            ": error: the rule acme-owner-tag fails: TypeError: it yields 'no owner', which is no Problem",
        ),
        (('id="acme-owner-tag"', 'id="no-way-in"'), ": error: a rule no-way-in comes from provision already"),
    ],
)
def test_a_rule_that_can_not_be_used_ends_the_run_and_says_where(
    folder: Path, change: tuple[str, str], message: str
) -> None:
    file = folder / "acme_owner_tag.py"
    file.write_text(RULE.replace(*change), "utf-8")

    code, out, err = provision("validate", "--rules", str(folder), GOOD)

    assert (code, out.count("Traceback")) == (1, 0)
    assert f"{file}{message}" in err


def test_a_folder_that_there_is_not_is_told() -> None:
    assert provision("validate", "--rules", "nowhere", GOOD) == (
        1,
        "",
        "nowhere: error: there is no such folder\n  fix: name a folder with a file for each rule\n",
    )


def test_an_installed_package_offers_rules_to_everybody(folder: Path) -> None:
    info = folder / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[provision.rules]\nacme-owner-tag = acme_owner_tag:acme_owner_tag\n", "utf-8"
    )
    path = f"{Path(__file__).parents[2]}:{folder}"

    assert provision("validate", GOOD, PYTHONPATH=path) == (3, SAID, "")
