"""What a template may say, and what it is told when it says more."""

from __future__ import annotations

import pytest

from provision.render.arm_json import ARM
from provision.render.bicep import BICEP
from provision.render.errors import RenderError
from provision.render.language import Language
from provision.render.templates import Templates

LATER = "compute the value before it is laid out"


def refusal_of(text: str, language: Language = ARM) -> str:
    """Return `file:line: message` of what is wrong with a template."""
    with pytest.raises(RenderError) as raised:
        Templates(language, {f"it/{language.file}": text, f"parts/{language.file}": "{}"})
    return f"{raised.value.file}:{raised.value.line}: {raised.value.message}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{{ a | upper }}", "a filter"),
        ("{{ a | safe }}", "a filter"),
        ("{{ a is defined }}", "a test with `is`"),
        ("{% if a is defined %}{% endif %}", "a test with `is`"),
        ("{{ a ~ b }}", "joining with `~`"),
        ("{{ 'text' }}", "a constant"),
        ("{{ 1 }}", "a constant"),
        ("{{ true }}", "a constant"),
        ("{{ none }}", "a constant"),
        ("{% if true %}{% endif %}", "a constant"),
        ("{{ (a, b) }}", "a tuple"),
        ("{{ [a] }}", "a list"),
        ("{{ {a: b} }}", "a map"),
        ("{% for x in [a, b] %}{% endfor %}", "a list"),
        ("{% for a, b in c %}{% endfor %}", "a tuple"),
        ("{{ a[b] }}", "a subscript"),
        ("{{ a['__class__'] }}", "a subscript"),
        ("{{ a == b }}", "a comparison"),
        ("{% if a in b %}{% endif %}", "a comparison"),
        ("{{ a if b else c }}", "an inline `if`"),
        ("{{ a + b }}", "arithmetic"),
        ("{{ -a }}", "arithmetic"),
        ("{{ not a }}", "arithmetic"),
        ("{{ a and b }}", "arithmetic"),
        ("{% set a = b %}", "`set`"),
        ("{% set a %}x{% endset %}", "`set`"),
        ("{% with a = b %}{% endwith %}", "`with`"),
        ("{% macro m() %}{% endmacro %}{% call m() %}{% endcall %}", "`call`"),
        ("{% filter upper %}{% endfilter %}", "`filter`"),
        ("{% extends a %}", "`extends`"),
        ("{% block a %}{% endblock %}", "`block`"),
        ("{% import a as b %}", "`import` of a whole template"),
        ("{% autoescape false %}{{ a }}{% endautoescape %}", "`autoescape`"),
    ],
)
def test_what_computes_is_refused_with_its_place(text: str, what: str) -> None:
    assert refusal_of(f"[\n{text}]") == f"it/arm.json.j2:2: {what} is not allowed in a template; {LATER}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ a.strip() }}", "a call of anything but a macro is not allowed in a template"),
        ("{{ range(a) }}", "a call of anything but a macro is not allowed in a template"),
        ("{{ loop.cycle(a) }}", "a call of anything but a macro is not allowed in a template"),
        ("{% macro m(a) %}{{ a }}{% endmacro %}{{ m(*a) }}", "`*` in a call is not allowed in a template"),
        ("{% macro m(a) %}{{ a }}{% endmacro %}{{ m(**a) }}", "`*` in a call is not allowed in a template"),
        ("{% macro m(a) %}{{ a }}{% endmacro %}{{ m('x') }}", f"a constant is not allowed in a template; {LATER}"),
        (
            "{% macro m(a=b) %}{{ a }}{% endmacro %}",
            "the default of a macro's argument is not allowed in a template",
        ),
        ("{% for x in a recursive %}{% endfor %}", "a recursive loop is not allowed in a template"),
        ("{{ a.__class__ }}", "the name __class__ begins with an underscore, which is not allowed in a template"),
        ("{{ a._b.c }}", "the name _b begins with an underscore, which is not allowed in a template"),
        ("{{ _a }}", "the name _a begins with an underscore, which is not allowed in a template"),
        ("{% include 'x' %}", "there is no template 'x'; known are it/arm.json.j2, parts/arm.json.j2"),
        ("{% include a %}", "there is no template what a value names; known are it/arm.json.j2, parts/arm.json.j2"),
        (
            "{% from 'parts/bicep.j2' import m %}",
            "there is no template 'parts/bicep.j2'; known are it/arm.json.j2, parts/arm.json.j2",
        ),
        ("{% for %}", "Expected an expression, got 'end of statement block'"),
        ("{% if a %}", "Unexpected end of template. Jinja was looking for the following tags: 'elif' or 'else' or "
         "'endif'. The innermost block that needs to be closed is 'if'."),
    ],
)  # fmt: skip
def test_what_reaches_outside_is_refused_with_its_place(text: str, message: str) -> None:
    assert refusal_of(f"[\n{text}]") == f"it/arm.json.j2:2: {message}"


UNCLOSED = "is not closed before the next tag; values bring their own quotes"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (ARM, '{"a":\n"{{ a }}"}', f"it/arm.json.j2:2: a string {UNCLOSED}"),
        (ARM, '{\n\n"a{% if b %}b{% endif %}": 1}', f"it/arm.json.j2:3: a string {UNCLOSED}"),
        (ARM, '["\\"{{ a }}"]', f"it/arm.json.j2:1: a string {UNCLOSED}"),
        (BICEP, "a: '{{ a }}'\n", f"it/bicep.j2:1: a string {UNCLOSED}"),
        (BICEP, "a: '${\n{{ a }}}'\n", f"it/bicep.j2:1: a string {UNCLOSED}"),
        (BICEP, "a: '''\n{{ a }}'''\n", f"it/bicep.j2:1: a string {UNCLOSED}"),
        (BICEP, "a: 1\n// {{ a }}\n", f"it/bicep.j2:2: a comment {UNCLOSED}"),
        (BICEP, "a: 1\n/* {{ a }}\n*/", f"it/bicep.j2:2: a comment {UNCLOSED}"),
        (
            ARM,
            '{\n{% if a %}\n"a": "[resourceGroup().location]"{% endif %}}',
            "it/arm.json.j2:3: [resourceGroup().location] is an ARM expression; a template writes literal values and "
            "ids only",
        ),
        (
            ARM,
            '{"a": "\\u005bresourceGroup().location\\u005d"}',
            "it/arm.json.j2:1: [resourceGroup().location] is an ARM expression; a template writes literal values and "
            "ids only",
        ),
    ],
)  # fmt: skip
def test_a_template_s_own_text_closes_what_it_opens(language: Language, text: str, expected: str) -> None:
    assert refusal_of(text, language) == expected


def test_text_loops_conditions_and_macros_are_what_a_template_is_made_of() -> None:
    text = """{# a comment #}
{% macro pair(name, value) %}{{ name }}: {{ value.inner }}{% endmacro %}
{% from "parts/arm.json.j2" import other %}
{
  {% for item in list if item.wanted and not item.hidden or all %}
  {{ pair(item.name, value=item) }}{% if not loop.last %},{% endif %}
  {% else %}
  {{ other() }}
  {% endfor %}
}
{% include "parts/arm.json.j2" %}
"""
    sources = {"it/arm.json.j2": text, "parts/arm.json.j2": "{% macro other() %}{% endmacro %}\n"}
    item = {"wanted": True, "hidden": False, "name": "[a]", "inner": ["[b]"]}

    rendered = Templates(ARM, sources).rendered("it", {"list": [item, item], "all": False}, "pools.train")

    assert "".join(rendered.split()) == '{"[[a]":["[[b]"],"[[a]":["[[b]"]}'


def test_templates_of_the_other_language_are_left_alone() -> None:
    Templates(ARM, {"it/bicep.j2": "{{ 'a constant' }}", "README.md": "{{"})
