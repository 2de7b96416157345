"""A plan that is saved, shown, carried to another place and applied, or refused there."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from provision.adapters.files import data_digest
from provision.cli.main import main
from provision.plan.record import hashed
from tests.e2e.conftest import Azure, Shell
from tests.support.fleets import ADOPTING, make_fleet
from tests.support.worlds import QUICK

BOOTED = QUICK + "    cloud_init_file: boot.yaml\n"
BOOT = "#cloud-config\nruncmd: [enroll --with correct-horse-battery]\n"
SCHEMA = json.loads((Path(__file__).parents[2] / "schema" / "plan.schema.json").read_text("utf-8"))


def test_show_prints_a_saved_plan_as_plan_did(provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0, provision.err
    planned = provision.out

    assert provision("show", "plan.json") == 0, provision.err
    assert provision.out == planned
    assert provision("show", "plan.json", "--format", "json") == 0, provision.err
    assert provision.out == (provision.folder / "plan.json").read_text("utf-8")
    assert provision("show", "plan.json", "--format", "markdown") == 0, provision.err
    assert provision.out.startswith("### provision plan: quick")


def test_a_saved_plan_fits_the_published_schema_and_says_what_it_was_made_from(provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0, provision.err
    document = json.loads((provision.folder / "plan.json").read_text("utf-8"))

    assert [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)] == []
    files = {name: (provision.folder / name).read_text("utf-8") for name in ("quick.yaml", "key.pub")}
    assert document["inputs"] == {name: hashed(text) for name, text in files.items()}
    assert document["data"] == data_digest()


def test_what_is_no_plan_or_no_whole_one_is_not_shown(provision: Shell) -> None:
    assert provision("show", "quick.yaml") == 1
    assert provision.err.startswith("quick.yaml: error: this is no saved plan")
    assert provision("show", "missing.json") == 1
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0, provision.err
    plan = provision.folder / "plan.json"
    plan.write_text(plan.read_text("utf-8")[:-100], "utf-8")
    assert provision("show", "plan.json") == 6
    assert "the plan file is no whole JSON" in provision.err
    assert provision.out == ""


def test_a_plan_file_holds_no_boot_file_and_is_applied_with_it(azure: Azure, provision: Shell) -> None:
    provision.write(BOOTED)
    (provision.folder / "boot.yaml").write_text(BOOT, "utf-8")
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0, provision.err
    assert "correct-horse" not in (provision.folder / "plan.json").read_text("utf-8")
    provision.write(BOOTED.replace("nodes: 2", "nodes: 3"))  # which the saved plan knows nothing of

    assert provision("apply", "plan.json", "--yes") == 0, provision.err
    assert azure.resource("quick-train-0")["sku"]["capacity"] == 2
    provision.write(BOOTED)
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out


@pytest.mark.parametrize("change", ["boot file changed", "environment gone", "environment broken"])
def test_without_what_its_nodes_boot_with_a_plan_is_not_applied(change: str, azure: Azure, provision: Shell) -> None:
    provision.write(BOOTED)
    (provision.folder / "boot.yaml").write_text(BOOT, "utf-8")
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0, provision.err
    if change == "boot file changed":
        (provision.folder / "boot.yaml").write_text(BOOT + "packages: [tmux]\n", "utf-8")
    elif change == "environment gone":
        (provision.folder / "quick.yaml").unlink()
    else:
        provision.write(BOOTED + "    nodse: 2\n")

    assert provision("apply", "plan.json", "--yes") == 6
    assert provision.err.startswith("error: the plan file withholds what ")
    assert azure.writes() == []


def test_a_first_plan_and_one_that_is_applied_twice_say_what_has_moved(azure: Azure, provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0, provision.err
    group = f"/subscriptions/{'00000000-0000-0000-0000-000000000001'}/resourcegroups/quick-home"
    azure.ask("PUT", f"{group}?api-version=2025-04-01", {"location": "southcentralus", "tags": {"provision": "quick"}})

    assert provision("apply", "plan.json", "--yes") == 6
    assert f"Azure has changed since this plan was made: {group} is new" in provision.err

    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0, provision.err
    assert provision("apply", "plan.json", "--yes") == 0, provision.err
    azure.forget()
    assert provision("apply", "plan.json", "--yes") == 6
    assert "2 of its 2 deployments have been made: it has been applied already" in provision.err
    assert azure.writes() == []


def test_the_published_schema_of_plans_is_that_of_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "plan"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert main(["schema", "plan", "--format", "markdown"]) == 64


def test_an_adopted_fleet_is_changed_and_destroyed_by_saved_plans(azure: Azure, provision: Shell) -> None:
    provision.write(ADOPTING, "hpc.yaml")
    make_fleet(azure.put)
    assert provision("adopt", "hpc.yaml", "--yes") == 0, provision.err

    assert provision("plan", "hpc.yaml", "--out", "plan.json") == 0, provision.err
    assert provision("apply", "plan.json", "--yes") == 0, provision.err
    assert provision("plan", "hpc.yaml", "--detailed-exitcode") == 0, provision.out
    assert provision("plan", "hpc.yaml", "--destroy", "--out", "plan.json") == 0, provision.err
    assert provision("apply", "plan.json", "--yes", "--allow", "delete") == 0, provision.err
    assert "vmss-h100" not in azure.names()


def test_a_plan_that_was_shown_is_not_one_that_was_saved(azure: Azure, provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--format", "json=plan.json") == 0, provision.err

    assert provision("apply", "plan.json", "--yes") == 6
    assert "this is a plan as it was shown" in provision.err
    assert "plan --out FILE" in provision.err
