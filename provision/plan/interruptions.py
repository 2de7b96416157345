"""Decides which jobs a plan stops, and how many GPU-hours that costs: a job that loses a node stops as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from provision.catalog.model import Durations
from provision.plan.model import CONSENT, Action, Change, Interruption
from provision.topology import Topology

_GONE = (Action.SCALE_IN, Action.DELETE)
_STOPS = (Action.ROLL, Action.REIMAGE, Action.DEALLOCATE, *_GONE, Action.REPLACE)


def interruptions_of(
    changes: Iterable[Change], running: Mapping[str, int], topology: Topology | None, durations: Durations
) -> Iterator[Interruption]:
    """Yield what changes of scale sets stop; `running` are the nodes of each that there is, by id in lower case."""
    job_sizes = _job_sizes(topology)
    for change in changes:
        nodes, all_nodes = change.nodes, running.get(change.id.key, 0)
        if change.action not in _STOPS or not nodes or not all_nodes:
            continue
        stated = job_sizes.get((change.region, change.pool or ""))
        size = min(stated or all_nodes, all_nodes)
        jobs = min(nodes, max(1, all_nodes // size))
        stalled = max(nodes, min(all_nodes, jobs * size))
        gpus = None if change.gpus is None else stalled * change.gpus // nodes
        hours = (durations.of("lost-work") + _away_s(change.action, all_nodes, durations)) / 3600
        yield Interruption(
            id=change.id,
            nodes=nodes,
            jobs=jobs,
            stalled_nodes=stalled,
            gpu_hours=None if gpus is None else round(gpus * hours, 1),
            assumed_job_size=stated is None,
            may_not_come_back=change.action in CONSENT,
        )


def _away_s(action: Action, nodes: int, durations: Durations) -> float:
    """Return how long jobs wait for their nodes, in seconds: not at all for those that are given up."""
    if action in _GONE:
        return 0.0
    if action is Action.REPLACE:
        gone = durations.of("delete", "Microsoft.Compute/virtualMachineScaleSets")
        return gone + durations.of("nodes-come") + nodes * durations.of("each-node")
    return durations.of("node-away")


def _job_sizes(topology: Topology | None) -> dict[tuple[str, str], int | None]:
    """Return how many nodes a job spans, by region and pool; without InfiniBand a job is one node."""
    shares = topology.pools if topology else ()
    return {(each.region, each.name): each.job_size if each.infiniband else 1 for each in shares}
