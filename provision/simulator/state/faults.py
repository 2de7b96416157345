"""Misbehaviour on demand, as data: which effects there are, what each takes, and whether one is due.

A fault is `{effect, match?, skip?, count?, probability?, seed?, ...}` with the keys of its effect. What each effect
does stands in `EFFECTS`; it is done where its name is asked for with `take`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.occasions import Occasion, of_resource
from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json


@dataclass(frozen=True, slots=True)
class Effect:
    does: str
    keys: tuple[str, ...] = ()
    """The keys of its own that it takes, or, with a `!` at the end, needs."""


EFFECTS: dict[str, Effect] = {
    "refuse": Effect("the request is refused with this error", ("code!", "message", "status", "headers")),
    "drop": Effect("the connection ends without an answer; `when`: before anything is done, or after", ("when",)),
    "hang": Effect("the answer never comes; `when`: before anything is done, or after", ("when",)),
    "kill-client": Effect("the client is taken to die here; `when`: before anything is done, or after", ("when",)),
    "expire-token": Effect("the token of the request has expired: it is refused, here and ever after"),
    "slow": Effect("the answer takes this many virtual seconds", ("seconds!",)),
    "fail-operation": Effect("the operation that starts ends as Failed with this error", ("code!", "message")),
    "fail-nodes": Effect(
        "of the nodes that an operation brings, `nodes`, a `share` or all do not come up: OSProvisioningTimedOut and "
        "VMExtensionProvisioningError in Azure's words and time",
        ("code!", "message", "nodes", "share"),
    ),
    "never-finish": Effect("the operation that starts stays InProgress"),
    "slow-operation": Effect("the operation that starts takes this many times as long", ("factor!",)),
    "edit": Effect("somebody else lays `patch` onto a resource, or with null deletes it", ("patch!", "resource")),
    "lose-capacity": Effect(
        "nodes of a scale set vanish, fail or are evicted, and others take their hardware",
        ("nodes", "how", "code", "message", "resource"),
    ),
}

Check = tuple[str, Callable[[Any], bool]]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_HEADERS = "text or a number by header name"
_KEYS: dict[str, Check] = {
    "count": ("a whole number above 0: how often; absent for always", lambda value: _is_whole(value) and value > 0),
    "skip": ("a whole number: how many matches pass first", lambda value: _is_whole(value) and value >= 0),
    "probability": ("a number above 0, up to 1", lambda value: _is_number(value) and 0 < value <= 1),
    "seed": ("a whole number: which matches a probability takes", _is_whole),
    "code": ("text, an error code of Azure's", _is_text),
    "message": ("text", _is_text),
    "status": ("a status from 400 to 599", lambda value: _is_whole(value) and 400 <= value <= 599),
    "headers": (
        _HEADERS,
        lambda value: isinstance(value, dict) and all(_is_text(each) or _is_number(each) for each in value.values()),
    ),
    "when": ("before or after", lambda value: value in ("before", "after")),
    "seconds": ("a number of virtual seconds above 0", lambda value: _is_number(value) and value > 0),
    "factor": ("a number above 0", lambda value: _is_number(value) and value > 0),
    "patch": ("an object, or null to delete", lambda value: value is None or isinstance(value, dict)),
    "resource": ("the id of a resource; absent for what the request is about", _is_text),
    "nodes": ("a whole number above 0: how many; absent for all", lambda value: _is_whole(value) and value > 0),
    "share": ("a number above 0, up to 1", lambda value: _is_number(value) and 0 < value <= 1),
    "how": ("vanish, fail or evict", lambda value: value in ("vanish", "fail", "evict")),
}
"""What each key holds, in words and as a check."""

ALWAYS = ("match", "count", "skip", "probability", "seed")
"""The keys that a fault of any effect may have, beside `effect`."""

MATCHES: dict[str, str] = {
    "method": "the HTTP method",
    "url": "a regular expression that is found in the URL, without regard to case",
    "resource": "the id of a resource, group or subscription: it and all below it",
    "type": "a resource type, as in Microsoft.Compute/virtualMachineScaleSets",
    "region": "a region by its short name",
    "state": "the state of the resource, or, for a poll, of its operation; `absent` where there is none",
}


def checked(fault: Any) -> Json:
    """Return the fault as it is kept; raise ValueError, saying what is wrong and what there is, where it is none."""
    if not isinstance(fault, dict):
        raise ValueError("a fault is an object")
    name = fault.get("effect")
    if name not in EFFECTS:
        raise ValueError(f"effect is one of {', '.join(EFFECTS)}")
    own = EFFECTS[name].keys
    known = [*ALWAYS, *(key.rstrip("!") for key in own)]
    if unknown := sorted(set(fault) - {"effect", *known}):
        raise ValueError(f"{name} has no {', '.join(unknown)}; it has {', '.join(known)}")
    for key in own:
        if key.endswith("!") and key.rstrip("!") not in fault:
            raise ValueError(f"{name} needs {key.rstrip('!')}: {_KEYS[key.rstrip('!')][0]}")
    for key, value in fault.items():
        if key in _KEYS and not _KEYS[key][1](value):
            raise ValueError(f"{key} is {_KEYS[key][0]}")
    _check_match(fault.get("match", {}))
    return {**fault, "matched": 0, "applied": 0}


def _check_match(match: Any) -> None:
    if not isinstance(match, dict) or set(match) - set(MATCHES) or not all(map(_is_text, match.values())):
        raise ValueError(f"match holds text by {', '.join(MATCHES)}")
    try:
        re.compile(match.get("url", ""))
    except re.error as error:
        raise ValueError(f"match.url is no regular expression: {error}") from error


def take(
    world: World, effects: Collection[str], occasion: Occasion, able: Callable[[Json], bool] = lambda fault: True
) -> Json | None:
    """Return the first fault with one of the effects that is due on the occasion, and count it; else None.

    `able`: whether a fault could do anything now; one that could not waits for another match.
    """
    for fault in world.faults:
        if fault["effect"] in effects and _matches(fault.get("match", {}), occasion) and able(fault) and _due(fault):
            if fault["applied"] == fault.get("count"):
                world.faults.remove(fault)
            world.faults_taken += 1
            return fault
    return None


def _due(fault: Json) -> bool:
    """Count a match, and return whether it is one that the fault takes: the same ones for the same seed."""
    fault["matched"] += 1
    if fault["matched"] <= fault.get("skip", 0):
        return False
    drawn = hashlib.blake2b(f"{fault.get('seed', 0)}:{fault['matched']}".encode(), digest_size=4).digest()
    if int.from_bytes(drawn, "big") >= fault.get("probability", 1) * 2**32:
        return False
    fault["applied"] += 1
    return True


def _matches(match: Json, occasion: Occasion) -> bool:
    for key in ("method", "type", "region", "state"):
        if match.get(key, "").lower() not in ("", getattr(occasion, key).lower()):
            return False
    above = match.get("resource", "").lower().rstrip("/")
    if above and not f"{occasion.resource.lower()}/".startswith(f"{above}/"):
        return False
    return re.search(match.get("url", ""), occasion.url, re.IGNORECASE) is not None


# --- what is asked for in more than one place ---


def refusal(fault: Json) -> Refusal:
    """Return the refusal that a fault asks for."""
    headers = {name: str(value) for name, value in fault.get("headers", {}).items()}
    return Refusal(fault.get("status", 500), fault["code"], fault.get("message", ""), headers=headers)


def refuse_write(world: World, resource: str) -> None:
    """Raise the refusal that some fault asks for of a deployment's write, and count it."""
    fault = take(world, ("refuse",), of_resource(world, "PUT", resource, resource)) if world.faults else None
    if fault is not None:
        raise refusal(fault)


@dataclass(frozen=True, slots=True)
class Course:
    """What faults make of an operation that starts."""

    failure: Json | None = None
    factor: float = 1.0
    endless: bool = False


def course(world: World, method: str, target: str, action: str = "") -> Course:
    """Return what becomes of an operation just started, and count the faults that decide it."""
    if not world.faults:
        return Course()
    occasion = of_resource(world, method, target, f"{target}{action}")
    failing = take(world, ("fail-operation",), occasion)
    slow = take(world, ("slow-operation",), occasion)
    return Course(
        None if failing is None else {"code": failing["code"], "message": failing.get("message", "")},
        1.0 if slow is None else slow["factor"],
        take(world, ("never-finish",), occasion) is not None,
    )
