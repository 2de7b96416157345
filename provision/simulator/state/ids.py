"""Resource ids: taken apart and put together. They compare without regard to case, by `key`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from provision.simulator.state.stored_types import STORED_S

_CASING = {
    name.lower(): name
    for name in (
        "Microsoft.Compute",
        "Microsoft.Network",
        "Microsoft.Resources",
        "Microsoft.StorageCache",
        "Microsoft.ManagedIdentity",
        "Microsoft.Authorization",
        "Microsoft.Features",
        "Microsoft.MarketplaceOrdering",
        "virtualMachineScaleSets",
        "proximityPlacementGroups",
        "capacityReservationGroups",
        "capacityReservations",
        "networkSecurityGroups",
        "publicIPAddresses",
        "natGateways",
        "virtualNetworks",
        "subnets",
        "virtualNetworkPeerings",
        "securityRules",
        "defaultSecurityRules",
        "bastionHosts",
        "amlFilesystems",
        "userAssignedIdentities",
        "locks",
        "roleAssignments",
        "permissions",
        "tags",
        "resourceGroups",
        "deployments",
        "deploymentStacks",
        *(word for type_ in STORED_S for word in type_.split("/")),
    )
}
"""Azure writes types and namespaces in their own casing, whatever the client wrote."""


def cased(word: str) -> str:
    return _CASING.get(word.lower(), word)


@dataclass(frozen=True)
class ResourceId:
    subscription: str
    group: str
    namespace: str
    types: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def type(self) -> str:
        return "/".join((self.namespace, *self.types))

    @property
    def name(self) -> str:
        return self.names[-1]

    @cached_property
    def text(self) -> str:
        pairs = "".join(f"/{kind}/{name}" for kind, name in zip(self.types, self.names, strict=True))
        return f"{self.group_text}/providers/{self.namespace}{pairs}"

    @cached_property
    def key(self) -> str:
        return self.text.lower()

    @property
    def group_text(self) -> str:
        return f"/subscriptions/{self.subscription}/resourceGroups/{self.group}"

    @property
    def group_key(self) -> str:
        return self.group_text.lower()

    @property
    def parent(self) -> ResourceId | None:
        if len(self.types) == 1:
            return None
        return ResourceId(self.subscription, self.group, self.namespace, self.types[:-1], self.names[:-1])

    def child(self, kind: str, name: str) -> ResourceId:
        return ResourceId(self.subscription, self.group, self.namespace, (*self.types, kind), (*self.names, name))


def resource_id(subscription: str, group: str, type_: str, *names: str) -> ResourceId:
    namespace, *kinds = (cased(word) for word in type_.split("/"))
    return ResourceId(subscription, group, namespace, tuple(kinds), names)


@lru_cache(maxsize=16_384)
def parse(text: str) -> ResourceId | None:
    """Return the parts of a group-scope resource id, or None where the text is none."""
    parts = text.strip("/").split("/")
    if len(parts) < 8 or len(parts) % 2 or "" in parts:
        return None
    words = (parts[0].lower(), parts[2].lower(), parts[4].lower())
    if words != ("subscriptions", "resourcegroups", "providers"):
        return None
    kinds, names = parts[6::2], parts[7::2]
    return ResourceId(parts[1], parts[3], cased(parts[5]), tuple(cased(kind) for kind in kinds), tuple(names))


def group_key(subscription: str, group: str) -> str:
    return f"/subscriptions/{subscription}/resourcegroups/{group}".lower()
