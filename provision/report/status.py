"""How the nodes of an environment are, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from provision.observe.status import PoolStatus
from provision.report.excerpt import Paint


def statuses_shown(name: str, found: Sequence[tuple[str, Sequence[PoolStatus]]], *, colour: bool = False) -> str:
    """Return the status of each environment as `text` or `json`; one of several stands in a list."""
    if name == "text":
        return "".join(status_as_text(environment, pools, colour) for environment, pools in found)
    documents = [status_as_dict(environment, pools) for environment, pools in found]
    whole = documents[0] if len(documents) == 1 else {"format_version": 1, "environments": documents}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def status_as_dict(environment: str, pools: Sequence[PoolStatus]) -> dict[str, Any]:
    """Return the status in the published shape."""
    regions: dict[str, list[dict[str, Any]]] = {}
    for pool in sorted(pools, key=lambda pool: (pool.region, pool.pool)):
        regions.setdefault(pool.region, []).append(
            {
                "pool": pool.pool,
                "stated": pool.stated,
                "running": pool.running,
                "healthy": pool.healthy,
                "scale_sets": [
                    {
                        **asdict(scale_set),
                        "placement_groups": list(scale_set.placement_groups),
                        "zones": list(scale_set.zones),
                        "one_domain": scale_set.one_domain,
                    }
                    for scale_set in pool.scale_sets
                ],
            }
        )
    return {
        "format_version": 1,
        "environment": environment,
        "regions": [{"region": region, "pools": found} for region, found in regions.items()],
        "summary": {
            "stated": sum(pool.stated for pool in pools),
            "running": sum(pool.running for pool in pools),
            "healthy": sum(pool.healthy for pool in pools),
            "behind_model": sum(pool.behind_model for pool in pools),
            "complete": all(pool.complete for pool in pools),
        },
    }


def status_as_text(environment: str, pools: Sequence[PoolStatus], colour: bool = False) -> str:
    """Return the status for people: a line a pool and region, and beneath it what is not as it should be."""
    paint = Paint(colour)
    stated, healthy = sum(pool.stated for pool in pools), sum(pool.healthy for pool in pools)
    complete = all(pool.complete for pool in pools)
    more = sum(max(0, pool.healthy - pool.stated) for pool in pools)
    head = f"{environment}: {healthy - more} of {stated} nodes run and are healthy"
    head += f", and {more} more than stated" if more else ""
    lines = [paint(head, "32;1" if complete else "31;1")]
    for pool in pools:
        sign = "ok" if pool.complete else "NO"
        lines.append(
            f"  {paint(sign, '32' if pool.complete else '31;1')} {pool.pool:<20} {pool.region:<18} "
            f"{min(pool.healthy, pool.stated):>5} of {pool.stated:>5} healthy, {pool.running} running"
            + (f": {pool.healthy - pool.stated} MORE THAN STATED" if pool.healthy > pool.stated else "")
        )
        for scale_set in pool.scale_sets:
            groups = len(scale_set.placement_groups)
            notes = [f"{scale_set.nodes} node{'s' if scale_set.nodes != 1 else ''}"]
            if scale_set.state == "missing":
                notes = ["is not there"]
            elif pool.infiniband and groups:
                notes.append("1 placement group" if groups == 1 else f"{groups} PLACEMENT GROUPS, INFINIBAND IS SPLIT")
                zones = "zone" if len(scale_set.zones) == 1 else "SEVERAL ZONES:"
                notes += [f"{zones} {', '.join(scale_set.zones)}"] if scale_set.zones else []
                over = scale_set.nodes > scale_set.limit
                notes += [f"MORE THAN THE {scale_set.limit} OF A PLACEMENT GROUP"] if over else []
            if scale_set.behind_model:
                notes.append(f"{scale_set.behind_model} behind the model: upgrade them when their jobs are done")
            lines.append(f"       {scale_set.name}: {', '.join(notes)}")
    return "".join(f"{line}\n" for line in lines)
