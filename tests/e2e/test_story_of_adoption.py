"""A fleet that somebody else made is taken over: by its names, by tags alone, and without touching a node."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Azure, Shell
from tests.support.fleets import ADOPTING, GROUP, NETWORK, SETS, VERSIONS, make_fleet, make_set
from tests.support.worlds import SUBSCRIPTION

PAGE_FILE = Path(__file__).resolve().parents[2] / "docs" / "adopt.md"
PAGE = PAGE_FILE.read_text("utf-8")
TAGS = "providers/Microsoft.Resources/tags/default"
LOCK = "resourceGroups/hpc-home/providers/Microsoft.Resources/deploymentStacks/provision-lock-hpc"
ALL_OF_IT = {
    "networkSecurityGroups/nsg-hpc",
    "publicIPAddresses/pip-ng-hpc",
    "natGateways/ng-hpc",
    "virtualNetworks/vnet-hpc",
    "virtualMachineScaleSets/vmss-h100",
}


@pytest.fixture
def fleet(azure: Azure, provision: Shell) -> Shell:
    """Return the command line in a folder with the environment that is to take over what stands in Azure."""
    provision.write(ADOPTING, "hpc.yaml")
    make_fleet(azure.put)
    azure.forget()
    return provision


def nodes(azure: Azure, name: str = "vmss-h100") -> list[tuple[str, str, bool, str]]:
    """Return (id, VM id, whether it has the latest model, power state) of each node: what nobody must touch."""
    url = f"{SETS}/{name}/virtualMachines?api-version={VERSIONS['compute']}&$expand=instanceView"
    found: list[dict[str, Any]] = []
    while url:
        azure.pass_time(30)  # so that nobody is told to wait
        page = azure.ask("GET", url)
        found += page["value"]
        url = page.get("nextLink", "").removeprefix(azure.endpoint)
    return sorted(
        (
            each["instanceId"],
            each["properties"]["vmId"],
            each["properties"]["latestModelApplied"],
            each["properties"]["instanceView"]["statuses"][-1]["code"],
        )
        for each in found
    )


def marked(azure: Azure) -> dict[str, str]:
    """Return the mark of each resource and group that carries one, by its kind and name."""
    world = azure.world
    return {
        "/".join(body["id"].split("/")[-2:]): body["tags"]["provision"]
        for body in (*world["resources"], *world["resourceGroups"])
        if "provision" in (body.get("tags") or {})
    }


def test_without_consent_it_is_only_told(azure: Azure, fleet: Shell) -> None:
    assert fleet("adopt", "hpc.yaml") == 6

    assert "there is no terminal to ask for consent on" in fleet.err
    assert "Adopting hpc in subscription" in fleet.out
    assert azure.writes() == []


@pytest.mark.parametrize(("answer", "code"), [("n", 6), ("y", 0)])
def test_on_a_terminal_it_asks(azure: Azure, fleet: Shell, answer: str, code: int) -> None:
    command = [sys.executable, "-m", "provision.cli.main", "adopt", "hpc.yaml", "--endpoint", azure.endpoint]
    environment = {**os.environ, "PYTHONPATH": str(PAGE_FILE.parents[1])}
    ours, theirs = os.openpty()
    os.write(ours, f"{answer}\n".encode())
    with subprocess.Popen(
        command, cwd=fleet.folder, env=environment, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        told = b""
        while process.poll() is None:
            try:
                told += os.read(ours, 4096)
            except OSError:  # the terminal is closed: it has ended
                break
    os.close(ours)

    assert process.returncode == code, told
    assert b"Put the mark of hpc on 5 of what is there?" in told
    assert bool(azure.writes()) == (code == 0)


def test_adopting_writes_tags_and_the_lock_and_leaves_every_node_as_it_is(azure: Azure, fleet: Shell) -> None:
    before, bodies = nodes(azure), {name: azure.resource(name) for name in ("vmss-h100", "vnet-hpc", "nsg-hpc")}

    assert fleet("adopt", "hpc.yaml", "--yes") == 0, fleet.err

    writes = azure.writes()
    places = {path.removesuffix(f"/{TAGS}") for method, path in writes if method == "PATCH"}
    assert {"/".join(path.split("/")[-2:]) for path in places} == ALL_OF_IT
    assert {(method, path) for method, path in writes if method != "PATCH"} == {
        ("PUT", "resourcegroups/hpc-home"),
        ("PUT", LOCK),
        ("DELETE", LOCK),
    }
    assert marked(azure) == {
        **{name: "hpc/network" for name in ALL_OF_IT if not name.endswith("vmss-h100")},
        "virtualMachineScaleSets/vmss-h100": "hpc/train-0",
        "resourceGroups/hpc-home": "hpc",
    }
    assert len(before) == 4
    assert nodes(azure) == before
    for name, body in bodies.items():
        now = azure.resource(name)
        assert now["properties"] == body["properties"]
        assert {**now["tags"], "provision": None} == {**(body.get("tags") or {}), "provision": None}


def test_the_next_plan_shows_what_was_foretold_and_an_apply_leaves_the_nodes_running(
    azure: Azure, fleet: Shell
) -> None:
    before = nodes(azure)
    foretold = fleet.json("adopt", "hpc.yaml")["next"]
    assert fleet("adopt", "hpc.yaml", "--yes") == 0, fleet.err

    planned = fleet.json("plan", "hpc.yaml")

    assert {key: planned[key] for key in foretold} == foretold
    actions = {change["action"] for change in planned["changes"]}
    assert actions == {"update", "update-model"}
    assert fleet("apply", "hpc.yaml", "--yes") == 0, fleet.err
    assert fleet("plan", "hpc.yaml", "--detailed-exitcode") == 0, fleet.out
    # The model changes, and no node: those that have the old one keep it until they are upgraded.
    assert nodes(azure) == [(id, vm, False, power) for id, vm, _, power in before]
    assert [rule["name"] for rule in azure.resource("nsg-hpc")["properties"]["securityRules"]] == [
        "allow-ssh",
        "office",
    ]
    assert "snet-storage" in azure.names()


def test_a_second_time_there_is_nothing_to_do(azure: Azure, fleet: Shell) -> None:
    assert fleet("adopt", "hpc.yaml", "--yes") == 0, fleet.err
    azure.forget()

    assert fleet("adopt", "hpc.yaml") == 0

    assert "nothing to do" in fleet.out
    assert azure.writes() == []


SET = "- {name: vmss-h100, computer_name_prefix: h100vm, interface: nic-1, ip_configuration: ipconfig1}"
AT = "regions.southcentralus.pools.train.scale_sets[0]"


@pytest.mark.parametrize(
    ("changes", "edit", "path", "fix"),
    [
        ({"prefix": "gpu"}, ("", ""), "osProfile.computerNamePrefix", f'state {AT}.computer_name_prefix: "gpu"'),
        ({}, ("    admin_user: hpcadmin\n", ""), "adminUsername", 'state pools.train.admin_user: "hpcadmin"'),
        (
            {"zones": [], "platformFaultDomainCount": 5},
            ('zone: "1"', "address_space: 10.20.0.0/16"),
            "platformFaultDomainCount",
            f"state {AT}.platform_fault_domains: 5",
        ),
        ({}, ('zone: "1"', "zone:"), "zones", 'state regions.southcentralus.zone: "1"'),
        ({}, ('zone: "1"', 'zone: "2"'), "zones", 'state regions.southcentralus.zone: "1"'),
        (
            {"size": "Standard_ND96is_H100_v5"},
            ("", ""),
            "sku.name",
            'state pools.train.size: "Standard_ND96is_H100_v5"',
        ),
        (
            {"singlePlacementGroup": False},
            ("", ""),
            "singlePlacementGroup",
            "state pools.train.infiniband: none, if its nodes need none; no set goes back to one placement group",
        ),
        (
            {"nodes": 6},
            ("", ""),
            "sku.capacity",
            "it has 6 nodes: state pools.train.nodes and domain_size as they are; sets fill in order",
        ),
        ({}, (", interface: nic-1", ""), "networkInterfaceConfigurations", f'state {AT}.interface: "nic-1"'),
        (
            {},
            (", ip_configuration: ipconfig1", ""),
            "ipConfigurations",
            f'state {AT}.ip_configuration: "ipconfig1"',
        ),
        (
            {},
            ("    nodes: 4\n", "    nodes: 4\n    image: canonical:ubuntu-24_04-lts:server:24.04.202607010\n"),
            "imageReference.publisher",
            'state pools.train.image: "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026071501"',
        ),
        (
            {},
            ("nodes: 10.20.0.0/22", "nodes: 10.20.4.0/22"),
            "addressPrefix",
            "state regions.southcentralus.subnets as",
        ),
    ],
)
def test_what_azure_has_fixed_must_be_stated_or_nothing_is_adopted(
    azure: Azure, provision: Shell, changes: dict[str, Any], edit: tuple[str, str], path: str, fix: str
) -> None:
    text = ADOPTING.replace(*edit) if edit[0] else ADOPTING
    if "zones" in changes:
        text = ADOPTING.replace('    zone: "1"\n', "")
    provision.write(text, "hpc.yaml")
    make_fleet(azure.put, **changes)
    azure.forget()

    assert provision("adopt", "hpc.yaml", "--yes") == 6

    blocks = [line.strip() for line in provision.out.splitlines()]
    assert any(f"{path}" in line and "the file comes to" in line for line in blocks), provision.out
    assert any(line.startswith(f"fix: {fix}") for line in blocks), provision.out
    assert "can't be adopted" in provision.err
    assert azure.writes() == []


def test_what_no_key_states_is_adopted_where_it_is_left_as_it_is(azure: Azure, provision: Shell) -> None:
    provision.write(ADOPTING, "hpc.yaml")
    security = {"securityType": "TrustedLaunch", "uefiSettings": {"secureBootEnabled": False, "vTpmEnabled": True}}
    make_fleet(azure.put, profile={"securityProfile": security})
    azure.forget()

    assert provision("adopt", "hpc.yaml", "--yes") == 6

    (entry,) = re.findall(r"fix: no key states it; leave it as it is: (ignore: .*)", provision.out)
    assert azure.writes() == []
    provision.write(ADOPTING + entry.replace("WHO", "hpc") + "\n", "hpc.yaml")
    before = nodes(azure)
    assert provision("adopt", "hpc.yaml", "--yes") == 0, provision.err
    assert provision("apply", "hpc.yaml", "--yes") == 0, provision.err
    assert provision("plan", "hpc.yaml", "--detailed-exitcode") == 0, provision.out
    assert [each[:2] for each in nodes(azure)] == [each[:2] for each in before]
    profile = azure.resource("vmss-h100")["properties"]["virtualMachineProfile"]
    assert profile["securityProfile"]["securityType"] == "TrustedLaunch"


@pytest.mark.parametrize("mark", ["other/train-0", "hpc/train-1"])
def test_what_carries_another_mark_stays_with_who_has_it(azure: Azure, provision: Shell, mark: str) -> None:
    provision.write(ADOPTING, "hpc.yaml")
    make_fleet(azure.put, tags={"provision": mark})
    azure.forget()

    assert provision("adopt", "hpc.yaml", "--yes") == 6

    assert f"it carries the mark {mark}: another environment, or another unit of this one, has it" in provision.out
    assert azure.writes() == []


def test_what_a_stack_of_others_manages_is_not_adopted(azure: Azure, fleet: Shell) -> None:
    stack = {
        "id": f"{GROUP}/providers/Microsoft.Resources/deploymentStacks/theirs",
        "properties": {"resources": [{"id": f"{SETS}/vmss-h100"}]},
    }
    azure.ask("PUT", "/_simulator/world", {"stacks": [stack]})
    azure.forget()

    assert fleet("adopt", "hpc.yaml", "--yes") == 6

    assert "the deployment stack theirs manages it" in fleet.out
    assert "az stack group delete --name theirs --resource-group rg-hpc --action-on-unmanage detachAll" in fleet.out
    assert azure.writes() == []


@pytest.mark.parametrize(("level", "code"), [("ReadOnly", 4), ("CanNotDelete", 0)])
def test_a_lock_stands_in_the_way_of_tags_as_of_every_write(azure: Azure, fleet: Shell, level: str, code: int) -> None:
    lock = {"id": f"{SETS}/vmss-h100/providers/Microsoft.Authorization/locks/keep", "properties": {"level": level}}
    azure.ask("PUT", "/_simulator/world", {"locks": [lock]})
    azure.forget()

    assert fleet("adopt", "hpc.yaml", "--yes") == code, fleet.err

    assert bool(azure.writes()) == (code == 0)
    assert ("keep" in fleet.err) == (code == 4)


def test_without_the_right_to_write_tags_nothing_is_begun(azure: Azure, fleet: Shell) -> None:
    allowed = {"actions": ["*"], "notActions": ["Microsoft.Resources/tags/*"]}
    azure.ask("PUT", "/_simulator/world", {"settings": {"permissions": [allowed]}})
    azure.forget()

    assert fleet("adopt", "hpc.yaml", "--yes") == 4

    assert "not allowed: Microsoft.Resources/tags/write" in fleet.err
    assert azure.writes() == []


def test_a_group_of_the_environments_own_name_is_adopted_and_never_deleted(azure: Azure, provision: Shell) -> None:
    id = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/quick-southcentralus"
    azure.put(id, {"location": "southcentralus", "tags": {"team": "hpc"}}, VERSIONS["group"])
    assert provision("plan", "quick.yaml") == 6
    assert "provision adopt takes it over" in provision.out

    assert provision("adopt", "quick.yaml", "--yes") == 0, provision.err

    (group,) = (each for each in azure.world["resourceGroups"] if each["name"] == "quick-southcentralus")
    assert group["tags"] == {"team": "hpc", "provision": "quick", "provision-adopted": "quick"}
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out
    assert provision("destroy", "quick.yaml", "--yes") == 0, provision.err
    assert azure.names("resourceGroups") == ["quick-southcentralus"]
    assert azure.names() == []
    assert "it was there before the environment, which adopted it" in provision.err


def test_several_sets_of_a_pool_are_adopted_in_order_and_a_new_one_is_made_behind_them(
    azure: Azure, provision: Shell
) -> None:
    other = SET.replace("vmss-h100", "vmss-h100-b").replace("h100vm", "h100b")
    several = ADOPTING.replace(SET, f"{SET}\n          {other}").replace("nodes: 4", "nodes: 9\n    domain_size: 4")
    provision.write(several, "hpc.yaml")
    make_fleet(azure.put)
    make_set(azure.put, "vmss-h100-b", prefix="h100b")
    before = nodes(azure), nodes(azure, "vmss-h100-b")

    assert provision("adopt", "hpc.yaml", "--yes") == 0, provision.err
    assert provision("apply", "hpc.yaml", "--yes") == 0, provision.err

    assert azure.resource("hpc-train-2")["sku"]["capacity"] == 1
    for now, was in zip((nodes(azure), nodes(azure, "vmss-h100-b")), before, strict=True):
        assert [each[:2] for each in now] == [each[:2] for each in was]


def test_two_environments_adopt_side_by_side_and_neither_what_is_the_others(azure: Azure, provision: Shell) -> None:
    make_fleet(azure.put)
    make_set(azure.put, "vmss-eval", prefix="eval")
    subnet = f"    subnets: {{nodes: {NETWORK}/virtualNetworks/vnet-hpc/subnets/snet-nodes}}\n"
    ours = "    address_space: 10.20.0.0/16\n    subnets: {nodes: 10.20.0.0/22}\n"
    theirs = re.sub(r"    names:\n(      .*\n)+?(?=    pools)", "", ADOPTING.replace(ours, subnet))
    theirs = theirs.replace("name: hpc\n", "name: eval\n").replace(SET, SET.replace("h100vm", "eval"))
    provision.write(ADOPTING, "hpc.yaml")
    provision.write(theirs, "same.yaml")
    provision.write(theirs.replace("vmss-h100", "vmss-eval"), "eval.yaml")
    azure.forget()

    assert provision("adopt", "hpc.yaml", "same.yaml", "--yes") == 3
    assert "[names-shared]" in provision.err
    assert azure.writes() == []
    assert provision("adopt", "hpc.yaml", "eval.yaml", "--yes") == 0, provision.err
    found = marked(azure)
    assert found["virtualMachineScaleSets/vmss-h100"] == "hpc/train-0"
    assert found["virtualMachineScaleSets/vmss-eval"] == "eval/train-0"
    assert provision("adopt", "same.yaml", "--yes") == 6
    assert "it carries the mark hpc/train-0" in provision.out


def test_what_is_named_and_not_there_and_what_is_there_and_not_named_is_told(azure: Azure, fleet: Shell) -> None:
    make_set(azure.put, "vmss-b", prefix="b")
    fleet.write(ADOPTING.replace("nsg-hpc", "nsg-other"), "hpc.yaml")

    told = fleet.json("adopt", "hpc.yaml")

    assert told["missing"] == [f"{NETWORK}/networkSecurityGroups/nsg-other"]
    assert told["unnamed"] == [f"{SETS}/vmss-b"]
    assert told["given"] == [GROUP]


def test_what_was_adopted_is_destroyed_before_it_was_ever_applied(azure: Azure, fleet: Shell) -> None:
    assert fleet("adopt", "hpc.yaml", "--yes") == 0, fleet.err

    assert fleet("destroy", "hpc.yaml", "--yes") == 0, fleet.err

    assert azure.names() == ["snet-storage", "vnet-hpc"]
    assert azure.names("resourceGroups") == ["rg-hpc"]


def test_a_set_that_was_adopted_and_is_not_stated_any_more_stays_and_is_named(azure: Azure, fleet: Shell) -> None:
    assert fleet("adopt", "hpc.yaml", "--yes") == 0, fleet.err
    fleet.write(ADOPTING.replace("vmss-h100", "vmss-new"), "hpc.yaml")

    plan = fleet.json("plan", "hpc.yaml")

    assert [change["action"] for change in plan["changes"] if change["id"].endswith("vmss-h100")] == []
    assert [kept["reason"] for kept in plan["kept"] if kept["id"].endswith("vmss-h100")] == [
        "carries our mark, but no stack of ours recorded it and the file does not name it; take the tag off"
    ]


def test_another_run_holds_adopting_back(azure: Azure, fleet: Shell) -> None:
    home = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/hpc-home"
    azure.put(home, {"location": "southcentralus", "tags": {"provision": "hpc"}}, VERSIONS["group"])
    tags = {"provision-run": "abc", "provision-host": "build-7", "provision-until": "2036-01-01T00:00:00Z"}
    template = {"$schema": "x", "contentVersion": "1.0.0.0", "resources": []}
    detach = {"template": template, "actionOnUnmanage": {"resources": "detach"}, "denySettings": {"mode": "none"}}
    stack = f"{home}/providers/Microsoft.Resources/deploymentStacks/provision-lock-hpc"
    azure.put(stack, {"properties": detach, "tags": tags}, "2025-07-01")
    azure.forget()

    assert fleet("adopt", "hpc.yaml", "--yes") == 6

    assert "run abc on build-7" in fleet.err
    assert azure.writes() == []


def test_json_is_a_line_for_the_environment_and_then_one_for_each_event(azure: Azure, fleet: Shell) -> None:
    assert fleet("adopt", "hpc.yaml", "--yes", "--format", "json") == 0, fleet.err

    first, *events = map(json.loads, fleet.out.splitlines())
    assert first["summary"] == {"adopt": 5, "blocked": 0, "nodes": 4}
    assert [each["mark"] for each in first["adopt"]] == ["hpc/network"] * 4 + ["hpc/train-0"]
    assert {each["event"] for each in events} >= {"run-started", "lock-held", "operation-succeeded", "run-ended"}


def test_the_page_about_adopting_shows_what_happens(azure: Azure, fleet: Shell) -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert shown == ADOPTING
    console = re.findall(r"\$ provision adopt hpc.yaml( --yes)?\n(.*?)```", PAGE, re.DOTALL)

    for yes, told in console:
        fleet("adopt", "hpc.yaml", *yes.split())
        printed = iter([*fleet.out.splitlines(), *fleet.err.splitlines()])
        for line in told.splitlines():
            assert line.strip() == "…" or line in printed, line
    assert len(console) == 2
