"""Scripts on nodes: the action with its result, and managed commands with their state."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, azure_with_a_network, path_of, refusal, set_id

HELLO = {"commandId": "RunShellScript", "script": ["echo 'Hello World!'", "hostname"]}


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=2)
    return made


def run(azure: Azure, body: Any = HELLO, number: str = "0") -> Any:
    """Run a script and return what the answer at the end says."""
    started = azure.start(azure.compute.virtual_machine_scale_set_vms.begin_run_command, "rg", "train", number, body)
    azure.wait(120)
    return azure.ask("GET", started.headers["Location"]).json()


def a_command(script: str = "echo hi", **properties: Any) -> Any:
    return {"location": "eastus", "properties": {"source": {"script": script}, **properties}}


def put(azure: Azure, body: Any, name: str = "check") -> Any:
    begin = azure.compute.virtual_machine_scale_set_vm_run_commands.begin_create_or_update
    return azure.start(begin, "rg", "train", "0", name, body)


def view(azure: Azure, name: str = "check") -> Any:
    found = azure.compute.virtual_machine_scale_set_vm_run_commands.get("rg", "train", "0", name, expand="instanceView")
    return found.instance_view


def test_a_script_says_what_its_agent_reports(azure: Azure) -> None:
    assert run(azure, number="1") == {
        "value": [
            {
                "code": "ProvisioningState/succeeded",
                "level": "Info",
                "displayStatus": "Provisioning succeeded",
                "message": "Enable succeeded: \n[stdout]\nHello World!\ntrain000001\n\n[stderr]\n",
            }
        ]
    }


def test_the_result_is_there_when_the_script_is_done_and_not_before(azure: Azure) -> None:
    azure.set_world(settings={"commandOutputs": [{"stdout": "done", "seconds": 600}]})

    started = azure.start(azure.compute.virtual_machine_scale_set_vms.begin_run_command, "rg", "train", "0", HELLO)
    azure.wait(599)
    early = azure.ask("GET", started.headers["Location"])
    azure.wait(1)
    late = azure.ask("GET", started.poll).json()

    assert (started.status, early.status, early.body) == (202, 202, b"")
    assert late["properties"]["output"]["value"][0]["message"] == "Enable succeeded: \n[stdout]\ndone\n[stderr]\n"


def test_the_tester_says_what_comes_of_a_script(azure: Azure) -> None:
    outputs = [
        {"script": "nvidia-smi", "scaleSet": "other", "stdout": "no"},
        {"script": "nvidia-smi", "instance": "1", "stdout": "", "stderr": "No devices were found\n", "exitCode": 6},
        {"script": "nvidia-smi", "stdout": "8\n"},
    ]
    azure.set_world(settings={"commandOutputs": outputs})
    body = {"commandId": "RunShellScript", "script": ["nvidia-smi --list-gpus | wc -l"]}

    messages = [run(azure, body, number)["value"][0]["message"] for number in ("0", "1")]

    assert messages == [
        "Enable succeeded: \n[stdout]\n8\n\n[stderr]\n",
        "Enable failed: failed to execute command: command terminated with exit status=6\n[stdout]\n\n[stderr]\n"
        "No devices were found\n",
    ]


def test_one_script_runs_at_a_time(azure: Azure) -> None:
    begin = azure.compute.virtual_machine_scale_set_vms.begin_run_command
    azure.start(begin, "rg", "train", "0", HELLO)

    assert refusal(begin, "rg", "train", "0", HELLO) == (
        409,
        "Conflict",
        "Run command extension execution is in progress. Please wait for completion before invoking a run command.",
    )
    assert azure.start(begin, "rg", "train", "1", HELLO).status == 202
    azure.wait(60)
    assert azure.start(begin, "rg", "train", "0", HELLO).status == 202


def test_a_script_wants_a_running_node(azure: Azure) -> None:
    azure.start(azure.compute.virtual_machine_scale_set_vms.begin_deallocate, "rg", "train", "0")
    azure.wait(120)
    begin = azure.compute.virtual_machine_scale_set_vms.begin_run_command

    message = "The operation requires the VM to be running (or set to run)."
    assert refusal(begin, "rg", "train", "0", HELLO) == (409, "OperationNotAllowed", message)
    assert refusal(begin, "rg", "train", "1", {"commandId": "RunPowerShellScript"})[:2] == (400, "InvalidParameter")
    assert refusal(begin, "rg", "train", "9", HELLO)[0] == 404


def test_a_region_lists_its_commands(azure: Azure) -> None:
    commands = azure.compute.virtual_machine_run_commands

    assert [row.id for row in commands.list("eastus")] == ["RunShellScript", "ifconfig"]
    assert commands.get("eastus", "runshellscript").os_type == "Linux"


# --- managed commands ---


def test_a_managed_command_is_a_resource_with_a_view(azure: Azure) -> None:
    started = put(azure, a_command(timeoutInSeconds=600))
    during = view(azure)
    azure.wait(60)
    found = azure.compute.virtual_machine_scale_set_vm_run_commands.get("rg", "train", "0", "check")
    after = view(azure)

    assert (started.status, started.body["properties"]["provisioningState"]) == (201, "Creating")
    assert found.id == f"{set_id()}/virtualMachines/0/runCommands/check"
    assert (found.provisioning_state, found.timeout_in_seconds, found.instance_view) == ("Succeeded", 600, None)
    assert (during.execution_state, during.output, during.end_time) == ("Running", None, None)
    assert (after.execution_state, after.exit_code, after.output, after.error) == ("Succeeded", 0, "hi\n", "")
    assert (after.end_time - after.start_time).total_seconds() == 30


def test_a_command_that_does_not_wait_is_done_before_its_script(azure: Azure) -> None:
    azure.set_world(settings={"commandOutputs": [{"seconds": 900, "stdout": "burnt in"}]})

    started = put(azure, a_command(asyncExecution=True))
    azure.wait(60)
    early = (azure.status_of(started), view(azure).execution_state)
    azure.wait(900)

    assert early == ("Succeeded", "Running")
    assert view(azure).output == "burnt in"


@pytest.mark.parametrize(("strict", "status", "state"), [(False, "Succeeded", "Succeeded"), (True, "Failed", "Failed")])
def test_a_script_that_fails_fails_its_command_where_that_is_wanted(
    azure: Azure, strict: bool, status: str, state: str
) -> None:
    azure.set_world(settings={"commandOutputs": [{"exitCode": 3, "stderr": "broken"}]})

    started = put(azure, a_command(treatFailureAsDeploymentFailure=strict))
    azure.wait(60)

    found = azure.compute.virtual_machine_scale_set_vm_run_commands.get("rg", "train", "0", "check")
    assert (azure.status_of(started), found.provisioning_state) == (status, state)
    assert (view(azure).execution_state, view(azure).exit_code, view(azure).error) == ("Failed", 3, "broken")


def test_a_script_that_takes_too_long_is_stopped(azure: Azure) -> None:
    azure.set_world(settings={"commandOutputs": [{"seconds": 900}]})

    put(azure, a_command(timeoutInSeconds=120))
    azure.wait(120)

    assert view(azure).execution_state == "TimedOut"


def test_commands_are_listed_patched_and_deleted(azure: Azure) -> None:
    commands = azure.compute.virtual_machine_scale_set_vm_run_commands
    for name in ("second", "first"):
        put(azure, a_command(runAsUser="root", runAsPassword="secret"), name)
        azure.wait(60)
    change = {"properties": {"source": {"script": "hostname"}}}
    patched = azure.start(commands.begin_update, "rg", "train", "0", "first", change)
    azure.wait(60)

    assert [row.name for row in commands.list("rg", "train", "0")] == ["first", "second"]
    assert patched.status == 200
    assert view(azure, "first").output == "train000000\n"
    assert (
        b"secret" not in azure.ask("GET", path_of("virtualMachineScaleSets/train/virtualMachines/0/runCommands")).body
    )
    assert azure.start(commands.begin_delete, "rg", "train", "0", "first").status == 202
    azure.wait(60)
    assert [row.name for row in commands.list("rg", "train", "0")] == ["second"]
    assert azure.start(commands.begin_delete, "rg", "train", "0", "first").status == 204
    assert refusal(commands.get, "rg", "train", "0", "first")[:2] == (404, "NotFound")
    assert refusal(commands.begin_update, "rg", "train", "0", "first", change)[0] == 404


def test_commands_go_with_their_instance(azure: Azure) -> None:
    put(azure, a_command())
    azure.wait(60)
    azure.start(azure.compute.virtual_machine_scale_set_vms.begin_delete, "rg", "train", "0")
    azure.wait(120)

    path = path_of("virtualMachineScaleSets/train/virtualMachines/0/runCommands")
    assert azure.ask("GET", path).status == 404


@pytest.mark.parametrize(
    "body",
    [
        {"location": "eastus", "properties": {}},
        {"location": "eastus", "properties": {"source": {"script": "a", "scriptUri": "https://x/y"}}},
        {"location": "eastus", "properties": {"source": {"script": "a"}, "colour": 1}},
        {"location": "eastus", "properties": {"source": {"script": []}}},
        {"properties": {"source": {"script": "a"}}},
        [],
    ],
)
def test_a_command_that_cannot_be_is_refused(azure: Azure, body: Any) -> None:
    answer = azure.ask("PUT", path_of("virtualMachineScaleSets/train/virtualMachines/0/runCommands/check"), body)

    assert (answer.status, "error" in answer.json()) == (400, True)


@pytest.mark.parametrize("rules", [[1], [{"colour": 1}], [{"exitCode": "1"}], [{"script": "("}]])
def test_outputs_that_make_no_sense_are_not_set(azure: Azure, rules: Any) -> None:
    answer = azure.ask("PUT", "/_simulator/world", {"settings": {"commandOutputs": rules}})

    assert (answer.status, "commandOutputs" in answer.json()["error"]) == (400, True)
