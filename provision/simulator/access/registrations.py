"""Resource providers and features: whether the subscription is registered for them, and how it comes to be.

`world.registrations` holds the states that somebody set or asked for; a provider without one is registered, a feature
is not.
"""

from __future__ import annotations

from provision.simulator.access import errors_access
from provision.simulator.state import operations
from provision.simulator.state.durations import FEATURE_REGISTER_S, PROVIDER_REGISTER_S
from provision.simulator.state.ids import cased
from provision.simulator.state.operations import Origin
from provision.simulator.state.world import Operation, Registration, World

REGISTERED, NOT_REGISTERED = "Registered", "NotRegistered"
STATES = (REGISTERED, NOT_REGISTERED, "Registering", "Unregistering")
FREE = frozenset({"Microsoft.Resources", "Microsoft.Authorization", "Microsoft.Features"})
"""Namespaces that every subscription has without asking."""


def state(world: World, name: str) -> str:
    """Return the state of a provider, or of a feature as `namespace/feature`."""
    row = world.registrations.get(name.lower())
    if row is not None:
        return row.state
    return NOT_REGISTERED if "/" in name else REGISTERED


def refuse(world: World, namespace: str) -> None:
    """Refuse a write to a provider that the subscription is not registered for."""
    if state(world, namespace) != REGISTERED:
        raise errors_access.not_registered(cased(namespace))


def change(world: World, at: float, subscription: str, name: str, *, to: str) -> None:
    """Start to register or unregister; it takes a while, and asking again while it does changes nothing."""
    meanwhile = _MEANWHILE[to]
    if state(world, name) in (to, meanwhile):
        return
    world.registrations.put(name.lower(), Registration(name, meanwhile))
    operations.start(
        world,
        at,
        operations.Target(name, subscription, ""),
        kind="registration",
        dialect="",
        seconds=FEATURE_REGISTER_S if "/" in name else PROVIDER_REGISTER_S,
        origin=Origin(),
        method="POST",
        detail={"to": to},
        hidden=True,
    )


def change_ended(world: World, operation: Operation, at: float) -> None:
    """Note the end, unless something else was asked for meanwhile."""
    name, to = operation.target, operation.detail["to"]
    if state(world, name) == _MEANWHILE[to]:
        world.registrations.put(name.lower(), Registration(name, to))


_MEANWHILE = {REGISTERED: "Registering", NOT_REGISTERED: "Unregistering"}
