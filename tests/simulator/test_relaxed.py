"""Bodies that are not quite JSON, as `az` sends them."""

from __future__ import annotations

from typing import Any

import pytest

from provision.simulator.wire.relaxed import loads
from tests.simulator.azure import HOST, Azure, a_scale_set, a_template, azure_with_a_network, group_id


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{a: 1, $b_2 : [true, null]}", {"a": 1, "$b_2": [True, None]}),
        ('{"a": "//x", /* c: "d" */ "b": "/* y */", // e: 5\r\n "c": \'it\\\'s "so"\'}', None),
        ('{"a": [1, 2, ], "b": {"c": ",]",},}', {"a": [1, 2], "b": {"c": ",]"}}),
        ('{"a": "two\r\nlines, x: y"} // end', {"a": "two\r\nlines, x: y"}),
        ('\ufeff{"a": "ü"}', {"a": "ü"}),
    ],
)
def test_what_resource_manager_reads_is_read(text: str, value: Any) -> None:
    expected = value or {"a": "//x", "b": "/* y */", "c": 'it\'s "so"'}

    assert loads(text.encode()) == expected


@pytest.mark.parametrize("text", ["{location", "{'a: 1}", "a: 1", "", "{a b: 1}", "/* x"])
def test_what_nobody_reads_is_not(text: str) -> None:
    with pytest.raises(ValueError, match=r"column"):
        loads(text.encode())


def test_the_body_of_az_is_taken() -> None:
    azure = Azure()
    azure.make_group()
    template = """{
      // what people wrote stays as it was
      "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
      "contentVersion": "1.0.0.0",
      "resources": [ /* none */ ]
    }"""
    body = '{"properties": {"mode": "Incremental", "parameters": {}, template:' + template.replace("\n", "\r\n") + "}}"
    url = f"{HOST}{group_id()}/providers/Microsoft.Resources/deployments/one?api-version=2025-04-01"

    answer = azure.simulator.handle("PUT", url, {"Authorization": "Bearer x"}, body.encode())

    assert (answer.status, answer.json()["properties"]["provisioningState"]) == (201, "Accepted")


def test_a_refusal_tells_where_it_stands_in_the_text_that_was_sent() -> None:
    azure = Azure()
    azure.make_group()
    template = """{
      "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", // of 2019
      "contentVersion": "1.0.0.0",
      "parameters": {
        "size": { /* no default */
          "type": "int"
        }
      },
      "resources": []
    }"""
    body = '{"properties": {"mode": "Incremental", "parameters": {}, template:' + template + "}}"
    url = f"{HOST}{group_id()}/providers/Microsoft.Resources/deployments/one/validate?api-version=2025-04-01"

    error = azure.simulator.handle("POST", url, {"Authorization": "Bearer x"}, body.encode()).json()["error"]

    assert error["message"] == (
        "Deployment template validation failed: 'The value for the template parameter 'size' at line '5' and column "
        "'17' is not provided. Please see https://aka.ms/arm-create-parameter-file for usage details.'."
    )
    assert error["additionalInfo"] == [
        {
            "type": "TemplateViolation",
            "info": {"lineNumber": 5, "linePosition": 17, "path": "properties.template.parameters.size"},
        }
    ]


def test_the_scale_set_that_az_deploys_is_taken() -> None:
    """`az vmss create` writes truth values as texts and enums in small letters, and asks what versions there are."""
    azure = azure_with_a_network()
    body = a_scale_set(nodes=2, properties={"upgradePolicy": {"mode": "manual"}})
    profile = body["properties"]["virtualMachineProfile"]
    profile["networkProfile"]["networkInterfaceConfigurations"][0]["properties"]["primary"] = "true"
    profile["storageProfile"]["osDisk"]["managedDisk"] = {"storageAccountType": None}
    kind = "Microsoft.Compute/virtualMachineScaleSets"
    version = "providers('Microsoft.Compute', 'virtualMachineScaleSets').apiVersions[0]"
    output = {"type": "object", "value": f"[reference(resourceId('{kind}', 'train'),{version})]"}
    row = {"type": kind, "apiVersion": "2026-04-01", "name": "train", **body}
    template = a_template(row, outputs={"VMSS": output})
    path = f"{group_id()}/providers/Microsoft.Resources/deployments/vmss?api-version=2024-11-01"

    begun = azure.ask("PUT", path, {"properties": {"mode": "incremental", "parameters": {}, "template": template}})
    azure.wait(1200)
    over = azure.ask("GET", path).json()["properties"]

    assert (begun.status, over["provisioningState"]) == (201, "Succeeded")
    assert over["outputs"]["vmss"]["value"]["upgradePolicy"] == {"mode": "Manual"}
