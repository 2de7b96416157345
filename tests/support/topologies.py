"""Environments and topologies with plain defaults, so that a test states only what it is about."""

from __future__ import annotations

from typing import Any

from provision.adapters.files import environments_root, load_catalog, read_text
from provision.adapters.templates import read_templates
from provision.environment import Environment
from provision.pipeline import Checked, check
from provision.topology import Topology, topology_of

#: The samples that are recorded whole, and those of which a digest of each file is enough.
EXAMPLES = ("h100-two-regions", "quickstart")
MORE_EXAMPLES = tuple(sorted({path.stem for path in environments_root().glob("*.yaml")} - {*EXAMPLES}))
SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE7a2pR4n8dQn7VYwq9mXgq3b1c0dE5fG6hI7jK8lM9n train@example.com"

#: A network of others, and a subnet in it.
HUB = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/hub-rg/providers/Microsoft.Network/virtualNetworks/hub"
SUBNET = f"{HUB}/subnets/compute"

#: An identity of others, and an image in their gallery.
_SHARED = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shared/providers"
IDENTITY = f"{_SHARED}/Microsoft.ManagedIdentity/userAssignedIdentities/train"
GALLERY_IMAGE = f"{_SHARED}/Microsoft.Compute/galleries/images/images/hpc/versions/1.0.0"


def a_file_system(**settings: Any) -> dict[str, Any]:
    """Return a managed Lustre in westus3 as an environment file has it, with `settings` on top."""
    plain = {"kind": "managed-lustre", "region": "westus3", "tier": 250, "size_tib": 8, "mount": "/lustre"}
    return {**plain, **settings}


def a_pool(**settings: Any) -> dict[str, Any]:
    """Return a pool of two H100 nodes as an environment file has it, with `settings` on top."""
    return {"size": "Standard_ND96isr_H100_v5", "nodes": 2, "ssh_public_key_file": "key.pub", **settings}


def an_extension(**settings: Any) -> dict[str, Any]:
    """Return a VM extension as an environment file has it, with `settings` on top."""
    return {"publisher": "Microsoft.Azure.Monitor", "type": "AzureMonitorLinuxAgent", "version": "1.29", **settings}


def an_environment(**settings: Any) -> Environment:
    """Return an environment of one region and one pool, `train`, with `settings` on top."""
    plain = {
        "version": 1,
        "name": "h100-test",
        "subscription": SUBSCRIPTION,
        "regions": {"westus3": {}},
        "pools": {"train": a_pool()},
    }
    return Environment.model_validate({**plain, **settings})


def a_topology(ssh_key: str = SSH_KEY, **settings: Any) -> Topology:
    """Return the topology of `an_environment`."""
    environment = an_environment(**settings)
    keys = {pool.ssh_public_key_file: ssh_key for pool in environment.pools.values()}
    return topology_of(environment, load_catalog(), keys)


def a_checked_example(name: str) -> Checked:
    """Return a sample environment, checked."""
    file = str(environments_root() / f"{name}.yaml")
    checked = check(file, read_text, load_catalog(), read_folder=read_templates)
    assert checked.topology is not None, checked.findings
    return checked


def an_example(name: str) -> Topology:
    """Return the topology of a sample environment."""
    topology = a_checked_example(name).topology
    assert topology is not None
    return topology
