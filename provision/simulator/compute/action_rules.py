"""Which instances an action is for: those that it names, or all, without those that are protected or cannot take it."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.manners import compute
from provision.simulator.bodies.shapes import Object
from provision.simulator.compute import protection
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals import errors
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet

_BODY = Object(
    "VirtualMachineScaleSetReimageParameters",
    instanceIds=[str],
    tempDisk=bool,
    exactVersion=str,
    osProfile=Object("OSProfileProvisioningData", adminPassword=str, customData=str),
    forceUpdateOSDiskForEphemeral=bool,
)
"""What the bodies of actions may hold. All but the ids is for a reimage, and is taken as Azure's default."""

_NOT_SIMULATED = (
    "approveRollingUpgrade",
    "attachDetachDataDisks",
    "forceRecoveryServiceFabricPlatformUpdateDomainWalk",
    "migrateVMAvailabilityZone",
    "performMaintenance",
    "retrieveBootDiagnosticsData",
    "scaleOut",
)
"""Actions that Azure has and that change nothing here."""
_NEED_IDS = ("delete", "manualupgrade")
_NEED_A_RUNNING_SYSTEM = ("restart", "redeploy", "runcommand")
_SPARE_NOBODY = ("delete",)
"""Actions of a set that protection does not keep off: whoever names an instance wants it gone."""


def check_simulated(action: str, known: Container[str], url: str) -> None:
    """Refuse an action that there is not, in Azure or here, each in its own words."""
    if action.lower() in known:
        return
    name = next((name for name in _NOT_SIMULATED if name.lower() == action.lower()), None)
    raise errors.no_route(url) if name is None else refused.not_simulated(f"the action {name}")


def named(body: Any) -> list[str] | None:
    """Return the ids that the body of an action names; None where it names none."""
    if body is None:
        return None
    found: list[str] | None = bodies.fit(_BODY, body, manner=compute).get("instanceIds")
    return found


def chosen(row: ScaleSet, action: str, named: list[str] | None, *, alone: bool = False) -> list[int]:
    """Return the instances that an action is carried out on, lowest first.

    `alone`: it was asked of one instance, not of its set, so that protection does not matter. Asked of the set, it
    passes over protected instances, and, where none are named, over those that cannot take it; naming one of the
    latter is refused.
    """
    if named is None and action in _NEED_IDS:
        raise errors.missing_parameter("instanceIds")
    everybody = named is None or named == ["*"]
    numbers = instances.live(row) if named is None or everybody else [_number(row, text) for text in named]
    if not alone and action not in _SPARE_NOBODY:
        numbers = [number for number in numbers if not protection.keeps(row, number, protection.ACTIONS)]
    unfit = {number: refusal for number in numbers if (refusal := _unfit(row, number, action)) is not None}
    if unfit and not everybody:
        raise next(iter(unfit.values()))
    return sorted(set(numbers) - set(unfit))


def _unfit(row: ScaleSet, number: int, action: str) -> Refusal | None:
    """Return why an instance cannot take an action, or None where it can."""
    power = row.touched.get(str(number), {}).get("power", "running")
    nowhere = number in instances.unallocated(row)
    if action in _NEED_A_RUNNING_SYSTEM and (power != "running" or nowhere):
        return refused.not_running()
    if action == "poweroff" and power == "deallocated":
        return refused.deallocated("powerOff", f"{row.rid.name}_{number}")
    return None


def _number(row: ScaleSet, text: str) -> int:
    number = instances.number_of(row, text)
    if number is None:
        message = f"The provided instanceId {text} is not an active Virtual Machine Scale Set VM instanceId."
        raise errors.bad_parameter("instanceIds", message)
    return number
