"""How a node makes scratch space of its local NVMe disks: a script that systemd runs at each boot.

The disks outlive a restart and come back blank from a redeploy, so the array can't be made once and for all.
"""

from __future__ import annotations

from provision.boot.systemd import oneshot

SCRIPT_PATH = "/usr/local/sbin/provision-scratch"
UNIT = "provision-scratch.service"

SCRIPT = r"""#!/bin/bash
# Mounts the local NVMe disks, as one RAID 0, at /scratch. Blank disks get a new array; an array of ours is mounted
# as it is; disks that hold anything else are left alone, and the unit fails and says so.
# usage: provision-scratch NUMBER_OF_DISKS
set -euo pipefail

expected=$1
name=provision-scratch
mount_point=/scratch

fail() {
  echo "$name: $*" >&2
  exit 1
}

signature_of() { wipefs --noheadings --output TYPE "$1"; }

array_of() { lsblk --noheadings --paths --list --output NAME,TYPE "$1" | awk '$2 == "raid0" { print $1 }'; }

if mountpoint --quiet "$mount_point"; then
  exit 0
fi

udevadm settle
disks=()
while read -r disk model; do
  case $model in
    "Microsoft NVMe Direct Disk"*) disks+=("$disk") ;;
  esac
done < <(lsblk --nodeps --noheadings --paths --output NAME,MODEL)
[ "${#disks[@]}" -eq "$expected" ] || fail "found ${#disks[@]} local NVMe disks of $expected"

blank=0
for disk in "${disks[@]}"; do
  signature=$(signature_of "$disk")
  case $signature in
    "") blank=$((blank + 1)) ;;
    linux_raid_member) ;;
    *) fail "$disk holds something else (${signature//$'\n'/ }); it is left alone" ;;
  esac
done

if [ "$blank" -eq "$expected" ]; then
  mdadm --create "/dev/md/$name" --run --level=0 --raid-devices="$expected" --homehost=any --name="$name" "${disks[@]}"
elif [ "$blank" -ne 0 ]; then
  fail "$blank of $expected disks are blank and the others belong to an array; they are left alone"
elif [ -z "$(array_of "${disks[0]}")" ]; then
  mdadm --assemble "/dev/md/$name" "${disks[@]}"
fi
udevadm settle

array=$(array_of "${disks[0]}")
[ -n "$array" ] || fail "the disks are members of an array that does not start"
case $(mdadm --detail --export "$array") in
  *MD_NAME=*"$name"*) ;;
  *) fail "$array was made by somebody else; it is left alone" ;;
esac
if [ -z "$(signature_of "$array")" ]; then
  mkfs.xfs -K -L scratch "$array"
fi
mkdir -p "$mount_point"
mount -o defaults,noatime,nofail "$array" "$mount_point"
chmod 1777 "$mount_point"
"""


def unit(disks: int) -> str:
    """Return the systemd unit for nodes with that many local disks."""
    return oneshot(
        "Local NVMe disks as scratch space at /scratch", (SCRIPT_PATH, str(disks)), after=("local-fs.target",)
    )
