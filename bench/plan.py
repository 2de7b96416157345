"""What a plan of a standing fleet costs: the process's own time and memory, and its requests; Terraform's beside it.

Run: .venv/bin/python bench/plan.py [REGIONS SETS NODES]     (default: 23 regions x 26 scale sets x 100 nodes)

The fleet is made by `provision apply` on a simulated Azure, and planned against it over HTTP, without a change and then
with a new tag on everything. Seconds are the processor's of the planning process alone. Where a `terraform` is found on
PATH, it plans as many `terraform_data` resources against its state, which asks nobody anything.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fleet import KEY, environment

PROVISION = [sys.executable, "-m", "provision.cli.main"]


def measured(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> tuple[float, float, int]:
    """Run a command to its end; return its processor's seconds, its peak memory in MiB and its exit code."""
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})}
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode


def requests(endpoint: str) -> Counter[str]:
    """Return how many requests the simulator has had, by method."""
    with urlopen(f"{endpoint}/_simulator/log") as answer:
        return Counter(entry["method"] for entry in json.load(answer))


def of_provision(folder: Path, regions: int, sets: int, nodes: int) -> int:
    """Print what planning a standing fleet takes; return how many resources it has."""
    text = environment(regions, sets, nodes)
    (folder / "key.pub").write_text(KEY)
    (folder / "fleet.yaml").write_text(text)
    (folder / "tagged.yaml").write_text(text.replace("regions:", "tags: {owner: bench}\nregions:", 1))
    simulator = subprocess.Popen(
        [sys.executable, "-m", "provision.simulator", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        assert simulator.stdout is not None
        endpoint = json.loads(simulator.stdout.readline())["endpoint"]
        which = ["--endpoint", endpoint]
        spent, peak, code = measured([*PROVISION, "apply", "fleet.yaml", *which, "--yes"], folder)
        print(
            f"apply           {spent:7.2f} s {peak:6.0f} MiB, exit {code}, {sum(requests(endpoint).values())} requests"
        )
        for name, file in (("no change", "fleet.yaml"), ("a tag on all", "tagged.yaml")):
            before = requests(endpoint)
            spent, peak, code = measured([*PROVISION, "plan", file, *which], folder)
            asked = requests(endpoint) - before
            print(f"plan, {name:12} {spent:4.2f} s {peak:6.0f} MiB, exit {code}, requests: {dict(asked)}")
    finally:
        simulator.terminate()
        simulator.wait()
    return regions * 5 + regions * sets


def of_terraform(folder: Path, resources: int) -> None:
    """Print what Terraform takes to plan as many resources that nobody has to be asked about."""
    terraform = shutil.which("terraform")
    if terraform is None:
        print("terraform: not found on PATH, so there is nothing to set beside it")
        return
    (folder / "main.tf").write_text(
        "".join(f'resource "terraform_data" "r{number}" {{\n  input = {number}\n}}\n' for number in range(resources))
    )
    quiet = {"TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}
    for verb in (["init"], ["apply", "-auto-approve"]):
        assert measured([terraform, *verb, "-input=false"], folder, quiet)[2] == 0, f"terraform {verb[0]} failed"
    spent, peak, code = measured([terraform, "plan", "-input=false"], folder, quiet)
    print(f"terraform plan of {resources} terraform_data  {spent:4.2f} s {peak:6.0f} MiB, exit {code}")


def main(regions: int = 23, sets: int = 26, nodes: int = 100) -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{regions} regions x {sets} scale sets x {nodes} nodes")
        resources = of_provision(folder, regions, sets, nodes)
        of_terraform(folder, resources)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
