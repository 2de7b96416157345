"""Two runs of one environment, plans that have grown old, and runs that were cut off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Azure, Shell
from tests.support.worlds import QUICK

HOME = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quick-home"
LOCK = f"{HOME}/providers/Microsoft.Resources/deploymentStacks/provision-lock-quick"


def hold_the_lock(azure: Azure, until: str) -> None:
    """Take the lock as another run would."""
    azure.ask("PUT", f"{HOME}?api-version=2025-04-01", {"location": "southcentralus", "tags": {"provision": "quick"}})
    tags = {
        "provision-run": "abc123",
        "provision-host": "build-7",
        "provision-since": "2026-12-01T00:00:00Z",
        "provision-until": until,
    }
    template = {"$schema": "x", "contentVersion": "1.0.0.0", "resources": []}
    detach = {"resources": "detach"}
    properties = {"template": template, "actionOnUnmanage": detach, "denySettings": {"mode": "none"}}
    azure.ask("PUT", f"{LOCK}?api-version=2025-07-01", {"properties": properties, "tags": tags})
    azure.pass_time(60)
    azure.forget()


def test_a_run_that_finds_the_lock_held_stops_before_any_write_and_says_who_holds_it(
    azure: Azure, provision: Shell
) -> None:
    hold_the_lock(azure, until="2036-01-01T00:00:00Z")

    assert provision("apply", "quick.yaml", "--yes") == 6

    assert azure.writes() == []
    assert "run abc123 on build-7, since 2026-12-01T00:00:00Z" in provision.err
    assert azure.names("stacks") == ["provision-lock-quick"]


def test_an_expired_lock_is_taken_over_and_said_so(azure: Azure, provision: Shell) -> None:
    hold_the_lock(azure, until="2026-01-01T00:00:00Z")

    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err

    assert "taking over the expired lock of run abc123 on build-7" in provision.err
    assert "provision-lock-quick" not in azure.names("stacks")


def test_a_saved_plan_is_applied_as_it_is_once(azure: Azure, provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0
    provision.write(QUICK.replace("nodes: 2", "nodes: 5"))

    assert provision("apply", "plan.json", "--yes") == 0, provision.err
    assert azure.resource("quick-train-0")["sku"]["capacity"] == 2
    azure.forget()
    assert provision("apply", "plan.json", "--yes") == 6
    assert "Azure has changed since this plan was made" in provision.err
    assert azure.writes() == []


def test_a_saved_plan_is_refused_when_somebody_has_changed_what_it_rests_on(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK.replace("nodes: 2", "nodes: 3"))
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0
    scale_set = azure.resource("quick-train-0")
    tags = {"tags": {**scale_set["tags"], "somebody": "else"}}
    azure.ask("PATCH", f"{scale_set['id']}?api-version=2025-11-01", tags)
    azure.pass_time(60)
    azure.forget()

    assert provision("apply", "plan.json", "--yes") == 6

    assert "quick-train-0" in provision.err
    assert azure.writes() == []


@pytest.mark.parametrize("change", ["truncated", "altered", "another version"])
def test_a_plan_file_that_is_not_what_was_saved_is_refused(change: str, azure: Azure, provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0
    file = Path("plan.json")
    text = file.read_text()
    document = json.loads(text)
    altered = {
        "truncated": text[: len(text) // 2],
        "altered": text.replace('"capacity": 2', '"capacity": 9'),
        "another version": json.dumps({**document, "tool": "0.0.1"}),
    }[change]
    assert altered != text
    file.write_text(altered)

    assert provision("apply", "plan.json", "--yes") == 6
    assert azure.writes() == []


def test_a_run_that_is_killed_at_any_write_converges_when_it_is_run_again(
    azure: Azure, provision: Shell, tmp_path: Path
) -> None:
    """The process is killed after its n-th write, for every n; the next apply ends in the same world each time."""
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    whole = _shape(azure)
    writes = len(azure.writes())
    assert writes >= 5

    for count in range(1, writes):
        azure.empty()
        _apply_and_kill_after(azure, tmp_path, count)
        azure.pass_time(4000)  # the dead run's lock expires
        assert provision("apply", "quick.yaml", "--yes") == 0, (count, provision.err)
        assert _shape(azure) == whole, count
        assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, (count, provision.out)


def test_an_interrupted_run_starts_nothing_new_releases_the_lock_and_says_how_to_go_on(
    azure: Azure, provision: Shell, tmp_path: Path
) -> None:
    azure.ask("POST", "/_simulator/faults", [_busy("quick-southcentralus/providers/Microsoft.Resources")])
    process = _apply_in_the_background(azure, tmp_path)
    assert process.stderr is not None
    for line in process.stderr:
        if "deploy network" in line and "attempt" in line:
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=60)

    assert process.returncode == 130, err
    assert "Run the same command again" in out
    assert "provision-lock-quick" not in azure.names("stacks")


def _busy(url: str) -> dict[str, object]:
    return {
        "match": {"method": "PUT", "url": url},
        "effect": "refuse",
        "status": 503,
        "code": "ServiceUnavailable",
        "message": "later",
        "count": 1000,
    }


def _shape(azure: Azure) -> list[tuple[str, str, object]]:
    """Return what matters of a world: each resource by id, with what is stated of it; a dead run's lock aside."""
    found = [(b["id"].lower(), b["type"], (b.get("sku"), b.get("tags"))) for b in azure.world["resources"]]
    found += [
        (b["id"].lower(), "stack", b["properties"]["provisioningState"])
        for b in azure.world["stacks"]
        if b["name"] != "provision-lock-quick"
    ]
    return sorted(found, key=lambda row: row[0])


def _apply_in_the_background(azure: Azure, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "provision.cli.main", "apply", "quick.yaml", "--yes", "--endpoint", azure.endpoint]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _apply_and_kill_after(azure: Azure, folder: Path, writes: int) -> None:
    """Apply in a process of its own and kill it as soon as the simulator has seen so many writes."""
    process = _apply_in_the_background(azure, folder)
    try:
        while process.poll() is None and len(azure.writes()) < writes:
            pass
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
