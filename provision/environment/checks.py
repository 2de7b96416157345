"""What must agree between the parts of an environment file; single values are the model's business."""

from __future__ import annotations

from collections.abc import Iterator

from provision.environment.model import Environment
from provision.findings import Problem
from provision.near import nearest

_LARGEST_SET = 1000

#: Far more than Azure lets a subscription have (2,500 in a region), and as many as can be laid out in a minute.
MOST_SCALE_SETS = 500_000


def is_laid_out(environment: Environment) -> bool:
    """Return whether the scale sets of an environment are few enough to be laid out at all."""
    return _scale_sets(environment) <= MOST_SCALE_SETS


def problems_in(environment: Environment) -> Iterator[Problem]:
    """Yield each pool's region that the environment lacks, and a number of scale sets that nobody can mean."""
    if not is_laid_out(environment):
        yield Problem(
            ("pools",),
            f"the pools come to {_scale_sets(environment):,} scale sets; at most {MOST_SCALE_SETS:,} are laid out",
            "lower the numbers of nodes, raise domain_size, or split the environment",
        )
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


def _scale_sets(environment: Environment) -> int:
    """Return how many scale sets the pools come to, at least."""
    return sum(
        -(-pool.nodes_in(region) // (pool.domain_size or _LARGEST_SET)) for _, region, pool in environment.shares()
    )
