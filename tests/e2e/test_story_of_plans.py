"""What a reviewer sees and consents to: losing a file system's data, an autoscaler's nodes, accepted findings."""

from __future__ import annotations

import json

from tests.e2e.conftest import Azure, Shell
from tests.plan.test_parts import EXTERNAL, STORED
from tests.support.worlds import QUICK

LATEST = QUICK + "    image: microsoft-dsvm:ubuntu-hpc:2204:latest\n"
SUPPRESSED = LATEST + (
    "suppress: [{rule: image-version-latest, at: pools.train, reason: a trial, until: 2099-03-01}]\n"
)


def test_another_size_of_a_file_system_says_that_its_data_is_lost_and_needs_consent(
    azure: Azure, provision: Shell
) -> None:
    provision.write(STORED)
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(STORED.replace("size_tib: 8", "size_tib: 16"))
    azure.forget()

    assert provision("plan", "quick.yaml") == 0
    assert "all that it holds is lost" in provision.out
    assert provision("apply", "quick.yaml", "--yes") == 6
    assert azure.writes() == []
    assert provision("apply", "quick.yaml", "--yes", "--allow", "replace") == 0, provision.err
    assert azure.resource("quick-data")["properties"]["storageCapacityTiB"] == 16
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out


def test_an_autoscalers_nodes_stay_unless_the_file_takes_their_number_back(azure: Azure, provision: Shell) -> None:
    provision.write(EXTERNAL)
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    id = azure.resource("quick-train-0")["id"]
    azure.ask("PATCH", f"{id}?api-version=2025-11-01", {"sku": {"capacity": 40}})
    azure.pass_time(3600)

    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out
    provision.write(EXTERNAL.replace("owner: ml", "owner: other"))
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert azure.resource("quick-train-0")["sku"]["capacity"] == 40
    provision.write(QUICK)
    assert provision("apply", "quick.yaml", "--yes") == 6
    assert azure.resource("quick-train-0")["sku"]["capacity"] == 40


def test_a_saved_plan_tells_what_was_set_and_which_findings_were_accepted(provision: Shell) -> None:
    provision.write(SUPPRESSED)

    assert provision("plan", "quick.yaml", "--set", "pools.train.nodes=3", "--out", "plan.json") == 0, provision.err

    document = json.loads((provision.folder / "plan.json").read_text("utf-8"))
    assert document["set"] == ["pools.train.nodes=3"]
    assert document["accepted"] == ["image-version-latest at pools.train.image: a trial, until 2099-03-01"]
    assert "accepted: image-version-latest at pools.train.image: a trial" in provision.out
