"""Plans without Azure, plans made again from what was saved, and several environments in one run."""

from __future__ import annotations

import json

import pytest

from provision.adapters.files import environments_root
from provision.cli.main import main
from tests.e2e.conftest import Azure, Shell
from tests.support.worlds import QUICK

OTHER = QUICK.replace("name: quick", "name: other")


def test_an_offline_plan_is_against_nothing_asks_nothing_and_is_never_applied(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0
    azure.forget()

    assert main(["plan", "quick.yaml", "--offline", "--out", "plan.json"]) == 0
    assert azure.ask("GET", "/_simulator/log") == []
    document = json.loads((provision.folder / "plan.json").read_text("utf-8"))
    assert document["offline"] is True
    assert document["summary"]["actions"] == {"create": 8}
    assert provision("show", "plan.json") == 0
    assert "OFFLINE, never to be applied: 8 to create" in provision.out.splitlines()[0]
    assert provision("apply", "plan.json", "--yes") == 6
    assert "the plan was made offline, so nobody has asked Azure what is there" in provision.err
    assert azure.writes() == []


def test_a_plan_is_made_again_from_what_azure_had(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0
    provision.write(QUICK.replace("nodes: 2", "nodes: 1"))
    online = provision.json("plan", "quick.yaml", "--save-world", "world.json")
    assert provision("destroy", "quick.yaml", "--yes") == 0

    assert main(["plan", "quick.yaml", "--world", "world.json", "--format", "json"]) == 0
    offline = provision.taken()

    ours = ("digest", "offline", "simulated", "checks")
    assert {key: value for key, value in offline.items() if key not in ours} == {
        key: value for key, value in online.items() if key not in ours
    }
    assert main(["plan", "quick.yaml", "--world", "world.json", "--destroy", "--format", "json"]) == 0
    assert provision.taken()["summary"]["actions"] == {"delete": 8}


@pytest.mark.parametrize(
    ("world", "why"),
    [
        ("[]", "this is no saved world: "),
        ("{", "this is no saved world: Expecting"),
        ('{"format_version": 1, "environments": {}}', "this world was not read for quick in subscription"),
        (
            '{"format_version": 1, "environments": {"quick": {"subscription": "s", "groups": {"/a": {}}, "stacks": {},'
            ' "resources": {}, "others": [], "versions": {}, "instances": {}, "lost": []}}}',
            "this is no saved world: /a: this is not the id of what it holds, in lower case",
        ),
    ],
)
def test_what_is_no_world_of_the_environment_is_refused(world: str, why: str, provision: Shell) -> None:
    (provision.folder / "world.json").write_text(world, "utf-8")

    assert main(["plan", "quick.yaml", "--world", "world.json"]) == 1
    assert why in provision.heard()


@pytest.mark.parametrize(
    "args", [["--offline", "--simulate"], ["--world", "w.json", "--save-world", "x.json"]], ids=["azure", "saving"]
)
def test_offline_there_is_no_azure_to_choose_or_to_save(args: list[str], provision: Shell) -> None:
    assert main(["plan", "quick.yaml", *args]) == 64


def test_several_environments_get_one_verdict(provision: Shell) -> None:
    provision.write(OTHER, "other.yaml")
    assert provision("apply", "quick.yaml", "--yes") == 0

    assert provision("plan", "quick.yaml", "other.yaml") == 0, provision.err
    assert provision.out.splitlines()[-1] == "2 environments: 1 with changes: 8 to create; nodes 2 → 4"
    assert provision("plan", "quick.yaml", "other.yaml", "--detailed-exitcode") == 2
    document = provision.json("plan", "quick.yaml", "other.yaml")
    assert [plan["environment"] for plan in document["plans"]] == ["quick", "other"]
    assert document["summary"]["with_changes"] == 1
    assert document["summary"]["refused"] == []
    assert provision("plan", "quick.yaml", "quick.yaml") == 0
    assert "environments:" not in provision.out


def test_the_worst_of_several_environments_is_the_code_and_is_named(provision: Shell) -> None:
    provision.write(OTHER + "limits: {usd_per_hour_increase: 1}\n", "other.yaml")

    assert provision("plan", "quick.yaml", "other.yaml") == 6
    assert provision.out.splitlines()[-1].endswith("; cannot be applied: other")


def test_a_group_that_is_given_is_taken_for_there_offline(capsys: pytest.CaptureFixture[str]) -> None:
    given = environments_root() / "enterprise-existing-network.yaml"

    assert main(["plan", str(given), "--offline"]) == 0, capsys.readouterr().out


def test_together_plans_without_anything_to_do_say_so(provision: Shell) -> None:
    provision.write(OTHER, "other.yaml")
    for name in ("quick.yaml", "other.yaml"):
        assert provision("apply", name, "--yes") == 0, provision.err

    assert provision("plan", "quick.yaml", "other.yaml") == 0
    assert provision.out.splitlines()[-1] == "2 environments: nothing to do"
