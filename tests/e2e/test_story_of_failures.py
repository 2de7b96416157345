"""What Azure refuses, what a file says wrongly, what is not there: exit codes, and messages that one can act on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Azure, Shell
from tests.support.worlds import QUICK

ALLOCATION = (
    "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. "
    "Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance"
)


def test_a_full_region_fails_its_unit_with_the_innermost_cause_and_the_line_and_the_next_run_goes_on(
    azure: Azure, provision: Shell
) -> None:
    fault = {
        "match": {"url": "virtualMachineScaleSets/quick-train-0"},
        "effect": "fail-operation",
        "code": "AllocationFailed",
        "message": ALLOCATION,
        "count": 1,
    }
    azure.ask("POST", "/_simulator/faults", [fault])

    assert provision("apply", "quick.yaml", "--yes") == 7

    assert f"deploy train-0 failed: AllocationFailed: {ALLOCATION}" in provision.out
    assert "from: quick.yaml:9 pools.train" in provision.out
    assert "run the same command again" in provision.out
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 2
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out


def test_too_little_quota_is_told_with_azures_numbers(azure: Azure, provision: Shell) -> None:
    azure.ask("PUT", "/_simulator/world", {"quota": {"southcentralus": {"standardNDSH100v5Family": 96}}})

    assert provision("apply", "quick.yaml", "--yes", "--skip-check", "all") == 7

    assert "Current Limit: 96, Current Usage: 0, Additional Required: 192, (Minimum) New Limit Required: 192" in (
        provision.out
    )


def test_a_failure_in_one_region_does_not_stop_the_other(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK.replace("pools:\n", "  westus3: {}\npools:\n"))
    fault = {
        "match": {"url": "quick-westus3/providers/Microsoft.Network/natGateways"},
        "effect": "fail-operation",
        "code": "InternalServerError",
        "message": "An error occurred.",
        "count": 1,
    }
    azure.ask("POST", "/_simulator/faults", [fault])

    assert provision("apply", "quick.yaml", "--yes") == 7

    assert azure.names().count("quick-train-0") == 1
    assert "westus3 deploy network failed: InternalServerError: An error occurred." in provision.out
    assert provision("status", "quick.yaml") == 7
    assert "NO train" in provision.out
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert provision("status", "quick.yaml") == 0


def test_a_scale_set_of_our_name_that_is_not_ours_is_refused_not_adopted(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    scale_set = azure.resource("quick-train-0")
    azure.ask("PATCH", f"{scale_set['id']}?api-version=2025-11-01", {"tags": {"owner": "somebody"}})
    azure.pass_time(60)
    azure.forget()

    assert provision("plan", "quick.yaml") == 6
    assert "x refused" in provision.out
    assert provision("apply", "quick.yaml", "--yes", "--allow", "replace,delete") == 6
    assert provision("destroy", "quick.yaml", "--yes") == 6
    assert azure.writes() == []


def test_limits_hold_an_apply_back(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK + "limits: {usd_per_hour_increase: 100}\n")

    assert provision("apply", "quick.yaml", "--yes") == 6

    assert "limits.usd_per_hour_increase allows 100.00" in provision.err
    assert azure.writes() == []


def test_without_a_terminal_nothing_is_asked_and_nothing_is_done(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml") == 6
    assert "give --yes" in provision.err
    assert azure.writes() == []
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    azure.forget()
    assert provision("destroy", "quick.yaml") == 6
    assert "give --yes" in provision.err
    assert azure.writes() == []


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("plan", "missing.yaml"), 1, "there is no such file"),
        (("plan", "broken.yaml"), 1, "broken.yaml:2:1: error: a value is missing here"),
        (("plan", "wrong.yaml"), 3, "unknown-key"),
        (("apply", "wrong.yaml", "--yes"), 3, "unknown-key"),
        (("destroy", "wrong.yaml", "--yes"), 3, "unknown-key"),
        (("status", "wrong.yaml"), 3, "unknown-key"),
        (("apply", "quick.yaml", "--allow", "everything"), 64, "replace, delete, deallocate"),
        (("plan", "quick.yaml", "--simulate"), 64, "not both"),
        (("plan",), 64, "Missing argument"),
    ],
)
def test_bad_input_ends_with_its_code_and_writes_nothing(
    args: tuple[str, ...], code: int, told: str, azure: Azure, provision: Shell
) -> None:
    provision.write("a: [", "broken.yaml")
    provision.write(QUICK + "speed: 9\n", "wrong.yaml")

    assert provision(*args) == code

    assert told in provision.err
    assert azure.writes() == []


def test_an_azure_that_is_not_there_is_said_at_once(provision: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    from provision.cli.main import main

    assert main(["plan", "quick.yaml", "--endpoint", "http://127.0.0.1:9"]) == 1
    assert "no simulator answers at http://127.0.0.1:9" in capsys.readouterr().err
    assert main(["plan", "quick.yaml", "--endpoint", "https://management.azure.com"]) == 64


def test_a_variable_that_is_not_set_never_means_the_real_azure(provision: Shell) -> None:
    from provision.cli.main import main

    assert main(["plan", "quick.yaml", "--endpoint", ""]) == 64


def test_a_plan_that_was_made_against_a_simulator_is_not_applied_to_the_real_azure(
    provision: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    from provision.cli.main import main

    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0
    assert "provision apply plan.json --endpoint http://127.0.0.1:" in provision.err

    assert main(["apply", "plan.json", "--yes"]) == 6
    assert "made against a simulated Azure" in capsys.readouterr().err


def test_a_plan_file_given_to_another_verb_is_told_for_what_it_is(provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0

    assert provision("validate", "plan.json") == 1
    assert "this is a saved plan, not an environment file" in provision.err


def test_a_reader_that_goes_away_does_not_stop_a_run(azure: Azure, provision: Shell, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "provision.cli.main", "apply", "quick.yaml", "--yes", "--endpoint", azure.endpoint]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "write resource group" in line:
            process.stdout.close()
            break

    assert process.wait(timeout=60) == 0
    assert azure.resource("quick-train-0")["sku"]["capacity"] == 2
    assert azure.names("stacks") == ["quick.network", "quick.train-0"]


def test_a_closed_terminal_stops_a_run_in_order(azure: Azure, provision: Shell, tmp_path: Path) -> None:
    busy = {"method": "PUT", "url": "quick-southcentralus/providers/Microsoft.Resources"}
    fault = {
        "match": busy,
        "effect": "refuse",
        "status": 503,
        "code": "ServiceUnavailable",
        "message": "x",
        "count": 99,
    }
    azure.ask("POST", "/_simulator/faults", [fault])
    command = [sys.executable, "-m", "provision.cli.main", "apply", "quick.yaml", "--yes", "--endpoint", azure.endpoint]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "attempt" in line:
            process.send_signal(signal.SIGHUP)
            break
    process.communicate(timeout=60)

    assert process.returncode == 129
    assert "provision-lock-quick" not in azure.names("stacks")


def test_a_killed_run_on_a_simulator_of_our_own_does_not_lock_us_out(
    provision: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from provision.cli.main import main

    command = [sys.executable, "-m", "provision.cli.main", "apply", "quick.yaml", "--yes", "--simulate"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "deploy network" in line:
            process.kill()
            break
    process.communicate()  # ends with the simulator, which holds the pipe too

    # What the dead run had begun may still go on while its lock is taken over: then the plan is stale, as it must be,
    # nothing is written, and the next plan knows. The lock itself never keeps us out.
    for _ in range(5):
        code = main(["apply", "quick.yaml", "--yes", "--simulate"])
        told = capsys.readouterr().err
        if code == 0:
            break
        assert code == 6, told
        assert "Azure has changed since this plan was made" in told
    assert code == 0, told
