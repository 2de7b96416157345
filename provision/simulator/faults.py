"""Misbehaviour on demand: data `{match, effect, ...}` with a closed set of effects, each with an optional count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from provision.simulator.errors import Refusal
from provision.simulator.messages import Json
from provision.simulator.world import World

EFFECTS = ("refuse", "fail-operation")


def checked(fault: Any) -> Json:
    """Return the fault as it is kept; raise ValueError, saying what is wrong, where it is none."""
    if not isinstance(fault, dict):
        raise ValueError("a fault is an object")
    if unknown := set(fault) - {"match", "effect", "status", "code", "message", "count", "headers"}:
        raise ValueError(f"a fault has no {sorted(unknown)}")
    if fault.get("effect") not in EFFECTS:
        raise ValueError(f"effect is one of {', '.join(EFFECTS)}")
    match = fault.get("match", {})
    if not isinstance(match, dict) or set(match) - {"method", "url"}:
        raise ValueError("match holds method and url")
    try:
        re.compile(match.get("url", ""))
    except re.error as error:
        raise ValueError(f"match.url is no regular expression: {error}") from error
    if not isinstance(fault.get("code"), str):
        raise ValueError("a fault has a code")
    count = fault.get("count")
    if count is not None and (not isinstance(count, int) or count < 1):
        raise ValueError("count is a whole number above 0, or absent for always")
    return fault


def refuse(world: World, method: str, url: str) -> None:
    """Raise the refusal that some fault asks for, and count it."""
    fault = _take(world, "refuse", method, url)
    if fault is not None:
        headers: Mapping[str, str] = {name: str(value) for name, value in fault.get("headers", {}).items()}
        raise Refusal(fault.get("status", 500), fault["code"], fault.get("message", ""), headers=headers)


def failure(world: World, method: str, url: str) -> Json | None:
    """Return the error with which an operation just started is to end, or None, and count it."""
    fault = _take(world, "fail-operation", method, url)
    return None if fault is None else {"code": fault["code"], "message": fault.get("message", "")}


def _take(world: World, effect: str, method: str, url: str) -> Json | None:
    for fault in world.faults:
        match = fault.get("match", {})
        if fault["effect"] != effect or match.get("method", method).upper() != method:
            continue
        if not re.search(match.get("url", ""), url, re.IGNORECASE):
            continue
        if fault.get("count") is not None:
            fault["count"] -= 1
            if not fault["count"]:
                world.faults.remove(fault)
        return fault
    return None
