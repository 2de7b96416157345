"""Failures that people in the field reported and that a plan prevents or tells; each by its id.

The cases' own words for flags and keys are generic: `managed_elsewhere` is `capacity: external`, `allow` is `--allow`,
BUSY and a refused plan are exit 6.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates
from provision.plan.what_if import foreseen, questions
from provision.report.what_if import what_if_as_text
from tests.e2e.conftest import Azure, Shell
from tests.e2e.test_story_of_capacity import SIZE, stated
from tests.e2e.test_story_of_two_runs import hold_the_lock
from tests.support.worlds import QUICK, SUBSCRIPTION, plan, standing

GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/quick-southcentralus"
SET = f"{GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/quick-train-0"
NETWORK = f"{GROUP}/providers/Microsoft.Network"
COMPUTE, NETWORKS, GROUPS = "2025-11-01", "2025-05-01", "2025-04-01"
IMAGE = "microsoft-dsvm:ubuntu-hpc:2204"
SPOT = QUICK.replace("nodes: 2", "nodes: 16\n    priority: spot\n    infiniband: none")
SIXTEEN = QUICK.replace("nodes: 2", "nodes: 16")
RETAGGED = ("owner: ml", "owner: other")


@pytest.fixture
def applied(azure: Azure, provision: Shell) -> Azure:
    """Return an Azure in which `quick.yaml` stands, and whose log is empty."""
    return apply(azure, provision, QUICK)


def apply(azure: Azure, provision: Shell, text: str, *flags: str) -> Azure:
    provision.write(text)
    assert provision("apply", "quick.yaml", "--yes", *flags) == 0, provision.err + provision.out
    azure.forget()
    return azure


def changes(provision: Shell) -> list[tuple[str, str]]:
    plan = provision.json("plan", "quick.yaml")
    return [(change["action"], change["id"].rpartition("/")[2]) for change in plan["changes"]]


def edits(provision: Shell) -> list[tuple[str, Any, Any]]:
    plan = provision.json("plan", "quick.yaml")
    return [(edit["path"], edit["before"], edit["after"]) for change in plan["changes"] for edit in change["edits"]]


def patch(azure: Azure, body: dict[str, Any], id: str = SET, version: str = COMPUTE) -> None:
    """Change something as an operator does."""
    azure.ask("PATCH", f"{id}?api-version={version}", body)
    azure.pass_time(900)
    azure.forget()


def in_world(azure: Azure, name: str, change: Any) -> None:
    """Change what Azure has by what no request could: `change` is called with the resource's body."""
    resources = azure.world["resources"]
    for body in resources:
        if body["name"] == name:
            change(body)
    azure.ask("PUT", "/_simulator/world", {"resources": resources})


def codes(azure: Azure) -> set[str]:
    """Return the statuses of all writes so far."""
    return {str(row["status"]) for row in azure.ask("GET", "/_simulator/log") if row["method"] != "GET"}


def with_template(provision: Shell, **replaced: tuple[str, str]) -> None:
    """Write an own version of the built-in template of scale sets, with some of its text replaced."""
    folder = provision.folder / "own" / "scale-set"
    folder.mkdir(parents=True, exist_ok=True)
    text = load_templates()["scale-set/arm.json.j2"]
    for before, after in replaced.values():
        assert before in text
        text = text.replace(before, after)
    (folder / "arm.json.j2").write_text(text, "utf-8")
    (folder / "bicep.j2").write_text(load_templates()["scale-set/bicep.j2"], "utf-8")


def test_c05_a_reservation_and_the_end_of_one_placement_group_together_replace_the_set(
    azure: Azure, provision: Shell
) -> None:
    single, several = (('"singlePlacementGroup": {{ scale_set.infiniband }}', f'"singlePlacementGroup": {flag}')
                       for flag in ("true", "false"))  # fmt: skip
    pool = f"{GROUP}/providers/Microsoft.Compute/capacityReservationGroups/pool"
    reserved = f'"capacityReservation": {{"capacityReservationGroup": {{"id": "{pool}"}}}},\n          "osProfile": {{'
    with_template(provision, flag=single)
    text = QUICK.replace("ND96isr_H100_v5", "D8s_v5") + "templates: own\n"
    apply(azure, provision, text)
    azure.put(pool, {"location": "southcentralus", "zones": ["1"], "properties": {}}, COMPUTE)
    size = {"name": "Standard_D8s_v5", "capacity": 2}
    body = {"location": "southcentralus", "zones": ["1"], "sku": size, "properties": {}}
    azure.put(f"{pool}/capacityReservations/d8s", body, COMPUTE)
    azure.forget()
    with_template(provision, flag=several, reservation=('"osProfile": {', reserved))

    found = dict(actions(provision))
    assert found == {
        "properties.singlePlacementGroup": "update",
        "properties.virtualMachineProfile.capacityReservation.capacityReservationGroup.id": "replace",
    }
    assert changes(provision) == [("replace", "quick-train-0")]
    assert provision("apply", "quick.yaml", "--yes") == 6
    assert azure.writes() == []
    # The simulator refuses a body with both, so that an apply that ends well never sent one.
    assert provision("apply", "quick.yaml", "--yes", "--allow", "replace") == 0, provision.err + provision.out
    properties = azure.resource("quick-train-0")["properties"]
    assert properties["virtualMachineProfile"]["capacityReservation"]["capacityReservationGroup"]["id"] == pool
    provision.write(text.replace(*RETAGGED))
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert "capacityReservation" in azure.resource("quick-train-0")["properties"]["virtualMachineProfile"]


def actions(provision: Shell) -> list[tuple[str, str]]:
    plan = provision.json("plan", "quick.yaml")
    return [(edit["path"], edit["action"]) for change in plan["changes"] for edit in change["edits"]]


def test_c06_a_true_change_of_what_is_fixed_is_a_replacement_that_needs_consent(
    applied: Azure, provision: Shell
) -> None:
    in_world(applied, "quick-train-0", lambda body: body["properties"].update(platformFaultDomainCount=5))
    before = applied.resource("quick-train-0")

    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 2
    assert "± replace      scale set        southcentralus quick-train-0  2 nodes, 16 GPUs" in provision.out
    assert "properties.platformFaultDomainCount: 5 → 1" in provision.out
    assert provision("apply", "quick.yaml", "--yes") == 6
    assert "--allow replace" in provision.err
    assert applied.writes() == []
    assert applied.resource("quick-train-0") == before

    assert provision("apply", "quick.yaml", "--yes", "--allow", "replace") == 0, provision.err
    assert "409" not in codes(applied)
    assert applied.resource("quick-train-0")["properties"]["platformFaultDomainCount"] == 1


def test_c06_nothing_there_and_the_default_stated_is_no_change(applied: Azure, provision: Shell) -> None:
    in_world(applied, "quick-train-0", lambda body: body["properties"].pop("platformFaultDomainCount"))

    assert changes(provision) == []


def test_c16_a_set_that_failed_is_ours_and_the_next_run_mends_it_in_place(azure: Azure, provision: Shell) -> None:
    stated(azure, capacity={SIZE: [{"nodes": 14}]})
    provision.write(SIXTEEN)

    assert provision("apply", "quick.yaml", "--yes") == 7
    assert "AllocationFailed" in provision.out
    assert provision("status", "quick.yaml") == 7
    assert "14 of    16 healthy" in provision.out
    assert changes(provision) == [("record", "quick.train-0")]
    stated(azure, capacity={})
    azure.forget()
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert [method for method, path in azure.writes() if "provision-lock" not in path] == ["PUT"]
    assert provision("destroy", "quick.yaml", "--yes") == 0, provision.err
    assert azure.names() == []


def test_c27_a_subnet_that_others_put_into_our_network_stays(applied: Azure, provision: Shell) -> None:
    network = applied.resource("quick-southcentralus-vnet")
    prefix = network["properties"]["addressSpace"]["addressPrefixes"][0].split(".")
    gateway = {"properties": {"addressPrefix": f"{prefix[0]}.{int(prefix[1]) + 1}.255.0/27"}}
    applied.put(f"{network['id']}/subnets/GatewaySubnet", gateway, NETWORKS)
    applied.forget()
    provision.write(QUICK.replace(*RETAGGED))

    plan = provision.json("plan", "quick.yaml")
    assert [kept["id"].rpartition("/")[2] for kept in plan["kept"]] == ["GatewaySubnet"]
    assert "delete" not in {change["action"] for change in plan["changes"]}
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert "DELETE" not in {method for method, path in applied.writes() if "provision-lock" not in path}
    assert {"GatewaySubnet", "nodes"} <= set(applied.names())
    applied.forget()
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert applied.writes() == []


def test_c58_the_deployments_of_an_apply_are_few_and_stand_in_the_plan(azure: Azure, provision: Shell) -> None:
    plan = provision.json("plan", "quick.yaml")
    planned = [row["target"].rpartition("/")[2] for row in plan["operations"] if row["kind"] == "put-stack"]

    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    sent = [
        path.rpartition("/")[2] for method, path in azure.writes() if method == "PUT" and "deploymentStacks" in path
    ]
    assert planned == ["quick.network", "quick.train-0"]
    assert [name for name in sent if not name.startswith("provision-lock")] == planned


def test_c60_a_second_run_stops_before_any_write_and_says_whose_turn_it_is(azure: Azure, provision: Shell) -> None:
    hold_the_lock(azure, until="2036-01-01T00:00:00Z")

    assert provision("apply", "quick.yaml", "--yes") == 6
    assert "run abc123 on build-7, since 2026-12-01T00:00:00Z" in provision.err
    assert (azure.writes(), azure.names("stacks")) == ([], ["provision-lock-quick"])


def test_c62_what_others_have_in_a_shared_group_survives_all_that_we_do(azure: Azure, provision: Shell) -> None:
    shared = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shared"
    azure.put(shared, {"location": "southcentralus", "tags": {"owner": "others"}}, GROUPS)
    theirs = [f"theirs-{number}" for number in range(5)]
    for name in theirs:
        body = {"location": "southcentralus", "properties": {"securityRules": []}}
        azure.put(f"{shared}/providers/Microsoft.Network/networkSecurityGroups/{name}", body, NETWORKS)
    text = QUICK.replace('{zone: "1"}', '{zone: "1", resource_group: shared}')

    apply(azure, provision, text)
    apply(azure, provision, text.replace(*RETAGGED))
    assert {*theirs, "quick-train-0"} <= set(azure.names())
    sent = json.dumps(azure.world["stacks"]).lower()
    assert '"complete"' not in sent
    assert '"resources": "delete"' not in sent
    assert provision("destroy", "quick.yaml", "--yes") == 0, provision.err

    assert (azure.names(), azure.names("resourceGroups")) == (theirs, ["shared"])


def test_c62_asking_for_complete_mode_is_an_unknown_key(provision: Shell) -> None:
    provision.write(QUICK + "mode: Complete\n")

    assert provision("validate", "quick.yaml") == 3
    assert "[unknown-key]" in provision.out


def test_c64_what_azure_fills_in_is_no_change_and_what_differs_is_one(applied: Azure, provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0
    assert provision.out.endswith("nothing to do\n")

    group = applied.resource("quick-southcentralus-nodes-nsg")
    (rule,) = (each for each in group["properties"]["securityRules"] if "22" in json.dumps(each["properties"]))
    properties = {key: value for key, value in rule["properties"].items() if key != "provisioningState"}
    body = {"properties": {**properties, "destinationPortRange": "2222"}}
    applied.put(f"{group['id']}/securityRules/{rule['name']}", body, NETWORKS)
    ((path, before, after),) = edits(provision)
    assert (path.rpartition(".")[2], before, after) == ("destinationPortRange", "2222", "22")


def test_c66_an_autoscalers_nodes_outlive_an_unrelated_edit(azure: Azure, provision: Shell) -> None:
    external = QUICK + "    capacity: external\n"
    apply(azure, provision, external)
    patch(azure, {"sku": {"capacity": 40}})
    provision.write(external.replace(*RETAGGED))

    assert {path for path, _, _ in edits(provision)} == {"tags.owner"}
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert azure.resource("quick-train-0")["sku"]["capacity"] == 40


def test_c66_without_an_autoscaler_nodes_more_than_stated_are_a_scale_in_that_needs_consent(
    applied: Azure, provision: Shell
) -> None:
    patch(applied, {"sku": {"capacity": 40}})
    provision.write(QUICK.replace(*RETAGGED))

    assert ("sku.capacity", 40, 2) in edits(provision)
    assert ("scale-in", "quick-train-0") in changes(provision)
    assert provision("plan", "quick.yaml") == 0
    assert "38 running nodes deleted" in provision.out
    assert provision("apply", "quick.yaml", "--yes") == 6
    assert (applied.writes(), applied.resource("quick-train-0")["sku"]["capacity"]) == ([], 40)


def test_c68_evicted_spot_nodes_are_missed_and_restored_and_others_are_not_touched(
    azure: Azure, provision: Shell
) -> None:
    apply(azure, provision, SPOT)
    stated(azure, capacity={SIZE: 13})
    azure.pass_time(120)
    kept = instances(azure)
    stated(azure, capacity={})

    assert len(kept) == 13
    assert provision("status", "quick.yaml") == 7
    assert "13 of    16 healthy" in provision.out
    assert edits(provision) == [("sku.capacity", 13, 16)]
    assert changes(provision) == [("update", "quick-train-0")]
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert kept.items() <= instances(azure).items()
    stated(azure, capacity={SIZE: 13})
    azure.pass_time(120)
    provision.write(SPOT + "    capacity: external\n")
    assert edits(provision) == []


def instances(azure: Azure) -> dict[str, Any]:
    """Return whether each node has the latest model, by its own id."""
    found: dict[str, Any] = {}
    path = f"{SET}/virtualMachines?api-version={COMPUTE}"
    while path:
        azure.pass_time(30)
        page = azure.ask("GET", path)
        found |= {each["properties"]["vmId"]: each["properties"]["latestModelApplied"] for each in page["value"]}
        path = page.get("nextLink", "").removeprefix(azure.endpoint)
    return found


def test_c69_after_a_change_of_the_model_the_status_counts_who_is_behind(applied: Azure, provision: Shell) -> None:
    provision.write(QUICK + f"    image: {IMAGE}:22.04.2026080101\n")
    before = instances(applied)

    assert changes(provision) == [("update-model", "quick-train-0")]
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert instances(applied) == dict.fromkeys(before, False)
    assert behind(provision) == 2
    one = {"instanceIds": ["0"]}
    applied.ask("POST", f"{SET}/manualupgrade?api-version={COMPUTE}", one)
    applied.pass_time(900)
    assert behind(provision) == 1
    assert changes(provision) == []


def behind(provision: Shell) -> int:
    return int(provision.json("status", "quick.yaml")["summary"]["behind_model"])


def test_c71_latest_is_warned_of_and_a_newer_image_is_no_change(azure: Azure, provision: Shell) -> None:
    latest = QUICK + f"    image: {IMAGE}:latest\n"
    provision.write(latest)
    assert provision("validate", "quick.yaml") == 0
    assert "[image-version-latest]" in provision.out
    apply(azure, provision, latest)

    settings = azure.world["settings"]
    newer = {"images": {IMAGE: {"versions": ["22.04.2026071501", "22.04.2026120101"]}}}
    azure.ask("PUT", "/_simulator/world", {"settings": {**settings, **newer}})
    assert changes(provision) == []


def test_c71_a_pinned_image_stays_and_one_that_is_gone_stops_before_any_write(azure: Azure, provision: Shell) -> None:
    pinned = QUICK + f"    image: {IMAGE}:22.04.2026071501\n"
    apply(azure, provision, pinned)
    provision.write(pinned.replace(*RETAGGED))
    assert {path for path, _, _ in edits(provision)} == {"tags.owner"}
    settings = azure.world["settings"]
    azure.ask("PUT", "/_simulator/world", {"settings": {**settings, "missingImages": [f"{IMAGE}:22.04.2026071501"]}})
    provision.write(pinned.replace("nodes: 2", "nodes: 4"))

    assert provision("apply", "quick.yaml", "--yes") == 4
    assert "train" in provision.out + provision.err
    assert azure.writes() == []


def test_c73_casing_is_no_change_but_of_the_values_of_tags(applied: Azure, provision: Shell) -> None:
    def shouted(body: dict[str, Any]) -> None:
        body["location"] = "South Central US"
        body["sku"]["name"] = body["sku"]["name"].upper()
        profile = body["properties"]["virtualMachineProfile"]
        interface = profile["networkProfile"]["networkInterfaceConfigurations"][0]
        subnet = interface["properties"]["ipConfigurations"][0]["properties"]["subnet"]
        subnet["id"] = subnet["id"].upper().replace("/SUBSCRIPTIONS/", "/subscriptions/")

    in_world(applied, "quick-train-0", shouted)
    assert changes(provision) == []

    patch(applied, {"tags": {**applied.resource("quick-train-0")["tags"], "owner": "ML"}})
    assert edits(provision) == [("tags.owner", "ML", "ml")]


def test_c74_a_plan_is_applied_once_and_only_to_the_world_that_it_saw(applied: Azure, provision: Shell) -> None:
    provision.write(QUICK.replace("nodes: 2", "nodes: 3"))
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0
    tags = applied.resource("quick-train-0")["tags"]
    patch(applied, {"tags": {**tags, "somebody": "else"}})

    assert provision("apply", "plan.json", "--yes") == 6
    assert "quick-train-0" in provision.err
    assert applied.writes() == []

    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0
    assert provision("apply", "plan.json", "--yes") == 0, provision.err
    applied.forget()
    assert provision("apply", "plan.json", "--yes") == 6
    text = (provision.folder / "plan.json").read_text("utf-8")
    (provision.folder / "plan.json").write_text(text.replace('"nodes": 1', '"nodes": 0'), "utf-8")
    assert provision("apply", "plan.json", "--yes") == 6
    assert applied.writes() == []


@pytest.mark.parametrize(("text", "plain", "detailed"), [("nothing", 0, 0), ("changes", 0, 2), ("error", 3, 3)])
def test_c75_the_exit_code_tells_changes_from_errors_and_json_is_whole(
    text: str, plain: int, detailed: int, applied: Azure, provision: Shell
) -> None:
    files = {"nothing": QUICK, "changes": QUICK.replace(*RETAGGED), "error": QUICK.replace("nodes: 2", "nodes: -1")}
    provision.write(files[text])

    assert provision("plan", "quick.yaml") == plain
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == detailed
    assert provision("plan", "quick.yaml", "--detailed-exitcode", "--format", "json") == detailed
    if text != "error":
        assert json.loads(provision.out)["environment"] == "quick"
    assert "Traceback" not in provision.err


def test_c75_a_reader_that_goes_away_gets_no_traceback(applied: Azure, provision: Shell) -> None:
    provision.write(QUICK.replace(*RETAGGED))
    command = [sys.executable, "-m", "provision", "plan", "quick.yaml", "--endpoint", applied.endpoint]

    with subprocess.Popen(command, cwd=provision.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read().decode()

    assert "Traceback" not in told


def test_c98_a_cluster_that_others_deleted_is_told_as_gone_and_not_as_new(applied: Azure, provision: Shell) -> None:
    applied.ask("DELETE", f"{SET}?api-version={COMPUTE}")
    applied.pass_time(3600)

    plan = provision.json("plan", "quick.yaml")

    (change,) = plan["changes"]
    assert (change["action"], change["nodes"]) == ("create", 2)
    assert change["reason"] == "was there after the last apply, and is gone"
    assert [(each["class"], each["observed"]) for each in plan["drift"]] == [("dangerous", "gone")]


def test_c65_what_azures_dry_run_left_out_is_told_and_the_plan_does_not_rest_on_it() -> None:
    two = QUICK.replace("pools:\n", '  westus3: {zone: "1"}\npools:\n')
    world = standing(two)
    made = plan(two.replace("nodes: 2", "nodes: 3"), world)
    asked, _ = questions(made, world.observed.groups.keys())
    diagnostic = {"level": "Warning", "code": "NestedDeploymentSkipped", "message": "A nested deployment was skipped."}
    answers = [
        (each, {"status": "Succeeded", "changes": [], "diagnostics": [diagnostic] if each.region == "westus3" else []})
        for each in asked
    ]

    found = foreseen(made, answers, (), load_policies())

    assert found.skipped == (("train-0 in westus3", "NestedDeploymentSkipped: A nested deployment was skipped."),)
    assert (
        "! train-0 in westus3: INCOMPLETE, Azure did not look at part of it: NestedDeploymentSkipped: "
        "A nested deployment was skipped."
    ) in what_if_as_text(found)
    assert [(change.action.label, change.region) for change in made.changes] == [
        ("update", "southcentralus"),
        ("update", "westus3"),
    ]
