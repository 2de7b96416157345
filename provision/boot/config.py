"""The cloud-config of a node, built as data, of what its size needs and what its region has.

Sizes with local NVMe disks get scratch space; sizes whose set-up the catalog knows get NCCL's settings, the limits that
RDMA needs, no upgrades behind a job's back, and a check of it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from provision.boot import check, lustre, scratch
from provision.boot.lustre import Mount
from provision.catalog import Node, Size

# RDMA pins memory, and a job of many ranks opens many sockets. `*` leaves root out.
_LIMITS = "".join(
    f"{who} {kind} {what}\n"
    for who in ("*", "root")
    for what in ("memlock unlimited", "nofile 1048576")
    for kind in ("soft", "hard")
)

# A driver or kernel that is upgraded under a running job ends it. Read after 20auto-upgrades, whose name sorts before.
_NO_UPGRADES = 'APT::Periodic::Update-Package-Lists "0";\nAPT::Periodic::Unattended-Upgrade "0";\n'


class _Dumper(yaml.CSafeDumper):
    """Writes texts of several lines as blocks, as people do."""


def _text(dumper: yaml.CSafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def cloud_config(size: Size, mounts: Sequence[Mount] = ()) -> dict[str, Any] | None:
    """Return the cloud-config of nodes of a size that mount these file systems; None where there is nothing to say."""
    files: list[dict[str, str]] = []
    units: list[tuple[str, str, bool]] = []  # name, text, whether cloud-init waits for it
    if size.node is not None:
        files += _set_up(size.node)
    if size.nvme_disks:
        files.append(_file(scratch.SCRIPT_PATH, scratch.SCRIPT, mode="0755"))
        units.append((scratch.UNIT, scratch.unit(size.nvme_disks), True))
    if mounts:
        files.append(_file(lustre.SCRIPT_PATH, lustre.SCRIPT, mode="0755"))
        units += [(lustre.unit_name(mount), lustre.unit(mount), False) for mount in mounts]
    if size.node is not None:
        files.append(_file(check.SCRIPT_PATH, check.SCRIPT, mode="0755"))
        units.append((check.UNIT, check.unit(size), False))
    files += [_file(f"/etc/systemd/system/{name}", text) for name, text, _ in units]
    if not files:
        return None
    started = [["systemctl", "enable", "--now", *([] if waits else ["--no-block"]), name] for name, _, waits in units]
    return {"write_files": files, "runcmd": [["systemctl", "daemon-reload"], *started]}


def text_of(config: dict[str, Any]) -> str:
    """Return a cloud-config as cloud-init reads it, keys in their order."""
    return "#cloud-config\n" + yaml.dump(config, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)


def _set_up(node: Node) -> list[dict[str, str]]:
    files = []
    if node.nccl:
        files.append(_file("/etc/nccl.conf", "".join(f"{name}={value}\n" for name, value in node.nccl.items())))
    files.append(_file("/etc/security/limits.d/90-provision.conf", _LIMITS))
    files.append(_file("/etc/apt/apt.conf.d/99-provision", _NO_UPGRADES))
    return files


def _file(path: str, content: str, mode: str = "0644") -> dict[str, str]:
    return {"path": path, "permissions": mode, "content": content}
