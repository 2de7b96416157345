"""How long the pure path takes with very many pools, how much memory it needs, and how both grow.

Run: .venv/bin/python bench/pools.py [POOLS NODES]     (default: 10,000 pools, each with 6 nodes in one of 23 regions)
     .venv/bin/python bench/pools.py everywhere [POOLS]    (each pool with a node in each region: only `validate`)

Prints a quarter, a half and the whole, each in a process of its own because a process has one peak of memory. Seconds
are of the processor, so that what else the machine does counts less; `validate` reads the file anew. Beside the sum:
`saved` is the plan's file with each body that is sent, `again` a second plan, against a world as the first left it; the
memory of these two is not in the peak. What was measured: bench/README.md.
"""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from provision.adapters.files import load_catalog
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates
from provision.arm import resource_id
from provision.cli.main import VALUES_BETWEEN_COLLECTIONS
from provision.environment import load
from provision.pipeline import check, planned, rendered
from provision.plan import Observed, Plan
from provision.plan.document import text_of

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE7a2pR4n8dQn7VYwq9mXgq3b1c0dE5fG6hI7jK8lM9n bench"
SIZE = "Standard_ND96isr_H100_v5"
SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"

Result = TypeVar("Result")


def environment(pools: int, nodes: int, *, everywhere: bool) -> str:
    """Return an environment of as many pools: each in one region, in turn, or `everywhere`."""
    regions = load_catalog().offered_in(SIZE) or ()
    lines = ["version: 1", "name: many", f"subscription: {SUBSCRIPTION}", "network: {bastion: true}", "regions:"]
    lines += [*[f"  {name}:" for name in regions], "pools:"]
    for number in range(pools):
        share = nodes if everywhere else f"{{{regions[number % len(regions)]}: {nodes}}}"
        lines += [f"  p{number}:", f"    size: {SIZE}", f"    nodes: {share}", "    ssh_public_key_file: key.pub"]
    return "\n".join([*lines, ""])


def as_left_by(plan: Plan) -> Observed:
    """Return the world as a plan leaves it: what it sends, without what Azure adds."""
    groups: dict[str, Mapping[str, Any]] = {}
    resources: dict[str, Mapping[str, Any]] = {}
    stacks: dict[str, Mapping[str, Any]] = {}
    for operation in plan.operations:
        body = {**(operation.body or {}), "id": str(operation.target)}
        if operation.kind == "put-group":
            groups[operation.target.key] = body
        elif operation.kind == "put-stack":
            stacks[operation.target.key] = {
                **body,
                "properties": {**body["properties"], "provisioningState": "succeeded"},
            }
            for stated in body["properties"]["template"]["resources"]:
                id = resource_id(SUBSCRIPTION, operation.target.group, stated["type"], *stated["name"].split("/"))
                resources[id.key] = {**stated, "id": str(id)}
    return Observed(groups, resources, stacks, ())


class Stages:
    """The seconds of each stage, in their order."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, name: str, stage: Callable[[], Result]) -> Result:
        """Return what a stage returns, and note how long it took."""
        began = time.process_time()
        result = stage()
        self.seconds[name] = time.process_time() - began
        return result


def measure(pools: int, nodes: int, everywhere: bool) -> None:
    """Print one row."""
    gc.set_threshold(VALUES_BETWEEN_COLLECTIONS)  # as the command line does
    catalog, policies, templates = load_catalog(), load_policies(), load_templates()
    text = environment(pools, nodes, everywhere=everywhere)
    stages = Stages()

    def read(path: str) -> str:
        return KEY if path == "key.pub" else text

    stages.timed("load", lambda: load("many.yaml", read))
    checked = stages.timed("validate", lambda: check("many.yaml", read, catalog))
    counted = f"{len(checked.findings)} findings"
    peak_mib = 0.0
    if not everywhere:
        units = stages.timed("render", lambda: rendered(checked, catalog, templates))
        nothing = Observed({}, {}, {}, ())
        plan = stages.timed("plan", lambda: planned(checked, units, nothing, catalog, policies))
        peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        counted += f", {len(units)} units, {len(plan.changes)} changes"
        stages.timed("saved", lambda: text_of(plan))
        world = as_left_by(plan)
        second = stages.timed("again", lambda: planned(checked, units, world, catalog, policies))
        assert second.empty, second.changes[0]
    whole = sum(stages.seconds.get(stage, 0) for stage in ("validate", "render", "plan"))
    seconds = ", ".join(f"{name} {taken:.2f}" for name, taken in {**stages.seconds, "all": whole}.items())
    peak_mib = peak_mib or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{pools:6} pools: {seconds} s; {1000 * whole / pools:.2f} ms a pool; {peak_mib:.0f} MiB; {counted}")


def main(arguments: list[str]) -> None:
    """Print the rows, each of a process of its own."""
    if arguments[:1] == ["row"]:
        measure(int(arguments[1]), int(arguments[2]), arguments[3] == "everywhere")
        return
    everywhere = arguments[:1] == ["everywhere"]
    numbers = [int(argument) for argument in arguments[everywhere:]]
    pools = numbers[0] if numbers else 10_000
    nodes = 1 if everywhere else numbers[1] if len(numbers) > 1 else 6
    for share in (pools // 4, pools // 2, pools):
        where = "everywhere" if everywhere else "in one"
        subprocess.run([sys.executable, __file__, "row", str(share), str(nodes), where], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
