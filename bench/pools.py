"""How long reading and checking a file of very many pools takes, and how that grows.

Run: .venv/bin/python bench/pools.py [POOLS REGIONS]     (default: 10,000 pools x 23 regions)
Prints a quarter, a half and the whole: the time a pool should stay the same.
"""

from __future__ import annotations

import sys
import time

from provision.adapters.files import load_catalog
from provision.environment import load
from provision.pipeline import check

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE7a2pR4n8dQn7VYwq9mXgq3b1c0dE5fG6hI7jK8lM9n bench"
SIZE = "Standard_ND96isr_H100_v5"


def environment(pools: int, regions: int) -> str:
    """Return an environment of as many pools, each with a node in each of as many regions."""
    names = (load_catalog().offered_in(SIZE) or ())[:regions]
    lines = ["version: 1", "name: many", "subscription: 00000000-0000-0000-0000-000000000001"]
    lines += ["network: {bastion: true}", "regions:", *[f"  {name}:" for name in names], "pools:"]
    for number in range(pools):
        lines += [f"  p{number}:", f"    size: {SIZE}", "    nodes: 1", "    ssh_public_key_file: key.pub"]
    return "\n".join([*lines, ""])


def main(pools: int = 10_000, regions: int = 23) -> None:
    """Print the seconds that loading takes, and loading with all checks."""
    catalog = load_catalog()
    check("warm.yaml", lambda path: environment(1, 1) if path == "warm.yaml" else KEY, catalog)
    for share in (pools // 4, pools // 2, pools):
        text = environment(share, regions)
        began = time.perf_counter()
        load("many.yaml", {"many.yaml": text}.__getitem__)
        loaded = time.perf_counter()
        checked = check("many.yaml", lambda path, text=text: text if path == "many.yaml" else KEY, catalog)
        ended = time.perf_counter()
        validate = ended - loaded
        print(
            f"{share:6} pools x {regions} regions: load {loaded - began:6.2f} s, validate {validate:6.2f} s, "
            f"{1000 * validate / share:5.2f} ms a pool, {len(checked.findings)} findings"
        )


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
