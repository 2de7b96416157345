"""Decides every name. A name depends only on what it names, so that nothing else can move it.

Azure's rules (lengths, characters): facts of the naming pages, kept by `tests/topology/test_names.py`.
"""

from __future__ import annotations

import hashlib

#: The key of the tag that marks a resource as ours; its value is `ENVIRONMENT/UNIT`.
MARK = "provision"

#: The key of a second tag on a resource group that was there before the environment, which never deletes it.
ADOPTED = "provision-adopted"

#: What the name of an environment's lock begins with.
LOCK_PREFIX = "provision-lock-"

#: The units of a region beside its scale sets, whose units end in a number.
NETWORK, PEERING, STORAGE = "network", "peering", "storage"

#: Azure finds a bastion's subnet by this name.
BASTION_SUBNET = "AzureBastionSubnet"
NODES_SUBNET, LUSTRE_SUBNET = "nodes", "lustre"

#: What a scale set's interface and its address are called in its model, and its fault domains; fixed when it is made.
INTERFACE, IP_CONFIGURATION, FAULT_DOMAINS = "nic", "nodes", 1


def mark(environment: str, unit: str) -> str:
    """Return the value of our tag on the resources of a unit."""
    return f"{environment}/{unit}"


def shortened(text: str, limit: int) -> str:
    """Return `text` if it fits, else its beginning and five letters that stand for the whole of it."""
    if len(text) <= limit:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:5]
    return f"{text[: limit - 6].rstrip('-')}-{digest}"


def home_group(environment: str) -> str:
    """Return the resource group of the environment's lock: one that no change of regions moves."""
    return f"{environment}-home"


def region_group(environment: str, region: str) -> str:
    """Return the resource group of an environment in a region."""
    return f"{environment}-{region}"


def stack(environment: str, unit: str) -> str:
    """Return the deployment stack of a unit; the dot, which no other name has, keeps environments apart."""
    return f"{environment}.{unit}"


def lock_stack(environment: str) -> str:
    """Return the deployment stack that is the environment's lock."""
    return f"{LOCK_PREFIX}{environment}"


def scale_set_unit(pool: str, index: int) -> str:
    """Return the unit of a pool's n-th scale set in a region."""
    return f"{pool}-{index}"


def scale_set(environment: str, pool: str, index: int) -> str:
    """Return the name of a pool's n-th scale set in a region."""
    return f"{environment}-{pool}-{index}"


def is_derived(environment: str, unit: str, name: str) -> bool:
    """Return whether a resource of this name is one that topology gives to a unit."""
    if unit in (NETWORK, PEERING, STORAGE):
        return name.startswith(f"{environment}-")
    return name == f"{environment}-{unit}"


def computer_name_prefix(pool: str, index: int) -> str:
    """Return what the host names begin with; Azure appends six digits and allows 15 characters before them."""
    return shortened(f"{pool}-{index}", 14) + "-"


def virtual_network(environment: str, region: str) -> str:
    """Return the name of an environment's network in a region."""
    return f"{environment}-{region}-vnet"


def peering(other: str) -> str:
    """Return the name of a network's half of the peering with a region's network, or with one of others."""
    return f"to-{other}"


def file_system(environment: str, storage: str) -> str:
    """Return the name of a shared file system."""
    return f"{environment}-{storage}"
