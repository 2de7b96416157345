"""ARM's vocabulary: resource ids, requests and their answers, and the ports through which a run meets the world.

Which error may be tried again, and when, is decided here too; how a request is sent, in `adapters/azure.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from provision.errors import ProvisionError

GROUPS = "Microsoft.Resources/resourceGroups"
STACKS = "Microsoft.Resources/deploymentStacks"
SCALE_SETS = "Microsoft.Compute/virtualMachineScaleSets"
VIRTUAL_NETWORKS = "Microsoft.Network/virtualNetworks"
SUBNETS = "Microsoft.Network/virtualNetworks/subnets"
SECURITY_GROUPS = "Microsoft.Network/networkSecurityGroups"
NAT_GATEWAYS = "Microsoft.Network/natGateways"
PUBLIC_ADDRESSES = "Microsoft.Network/publicIPAddresses"


class ResourceId(str):
    """The full id of a resource. Equal to text of the same letters; ids compare without case by `key`."""

    __slots__ = ()

    @property
    def key(self) -> str:
        """Return the id as it compares: ARM's casing drifts."""
        return self.lower()

    @property
    def type(self) -> str:
        """Return the resource type, `Microsoft.Network/virtualNetworks/subnets`."""
        parts = self.split("/")
        if "providers" not in parts:
            return GROUPS
        at = len(parts) - 1 - parts[::-1].index("providers")
        return "/".join([parts[at + 1], *parts[at + 2 :: 2]])

    @property
    def name(self) -> str:
        """Return the last segment."""
        return self.rsplit("/", 1)[-1]

    @property
    def full_name(self) -> str:
        """Return the name as templates write it: a child's with its parents', `vnet/nodes`."""
        parts = self.split("/")
        if "providers" not in parts:
            return self.name
        at = len(parts) - 1 - parts[::-1].index("providers")
        return "/".join(parts[at + 3 :: 2])

    @property
    def group(self) -> str:
        """Return the name of the resource group."""
        return self.split("/")[4]

    @property
    def parent(self) -> ResourceId:
        """Return the id of the resource that this one is a child of."""
        return ResourceId(self.rsplit("/", 2)[0])


def group_id(subscription: str, group: str) -> ResourceId:
    """Return the id of a resource group."""
    return ResourceId(f"/subscriptions/{subscription}/resourceGroups/{group}")


def resource_id(subscription: str, group: str, type: str, *names: str) -> ResourceId:
    """Return the id of a resource; a child takes one name for each segment of its type."""
    namespace, *kinds = type.split("/")
    path = "/".join(f"{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    return ResourceId(f"{group_id(subscription, group)}/providers/{namespace}/{path}")
