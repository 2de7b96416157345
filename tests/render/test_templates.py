"""Values reach a template's output as literals only, and a mistake is told with its template and line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from provision.render.arm_json import ARM, parsed, unescaped
from provision.render.bicep import BICEP
from provision.render.errors import RenderError
from provision.render.templates import Templates
from tests.support.bicep import value_of
from tests.support.nasty import NASTY


def rendered(text: str, **context: object) -> str:
    return Templates(ARM, {"it/arm.json.j2": text}).rendered("it", context, "pools.train")


def error_of(text: str, sources: Mapping[str, str] | None = None, **context: object) -> RenderError:
    with pytest.raises(RenderError) as raised:
        Templates(ARM, {"it/arm.json.j2": text, **(sources or {})}).rendered("it", context, "pools.train")
    return raised.value


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_text_stays_in_its_place_in_arm_json(text: str) -> None:
    template = (
        '{% macro m(x) %}{"in": {{ x }}}{% endmacro %}{"a": {{ v }}, "m": {{ m(v) }}, "k": { {{ v }}: [{{ v }}] }}'
    )

    assert unescaped(parsed(rendered(template, v=text))) == {"a": text, "m": {"in": text}, "k": {text: [text]}}


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_text_stays_in_its_place_in_bicep(text: str) -> None:
    macro = "{% macro m(x) %}{\nin: {{ x }}\n}{% endmacro %}"
    template = macro + "{\na: {{ v }}\nm: {{ m(v) }}\nk: {\n{{ v }}: [\n{{ v }}\n]\n}\n}"

    found = value_of(Templates(BICEP, {"it/bicep.j2": template}).rendered("it", {"v": text}, "pools.train"))

    assert found == {"a": text, "m": {"in": text}, "k": {text: [text]}}


def test_nothing_of_a_value_is_taken_for_html() -> None:
    assert rendered("[{{ v }}]", v="<b> & 'c'") == "[\"<b> & 'c'\"]"


@pytest.mark.parametrize(
    ("text", "context", "line", "message"),
    [
        ("{\n{{ a }}}", {}, 2, "'a' is undefined"),
        ("{\n\n{{ a.b }}}", {"a": {}}, 3, "'dict object' has no attribute 'b'"),
        ("{\n{% if a.b %}{% endif %}}", {"a": {}}, 2, "'dict object' has no attribute 'b'"),
        ("{\n{% for x in a %}{% endfor %}}", {}, 2, "'a' is undefined"),
        ("{\n{% for x in a %}{% endfor %}}", {"a": None}, 2, "'NoneType' object is not iterable"),
        ("{\n{{ a }}}", {"a": 1.5}, 2, "a value of type float has no literal in ARM JSON"),
        ("{\n{{ a }}}", {"a": [{"b": object()}]}, 2, "a value of type object has no literal in ARM JSON"),
        ("{\n{{ a.upper }}}", {"a": "x"}, 2, "a value of type builtin_function_or_method has no literal in ARM JSON"),
        ("{\n{{ range }}}", {}, 2, "'range' is undefined"),
        (
            "{% macro m(x) %}\n{{ x }}{% endmacro %}\n{{ m() }}",
            {},
            2,
            "parameter 'x' was not provided",
        ),
        (
            "{% macro m(x) %}\n{{ x.y }}{% endmacro %}\n\n{{ m(a) }}",
            {"a": {}},
            2,
            "'dict object' has no attribute 'y'",
        ),
        ("{% macro m() %}\n{{ m() }}{% endmacro %}{{ m() }}", {}, 2, "a macro calls itself without end"),
    ],
)
def test_a_mistake_is_told_with_template_and_line(text: str, context: dict[str, Any], line: int, message: str) -> None:
    error = error_of(text, **context)

    assert (error.file, error.line, error.message) == ("it/arm.json.j2", line, f"{message} (for pools.train)")


def test_a_mistake_in_an_included_template_is_told_with_that_template() -> None:
    error = error_of('{% include "part/arm.json.j2" %}', {"part/arm.json.j2": "{\n\n  {{ zonee }}\n}"})

    assert (error.file, error.line, error.source_line) == ("part/arm.json.j2", 3, "  {{ zonee }}")


def test_a_template_that_is_not_there_is_told() -> None:
    with pytest.raises(RenderError) as raised:
        Templates(ARM, {}).rendered("network", {}, "network")

    error = raised.value
    assert (error.file, error.message) == ("network/arm.json.j2", "there is no such template")
    assert error.fix == "add a file network/arm.json.j2 to the template folder"
