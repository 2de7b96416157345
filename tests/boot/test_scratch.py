"""The scratch script, run with stand-ins for the programs that touch disks: it never harms a disk that is not blank."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from provision.boot.scratch import SCRIPT, unit

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")

OURS = "MD_LEVEL=raid0\nMD_NAME=any:provision-scratch"
MEMBER = "linux_raid_member"

#: Each program writes down how it was called; what it answers lies in files of the folder that it runs in.
PROGRAMS = {
    "lsblk": """case "$*" in
  *NAME,MODEL*) cat disks ;;
  *) echo "${@: -1} disk"; if [ -s array ]; then echo "$(cat array) raid0"; fi ;;
esac""",
    "wipefs": 'cat "signature-$(basename "${@: -1}")" 2>/dev/null || true',
    "mdadm": """case $1 in
  --detail) cat detail ;;
  *) echo "mdadm $*" >> calls; echo /dev/md127 > array ;;
esac""",
    "mountpoint": "test -e mounted",
    "udevadm": ":",
    "mkfs.xfs": 'echo "mkfs.xfs $*" >> calls',
    "mount": 'echo "mount $*" >> calls',
    "mkdir": 'echo "mkdir $*" >> calls',
    "chmod": 'echo "chmod $*" >> calls',
}

MOUNTED = [
    "mkdir -p /scratch",
    "mount -o defaults,noatime,nofail /dev/md127 /scratch",
    "chmod 1777 /scratch",
]


def boot(
    folder: Path,
    *,
    signatures: Mapping[str, str] | None = None,
    array: str = "",
    detail: str = OURS,
    disks: int = 2,
    mounted: bool = False,
) -> tuple[int, list[str], str]:
    """Run the script on a node that should have two local disks; return its exit code, calls and complaints."""
    programs = folder / "bin"
    programs.mkdir()
    for name, text in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/bash\n{text}\n")
        (programs / name).chmod(0o755)
    local = "".join(f"/dev/nvme{n}n1 Microsoft NVMe Direct Disk v2  \n" for n in range(disks))
    (folder / "disks").write_text(
        f"/dev/sda     Virtual Disk\n/dev/nvme9n1 MSFT NVMe Accelerator v1.0\n/dev/loop0\n{local}"
    )
    for name, text in (signatures or {}).items():
        (folder / f"signature-{name}").write_text(text + "\n")
    (folder / "array").write_text(array)
    (folder / "detail").write_text(detail)
    (folder / "calls").touch()
    if mounted:
        (folder / "mounted").touch()
    run = subprocess.run(
        ["bash", "-c", SCRIPT, "provision-scratch", "2"],
        cwd=folder,
        env={"PATH": f"{programs}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, (folder / "calls").read_text().splitlines(), run.stderr


def test_blank_disks_become_one_array_that_is_formatted_and_mounted(tmp_path: Path) -> None:
    assert boot(tmp_path) == (
        0,
        [
            "mdadm --create /dev/md/provision-scratch --run --level=0 --raid-devices=2 --homehost=any "
            "--name=provision-scratch /dev/nvme0n1 /dev/nvme1n1",
            "mkfs.xfs -K -L scratch /dev/md127",
            *MOUNTED,
        ],
        "",
    )


def test_after_a_restart_the_array_is_mounted_as_it_is(tmp_path: Path) -> None:
    signatures = {"nvme0n1": MEMBER, "nvme1n1": MEMBER, "md127": "xfs"}

    assert boot(tmp_path, signatures=signatures, array="/dev/md127") == (0, MOUNTED, "")


def test_an_array_that_has_not_started_is_assembled(tmp_path: Path) -> None:
    signatures = {"nvme0n1": MEMBER, "nvme1n1": MEMBER, "md127": "xfs"}

    assert boot(tmp_path, signatures=signatures) == (
        0,
        ["mdadm --assemble /dev/md/provision-scratch /dev/nvme0n1 /dev/nvme1n1", *MOUNTED],
        "",
    )


def test_an_array_of_ours_whose_formatting_was_cut_short_is_formatted(tmp_path: Path) -> None:
    signatures = {"nvme0n1": MEMBER, "nvme1n1": MEMBER}

    assert boot(tmp_path, signatures=signatures, array="/dev/md127") == (
        0,
        ["mkfs.xfs -K -L scratch /dev/md127", *MOUNTED],
        "",
    )


def test_what_is_mounted_already_is_left_as_it_is(tmp_path: Path) -> None:
    assert boot(tmp_path, mounted=True) == (0, [], "")


@pytest.mark.parametrize(
    ("signatures", "complaint"),
    [
        ({"nvme1n1": "ext4"}, "/dev/nvme1n1 holds something else (ext4); it is left alone"),
        ({"nvme0n1": "gpt\nPMBR"}, "/dev/nvme0n1 holds something else (gpt PMBR); it is left alone"),
        (
            {"nvme0n1": MEMBER},
            "1 of 2 disks are blank and the others belong to an array; they are left alone",
        ),
    ],
)
def test_disks_that_hold_anything_else_are_left_alone(
    tmp_path: Path, signatures: dict[str, str], complaint: str
) -> None:
    assert boot(tmp_path, signatures=signatures) == (1, [], f"provision-scratch: {complaint}\n")


def test_an_array_that_somebody_else_made_is_left_alone_even_when_it_is_blank(tmp_path: Path) -> None:
    signatures = {"nvme0n1": MEMBER, "nvme1n1": MEMBER}

    assert boot(tmp_path, signatures=signatures, array="/dev/md127", detail="MD_NAME=host:data") == (
        1,
        [],
        "provision-scratch: /dev/md127 was made by somebody else; it is left alone\n",
    )


def test_a_missing_disk_is_told_and_nothing_is_made_of_the_others(tmp_path: Path) -> None:
    assert boot(tmp_path, disks=1) == (1, [], "provision-scratch: found 1 local NVMe disks of 2\n")


def test_the_unit_runs_the_script_at_each_boot_and_nothing_waits_for_it() -> None:
    assert (
        unit(8)
        == """\
[Unit]
Description=Local NVMe disks as scratch space at /scratch
After=local-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/provision-scratch 8

[Install]
WantedBy=multi-user.target
"""
    )
