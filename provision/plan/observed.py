"""What Azure reports of an environment, as a value. Who asks: `observe/`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from provision.arm import PEERINGS, VIRTUAL_NETWORKS, ResourceId
from provision.plan.record import PARAMETER, Record, record_in
from provision.topology.names import (
    BASTION_SUBNET,
    LOCK_PREFIX,
    LUSTRE_SUBNET,
    MARK,
    NETWORK,
    NODES_SUBNET,
    PEERING,
    STORAGE,
    is_derived,
)

Body = Mapping[str, Any]

_SUBNETS = (NODES_SUBNET, LUSTRE_SUBNET, BASTION_SUBNET)

#: What Azure writes by itself: it says nothing about whether somebody changed a resource.
VOLATILE = frozenset(
    {
        "etag",
        "provisioningState",
        "resourceGuid",
        "uniqueId",
        "timeCreated",
        "systemData",
        "ipConfigurations",
        "ipConfiguration",
        "networkInterfaces",
        "defaultSecurityRules",
        "changedTime",
        "createdTime",
    }
)


@dataclass(frozen=True)
class Observed:
    """Azure's side of an environment; each map is by id in lower case.

    `groups`: the groups that are marked as the environment's or have a name that it would use. `resources`: whole
    bodies in those groups, subnets beside their networks. `others`: resources of types that we never make.
    `versions`: the API version by which each resource of a unit of one's own was read, by id in lower case, as they are
    made one after the other. `instances`: the nodes, with their views, of the sets that shrink, by the set's id in
    lower case. `lost`: resources with the environment's mark whose API version nothing tells any more.
    """

    groups: Mapping[str, Body]
    resources: Mapping[str, Body]
    stacks: Mapping[str, Body]
    others: tuple[ResourceId, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    lost: tuple[ResourceId, ...] = ()
    instances: Mapping[str, tuple[Body, ...]] = field(default_factory=dict)

    def marked(self, environment: str) -> list[Body]:
        """Return the resources that carry the environment's mark, by id."""
        return [body for _, body in sorted(self.resources.items()) if is_marked(body, environment)]

    def orphans(self, environment: str) -> list[Record]:
        """Return what is marked and named as ours while no stack records it any more, as if its stack still did.

        A stack that somebody deleted must not turn running nodes into nobody's.
        """
        recorded = {key for _, record in self.records(environment) for key in record.ids()}
        lost: dict[tuple[str, str], list[ResourceId]] = {}
        for body in self.marked(environment):
            id = ResourceId(body["id"])
            unit = (mark_of(body) or "").partition("/")[2]
            if id.key not in recorded and (id.key in self.versions or is_derived(environment, unit, id.name)):
                lost.setdefault((id.group, unit), []).append(id)
        return [self._orphan(environment, group, unit, ids) for (group, unit), ids in sorted(lost.items())]

    def _orphan(self, environment: str, group: str, unit: str, ids: list[ResourceId]) -> Record:
        keys = sorted(f"{id.key}/subnets/{name.lower()}" for id in ids for name in _SUBNETS)
        subnets = [ResourceId(self.resources[key]["id"]) for key in keys if key in self.resources]
        location = str(self.resources[ids[0].key].get("location", ""))
        own = self._own_of(ids)
        return Record(
            environment=environment,
            unit=unit,
            region=location.replace(" ", "").lower(),
            pool=None if own or unit in (NETWORK, PEERING, STORAGE) else unit.rpartition("-")[0],
            protect=False,
            run="",
            tags={},
            stated={},
            leaving=own or (*ids, *subnets),
            applied=False,
            versions={id.type.lower(): self.versions[id.key] for id in own},
        )

    def _own_of(self, marked: list[ResourceId]) -> tuple[ResourceId, ...]:
        """Return what a unit of one's own has made, of which `marked` carries our mark: that and all that is in it."""
        found = {ResourceId(self.resources[key]["id"]) for key in self.versions}
        mine = {id.key for id in marked if id.key in self.versions}
        inside = {id for id in found if any(id.key == key or id.key.startswith(f"{key}/") for key in mine)}
        ranks = {key: rank for rank, key in enumerate(self.versions)}
        return tuple(sorted(inside, key=lambda id: ranks[id.key]))

    @cached_property
    def recorded(self) -> Mapping[str, Record]:
        """Return what each stack recorded, by the stack's id in lower case, in that order."""
        found = ((key, record_in(body)) for key, body in sorted(self.stacks.items()))
        return {key: record for key, record in found if record is not None}

    def records(self, environment: str) -> Iterator[tuple[ResourceId, Record]]:
        """Yield the environment's stacks, by id, with what they recorded."""
        for key, record in self.recorded.items():
            if record.environment == environment:
                yield ResourceId(self.stacks[key]["id"]), record

    def remotes(self) -> dict[str, ResourceId]:
        """Return the network at the other end of each half of a peering, by the half's id in lower case."""
        return {
            key: ResourceId(body["properties"]["remoteVirtualNetwork"]["id"])
            for key, body in self.resources.items()
            if ResourceId(body["id"]).type.lower() == PEERINGS.lower()
            and "remoteVirtualNetwork" in body.get("properties", {})
        }

    def digests(self) -> dict[str, str]:
        """Return a digest of the content of each thing that was read, by id: what a plan rests on.

        In a group that was given only what carries a mark of ours counts: what others do there is their own business.
        """
        found = {key: _digest({"location": b.get("location"), "tags": b.get("tags")}) for key, b in self.groups.items()}
        for key, body in self.resources.items():
            ours = mark_of(body) or mark_of(self.resources.get(_parent(key), {})) or key in self.versions
            if ours or self._is_in_group_of_ours(key):
                found[key] = _digest(_steady(body, top=True))
        for key, body in self.stacks.items():
            if ResourceId(key).name.startswith(LOCK_PREFIX):
                continue  # that somebody applies is asked when the lock is taken
            properties = body.get("properties", {})
            if self._is_in_group_of_ours(key) or PARAMETER in (properties.get("parameters") or {}):
                found[key] = _digest([properties.get("provisioningState"), properties.get("parameters")])
        return dict(sorted(found.items()))

    def _is_in_group_of_ours(self, key: str) -> bool:
        return mark_of(self.groups.get(ResourceId(key).group_id.key, {})) is not None


def mark_of(body: Body) -> str | None:
    """Return the value of our tag on a resource, None if it carries none."""
    for name, value in (body.get("tags") or {}).items():
        if name.lower() == MARK:
            return str(value)
    return None


def is_marked(body: Body, environment: str) -> bool:
    """Return whether a resource carries the mark of one of the environment's units."""
    return (mark_of(body) or "").startswith(f"{environment}/")


def split_children(body: Body) -> Iterator[tuple[ResourceId, Body]]:
    """Yield a resource and, of a virtual network, its subnets and peerings: stated resources state them apart."""
    id = ResourceId(body["id"])
    yield id, body
    if id.type.lower() == VIRTUAL_NETWORKS.lower():
        for child in ("subnets", "virtualNetworkPeerings"):
            for part in body.get("properties", {}).get(child) or ():
                yield ResourceId(part["id"]), part


def _parent(key: str) -> str:
    """Return the key of what a child stands in; of a resource that is no child, a key that nothing has."""
    return key.rsplit("/", 2)[0]


def _steady(value: Any, top: bool = False) -> Any:
    if isinstance(value, dict):
        return {
            k: _steady(v)
            for k, v in sorted(value.items())
            # Back references and children change when others are written; those are compared on their own.
            if k not in VOLATILE and k not in ("subnets", "virtualNetworkPeerings", "natGateway" if top else "etag")
        }
    return [_steady(item) for item in value] if isinstance(value, list | tuple) else value


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]
