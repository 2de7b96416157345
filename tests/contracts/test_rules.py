"""Every rule can be explained and has its test."""

from __future__ import annotations

from pathlib import Path

import pytest

from provision.environment.problems import LOADER_RULES
from provision.findings import Rule
from provision.rules import rules

ALL = (*LOADER_RULES, *rules())
FIXTURES = Path(__file__).parents[1] / "rules"


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
