"""Nodes that have hardware and still do not come up: which a fault makes fail, when that is known, in Azure's words."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from provision.simulator.refusals import errors
from provision.simulator.state import faults
from provision.simulator.state.durations import EXTENSIONS_BUDGET_S, OS_TIMEOUT_S, OS_TIMEOUT_WITH_EXTENSIONS_S
from provision.simulator.state.occasions import of_resource
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json

_BUDGET = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")


@dataclass(frozen=True, slots=True)
class Failure:
    error: Json
    seconds: float | None
    """After how many seconds it is known; None for when the last node that comes up is up."""


def drawn(world: World, row: ScaleSet, numbers: list[int], method: str) -> dict[int, Failure]:
    """Return the nodes that a fault makes fail, lowest first, and count the fault: the same ones for the same seed."""
    if not world.faults or not numbers:
        return {}
    occasion = of_resource(world, method, row.id, row.id)
    extensions = [str(each["name"]) for each in _extensions(row)]

    def able(fault: Json) -> bool:
        return bool(extensions) or not fault["code"].startswith("VMExtension")

    fault = faults.take(world, ("fail-nodes",), occasion, able)
    if fault is None:
        return {}
    share: float = fault.get("share", 1.0)
    wanted: int = fault.get("nodes", round(share * len(numbers)))
    lots = sorted(numbers, key=lambda number: _lot(row, fault, number))
    return {number: _failure(row, number, fault, extensions) for number in sorted(lots[:wanted])}


def _failure(row: ScaleSet, number: int, fault: Json, extensions: list[str]) -> Failure:
    code = str(fault["code"])
    if code.startswith("OSProvisioning"):
        name = f"{row.rid.name}_{number}"
        error = errors.os_timed_out(name) if code == "OSProvisioningTimedOut" else {"code": code, "message": ""}
        seconds: float | None = OS_TIMEOUT_WITH_EXTENSIONS_S if extensions else OS_TIMEOUT_S
    elif code.startswith("VMExtension"):
        error = {**errors.extension_failed(extensions[0]), "code": code, "target": extensions[0]}
        seconds = _extensions_budget(row) if code.endswith("Timeout") else None
    elif code == "AllocationFailed":
        error = errors.allocation_failed(single_placement_group=bool(row.properties["singlePlacementGroup"]))
        seconds = None
    else:
        error, seconds = {"code": code, "message": ""}, None
    return Failure({**error, **({"message": fault["message"]} if "message" in fault else {})}, seconds)


def _extensions_budget(row: ScaleSet) -> float:
    profile = row.properties.get("virtualMachineProfile", {}).get("extensionProfile", {})
    found = _BUDGET.fullmatch(str(profile.get("extensionsTimeBudget")))
    if found is None:
        return EXTENSIONS_BUDGET_S
    hours, minutes, seconds = (int(each or 0) for each in found.groups())
    return 3600.0 * hours + 60.0 * minutes + seconds


def _extensions(row: ScaleSet) -> list[Json]:
    profile: Json = row.properties.get("virtualMachineProfile", {}).get("extensionProfile", {})
    found: list[Json] = profile.get("extensions", [])
    return found


def _lot(row: ScaleSet, fault: Json, number: int) -> bytes:
    text = f"{row.unique_id}/{number}/{fault.get('seed', 0)}/{fault['applied']}"
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
