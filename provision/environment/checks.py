"""What must agree between the parts of an environment file; single values are the model's business."""

from __future__ import annotations

from collections.abc import Iterator

from provision.environment.model import Environment
from provision.findings import Problem
from provision.near import nearest


def problems_in(environment: Environment) -> Iterator[Problem]:
    """Yield each pool's region that the environment lacks."""
    known = ", ".join(environment.regions)
    for name, pool in environment.pools.items():
        for region in pool.nodes if isinstance(pool.nodes, dict) else ():
            if region not in environment.regions:
                near = nearest(region, environment.regions)
                yield Problem(
                    ("pools", name, "nodes", region),
                    f"pool {name} has nodes in {region}, which is none of this environment's regions ({known})",
                    f"write {near}, or add {region} to `regions`" if near else f"add {region} to `regions`",
                    on_key=True,
                )
