"""What faults do to a client's request: to its answer, and to the world around it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from provision.simulator import somebody
from provision.simulator.compute import losses
from provision.simulator.refusals import errors
from provision.simulator.state import faults, tokens
from provision.simulator.state.occasions import Occasion, of_request
from provision.simulator.state.world import World
from provision.simulator.wire.messages import LOSSES, Json, Request

ANSWERS = ("refuse", "expire-token", *LOSSES)
"""Of these the first that is due decides what becomes of the answer."""


@dataclass(frozen=True, slots=True)
class Met:
    """What a request met with."""

    faults: tuple[str, ...] = ()
    """The effects, as the log shows them."""
    refusal: errors.Refusal | None = None
    undone: bool = False
    """Whether the request is lost before anything is done."""
    delay_s: float = 0.0


def meet(world: World, request: Request, now: float) -> Met:
    """Let the faults that are due have their effect on the world, and return what they make of the answer."""
    if world.spent_tokens and _digest(request.token) in world.spent_tokens:
        return Met(refusal=errors.expired_token(tokens.TENANT, now - 1, now))
    if not world.faults or not request.token:
        return Met()
    occasion = of_request(world, request)
    met: list[str] = []
    for effect, change in (("edit", _edit), ("lose-capacity", _lose)):
        targets: list[str] = []

        def able(fault: Json, effect: str = effect, found: list[str] = targets) -> bool:
            found[:] = _targets(world, effect, fault, occasion)
            return bool(found)

        fault = faults.take(world, (effect,), occasion, able)
        if fault is not None:
            met += [effect, *(f"{effect} refused: {code}" for code in change(world, now, fault, targets))]
    slow = faults.take(world, ("slow",), occasion)
    fault = faults.take(world, ANSWERS, occasion)
    met += [each["effect"] for each in (slow, fault) if each is not None]
    return Met(
        tuple(met),
        _refusal(world, now, fault, request.token),
        fault is not None and fault.get("when", "before") == "before" and fault["effect"] in LOSSES,
        0.0 if slow is None else float(slow["seconds"]),
    )


def _digest(token: str) -> str:
    return hashlib.blake2b(token.encode(), digest_size=16).hexdigest()


def _refusal(world: World, now: float, fault: Json | None, token: str) -> errors.Refusal | None:
    if fault is None or fault["effect"] in LOSSES:
        return None
    if fault["effect"] == "refuse":
        return faults.refusal(fault)
    world.spent_tokens.append(_digest(token))
    return errors.expired_token(tokens.TENANT, now - 1, now)


def _targets(world: World, effect: str, fault: Json, occasion: Occasion) -> list[str]:
    """Return the ids that a fault would change: its own, or what the request is about, if it can be changed now."""
    found = [fault["resource"]] if "resource" in fault else _subjects(world, occasion)
    if effect == "lose-capacity":
        return [text for text in found if losses.able(world, text, fault)]
    return [text for text in found if somebody.able(world, text)]


def _subjects(world: World, occasion: Occasion) -> list[str]:
    """Return the ids of what the request is about: one resource, or those that a list of a group or more shows."""
    scope = occasion.resource.lower()
    if not occasion.lists or scope in world.resources:
        return [occasion.resource]
    kind = occasion.type.lower()
    if scope in world.groups:
        return [row.id for row in world.resources.members(scope, kind)]
    return [row.id for row in world.resources.values() if row.type.lower() == kind and row.key.startswith(f"{scope}/")]


def _edit(world: World, now: float, fault: Json, targets: list[str]) -> list[str]:
    found = [somebody.edit(world, now, target, fault["patch"]) for target in targets]
    return [code for code in found if code]


def _lose(world: World, now: float, fault: Json, targets: list[str]) -> list[str]:
    for target in targets:
        losses.lose(world, now, target, fault)
    return []
