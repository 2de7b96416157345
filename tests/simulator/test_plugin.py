"""The pytest plug-in: what it costs who does not use it, and what it gives who does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TESTS = """
import pytest
from azure.core.exceptions import ResourceNotFoundError


def make_a_group(azure, name="rg"):
    return azure.resources.resource_groups.create_or_update(name, {"location": "eastus"})


def test_every_client_is_there(simulated_azure):
    make_a_group(simulated_azure)
    address = {"location": "eastus", "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}}
    simulated_azure.network.public_ip_addresses.begin_create_or_update("rg", "ip", address).result()
    with pytest.raises(ResourceNotFoundError):
        simulated_azure.compute.virtual_machine_scale_sets.get("rg", "train")
    assert list(simulated_azure.deployments.deployments.list_by_resource_group("rg")) == []
    assert list(simulated_azure.stacks.deployment_stacks.list_at_resource_group("rg")) == []
    assert [row["name"] for row in simulated_azure.control.world["resources"]] == ["ip"]


def test_each_test_has_an_azure_of_its_own(simulated_azure):
    assert list(simulated_azure.resources.resource_groups.list()) == []


@pytest.mark.simulated_azure(scenario="flaky-network", seed=3)
def test_a_mark_says_which_scenario(simulated_azure):
    assert len(simulated_azure.control.faults) == 3


@pytest.mark.parametrize("again", range(2))
@pytest.mark.simulated_azure(seed=5)
def test_the_same_seed_gives_the_same_ids(simulated_azure, again, ids=[]):
    make_a_group(simulated_azure)
    address = {"location": "eastus", "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}}
    made = simulated_azure.network.public_ip_addresses.begin_create_or_update("rg", "ip", address).result()
    ids.append(made["properties"]["resourceGuid"])
    assert len(set(ids)) == 1


def test_control_sees_and_sets_everything(simulated_azure):
    control = simulated_azure.control
    control.set(pageSize=1)
    control.set(caseDrift=True)
    assert control.world["settings"] == {"pageSize": 1, "caseDrift": True}
    control.fault("refuse", code="Odd", status=404, count=1)
    with pytest.raises(ResourceNotFoundError, match="Odd"):
        make_a_group(simulated_azure)
    assert control.faults == []
    control.fault("slow", seconds=60)
    before = control.now
    make_a_group(simulated_azure)
    control.drop_faults()
    control.wait(40)
    assert control.now - before == 100
    assert [row.get("faults") for row in control.log] == [["refuse"], ["slow"]]
    control.forget()
    assert control.log == []
    with pytest.raises(ValueError, match="there is no scale set"):
        control.set_nodes("none", "0", power="stopped")
    with pytest.raises(ValueError, match="there is no scenario sunny; there are calm, "):
        control.play("sunny")
"""


def run(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run tests in a process of their own, as a user's project has them."""
    (folder / "test_mine.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_users_tests_have_a_simulated_azure(tmp_path: Path) -> None:
    ran = run(tmp_path, TESTS, "-p", "provision.testing")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "6 passed" in ran.stdout


def test_a_mark_that_says_what_there_is_not_is_told(tmp_path: Path) -> None:
    text = "import pytest\n\n@pytest.mark.simulated_azure(scenario='sunny')\ndef test_it(simulated_azure): pass\n"

    ran = run(tmp_path, text, "-p", "provision.testing")

    assert ran.returncode == 1
    assert "there is no scenario sunny; there are calm, " in ran.stdout


def test_it_costs_nothing_where_it_is_not_used() -> None:
    code = (
        "import sys, provision.testing; print([name for name in sys.modules if name.startswith(('azure', 'provis'))])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    loaded = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)

    assert sorted(re.findall(r"'([^']+)'", loaded.stdout)) == ["provision", "provision.testing"]


def test_it_is_an_entry_point_under_the_name_by_which_it_can_be_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert project["entry-points"]["pytest11"] == {"provision.testing": "provision.testing"}
