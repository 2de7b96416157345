"""The bodies of what is asked of single instances: run commands."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, Needed, Object, OneOf, Whole
from provision.simulator.tables.common import TRACKED

_IDENTITY = Object("RunCommandManagedIdentity", clientId=str, objectId=str)
_INPUT = Object("RunCommandInputParameter", name=Needed(str), value=Needed(str))

RUN_COMMAND = Object(
    "VirtualMachineRunCommand",
    **TRACKED,
    properties=Object(
        "VirtualMachineRunCommandProperties",
        source=Object(
            "VirtualMachineRunCommandScriptSource",
            script=str,
            scriptUri=str,
            scriptUriManagedIdentity=_IDENTITY,
            scriptShell=OneOf("Default", "Powershell7", name="ScriptShellTypes"),
            commandId=str,
            galleryScriptReferenceId=str,
        ),
        parameters=[_INPUT],
        protectedParameters=[_INPUT],
        asyncExecution=bool,
        runAsUser=str,
        runAsPassword=str,
        timeoutInSeconds=Whole(1),
        outputBlobUri=str,
        errorBlobUri=str,
        outputBlobManagedIdentity=_IDENTITY,
        errorBlobManagedIdentity=_IDENTITY,
        treatFailureAsDeploymentFailure=bool,
        instanceView=READ_ONLY,
        provisioningState=READ_ONLY,
    ),
)
