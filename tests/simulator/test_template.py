"""Templates: parameters, expressions, dependencies."""

from __future__ import annotations

from typing import Any

import pytest

from provision.simulator.deployments import template, template_parameters, template_resources
from provision.simulator.deployments.template_scope import Moment, Place, scope_of
from provision.simulator.refusals.errors import Refusal
from tests.simulator.azure import SUBSCRIPTION, Json, a_security_group, a_template, group_id, network_id

PLACE = Place(SUBSCRIPTION, "rg", "eastus", {})


def refused(act: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(Refusal) as found:
        act(*args, **kwargs)
    return str(found.value)


def steps(*resources: Any, **parts: Any) -> list[Json]:
    return laid_out(a_template(*resources, **parts))


def laid_out(body: Json, place: Place = PLACE) -> list[Json]:
    parameters = template_parameters.by_name(template_parameters.values(body, {}))
    scope = scope_of(body, parameters, place, "first", Moment(1796083200.0, "seed"))
    return template_resources.laid_out(body, scope, place).steps


def test_a_parameter_takes_its_value_or_its_default() -> None:
    declared = {"a": {"type": "string"}, "b": {"type": "Int", "defaultValue": 3}, "c": {"type": "secureString"}}

    found = template_parameters.values(a_template(parameters=declared), {"A": {"value": "x"}, "c": {"value": "secret"}})

    assert found == {
        "a": {"type": "string", "value": "x"},
        "b": {"type": "int", "value": 3},
        "c": {"type": "securestring", "value": "secret"},
    }
    assert template_parameters.shown(found) == {
        "a": {"type": "String", "value": "x"},
        "b": {"type": "Int", "value": 3},
        "c": {"type": "SecureString"},
    }
    assert template_parameters.shown(found, lower=True) == {
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
        ({"type": "string"}, {"p": {"value": 1}}, "Expected 'String, Uri'. Actual 'Integer'."),
        ({"type": "int"}, {"p": {"value": True}}, "Expected 'Integer'. Actual 'Boolean'."),
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
    assert words in refused(template_parameters.values, a_template(parameters={"p": rule}), given)


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

    found = laid_out(keyed)

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


def names(found: list[Json]) -> list[str]:
    return [step["id"].rpartition("/")[2] for step in found]


def test_a_loop_makes_a_resource_for_each_turn_and_is_waited_for_as_a_whole() -> None:
    loop = a_security_group(
        "[format('nsg{0}', copyIndex(1))]", copy={"name": "guards", "count": "[length(variables('all'))]"}
    )
    last = a_security_group("last", dependsOn=["guards"])

    found = steps(loop, last, variables={"all": ["a", "b"]})

    assert names(found) == ["nsg1", "nsg2", "last"]
    assert found[2]["needs"] == [network_id(f"networkSecurityGroups/nsg{number}") for number in (1, 2)]


def test_a_loop_may_turn_never() -> None:
    assert steps(a_security_group("[format('a{0}', copyIndex())]", copy={"name": "x", "count": 0})) == []


def test_symbolic_loops_are_known_by_their_turns() -> None:
    keyed = a_template(languageVersion="2.0")
    keyed["resources"] = {
        "guards": a_security_group("[format('nsg{0}', copyIndex())]", copy={"name": "guards", "count": 2}),
        "one": a_security_group("one", dependsOn=["[format('guards[{0}]', 1)]"]),
        "all": a_security_group("all", dependsOn=["guards"]),
    }

    found = {step["id"].rpartition("/")[2]: step["needs"] for step in laid_out(keyed)}

    assert found["one"] == [network_id("networkSecurityGroups/nsg1")]
    assert found["all"] == [network_id(f"networkSecurityGroups/nsg{number}") for number in (0, 1)]


def test_a_condition_decides_whether_there_is_a_resource_and_what_waits_for_it() -> None:
    off = a_security_group("off", condition="[not(parameters('on'))]")
    on = a_security_group("on", condition="[parameters('on')]", dependsOn=["off"])

    found = steps(off, on, parameters={"on": {"type": "bool", "defaultValue": True}})

    assert (names(found), found[0]["needs"]) == (["on"], [])


def test_resources_inside_of_others_get_their_types_and_names() -> None:
    network = {
        "type": "Microsoft.Network/virtualNetworks",
        "apiVersion": "2025-05-01",
        "name": "[format('{0}', 'net')]",
        "location": "eastus",
        "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}},
        "resources": [
            {
                "type": "subnets",
                "apiVersion": "2025-05-01",
                "name": "nodes",
                "dependsOn": ["net"],
                "properties": {"addressPrefix": "10.0.0.0/24"},
            }
        ],
    }

    found = steps(network)

    assert [step["id"] for step in found] == [
        network_id("virtualNetworks/net"),
        network_id("virtualNetworks/net/subnets/nodes"),
    ]
    assert "resources" not in found[0]["body"]
    assert found[1]["needs"] == [found[0]["id"]]


def test_what_exists_is_referred_to_and_not_deployed() -> None:
    keyed = a_template(languageVersion="2.0")
    keyed["resources"] = {
        "old": {**a_security_group("old"), "existing": True, "resourceGroup": "far"},
        "new": a_security_group("new", dependsOn=["old"], tags={"old": "[resourceInfo('old').id]"}),
    }

    found = laid_out(keyed)

    assert names(found) == ["new"]
    assert found[0]["needs"] == []
    assert found[0]["body"]["tags"] == {"old": network_id("networkSecurityGroups/old", "far")}


def test_what_a_body_refers_to_by_name_is_waited_for() -> None:
    tagged = a_security_group("b", tags={"x": "[reference('a').provisioningState]"})

    found = steps(a_security_group("a"), tagged)

    assert found[1]["needs"] == [network_id("networkSecurityGroups/a")]
    assert (found[0]["late"], found[1]["late"]) == (False, True)
    assert found[1]["body"]["tags"] == {"x": "[reference('a').provisioningState]"}


def test_extensions_are_laid_onto_a_scope() -> None:
    lock = {
        "type": "Microsoft.Authorization/locks",
        "apiVersion": "2020-05-01",
        "name": "keep",
        "properties": {"level": "CanNotDelete"},
    }
    where = "[resourceId('Microsoft.Network/networkSecurityGroups', 'a')]"
    short = "Microsoft.Network/networkSecurityGroups/a"

    found = steps(
        a_security_group("a"), lock, {**lock, "name": "two", "scope": where}, {**lock, "name": "three", "scope": short}
    )

    ends = "providers/Microsoft.Authorization/locks"
    nsg = network_id("networkSecurityGroups/a")
    assert [step["id"] for step in found[1:]] == [
        f"{group_id()}/{ends}/keep",
        f"{nsg}/{ends}/two",
        f"{nsg}/{ends}/three",
    ]


def test_definitions_stand_for_parameters() -> None:
    declared = a_template(
        definitions={"size": {"type": "int", "maxValue": 5}, "alias": {"$ref": "#/definitions/size"}},
        parameters={"p": {"$ref": "#/definitions/alias", "minValue": 2}},
    )

    assert template_parameters.values(declared, {"p": {"value": 3}}) == {"p": {"type": "int", "value": 3}}
    assert "less than or equal to '5'" in refused(template_parameters.values, declared, {"p": {"value": 6}})
    assert "greater than or equal to '2'" in refused(template_parameters.values, declared, {"p": {"value": 1}})


def test_a_default_may_speak_of_other_parameters_and_of_the_group() -> None:
    declared = a_template(
        parameters={
            "name": {
                "type": "string",
                "defaultValue": "[format('{0}-{1}', parameters('base'), resourceGroup().location)]",
            },
            "base": {"type": "string", "defaultValue": "x"},
            "free": {"type": "string", "nullable": True},
            "secret": {"type": "securestring"},
        }
    )
    scope = scope_of(declared, {}, PLACE, "first")
    given = {"secret": {"reference": {"keyVault": {"id": "/x"}, "secretName": "s"}}}

    found = template_parameters.by_name(template_parameters.values(declared, given, scope))

    assert found == {"name": "x-eastus", "base": "x", "free": None, "secret": ""}


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        ([a_security_group("[reference('a').x]")], "'reference' is not expected at this location"),
        ([a_security_group("a", condition="[reference('a').x]")], "'reference' is not expected at this location"),
        ([a_security_group("a", condition="yes")], "must be a boolean"),
        ([a_security_group("a", copy={"name": "x", "count": 801})], "it is between 0 and 800"),
        ([a_security_group("a", copy={"name": "x", "count": 2})], "is defined multiple times in a template."),
        ([a_security_group("a", copy={"count": 2})], "must have a name and a count"),
        ([a_security_group("[nope()]")], "Unable to process template language expressions for resource '[nope()]'"),
        ([a_security_group("a", properties={"x": "[nope()]"})], "The template function 'nope' is not valid"),
    ],
)
def test_layouts_that_cannot_be_are_refused(resources: Any, words: str) -> None:
    assert words in refused(steps, *resources)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"variables": {f"v{n}": 1 for n in range(257)}},
            "The number of template variables limit exceeded. Limit: '256'",
        ),
        ({"outputs": {f"o{n}": {"type": "int", "value": 1} for n in range(65)}}, "Limit: '64' and actual: '65'"),
        ({"variables": {"copy": [{"name": "x"}]}}, "must be an array of objects with a name, a count and an input"),
        ({"functions": [{"namespace": "own"}]}, "has functions of its own, which are not simulated"),
        ({"variables": []}, "The template 'variables' must be an object."),
    ],
)
def test_templates_have_limits(parts: Any, words: str) -> None:
    assert words in refused(template.checked, a_template(**parts))


def test_outputs_are_worked_out_one_by_one() -> None:
    outputs = {
        "ON": {"type": "string", "value": "[parameters('p')]"},
        "off": {"type": "string", "condition": False, "value": "[nope()]"},
        "secret": {"type": "securestring", "value": "x"},
        "many": {"type": "array", "copy": {"count": 2, "input": "[copyIndex()]"}},
        "none": {"type": "string", "nullable": True, "value": "[null()]"},
    }
    body = a_template(parameters={"p": {"type": "string", "defaultValue": "v"}}, outputs=outputs)
    scope = scope_of(body, {"p": "v"}, PLACE, "first")

    assert template.outputs(body, scope) == {
        "on": {"type": "String", "value": "v"},
        "secret": {"type": "SecureString"},
        "many": {"type": "Array", "value": [0, 1]},
        "none": {"type": "String"},
    }


def test_a_template_is_minified_in_capitals() -> None:
    assert template.minified({"a": [True, "é"], "metadata": {"b": 1}}) == '{"A":[TRUE,"É"],"METADATA":{"B":1}}'
    assert template.hash_of({"a": 1, "metadata": {"b": 1}}) == template.hash_of({"A": 1})


def test_a_default_cannot_ask_for_what_runs() -> None:
    declared = a_template(parameters={"p": {"type": "string", "defaultValue": "[reference('a').x]"}})

    assert "'reference' is not expected at this location" in refused(template_parameters.values, declared, {})
