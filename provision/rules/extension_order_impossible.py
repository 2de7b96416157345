"""Extensions wait for each other, so that there must be a first one."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule

#: The extension that tells Azure a node's health, which a pool with rolling upgrades has from us.
_OURS = "health"


@rule(
    id="extension-order-impossible",
    subject=Environment,
    severity=Severity.ERROR,
    why="Azure refuses extensions that wait for one that is not there or for each other, and a second source of health",
    link="https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-extension-sequencing",
    remedy="name extensions of the same pool under `after`, without a circle",
)
def extension_order_impossible(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each extension that waits for none of its pool's, waits for itself, or is named like ours."""
    for name, pool in environment.pools.items():
        at = ("pools", name, "extensions")
        rolling = pool.upgrade == "rolling"
        known = {*pool.extensions, *([_OURS] if rolling else [])}
        for key, extension in pool.extensions.items():
            for index, other in enumerate(extension.after):
                if other not in known:
                    yield Problem(
                        at=(*at, key, "after", index),
                        message=f"extension {key} of pool {name} waits for {other}, which the pool has not",
                        fix=f"name one of {', '.join(sorted(known - {key}))}" if known - {key} else "leave `after` out",
                    )
            if rolling and (key == _OURS or extension.type.lower().startswith("applicationhealth")):
                yield Problem(
                    at=(*at, key),
                    message=f"pool {name} has an extension for its health already, from `upgrade: rolling`",
                    fix=f"leave {key} out" if key != _OURS else "give it another name, or leave it out",
                    on_key=True,
                )
        try:
            TopologicalSorter({key: each.after for key, each in pool.extensions.items()}).prepare()
        except CycleError as error:
            circle = list(reversed(error.args[1]))
            yield Problem(
                at=at,
                message=f"extensions of pool {name} wait for each other: {' → '.join(circle)}",
                fix="take one of them out of the other's `after`",
                on_key=True,
            )
