"""Every rule can be explained and has its test."""

from __future__ import annotations

from pathlib import Path

import pytest

from provision.environment import AGAINST_AZURE
from provision.environment.problems import LOADER_RULES
from provision.findings import Rule
from provision.preflight import CHECKS
from provision.report.preflight import preflight_rules
from provision.report.rules import index_of, page_of
from provision.rules import all_rules, rules
from tests.conftest import Golden

ALL = (*LOADER_RULES, *rules())
FIXTURES = Path(__file__).parents[1] / "rules"
PAGES = Path(__file__).parents[2] / "docs" / "rules"


def test_every_rule_has_its_folder_and_every_folder_its_rule() -> None:
    folders = {path.name for path in FIXTURES.iterdir() if path.is_dir() and path.name != "__pycache__"}

    assert folders == {rule.id for rule in ALL}


def test_rule_ids_are_unique() -> None:
    assert len({rule.id for rule in ALL}) == len(ALL)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_a_rules_module_and_attribute_are_named_like_its_id(rule: Rule) -> None:
    assert rule.check is not None
    name = rule.id.replace("-", "_")
    assert (rule.check.__module__, rule.check.__name__) == (f"provision.rules.{name}", name)


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.id)
def test_every_rule_says_what_it_finds_why_and_what_to_do(rule: Rule) -> None:
    assert all((rule.what, rule.why, rule.remedy))
    assert "\n" not in rule.what


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_every_rule_about_azure_links_to_its_source(rule: Rule) -> None:
    assert rule.link.startswith("https://")


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.id)
def test_every_rule_has_its_page(rule: Rule, golden: Golden) -> None:
    folder = FIXTURES / rule.id
    wrong, told = ((folder / name).read_text("utf-8") for name in ("bad.yaml", "bad.txt"))

    golden(PAGES / f"{rule.id}.md", page_of(rule, wrong, told))


def test_the_list_of_rules_has_them_all_and_no_page_is_left_over(golden: Golden) -> None:
    golden(PAGES / "README.md", index_of(all_rules()))
    assert {path.stem for path in PAGES.glob("*.md")} == {"README", *(rule.id for rule in ALL)}


def test_every_check_against_azure_has_its_row_in_the_documentation() -> None:
    text = (PAGES.parent / "checks.md").read_text("utf-8")

    assert [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")] == [
        rule.id for rule in preflight_rules()
    ]


def test_files_may_suppress_every_check_against_azure() -> None:
    assert frozenset(check.rule.id for check in CHECKS) == AGAINST_AZURE
