"""Both sample environments, from a file to running scale sets and back to nothing; what is not ours survives."""

from __future__ import annotations

import pytest

from provision.adapters.files import environments_root
from tests.e2e.conftest import Azure, Shell

EXAMPLES = {"quickstart": 2, "h100-two-regions": 96}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_applied_counted_found_unchanged_and_destroyed(name: str, azure: Azure, provision: Shell) -> None:
    file = str(environments_root() / f"{name}.yaml")

    assert provision("validate", file) == 0
    assert provision("plan", file, "--detailed-exitcode") == 2
    assert azure.writes() == []
    assert provision("apply", file, "--yes") == 0, provision.err

    status = provision.json("status", file)
    assert status["summary"] == {
        "stated": EXAMPLES[name],
        "running": EXAMPLES[name],
        "healthy": EXAMPLES[name],
        "behind_model": 0,
        "complete": True,
    }
    for region in status["regions"]:
        for pool in region["pools"]:
            assert [len(scale_set["placement_groups"]) for scale_set in pool["scale_sets"]] == [1]

    azure.forget()
    assert provision("plan", file, "--detailed-exitcode") == 0
    assert provision.out.endswith("nothing to do\n")
    assert provision("apply", file, "--yes") == 0
    assert azure.writes() == []

    assert provision("destroy", file, "--yes") == 0, provision.err
    world = azure.world
    assert (world["resourceGroups"], world["resources"], world["stacks"]) == ([], [], [])


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_others_put_in_between_survives_plan_apply_and_destroy(name: str, azure: Azure, provision: Shell) -> None:
    file = str(environments_root() / f"{name}.yaml")
    assert provision("apply", file, "--yes") == 0, provision.err
    scale_set = next(body for body in azure.world["resources"] if body["type"].endswith("virtualMachineScaleSets"))
    group = scale_set["id"].partition("/providers/")[0]
    network = next(body for body in azure.world["resources"] if body["id"].startswith(group) and "vnet" in body["name"])
    theirs = {"location": scale_set["location"], "properties": {"securityRules": []}}
    azure.put(f"{group}/providers/Microsoft.Network/networkSecurityGroups/theirs", theirs, "2025-05-01")
    high = network["properties"]["addressSpace"]["addressPrefixes"][0].split(".")
    prefix = f"{high[0]}.{int(high[1]) + 1}.255.0/28"
    azure.put(f"{network['id']}/subnets/GatewaySubnet", {"properties": {"addressPrefix": prefix}}, "2025-05-01")
    tags = {"tags": {**scale_set["tags"], "billing": "42"}}
    azure.ask("PATCH", f"{scale_set['id']}?api-version=2025-11-01", tags)
    of_group = azure.ask("GET", f"{group}?api-version=2025-04-01")["tags"]
    azure.ask("PATCH", f"{group}?api-version=2025-04-01", {"tags": {**of_group, "billing": "42"}})
    azure.pass_time(600)

    assert provision("plan", file, "--detailed-exitcode") == 0, provision.out
    text = (environments_root() / f"{name}.yaml").read_text("utf-8")
    provision.write(text.replace("keys/example.pub", "key.pub").replace("owner: ml-platform", "owner: others"))
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    changed = next(body for body in azure.world["resources"] if body["id"] == scale_set["id"])
    assert (changed["tags"]["owner"], changed["tags"]["billing"]) == ("others", "42")
    assert provision("destroy", "quick.yaml", "--yes") == 0, provision.err

    assert azure.names() == sorted(["GatewaySubnet", "theirs", network["name"]])
    (left,) = azure.world["resourceGroups"]
    assert left["tags"]["billing"] == "42"
