"""The expression language of templates: what ARM works out, what it leaves unknown, what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from provision.simulator.deployments.template_scope import Moment, Place, scope_of
from provision.simulator.language.expressions import evaluated
from provision.simulator.language.scope import Scope, shown
from provision.simulator.language.syntax import ExpressionError
from tests.simulator.azure import SUBSCRIPTION, group_id, network_id

PLACE = Place(SUBSCRIPTION, "rg", "eastus", {"owner": "ml"})


def meaning(text: Any, parameters: Any = None, place: Place = PLACE, **parts: Any) -> Any:
    scope = scope_of(parts, {name.lower(): value for name, value in (parameters or {}).items()}, place, "first")
    return shown(evaluated(text, scope))


def refused(text: Any, **parts: Any) -> str:
    with pytest.raises(ExpressionError) as found:
        meaning(text, **parts)
    return str(found.value)


@pytest.mark.parametrize(
    ("text", "expected"),
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
        ("['it''s']", "it's"),
        ("[-7]", -7),
    ],
)
def test_a_string_means_what_arm_takes_it_for(text: str, expected: Any) -> None:
    assert meaning({"key": [text]}, {"p": "value"}) == {"key": [expected]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[format('{0}-{1:D3}|{2,4}|{{x}}', 'a', 7, 'b')]", "a-007|   b|{x}"),
        ("[concat('a', 1, true())]", "a1True"),
        ("[concat(createArray(1), createArray('b'))]", [1, "b"]),
        ("[string(createObject('a', createArray(1, false())))]", '{"a":[1,false]}'),
        ("[string(false())]", "False"),
        ("[toLower(toUpper('aB'))]", "ab"),
        ("[substring('abcdef', 1, 3)]", "bcd"),
        ("[replace('a-b-c', '-', '')]", "abc"),
        ("[split('a,b;c', createArray(',', ';'))]", ["a", "b", "c"]),
        ("[join(createArray('a', 1), '/')]", "a/1"),
        ("[padLeft(7, 3, '0')]", "007"),
        ("[trim('  a ')]", "a"),
        ("[take('abc', 2)]", "ab"),
        ("[skip(createArray(1, 2, 3), 2)]", [3]),
        ("[first(createArray('a', 'b'))]", "a"),
        ("[last('abc')]", "c"),
        ("[indexOf('aBc', 'b')]", 1),
        ("[lastIndexOf('abcb', 'b')]", 3),
        ("[length(createObject('a', 1))]", 1),
        ("[empty('')]", True),
        ("[contains(createObject('Key', 1), 'key')]", True),
        ("[contains(createArray(1, 2), 2)]", True),
        ("[startsWith('abc', 'AB')]", True),
        ("[range(2, 3)]", [2, 3, 4]),
        (
            "[union(createObject('a', createObject('x', 1)), createObject('a', createObject('y', 2)))]",
            {"a": {"x": 1, "y": 2}},
        ),
        ("[union(createArray(1, 2), createArray(2, 3))]", [1, 2, 3]),
        ("[intersection(createArray(1, 2), createArray(2, 3))]", [2]),
        ("[flatten(createArray(createArray(1), createArray(2)))]", [1, 2]),
        ("[shallowMerge(createArray(createObject('a', 1), createObject('b', 2)))]", {"a": 1, "b": 2}),
        ("[items(createObject('b', 1, 'a', 2))]", [{"key": "a", "value": 2}, {"key": "b", "value": 1}]),
        ("[tryGet(createObject('a', createArray(1)), 'a', 0)]", 1),
        ("[tryGet(createObject(), 'a', 'b')]", None),
        ("[json('{\"a\": [1]}').A[0]]", 1),
        ("[base64ToString(base64('hello'))]", "hello"),
        ("[uriComponent('a b/c')]", "a%20b%2Fc"),
        ("[uri('http://h/a/', 'b')]", "http://h/a/b"),
        ("[div(7, 2)]", 3),
        ("[div(-7, 2)]", -3),
        ("[mod(-7, 2)]", -1),
        ("[add(mul(2, 3), sub(5, 1))]", 10),
        ("[min(createArray(3, 1, 2))]", 1),
        ("[max(3, 1)]", 3),
        ("[int('42')]", 42),
        ("[bool('true')]", True),
        ("[not(equals('a', 'A'))]", True),
        ("[less('a', 'b')]", True),
        ("[greaterOrEquals(2, 2)]", True),
        ("[and(true(), false())]", False),
        ("[or(false(), true(), div(1, 0))]", True),
        ("[coalesce(null(), 'a')]", "a"),
        ("[if(equals(1, 1), 'yes', div(1, 0))]", "yes"),
        ("[map(createArray(1, 2), lambda('n', add(lambdaVariables('n'), 1)))]", [2, 3]),
        (
            "[map(createArray('a'), lambda('n', 'i', format('{0}{1}', lambdaVariables('i'), lambdaVariables('n'))))]",
            ["0a"],
        ),
        ("[filter(range(0, 4), lambda('n', greater(lambdaVariables('n'), 1)))]", [2, 3]),
        ("[reduce(range(1, 3), 0, lambda('s', 'n', add(lambdaVariables('s'), lambdaVariables('n'))))]", 6),
        ("[sort(createArray(3, 1), lambda('a', 'b', less(lambdaVariables('a'), lambdaVariables('b'))))]", [1, 3]),
        ("[toObject(createArray('a'), lambda('n', lambdaVariables('n')), lambda('n', 1))]", {"a": 1}),
        ("[dateTimeAdd('2026-01-31T10:00:00Z', 'P1M')]", "2026-02-28T10:00:00Z"),
        ("[dateTimeAdd('2026-04-09 17:00:00Z', '-PT90M', 'yyyy/MM/dd HH:mm')]", "2026/04/09 15:30"),
        ("[dateTimeFromEpoch(0)]", "1970-01-01T00:00:00Z"),
        ("[dateTimeToEpoch('1970-01-02T00:00:00Z')]", 86400),
        ("[cidrSubnet('10.0.0.0/16', 24, 3)]", "10.0.3.0/24"),
        ("[cidrHost('10.0.0.0/24', 4)]", "10.0.0.5"),
        ("[parseCidr('10.0.0.7/29').firstUsable]", "10.0.0.1"),
        ("[pickZones('Microsoft.Compute', 'virtualMachineScaleSets', 'East US', 2)]", ["1", "2"]),
        ("[providers('Microsoft.Compute', 'virtualMachineScaleSets').apiVersions[0]]", "2026-04-01"),
        ("[providers('Microsoft.Network', 'virtualNetworks').resourceType]", "virtualNetworks"),
        ("[subscription().subscriptionId]", SUBSCRIPTION),
        ("[resourceGroup().tags.owner]", "ml"),
        ("[deployment().name]", "first"),
        ("[environment().suffixes.storage]", "core.windows.net"),
    ],
)
def test_a_function_gives_what_arm_gives(text: str, expected: Any) -> None:
    assert meaning(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[resourceId('Microsoft.Network/virtualNetworks/subnets', 'net', 'nodes')]",
            network_id("virtualNetworks/net/subnets/nodes"),
        ),
        ("[resourceId('far', 'Microsoft.Network/virtualNetworks', 'net')]", network_id("virtualNetworks/net", "far")),
        (
            "[resourceId('another', 'far', 'Microsoft.Network/virtualNetworks', 'net')]",
            "/subscriptions/another/resourceGroups/far/providers/Microsoft.Network/virtualNetworks/net",
        ),
        (
            "[subscriptionResourceId('Microsoft.Authorization/roleDefinitions', 'x')]",
            f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/x",
        ),
        (
            "[extensionResourceId(resourceGroup().id, 'Microsoft.Authorization/locks', 'keep')]",
            f"{group_id()}/providers/Microsoft.Authorization/locks/keep",
        ),
        (
            "[tenantResourceId('Microsoft.Management/managementGroups', 'm')]",
            "/providers/Microsoft.Management/managementGroups/m",
        ),
    ],
)
def test_ids_are_made_of_types_and_names(text: str, expected: str) -> None:
    assert meaning(text) == expected


def test_a_unique_string_is_azures_own() -> None:
    """The value that Azure computed stands in a test of microsoft/commercial-marketplace-offer-deploy."""
    text = (
        "/subscriptions/31e9f9a0-9fd2-4294-a0a3-0101246d9700/resourceGroups/rg-modm201-20230913120256/providers/"
        "Microsoft.Compute/virtualMachines/bobjacmodm201"
    )

    assert meaning(f"[uniqueString('{text}')]") == "yvjxno3je5on2"


def test_guids_follow_from_what_they_are_made_of() -> None:
    one, again, other = (meaning(f"[guid('{text}')]") for text in ("ab", "ab", "ac"))

    assert (one == again, one == other, one[14]) == (True, False, "5")
    assert meaning("[guid('a', 'b')]") == meaning("[guid('a-b')]")


def test_variables_speak_of_each_other_and_are_made_by_loops() -> None:
    variables = {
        "prefix": "[format('{0}-x', parameters('p'))]",
        "nested": {"name": "[variables('prefix')]"},
        "copy": [{"name": "zones", "count": 2, "input": "[string(copyIndex('zones', 1))]"}],
    }

    found = meaning(["[variables('nested').name]", "[variables('zones')]"], {"p": "a"}, variables=variables)

    assert found == ["a-x", ["1", "2"]]


def test_a_loop_inside_of_an_object_makes_an_array() -> None:
    value = {
        "copy": [{"name": "rules", "count": "[length(createArray('a', 'b'))]", "input": {"at": "[copyIndex('rules')]"}}]
    }

    assert meaning(value) == {"rules": [{"at": 0}, {"at": 1}]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[reference('net').addressSpace.addressPrefixes[0]]", "[reference('net').addressSpace.addressPrefixes[0]]"),
        (
            "[concat(parameters('p'), reference(resourceId('Microsoft.Network/virtualNetworks', 'net'), '2025').x)]",
            f"[concat('it''s', reference('{network_id('virtualNetworks/net')}', '2025').x)]",
        ),
        ("[if(reference('a').on, 1, true())]", "[if(reference('a').on, 1, true())]"),
        (
            "[map(reference('a').xs, lambda('x', toUpper(lambdaVariables('x'))))]",
            "[map(reference('a').xs, lambda('x', toUpper(lambdaVariables('x'))))]",
        ),
        ("[createObject('a', reference('a').x)]", "[createObject('a', reference('a').x)]"),
    ],
)
def test_what_is_not_known_yet_stays_text_around_what_is(text: str, expected: str) -> None:
    assert meaning(text, {"p": "it's"}) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[nope()]", "The template function 'nope' is not valid."),
        ("[]", "Unable to parse language expression ''"),
        ("[concat('a']", "Unable to parse language expression"),
        ("[concat('a') 'b']", "Unable to parse language expression"),
        ("[parameters('q')]", "The template parameter 'q' is not found."),
        ("[variables('q')]", "The template variable 'q' is not found."),
        ("[variables('v')]", "The template variable 'v' is circular."),
        ("[div(1, 0)]", "Unable to evaluate template language function 'div'"),
        ("[add(1)]", "the number of arguments is wrong"),
        ("[add('a', 1)]", "it cannot take these arguments"),
        ("[substring('abc', 2, 5)]", "it cannot take these arguments"),
        ("[format('{0}')]", "it cannot take these arguments"),
        (
            "[createObject('a', 1).b]",
            "The language expression property 'b' doesn't exist, available properties are 'a'.",
        ),
        ("[createArray(1)[1]]", "The language expression property array index '1' is out of bounds."),
        ("[range(0, 100000)]", "the count is between 0 and 10000"),
        ("[json('{')]", "it cannot take these arguments"),
        ("[json('NaN')]", "it is no number that JSON can hold"),
        ("[utcNow()]", "The template function 'utcNow' is not expected at this location."),
        ("[newGuid()]", "The template function 'newGuid' is not expected at this location."),
        ("[copyIndex()]", "The template function 'copyIndex' is not expected at this location."),
        ("[lambda('x', 1)]", "The template function 'lambda' is not expected at this location."),
        ("[if(1, 2, 3)]", "expects its first argument to be a boolean"),
        ("[resourceId('a')]", "there is no resource type among them"),
        (f"[{'not(' * 90}true(){')' * 90}]", "it is nested too deeply"),
        (f"['{'a' * 25000}']", "The language expression length limit exceeded. Limit: '24576'"),
    ],
)
def test_an_expression_that_cannot_be_is_refused(text: str, words: str) -> None:
    assert words in refused(text, variables={"v": "[variables('v')]"})


def test_results_cannot_grow_without_end() -> None:
    variables: Any = {"v0": "x" * 1000}
    variables |= {f"v{n + 1}": f"[concat(variables('v{n}'), variables('v{n}'))]" for n in range(40)}

    assert "the result is longer than" in refused("[variables('v40')]", variables=variables)


def test_variables_cannot_ask_for_what_runs() -> None:
    variables = {"v": "[reference('net').x]"}

    assert "'reference' is not expected at this location" in refused("[variables('v')]", variables=variables)


def test_there_is_no_group_around_a_subscription() -> None:
    scope = scope_of({}, {}, Place(SUBSCRIPTION, "", "eastus"), "first")

    with pytest.raises(ExpressionError, match="'resourceGroup' is not expected at this location"):
        evaluated("[resourceGroup().location]", scope)
    assert evaluated("[deployment().location]", scope) == "eastus"


def test_the_moment_and_new_ids_are_for_defaults_alone() -> None:
    around = scope_of({}, {}, PLACE, "first", Moment(1796083200.0, "seed")).surroundings
    scope = Scope(surroundings=around, defaults=True)

    found = evaluated(["[utcNow()]", "[utcNow('o')]", "[newGuid()]", "[newGuid()]"], scope)

    assert found[:2] == ["20261201T000000Z", "2026-12-01T00:00:00.0000000Z"]
    assert len({len(each) for each in found[2:]}) == 1
    assert found[2] != found[3]
