"""The state of the simulated Azure: what exists, what runs, and what the tester has set. Values only, no behaviour.

Every record holds JSON-able fields and nothing else, so that it can be saved as it is. Whoever changes a record puts
it back (`table.put`): that is how a saver learns what to write.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from provision.simulator.state.ids import ResourceId, parse
from provision.simulator.wire.messages import Json

START = 1796083200.0
"""2026-12-01T00:00:00Z, where virtual time begins. Times are seconds since 1970 throughout."""


@dataclass
class Group:
    id: str
    name: str
    subscription: str
    location: str
    tags: dict[str, str]
    managed_by: str | None
    made: float
    state: str = "Succeeded"

    @property
    def key(self) -> str:
        return self.id.lower()


@dataclass
class Resource:
    """A top-level or child resource of Network, and the base of a scale set."""

    id: str
    type: str
    location: str
    body: Json
    """What the provider keeps, defaults included: tags, sku, zones, properties; no id, etag or provisioningState."""
    made: float
    state: str
    etag: str
    operation: str = ""
    """The name of the long-running operation that decides `state`; empty when none runs."""
    changed: float = 0.0
    """When a request last wrote it; 0 where none has since it was made."""

    @property
    def key(self) -> str:
        return self.id.lower()

    @property
    def rid(self) -> ResourceId:
        found = parse(self.id)
        assert found is not None, self.id
        return found

    @property
    def subscription(self) -> str:
        return self.rid.subscription

    @property
    def properties(self) -> Json:
        properties: Json = self.body["properties"]
        return properties


@dataclass
class ScaleSet(Resource):
    """Instances are computed from `batches`; only what differs from their batch is stored."""

    unique_id: str = ""
    writes: int = 1
    """The etag: grows with each write."""
    model: int = 1
    """Grows when the model that instances are made from changes."""
    old_models: dict[str, Json] = field(default_factory=dict)
    """`{sku, virtualMachineProfile}` of the earlier models that some instance still has."""
    secrets: dict[str, str] = field(default_factory=dict)
    """Hashes of write-only values by path: a change of one is a change of the model."""
    batches: list[Json] = field(default_factory=list)
    """`{first, count, model, start, end, zones, clusters}`: instances made by one operation, coming up one by one until
    `end`. `zones` are those that the set had then, `clusters` the hardware cluster by zone (`""` in a regional set)."""
    gone: list[int] = field(default_factory=list)
    """Ids inside a batch that no longer exist."""
    touched: dict[str, Json] = field(default_factory=dict)
    """By instance id, what differs: `model`, `power`, `failed` (an error, known at `until`), `busy` (an operation),
    `disk`, `starts` (has hardware again), `evicted` (is about to be)."""
    next_instance: int = 0
    addresses: dict[str, list[list[int]]] = field(default_factory=dict)
    """By `subnet|interface|ip configuration`: runs of private addresses, as `private_addresses` keeps them."""
    public_addresses: dict[str, list[list[int]]] = field(default_factory=dict)
    """By `interface|ip configuration`: runs of public addresses, as `instance_addresses` keeps them."""
    one_group_below: int = 0
    """Instances below this id share one placement group, because the set was made with one and no longer has one."""
    repairs_suspended: bool = False
    rolling: Json = field(default_factory=dict)
    """The rolling upgrade that runs, or the last one, as `rolling_upgrades` keeps it."""
    image_upgrades: list[Json] = field(default_factory=list)
    """Those to newer images that are over, in order."""
    image: str = ""
    """The image version that instances made now get, of `latest` the newest of the day."""


@dataclass
class Linger:
    """Network interfaces that outlive their scale set for a while, and keep their subnet in use."""

    id: str
    instances: list[int]
    configurations: list[list[str]]
    """`[interface, ip configuration, subnet key]`, as they stood in the scale set."""
    addresses: dict[str, list[list[int]]] = field(default_factory=dict)
    """As the scale set had them."""


@dataclass
class Lock:
    id: str
    scope: str
    """The id of the subscription, group or resource that is locked."""
    name: str
    level: str
    notes: str | None = None

    @property
    def key(self) -> str:
        return self.id.lower()


@dataclass
class RoleAssignment:
    id: str
    scope: str
    name: str
    properties: Json
    """`roleDefinitionId`, `principalId`, `principalType`, and what else was written."""
    made: float
    by: str
    """The object id of whoever made it."""

    @property
    def key(self) -> str:
        return self.id.lower()


@dataclass
class Registration:
    """Of a provider that is not registered, or of a feature."""

    name: str
    """A namespace, or a namespace and the name of its feature: `Microsoft.Compute/EncryptionAtHost`."""
    state: str

    @property
    def key(self) -> str:
        return self.name.lower()


@dataclass
class SubscriptionTags:
    scope: str
    tags: dict[str, str]

    @property
    def key(self) -> str:
        return self.scope.lower()


@dataclass
class Operation:
    """One long-running operation. `due` is None while it waits for others."""

    name: str
    number: int
    kind: str
    target: str
    subscription: str
    location: str
    dialect: str
    started: float
    due: float | None
    status: str = "InProgress"
    ended: float | None = None
    outcome: Json | None = None
    """The error that it will end with; None for success."""
    waiter: str = ""
    """Who is told of the end: `deployment:<key>` or `removal:<operation>`."""
    detail: Json = field(default_factory=dict)
    hidden: bool = False
    """Bookkeeping of the simulator, which nobody can poll."""


@dataclass
class Deployment:
    id: str
    subscription: str
    group: str
    """Empty for a deployment at the scope of a subscription."""
    name: str
    template: Json
    parameters: Json
    mode: str
    tags: dict[str, str] | None
    state: str
    started: float
    correlation: str
    operation: str
    template_hash: str
    steps: list[Json] = field(default_factory=list)
    """One per resource: what `template_resources` makes of the template, and how far it has come."""
    ended: float | None = None
    error: Json | None = None
    outputs: Json = field(default_factory=dict)
    stack: str = ""
    location: str = ""
    """Where it is kept: its group's region, or the one that a deployment at subscription scope names."""
    symbols: Json = field(default_factory=dict)
    """`{id, name, type, apiVersion}` of its resources by lower-case symbolic name, where the template has such."""
    caller: list[str] = field(default_factory=lambda: ["", ""])
    """Who deploys: the object id and the application."""
    made: list[str] = field(default_factory=list)
    """Ids of what it deployed, when it is over: nested deployments' resources in the place of these."""

    @property
    def key(self) -> str:
        return self.id.lower()


@dataclass
class Stack:
    id: str
    subscription: str
    group: str
    name: str
    tags: dict[str, str] | None
    request: Json
    """The properties of the last PUT."""
    state: str
    operation: str
    correlation: str
    created: float
    modified: float
    managed: list[str] = field(default_factory=list)
    detached: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    failed: list[Json] = field(default_factory=list)
    deployment: str = ""
    caller: list[str] = field(default_factory=lambda: ["", ""])
    """Who wrote it last: the object id and the application."""
    location: str = ""
    """Its group's."""
    ended: float | None = None
    error: Json | None = None
    outputs: Json = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.id.lower()


R = TypeVar("R")


class Table(Generic[R]):
    """Records by key, remembering which were written since the last save."""

    def __init__(self) -> None:
        self._rows: dict[str, R] = {}
        self.changed: set[str] = set()
        self.watch: Callable[[str, R | None], None] | None = None
        """Told of each record that is written, and of None in the place of one that goes."""

    def get(self, key: str) -> R | None:
        return self._rows.get(key)

    def __getitem__(self, key: str) -> R:
        return self._rows[key]

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def values(self) -> list[R]:
        return list(self._rows.values())

    def put(self, key: str, row: R) -> None:
        self._rows[key] = row
        self.changed.add(key)
        if self.watch is not None:
            self.watch(key, row)

    def remove(self, key: str) -> None:
        del self._rows[key]
        self.changed.add(key)
        if self.watch is not None:
            self.watch(key, None)


class Resources(Table[Resource]):
    """The resources, with what is asked often kept at hand: members of a group by type, and who refers to whom."""

    def __init__(self) -> None:
        super().__init__()
        self._members: dict[str, dict[str, set[str]]] = {}
        self._children: dict[str, set[str]] = {}
        self._users: dict[str, set[str]] = {}
        self._uses: dict[str, frozenset[str]] = {}
        self._sets: dict[str, dict[str, None]] = {}
        self._by_type: dict[str, set[str]] = {}

    def put(self, key: str, row: Resource) -> None:
        if key not in self:
            rid = row.rid
            self._members.setdefault(rid.group_key, {}).setdefault(row.type.lower(), set()).add(key)
            if rid.parent is not None:
                self._children.setdefault(rid.parent.key, set()).add(key)
            self._by_type.setdefault(row.type.lower(), set()).add(key)
            if isinstance(row, ScaleSet):
                self._sets.setdefault(row.location, {})[key] = None
        super().put(key, row)
        uses = frozenset(_references(row.body)) - {key}
        before = self._uses.get(key, frozenset())
        if uses != before:
            for target in before - uses:
                self._users[target].discard(key)
            for target in uses - before:
                self._users.setdefault(target, set()).add(key)
            self._uses[key] = uses

    def remove(self, key: str) -> None:
        row = self[key]
        rid = row.rid
        self._members[rid.group_key][row.type.lower()].discard(key)
        if rid.parent is not None:
            self._children[rid.parent.key].discard(key)
        for target in self._uses.pop(key, frozenset()):
            self._users[target].discard(key)
        self._by_type[row.type.lower()].discard(key)
        if isinstance(row, ScaleSet):
            del self._sets[row.location][key]
        super().remove(key)

    def members(self, group_key: str, type_: str | None = None) -> list[Resource]:
        """Return what the group holds, children included, by type and name."""
        types = self._members.get(group_key, {})
        wanted = sorted(types) if type_ is None else [type_.lower()]
        return [self[key] for kind in wanted for key in sorted(types.get(kind, ()))]

    def children(self, key: str) -> list[Resource]:
        return [self[child] for child in sorted(self._children.get(key, ()))]

    def scale_sets(self, location: str | None = None) -> Iterator[ScaleSet]:
        """Yield the scale sets of a region, or all, in the order in which they came."""
        for place in [location] if location is not None else sorted(self._sets):
            for key in self._sets.get(place, ()):
                row = self[key]
                assert isinstance(row, ScaleSet)
                yield row

    def of_type(self, type_: str) -> list[Resource]:
        """Return all resources of a type, given in lower case, by key."""
        return [self[key] for key in sorted(self._by_type.get(type_, ()))]

    def users(self, key: str) -> list[Resource]:
        """Return the resources whose bodies refer to `key`, by key."""
        return [self[user] for user in sorted(self._users.get(key, ()))]


class World:
    """Everything that is saved. One seed and the same requests give the same world."""

    def __init__(self, seed: int = 0, now: float = START) -> None:
        self.seed = seed
        self.counter = 0
        self.now = now
        """The time of the last request; behind the clock only while no request comes."""
        self.moment = now
        """When what happens just now happens: earlier than `now` while what is overdue comes about."""
        self.groups: Table[Group] = Table()
        self.resources = Resources()
        self.lingers: Table[Linger] = Table()
        self.deployments: Table[Deployment] = Table()
        self.stacks: Table[Stack] = Table()
        self.operations: Table[Operation] = Table()
        self.locks: Table[Lock] = Table()
        self.role_assignments: Table[RoleAssignment] = Table()
        self.registrations: Table[Registration] = Table()
        self.subscription_tags: Table[SubscriptionTags] = Table()
        self.quota: dict[str, dict[str, int]] = {}
        self.capacity: dict[str, dict[str, Any]] = {}
        self.restrictions: list[Json] = []
        self.settings: Json = {}
        self.faults: list[Json] = []
        self.agreements: list[str] = []
        """Terms of marketplace plans that were accepted, as `marketplace.agreement` writes them."""
        self.faults_taken = 0
        """How often a fault was taken; with it a saver knows that they changed."""
        self.spent_tokens: list[str] = []
        """Digests of the tokens that a fault has made expire."""
        self.agenda: list[tuple[float, int, str]] = []
        """A heap of `(due, number, operation)`. Entries of operations that ended otherwise stay, and mean nothing."""
        self.buckets: dict[str, tuple[float, float, int, float]] = {}
        """By bucket of requests: what is left of it, when that was counted, what it holds, what flows in a second.

        Not saved: after a restart all are full."""
        self.clock_runs = False
        """Whether time passes by itself. Not saved."""
        self.past: Any = None
        """What reads that lag see; see `lag`. Not saved: after a restart reads are up to date."""

    def tables(self) -> dict[str, Table[Any]]:
        return {
            "groups": self.groups,
            "resources": self.resources,
            "lingers": self.lingers,
            "deployments": self.deployments,
            "stacks": self.stacks,
            "operations": self.operations,
            "locks": self.locks,
            "roleAssignments": self.role_assignments,
            "registrations": self.registrations,
            "subscriptionTags": self.subscription_tags,
        }

    def number(self) -> int:
        self.counter += 1
        return self.counter

    def guid(self) -> str:
        return guid_of(str(self.seed), str(self.number()))

    def schedule(self, operation: Operation, due: float) -> None:
        operation.due = due
        self.operations.put(operation.name, operation)
        self.look_again(operation, due)

    def look_again(self, operation: Operation, at: float) -> None:
        heapq.heappush(self.agenda, (at, operation.number, operation.name))

    def setting(self, name: str, default: Any) -> Any:
        return self.settings.get(name, default)


def guid_of(*parts: str) -> str:
    """Return a version 4 GUID that depends on the parts alone."""
    text = hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}"


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        found = value.get("id")
        if isinstance(found, str) and "/providers/" in found:
            yield found.lower()
        subnet = value.get("filesystemSubnet")
        if isinstance(subnet, str):
            yield subnet.lower()
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
