"""How long the pure path takes at fleet size, and how much memory: validate, render, plan against an empty world.

Run: .venv/bin/python bench/fleet.py [REGIONS SETS NODES]     (default: 23 regions x 26 scale sets x 100 nodes)
Run it twice with different numbers of sets to see that the time grows with them and no faster.
"""

from __future__ import annotations

import gc
import resource
import sys
import time

from provision.adapters.files import load_catalog
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates
from provision.cli.main import VALUES_BETWEEN_COLLECTIONS
from provision.pipeline import check, planned, rendered
from provision.plan import Observed

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE7a2pR4n8dQn7VYwq9mXgq3b1c0dE5fG6hI7jK8lM9n bench"
SIZE = "Standard_ND96isr_H100_v5"


def environment(regions: int, sets: int, nodes: int) -> str:
    """Return an environment of as many regions, each with one pool of as many sets."""
    names = (load_catalog().offered_in(SIZE) or ())[:regions]
    lines = ["version: 1", "name: fleet", "subscription: 00000000-0000-0000-0000-000000000001", "regions:"]
    lines += [f"  {name}: {{}}" for name in names]
    lines += ["pools:", "  train:", f"    size: {SIZE}", f"    nodes: {sets * nodes}", f"    domain_size: {nodes}"]
    return "\n".join([*lines, "    ssh_public_key_file: key.pub", ""])


def main(regions: int = 23, sets: int = 26, nodes: int = 100) -> None:
    """Print the processor's seconds of each stage and the peak memory."""
    gc.set_threshold(VALUES_BETWEEN_COLLECTIONS)  # as the command line does
    text = environment(regions, sets, nodes)
    catalog = load_catalog()
    began = time.process_time()
    checked = check("fleet.yaml", lambda path: text if path == "fleet.yaml" else KEY, catalog)
    assert checked.topology is not None, checked.findings
    validated = time.process_time()
    units = rendered(checked, catalog, load_templates())
    laid_out = time.process_time()
    plan = planned(checked, units, Observed({}, {}, {}, ()), catalog, load_policies())
    ended = time.process_time()
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    stages = (("validate", began, validated), ("render", validated, laid_out), ("plan", laid_out, ended))
    print(f"{regions} regions x {sets} scale sets x {nodes} nodes: {len(units)} units, {len(plan.changes)} changes")
    for name, start, end in (*stages, ("all", began, ended)):
        print(f"{name:10} {end - start:6.2f} s")
    print(f"peak       {peak_mib:6.0f} MiB")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
