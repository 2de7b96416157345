"""The check of a node, run with stand-ins for its programs: it reports each thing, and fails when one is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from provision.boot.check import SCRIPT
from tests.boot.programs import run

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")

PROGRAMS = {
    "nvidia-smi": 'case $1 in --list-gpus) cat gpus ;; *) echo "nvidia-smi $*" >> calls ;; esac',
    "systemctl": 'echo "systemctl $*" >> calls; test ! -e broken',
    "modprobe": 'echo "modprobe $*" >> calls',
}
EXPECTED = ("--gpus", "2", "--service", "fabric", "--module", "peermem", "--file", "topo.xml", "--infiniband", "2")


def a_node(folder: Path, *, gpus: int = 2, active: int = 2) -> str:
    """Make a node of two ports in a folder, besides one of Ethernet; return the script as it runs there."""
    (folder / "gpus").write_text("".join(f"GPU {n}: NVIDIA H100\n" for n in range(gpus)))
    (folder / "topo.xml").touch()
    for number in range(3):
        port = folder / "infiniband" / f"mlx5_{number}" / "ports" / "1"
        port.mkdir(parents=True)
        (port / "link_layer").write_text("Ethernet\n" if number == 2 else "InfiniBand\n")
        (port / "state").write_text("4: ACTIVE\n" if number == 2 or number < active else "1: DOWN\n")
    return SCRIPT.replace("/sys/class/infiniband", "infiniband")


def test_a_node_with_all_that_training_needs_is_ready(tmp_path: Path) -> None:
    assert run(tmp_path, a_node(tmp_path), PROGRAMS, *EXPECTED) == (
        0,
        ["nvidia-smi --persistence-mode=1", "systemctl start fabric", "modprobe peermem"],
        "ok: persistence mode of the GPUs\n"
        "ok: 2 of 2 GPUs\n"
        "ok: service fabric\n"
        "ok: kernel module peermem\n"
        "ok: file topo.xml\n"
        "ok: 2 of 2 InfiniBand ports active\n",
        "",
    )


def test_everything_that_is_missing_is_told_and_the_rest_is_still_looked_at(tmp_path: Path) -> None:
    script = a_node(tmp_path, gpus=1, active=0)
    (tmp_path / "topo.xml").unlink()
    (tmp_path / "broken").touch()

    code, _, output, complaints = run(tmp_path, script, PROGRAMS, *EXPECTED)

    assert (code, output, complaints) == (
        1,
        "ok: persistence mode of the GPUs\nok: kernel module peermem\n",
        "FAILED: 1 of 2 GPUs\nFAILED: service fabric\nFAILED: file topo.xml\nFAILED: 0 of 2 InfiniBand ports active\n",
    )


def test_a_node_without_any_of_it_reports_all_and_ends(tmp_path: Path) -> None:
    script = SCRIPT.replace("/sys/class/infiniband", "nowhere")

    code, _, output, complaints = run(tmp_path, script, {}, "--gpus", "8", "--infiniband", "8")

    assert (code, output) == (1, "")
    assert complaints == (
        "FAILED: persistence mode of the GPUs\nFAILED: 0 of 8 GPUs\nFAILED: 0 of 8 InfiniBand ports active\n"
    )
