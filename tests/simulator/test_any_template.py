"""Whatever stands in a template, a deployment of it is foreseen, and carried out or refused: never an exception."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from provision.simulator.language import azure as expression_azure
from provision.simulator.language import lists as expression_lists
from provision.simulator.language import special as expression_special
from provision.simulator.language import texts as expression_texts
from tests.simulator.azure import SUBSCRIPTION, Azure, Json, a_security_group, a_template, group_id, identity_id
from tests.simulator.test_any_body import changed, places

GUARD = a_security_group(
    "[format('nsg{0}', copyIndex())]",
    copy={"name": "guards", "count": 2, "mode": "Serial", "batchSize": 1},
    location="[parameters('place')]",
    tags={"at": "[variables('names')[copyIndex('guards')]]"},
)
INNER = a_template(
    a_security_group("[parameters('name')]", tags={"who": "[parameters('who')]"}),
    parameters={"name": {"type": "string", "defaultValue": "deep"}, "who": {"type": "string"}},
    outputs={"id": {"type": "string", "value": "[resourceId('Microsoft.Network/networkSecurityGroups', 'deep')]"}},
)
IDENTITY = {
    "type": "Microsoft.ManagedIdentity/userAssignedIdentities",
    "apiVersion": "2024-11-30",
    "name": "who",
    "location": "eastus",
}


def a_module(scope: str, **parts: Any) -> Json:
    return {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": f"{scope}-module",
        "dependsOn": ["who"],
        "properties": {
            "mode": "Incremental",
            "expressionEvaluationOptions": {"scope": scope},
            "parameters": {"who": {"value": "[reference('who').principalId]"}} if scope == "inner" else {},
            "template": INNER if scope == "inner" else a_template(a_security_group("[parameters('name')]")),
        },
        **parts,
    }


LOCK = {
    "type": "Microsoft.Authorization/locks",
    "apiVersion": "2020-05-01",
    "name": "keep",
    "scope": "[resourceId('Microsoft.ManagedIdentity/userAssignedIdentities', 'who')]",
    "condition": "[equals(parameters('place'), 'eastus')]",
    "dependsOn": ["who"],
    "properties": {"level": "CanNotDelete"},
}
TEMPLATE = a_template(
    GUARD,
    IDENTITY,
    a_module("inner"),
    a_module("outer", condition="[bool('true')]"),
    LOCK,
    parameters={"place": {"type": "string", "defaultValue": "eastus"}, "name": {"type": "string", "defaultValue": "n"}},
    variables={"names": ["a", "b"], "copy": [{"name": "many", "count": 2, "input": "[copyIndex('many')]"}]},
    outputs={
        "inner": {"type": "string", "value": "[reference('inner-module').outputs.id.value]"},
        "many": {"type": "array", "copy": {"count": "[length(variables('many'))]", "input": "[copyIndex()]"}},
    },
)
SYMBOLIC = {
    **TEMPLATE,
    "languageVersion": "2.0",
    "resources": {
        "who": IDENTITY,
        "old": {**IDENTITY, "existing": True, "name": "old"},
        "guard": a_security_group("g", tags={"who": "[reference('who').principalId]"}, dependsOn=["who"]),
    },
    "outputs": {"id": {"type": "string", "value": "[resourceInfo('old').id]"}},
}

NAMES = sorted(
    {
        *expression_azure.TABLE,
        *expression_lists.TABLE,
        *expression_special.SPECIAL,
        *expression_texts.TABLE,
        *("reference", "listKeys", "variables", "utcNow", "newGuid", "nothing"),
    }
)
ATOMS = st.sampled_from(
    [
        "'a'",
        "'who'",
        "''",
        "0",
        "7",
        "-1",
        "true()",
        "null()",
        "'2025-01-01'",
        "'10.0.0.0/16'",
        "resourceGroup()",
        "createArray(1, 'a')",
        "createObject('a', 1)",
        "parameters('place')",
        "variables('names')",
    ]
)
CALLS = st.recursive(
    ATOMS,
    lambda inner: st.builds(
        lambda name, arguments, tail: f"{name}({', '.join(arguments)}){tail}",
        st.sampled_from(NAMES),
        st.lists(inner, max_size=3),
        st.sampled_from(["", ".a", "[0]", "['location']"]),
    ),
    max_leaves=5,
)
VALUES: st.SearchStrategy[Any] = (
    CALLS.map(lambda text: f"[{text}]")
    | st.sampled_from(
        [None, True, 0, 3, "", "x", "[", "[]", "[[x]", "[a", [], {}, ["who"], {"a": 1}, {"copy": [{}]}, {"value": None}]
    )
    | st.text(alphabet="[]()'.,ax1", max_size=8)
)


def standing() -> Azure:
    azure = Azure()
    azure.make_group()
    azure.ask("PUT", f"{identity_id('old')}?api-version=2024-11-30", {"location": "eastus"})
    return azure


@settings(derandomize=True, deadline=None, max_examples=400, database=None)
@given(st.data())
def test_any_template_is_answered(data: st.DataObject) -> None:
    azure = standing()
    template = data.draw(st.sampled_from([TEMPLATE, SYMBOLIC]))
    place = data.draw(st.sampled_from(places(template)[1:]))
    body: Any = {"properties": {"mode": "Incremental", "template": changed(template, place, data.draw(VALUES))}}
    here = data.draw(st.sampled_from([group_id(), f"/subscriptions/{SUBSCRIPTION}"]))
    path = f"{here}/providers/Microsoft.Resources/deployments/first"
    version = "?api-version=2025-04-01"
    body |= {"location": "eastus"} if here != group_id() else {}

    checked = azure.ask("POST", f"{path}/validate{version}", body)
    foreseen = azure.ask("POST", f"{path}/whatIf{version}", body)
    made = azure.ask("PUT", path + version, body)
    azure.wait(200)

    assert max(checked.status, foreseen.status, made.status) < 500
    # What is checked without complaint can be begun, and the other way round.
    assert (checked.status < 300) == (made.status < 300)
    if foreseen.status == 202:
        assert azure.ask("GET", foreseen.headers["Location"]).json()["status"] in ("Succeeded", "Failed")
    if made.status < 300:
        shown = azure.ask("GET", path + version).json()["properties"]
        assert shown["provisioningState"] in ("Succeeded", "Failed")
        assert azure.ask("GET", f"{path}/operations{version}").status == 200
    assert azure.ask("GET", "/_simulator/world").status == 200


def test_the_templates_are_good_as_they_stand() -> None:
    for template in (TEMPLATE, SYMBOLIC):
        azure = standing()
        body = {"properties": {"mode": "Incremental", "template": template}}
        azure.ask("PUT", f"{group_id()}/providers/Microsoft.Resources/deployments/first?api-version=2025-04-01", body)
        azure.wait(200)

        shown = azure.deployments.deployments.get("rg", "first").as_dict()["properties"]
        assert shown["provisioningState"] == "Succeeded", shown
