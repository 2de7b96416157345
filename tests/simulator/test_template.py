"""Templates: parameters, expressions, dependencies."""

from __future__ import annotations

from typing import Any

import pytest

from provision.simulator import template
from provision.simulator.errors import Refusal
from provision.simulator.world import World
from tests.simulator.azure import SUBSCRIPTION, a_security_group, a_template, network_id


def refused(act: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(Refusal) as found:
        act(*args, **kwargs)
    return str(found.value)


def steps(*resources: Any, parameters: Any = None) -> Any:
    return template.steps(World(), a_template(*resources), parameters or {}, SUBSCRIPTION, "rg")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("plain", "plain"),
        ("[parameters('p')]", "value"),
        ("[ Parameters( 'P' ) ]", "value"),
        ("[[parameters('p')]", "[parameters('p')]"),
        ("[[]", "[]"),
        ("[literal", "[literal"),
        ("[[literal", "[[literal"),
        ("literal]", "literal]"),
        ("", ""),
    ],
)
def test_a_string_means_what_arm_takes_it_for(text: str, meaning: str) -> None:
    parameters = {"p": {"type": "string", "value": "value"}}

    assert template.evaluated({"key": [text]}, parameters) == {"key": [meaning]}


@pytest.mark.parametrize("text", ["[resourceGroup().location]", "[concat('a', 'b')]", "[]", "[parameters('q')]"])
def test_any_other_expression_is_refused(text: str) -> None:
    found = refused(template.evaluated, text, {"p": {"type": "string", "value": "value"}})

    assert found.startswith("400 InvalidTemplate: Deployment template validation failed: 'Unable to process template")


def test_a_parameter_takes_its_value_or_its_default() -> None:
    declared = {"a": {"type": "string"}, "b": {"type": "Int", "defaultValue": 3}, "c": {"type": "secureString"}}

    found = template.values(a_template(parameters=declared), {"A": {"value": "x"}, "c": {"value": "secret"}})

    assert found == {
        "a": {"type": "string", "value": "x"},
        "b": {"type": "int", "value": 3},
        "c": {"type": "securestring", "value": "secret"},
    }
    assert template.shown(found) == {
        "a": {"type": "String", "value": "x"},
        "b": {"type": "Int", "value": 3},
        "c": {"type": "SecureString"},
    }
    assert template.shown(found, lower=True) == {
        "a": {"value": "x", "type": "string"},
        "b": {"value": 3, "type": "int"},
        "c": {"type": "securestring", "value": ""},
    }


@pytest.mark.parametrize(
    ("rule", "given", "words"),
    [
        (
            {"type": "string"},
            {},
            "The value for the template parameter 'p' at line '1' and column '1' is not provided.",
        ),
        ({"type": "string"}, {"p": {"value": 1}}, "Expected 'String'. Actual 'int'."),
        ({"type": "int"}, {"p": {"value": True}}, "Expected 'Int'. Actual 'bool'."),
        (
            {"type": "string"},
            {"p": {"value": "x"}, "q": {"value": 1}},
            "The template parameters 'q' in the parameters file",
        ),
        ({"type": "int", "maxValue": 10}, {"p": {"value": 11}}, "Value should be less than or equal to '10'."),
        (
            {"type": "string", "minLength": 6},
            {"p": {"value": "x"}},
            "Length of the value should be greater than or equal to '6'.",
        ),
        (
            {"type": "string", "allowedValues": ["a"]},
            {"p": {"value": "b"}},
            "is not part of the allowed value(s): 'a'.",
        ),
        ({"type": "thing"}, {}, "has no valid type"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(rule: Any, given: Any, words: str) -> None:
    assert words in refused(template.values, a_template(parameters={"p": rule}), given)


def test_dependencies_are_named_by_id_by_name_or_by_type_and_name() -> None:
    names = [network_id("networkSecurityGroups/a"), "b", "Microsoft.Network/networkSecurityGroups/c"]

    found = steps(*(a_security_group(name) for name in "abc"), a_security_group("d", dependsOn=names))

    assert found[3]["needs"] == [network_id(f"networkSecurityGroups/{name}") for name in "abc"]


def test_symbolic_names_may_be_used_where_resources_are_keyed() -> None:
    keyed = a_template()
    keyed |= {
        "languageVersion": "2.0",
        "resources": {"one": a_security_group("a"), "two": a_security_group("b", dependsOn=["one"])},
    }

    found = template.steps(World(), keyed, {}, SUBSCRIPTION, "rg")

    assert found[1]["needs"] == [network_id("networkSecurityGroups/a")]


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        ([a_security_group("a", dependsOn=["b"])], "The resource 'b' is not defined in the template."),
        ([a_security_group("a"), a_security_group("A")], "is defined multiple times in a template."),
        (
            [a_security_group("a", dependsOn=["b"]), a_security_group("b", dependsOn=["a"])],
            "Circular dependency detected",
        ),
        ([a_security_group(f"n{number}") for number in range(801)], "Limit: '800' and actual: '801'"),
        (
            [{"type": "Microsoft.Network/networkSecurityGroups", "name": "a"}],
            "must have a type, a name and an apiVersion",
        ),
        ([a_security_group("a/b")], "has incorrect segment lengths"),
        ([a_security_group("a", type="Contoso.Storage/shelves")], "is not known here"),
    ],
)
def test_resources_that_cannot_be_deployed_are_refused(resources: Any, words: str) -> None:
    assert words in refused(steps, *resources)


def test_a_key_that_no_template_has_is_refused() -> None:
    assert "Could not find member 'resource'" in refused(template.checked, a_template(resource=[]))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("AZURE_STORAGE_ACCOUNT_ID", "azurE_STORAGE_ACCOUNT_ID"),
        ("STRING", "string"),
        ("ARRAY_INT", "arraY_INT"),
        ("nullableParamOutput", "nullableParamOutput"),
        ("Output", "output"),
    ],
)
def test_outputs_are_re_cased_as_arm_does(name: str, shown: str) -> None:
    assert template.recased(name) == shown
