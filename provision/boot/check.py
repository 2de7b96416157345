"""How a node is made ready for training and says whether it is: a script that systemd runs at each boot.

What is expected of a node comes from the catalog, by its size; the script knows only how each thing is looked at.
"""

from __future__ import annotations

from provision.boot.systemd import oneshot
from provision.catalog import Size

SCRIPT_PATH = "/usr/local/sbin/provision-check"
UNIT = "provision-check.service"

SCRIPT = r"""#!/bin/bash
# Starts what training needs on this node, looks whether all is there, and reports each thing on a line of its own.
# It ends with 1 when something is missing: `systemctl status provision-check` then shows a failed unit, and what.
# usage: provision-check [--gpus N] [--service NAME] [--module NAME] [--file PATH] [--infiniband N] ...
set -uo pipefail

failed=0
report() {
  if [ "$1" -eq 0 ]; then
    echo "ok: $2"
  else
    echo "FAILED: $2" >&2
    failed=1
  fi
}

infiniband_ports() {
  local port found=0
  for port in /sys/class/infiniband/*/ports/*; do
    if grep -qs InfiniBand "$port/link_layer" && grep -qs ACTIVE "$port/state"; then
      found=$((found + 1))
    fi
  done
  echo "$found"
}

while [ "$#" -ge 2 ]; do
  what=$1 value=$2
  shift 2
  case $what in
    --gpus)
      nvidia-smi --persistence-mode=1 >/dev/null 2>&1
      report "$?" "persistence mode of the GPUs"
      found=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU')
      [ "$found" -eq "$value" ]
      report "$?" "$found of $value GPUs"
      ;;
    --service)
      systemctl start "$value" >/dev/null 2>&1
      report "$?" "service $value"
      ;;
    --module)
      modprobe "$value" >/dev/null 2>&1
      report "$?" "kernel module $value"
      ;;
    --file)
      [ -e "$value" ]
      report "$?" "file $value"
      ;;
    --infiniband)
      found=$(infiniband_ports)
      [ "$found" -eq "$value" ]
      report "$?" "$found of $value InfiniBand ports active"
      ;;
    *)
      report 1 "$what is nothing that this script looks at"
      ;;
  esac
done
exit "$failed"
"""


def unit(size: Size) -> str:
    """Return the systemd unit for nodes of a size whose set-up is known."""
    node = size.node
    assert node is not None
    expected: list[tuple[str, str]] = []
    if node.nvidia and size.gpus:
        expected.append(("--gpus", str(size.gpus)))
    expected += [("--service", each) for each in node.services]
    expected += [("--module", each) for each in node.modules]
    expected += [("--file", value) for name, value in node.nccl.items() if name == "NCCL_TOPO_FILE"]
    if node.infiniband_ports:
        expected.append(("--infiniband", str(node.infiniband_ports)))
    command = (SCRIPT_PATH, *(word for pair in expected for word in pair))
    return oneshot("Whether this node is ready for training", command, after=("network-online.target",))
