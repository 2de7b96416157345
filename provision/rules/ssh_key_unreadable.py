"""Each pool needs a public key that Azure takes; its nodes can't be logged in to otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import SshKeys
from provision.findings import Problem, Severity, rule


@rule(
    id="ssh-key-unreadable",
    subject=SshKeys,
    severity=Severity.ERROR,
    why="nodes are logged in to by SSH key only, and Azure takes OpenSSH public keys of type ssh-ed25519 and ssh-rsa",
    link="https://learn.microsoft.com/azure/virtual-machines/linux/mac-create-ssh-keys",
    remedy="make a pair with `ssh-keygen -t ed25519` and name its .pub file",
    suppressible=False,
)
def ssh_key_unreadable(keys: SshKeys, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose key file can't be read or holds no such key. What the file holds is never shown."""
    for name, pool in keys.environment.pools.items():
        if (refused := keys.refused.get(pool.ssh_public_key_file)) is not None:
            message, fix = refused
            yield Problem(
                at=("pools", name, "ssh_public_key_file"),
                message=f"the key file {pool.ssh_public_key_file} of pool {name} can't be used: {message}",
                fix=fix,
            )
