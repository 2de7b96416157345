"""What a node does at its first boot: cloud-init, built as data, of what its size needs.

Sizes with local NVMe disks get scratch space, sizes with NCCL settings get these and the limits that RDMA needs.
"""

from __future__ import annotations

import base64
from typing import Any

import yaml

from provision.catalog import Size
from provision.render import scratch
from provision.render.errors import RenderError

# RDMA pins memory, and a job of many ranks opens many sockets. `*` leaves root out.
_LIMITS = "".join(
    f"{who} {kind} {what}\n"
    for who in ("*", "root")
    for what in ("memlock unlimited", "nofile 1048576")
    for kind in ("soft", "hard")
)


class _Dumper(yaml.CSafeDumper):
    """Writes texts of several lines as blocks, as people do."""


def _text(dumper: yaml.CSafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def cloud_config(size: Size) -> dict[str, Any] | None:
    """Return the cloud-config of nodes of a size; None where there is nothing to say."""
    files: list[dict[str, str]] = []
    commands: list[list[str]] = []
    if size.nccl:
        settings = "".join(f"{name}={value}\n" for name, value in size.nccl.items())
        files.append(_file("/etc/nccl.conf", settings))
        files.append(_file("/etc/security/limits.d/90-provision.conf", _LIMITS))
    if size.nvme_disks:
        files.append(_file(scratch.SCRIPT_PATH, scratch.SCRIPT, mode="0755"))
        files.append(_file(scratch.UNIT_PATH, scratch.unit(size.nvme_disks)))
        commands.append(["systemctl", "daemon-reload"])
        commands.append(["systemctl", "enable", "--now", scratch.UNIT])
    if not files:
        return None
    return {"write_files": files, "runcmd": commands} if commands else {"write_files": files}


def custom_data(size: Size, *, pool: str, limit: int) -> str | None:
    """Return a pool's custom data in base64; None where its size needs nothing at boot.

    Raises RenderError on more than `limit` bytes, which Azure counts before base64.
    """
    config = cloud_config(size)
    if config is None:
        return None
    data = text_of(config).encode()
    if len(data) > limit:
        raise RenderError(f"cloud-init of pool {pool}", _too_large(config, len(data), limit))
    return base64.b64encode(data).decode()


def text_of(config: dict[str, Any]) -> str:
    """Return a cloud-config as cloud-init reads it, keys in their order."""
    return "#cloud-config\n" + yaml.dump(config, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)


def _file(path: str, content: str, mode: str = "0644") -> dict[str, str]:
    return {"path": path, "permissions": mode, "content": content}


def _too_large(config: dict[str, Any], size: int, limit: int) -> str:
    parts = sorted(((len(file["content"].encode()), file["path"]) for file in config["write_files"]), reverse=True)
    biggest = ", ".join(f"{path} ({length})" for length, path in parts[:3])
    return (
        f"the custom data is {size} bytes, {_encoded(size)} after base64; Azure takes {limit}, {_encoded(limit)} after"
        f" base64; its largest parts: {biggest}"
    )


def _encoded(size: int) -> int:
    return -(-size // 3) * 4
