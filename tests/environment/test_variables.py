"""`${NAME}`: whole values only, undefined ones told, and what a variable holds is never looked into."""

from __future__ import annotations

import pytest

from provision.environment import Loaded, load
from tests.environment.texts import REST, TOP, said


def filled(text: str, **variables: str) -> Loaded:
    return load("env.yaml", {"env.yaml": text}.__getitem__, variables)


def with_tag(value: str, **variables: str) -> Loaded:
    return filled(f"tags: {{a: '{value}'}}\n" + TOP + REST, **variables)


@pytest.mark.parametrize("text", ["x", "", "0755", "no", "1e3", "a: b", "${B}", "two\nlines", "<b>"])
def test_in_a_text_a_variable_is_its_text_whatever_it_looks_like(text: str) -> None:
    result = with_tag("${A}", A=text, B="never")

    assert result.findings == ()
    assert result.environment is not None
    assert result.environment.tags == {"a": text}


@pytest.mark.parametrize(
    ("line", "value", "read"),
    [
        ("nodes: 16", "nodes: ${A}", "16"),
        ("protect: true", "protect: ${A}", "true"),
        ("protect: false", "protect: ${A}", "false"),
        ("job_size: 8", "job_size: ${A}", "8"),
        ("nodes: {southcentralus: 4}", "nodes: {southcentralus: '${A}'}", "4"),
    ],
)
def test_where_a_number_or_truth_value_is_wanted_the_text_is_read_as_one(line: str, value: str, read: str) -> None:
    pool = "pools:\n  train:\n    size: Standard_ND96isr_H100_v5\n    ssh_public_key_file: k\n"
    top = TOP + "regions: {southcentralus: }\n" + pool + ("" if line.startswith("nodes") else "    nodes: 16\n")
    by_variable, plainly = filled(f"{top}    {value}\n", A=read), filled(f"{top}    {line}\n")

    assert by_variable.findings == ()
    assert by_variable.environment == plainly.environment
    assert by_variable.data == plainly.data


@pytest.mark.parametrize("text", ["yes", "0x10", "016", '"16"', "", "sixteen", "1e1"])
def test_a_text_that_is_no_plain_number_is_not_taken_for_one(text: str) -> None:
    result = filled(TOP + REST.replace("nodes: 16", "nodes: '${A}'"), A=text)

    assert said(result) == ["5:56 wrong-type pools.train.nodes"]


def test_the_version_may_come_from_a_variable_and_so_may_a_subscription() -> None:
    result = filled((TOP + REST).replace("version: 1", "version: ${V}").replace(TOP.split()[-1], "${S}"), V="1", S="x")

    assert said(result) == ["3:15 invalid-value subscription"]


@pytest.mark.parametrize("text", ["${A}b", "b${A}", "${A}${A}", "${}", "${A:-b}", "${1}", " ${A}"])
def test_a_variable_that_is_only_part_of_a_text_is_refused(text: str) -> None:
    assert said(with_tag(text, A="x")) == ["1:11 partial-variable tags.a"]


def test_a_variable_in_a_key_is_refused() -> None:
    assert said(filled("tags: {'${A}': x}\n" + TOP + REST, A="b")) == ["1:8 partial-variable tags.${A}"]


@pytest.mark.parametrize("text", ["$A", "$", "${", "}${", "$$5", "{A}"])
def test_what_is_no_variable_is_text(text: str) -> None:
    result = with_tag(text)

    assert result.environment is not None
    assert result.environment.tags == {"a": text}


def test_an_undefined_variable_says_what_is_to_be_set() -> None:
    found = with_tag("${OWNER}").findings

    assert [(f.rule, f.message, f.fix) for f in found] == [
        (
            "undefined-variable",
            "tags.a is ${OWNER}, and there is no variable OWNER",
            "set OWNER where provision runs, or give the value: --set tags.a=…",
        )
    ]


def test_an_undefined_variable_is_all_that_is_said_of_its_value_and_the_rest_is_checked() -> None:
    result = filled(TOP + REST.replace("nodes: 16", "nodes: '${A}', job_size: 0"))

    assert said(result) == ["5:56 undefined-variable pools.train.nodes", "5:74 invalid-value pools.train.job_size"]


@pytest.mark.parametrize("text", ["\x07", "a\udcffb", "\ufeff"])
def test_a_variable_holds_no_character_that_no_file_may(text: str) -> None:
    assert said(with_tag("${A}", A=text)) == ["1:11 invalid-value tags.a"]


def test_a_placeholder_in_a_variable_is_a_placeholder() -> None:
    assert said(filled((TOP + REST).replace("name: train", "name: ${N}"), N="TODO")) == ["2:7 placeholder name"]


def test_the_users_own_keys_are_left_alone() -> None:
    assert filled("x-a: ['${A}', {'b${C}': '${D}e'}]\n" + TOP + REST).findings == ()
