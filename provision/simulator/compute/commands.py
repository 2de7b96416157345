"""What a script does on a node, and the action that runs one. Scripts are not run: a tester says what comes of them.

The setting `commandOutputs` is a list of `{script?, scaleSet?, instance?, stdout?, stderr?, exitCode?, seconds?}`; the
first that matches counts. `script` is a regular expression that is searched in the script. What no entry matches
succeeds at once, and says what its `echo` and `hostname` lines would.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.manners import compute
from provision.simulator.bodies.shapes import Needed, Object
from provision.simulator.compute import action_rules, instance_views
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals import errors
from provision.simulator.state import operations
from provision.simulator.state.durations import RUN_COMMAND_S
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, ScaleSet, World
from provision.simulator.wire.messages import Json

OUTPUTS = "commandOutputs"
COMMANDS = {
    "RunShellScript": "Executes a Linux shell script",
    "ifconfig": "Get the configuration of all network interfaces.",
}
"""The commands that Azure has for Linux, by id."""

_BODY = Object(
    "RunCommandInput",
    commandId=Needed(str),
    script=[str],
    parameters=[Object("RunCommandInputParameter", name=Needed(str), value=Needed(str))],
)
_RULE: dict[str, type | tuple[type, ...]] = {
    "script": str,
    "scaleSet": str,
    "instance": str,
    "stdout": str,
    "stderr": str,
    "exitCode": int,
    "seconds": (int, float),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    exit_code: int
    stdout: str
    stderr: str
    seconds: float

    @property
    def message(self) -> str:
        """What the agent on a Linux node reports."""
        said = "Enable succeeded: "
        if self.exit_code:
            said = f"Enable failed: failed to execute command: command terminated with exit status={self.exit_code}"
        return f"{said}\n[stdout]\n{self.stdout}\n[stderr]\n{self.stderr}"


def outcome(world: World, row: ScaleSet, number: int, script: str) -> Outcome:
    """Return what comes of a script on an instance."""
    for rule in world.setting(OUTPUTS, []):
        elsewhere = str(rule.get("scaleSet", row.rid.name)).lower() != row.rid.name.lower()
        if elsewhere or rule.get("instance", str(number)) != str(number):
            continue
        if re.search(rule.get("script", ""), script):
            seconds = float(rule.get("seconds", RUN_COMMAND_S))
            return Outcome(rule.get("exitCode", 0), rule.get("stdout", ""), rule.get("stderr", ""), seconds)
    said = "".join(_said(line, instance_views.computer_name(row, number)) for line in script.splitlines())
    return Outcome(0, said, "", RUN_COMMAND_S)


def check_setting(rules: list[Any]) -> None:
    """Raise ValueError, saying what is wrong, where the setting `commandOutputs` makes no sense."""
    for rule in rules:
        if not isinstance(rule, dict) or set(rule) - set(_RULE):
            raise ValueError(f"an entry of settings.{OUTPUTS} may have {', '.join(_RULE)}")
        for key, value in rule.items():
            if not isinstance(value, _RULE[key]) or isinstance(value, bool):
                raise ValueError(f"settings.{OUTPUTS}: {key} is of another type than {value!r}")
        try:
            re.compile(rule.get("script", ""))
        except re.error as error:
            raise ValueError(f"settings.{OUTPUTS}: script is no regular expression: {error}") from error


def run(world: World, at: float, row: ScaleSet, number: int, body: Any, origin: Origin) -> Operation:
    """Start the action that runs a script on one instance: one at a time. Its result is the operation's."""
    if body is None:
        raise errors.missing_parameter("commandId")
    body = bodies.fit(_BODY, body, origin.text, manner=compute)
    command = next((name for name in COMMANDS if name.lower() == body["commandId"].lower()), None)
    if command is None:
        text = f"The value '{body['commandId']}' of parameter 'commandId' is invalid."
        raise errors.bad_parameter("commandId", text)
    action_rules.chosen(row, "runcommand", [str(number)], alone=True)
    if operations.running(world, row.touched.get(str(number), {}).get("command", "")) is not None:
        raise refused.command_running()
    script = "\n".join(body.get("script") or []) if command == "RunShellScript" else command
    found = outcome(world, row, number, script)
    status = {
        "code": "ProvisioningState/succeeded",
        "level": "Info",
        "displayStatus": "Provisioning succeeded",
        "message": found.message,
    }
    operation = operations.start(
        world,
        at,
        row,
        kind="run-command",
        dialect=COMPUTE,
        seconds=found.seconds,
        origin=origin,
        method="POST",
        action=f"/virtualMachines/{number}/runCommand",
        detail={"instance": number, "result": {"value": [status]}},
    )
    row.touched.setdefault(str(number), {})["command"] = operation.name
    world.resources.put(row.key, row)
    return operation


def ended(world: World, operation: Operation, at: float) -> None:
    row = world.resources.get(operation.target.lower())
    key = str(operation.detail["instance"])
    if isinstance(row, ScaleSet) and row.touched.get(key, {}).get("command") == operation.name:
        del row.touched[key]["command"]
        row.touched = {key: differs for key, differs in row.touched.items() if differs}
        world.resources.put(row.key, row)


def document(name: str) -> Json:
    """Return a command as the region lists it."""
    return {
        "$schema": "http://schema.management.azure.com/schemas/2016-11-17/runcommands.json",
        "id": name,
        "osType": "Linux",
        "label": COMMANDS[name],
        "description": COMMANDS[name],
    }


def _said(line: str, host: str) -> str:
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return ""
    if words[:1] == ["echo"]:
        return " ".join(words[1:]) + "\n"
    return f"{host}\n" if words == ["hostname"] else ""
