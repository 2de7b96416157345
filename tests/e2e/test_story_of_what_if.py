"""Azure's own what-if beside the plan: its noise is explained, and what nothing explains is pointed out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from tests.e2e.conftest import Azure, Shell
from tests.plan.test_parts import BASTION
from tests.support.worlds import QUICK

SCHEMA = json.loads((Path(__file__).parents[2] / "schema" / "plan.schema.json").read_text("utf-8"))
BOOTED = QUICK + "    cloud_init_file: boot.yaml\n"


def said(document: dict[str, Any]) -> dict[tuple[str, str, str], str]:
    """Return the reason by (resource, what the plan says, what Azure says), the first of several."""
    found: dict[tuple[str, str, str], str] = {}
    for each in document["what_if"]["disagreements"]:
        found.setdefault((each["id"].rsplit("/", 1)[1], each["plan"], each["what_if"]), each["why"])
    return found


def test_of_a_first_plan_nothing_can_be_asked(azure: Azure, provision: Shell) -> None:
    document = provision.json("plan", "quick.yaml", "--what-if")

    assert document["what_if"]["agreeing"] == 0
    assert document["what_if"]["not_asked"] == [
        {
            "what": f"{unit} in southcentralus",
            "why": "its group quick-southcentralus is still to be made, and Azure foresees nothing there",
        }
        for unit in ("network", "train-0")
    ]
    assert azure.writes() == []


def test_what_azure_calls_a_change_of_its_defaults_is_explained(azure: Azure, provision: Shell) -> None:
    provision.write(BASTION)
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(BASTION.replace("owner: ml", "owner: other"))

    document = provision.json("plan", "quick.yaml", "--what-if")

    assert document["what_if"]["unexplained"] == 0, document["what_if"]
    assert document["what_if"]["agreeing"] > 0
    reasons = said(document)
    assert reasons["quick-southcentralus-bastion", "update", "Modify"] == "it is not stated, and is Azure's default"
    assert reasons["quick-southcentralus-vnet", "update", "Modify"] in (
        "it is not stated, and is Azure's default",
        "these are resources of their own, and stay as they are",
    )
    assert "Azure never shows it, so it always looks new; the plan compares with what the stack recorded" in {
        each["why"] for each in document["what_if"]["disagreements"]
    }
    assert [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)] == []


def test_an_immutable_change_that_azure_shows_as_a_modify_is_explained(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK + "    admin_user: somebody\n")

    assert provision("plan", "quick.yaml", "--what-if") == 0, provision.err

    (line,) = (line for line in provision.out.splitlines() if "the plan says replace" in line)
    assert "scale set quick-train-0: the plan says replace, what-if says Modify" in line
    assert "what-if does not know what cannot be changed in place" in line
    assert "each difference is a known one" in provision.out


def test_a_shrinking_set_and_one_that_grows_are_seen_alike(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK.replace("nodes: 2", "nodes: 3"))

    document = provision.json("plan", "quick.yaml", "--what-if")

    paths = [path for each in document["what_if"]["disagreements"] for path in each["paths"]]
    assert "sku.capacity" not in paths
    assert document["what_if"]["unexplained"] == 0


def test_what_a_deployment_would_take_from_others_is_pointed_out(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    address = azure.resource("quick-southcentralus-nat-ip-0")
    settings = {**address["properties"], "migrationPhase": "Prepare"}
    azure.put(address["id"], {**address, "properties": settings}, "2025-05-01")
    provision.write(QUICK.replace("owner: ml", "owner: other"))

    assert provision("plan", "quick.yaml", "--what-if") == 0, provision.err

    assert "1 of its differences cannot be explained" in provision.out
    (line,) = (line for line in provision.out.splitlines() if line.startswith("  ? "))
    assert "public address quick-southcentralus-nat-ip-0: the plan says update, what-if says Modify of" in line
    assert "properties.migrationPhase" in line


def test_what_is_asked_of_azure_writes_nothing_and_is_not_saved(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK.replace("nodes: 2", "nodes: 3"))
    azure.forget()

    assert provision("plan", "quick.yaml", "--what-if", "--out", "plan.json") == 0, provision.err
    assert {path.rsplit("/", 1)[1] for _, path in azure.writes()} == {"whatIf"}
    assert "what_if" not in json.loads((provision.folder / "plan.json").read_text("utf-8"))


def test_where_azure_does_not_let_it_be_asked_the_plan_is_shown_and_the_code_says_so(
    azure: Azure, provision: Shell
) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK.replace("nodes: 2", "nodes: 3"))
    fault = {
        "match": {"method": "POST", "url": "whatIf"},
        "effect": "refuse",
        "status": 403,
        "code": "AuthorizationFailed",
    }
    azure.ask("POST", "/_simulator/faults", [{**fault, "message": "not you"}])

    assert provision("plan", "quick.yaml", "--what-if") == 5
    assert "1 to update" in provision.out
    assert "train-0 in southcentralus: not asked: " in provision.out


def test_deletions_are_no_business_of_a_what_if(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err

    document = provision.json("plan", "quick.yaml", "--destroy", "--what-if")

    assert [each["what"] for each in document["what_if"]["not_asked"]] == ["8 deletions"]
