"""Limits that a tester sets, in `world.quota`, `{region: {name: limit}}`.

The region `*` sets a limit everywhere; `SUBSCRIPTION/region` and `SUBSCRIPTION/*` set it for one subscription.
"""

from __future__ import annotations

from provision.simulator.state.world import World


def limit_of(world: World, subscription: str, location: str, name: str, default: int) -> int:
    """Return the limit by a name that is compared without case."""
    own = subscription.lower()
    for place in (f"{own}/{location}", f"{own}/*", location, "*"):
        for key, value in world.quota.get(place, {}).items():
            if key.lower() == name.lower():
                return value
    return default
