"""How long `provision validate` takes as a whole process: one environment, many in one run, and beside it cfn-lint.

Run: .venv/bin/python bench/validate.py [CFN_LINT]     (CFN_LINT: the program; pip install cfn-lint somewhere)
Each figure is the median of nine runs. cfn-lint gets a template with as many resources as the environment deploys.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from provision.adapters.files import load_catalog, read_text
from provision.adapters.templates import load_templates
from provision.pipeline import check, rendered

ENVIRONMENTS = Path(__file__).parents[1] / "environments"
SAMPLE = "h100-two-regions"
COUNTS = (1, 10, 50, 200)
RUNS = 9


def median_s(command: Sequence[str]) -> float:
    """Return the median of the seconds that a command takes."""
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def written(folder: Path, count: int) -> list[str]:
    """Write as many environments, equal but for their names; return their paths."""
    shutil.copytree(ENVIRONMENTS / "keys", folder / "keys", dirs_exist_ok=True)
    text = (ENVIRONMENTS / f"{SAMPLE}.yaml").read_text("utf-8")
    paths = []
    for number in range(count):
        path = folder / f"{number:03}.yaml"
        path.write_text(text.replace("\nname: ", f"\nname: n{number:03}-", 1), "utf-8")
        paths.append(str(path))
    return paths


def resources() -> int:
    """Return how many resources the sample deploys."""
    catalog = load_catalog()
    checked = check(f"{SAMPLE}.yaml", lambda path: read_text(str(ENVIRONMENTS / path)), catalog)
    return sum(len(unit.template["resources"]) for unit in rendered(checked, catalog, load_templates()))


def main(cfn_lint: str = "") -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        paths = written(Path(folder), max(COUNTS))
        for count in COUNTS:
            seconds = median_s([sys.executable, "-m", "provision.cli.main", "validate", *paths[:count]])
            print(f"provision validate, {count:3} environments: {seconds:5.2f} s")
        count = resources()
        if not cfn_lint:
            print(f"cfn-lint, {count} resources: not measured, because no program was named")
            return
        group = {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupDescription": "nodes"}}
        template = Path(folder) / "template.json"
        body = {"AWSTemplateFormatVersion": "2010-09-09", "Resources": {f"Group{n}": group for n in range(count)}}
        template.write_text(json.dumps(body), "utf-8")
        print(f"cfn-lint, {count:3} resources:              {median_s([cfn_lint, str(template)]):5.2f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
