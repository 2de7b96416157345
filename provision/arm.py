"""ARM's vocabulary: resource ids, requests and their answers, and the ports through which a run meets the world.

What an error means, and whether it is tried again, is decided in `failures.py`; how a request is sent, in
`adapters/azure.py`.
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
PEERINGS = "Microsoft.Network/virtualNetworks/virtualNetworkPeerings"
BASTIONS = "Microsoft.Network/bastionHosts"
FILE_SYSTEMS = "Microsoft.StorageCache/amlFilesystems"

#: The types that we make by templates of our own. All others come from users' templates only.
MADE = (
    SCALE_SETS,
    VIRTUAL_NETWORKS,
    SUBNETS,
    SECURITY_GROUPS,
    NAT_GATEWAYS,
    PUBLIC_ADDRESSES,
    PEERINGS,
    BASTIONS,
    FILE_SYSTEMS,
)


#: The methods of requests that change something.
WRITES = frozenset({"PUT", "POST", "DELETE"})


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
    def subscription(self) -> str:
        """Return the id of the subscription."""
        return self.split("/")[2]

    @property
    def group(self) -> str:
        """Return the name of the resource group."""
        return self.split("/")[4]

    @property
    def group_id(self) -> ResourceId:
        """Return the id of the resource group."""
        return ResourceId("/".join(self.split("/")[:5]))

    @property
    def parent(self) -> ResourceId:
        """Return the id of the resource that this one is a child of."""
        return ResourceId(self.rsplit("/", 2)[0])


def group_id(subscription: str, group: str) -> ResourceId:
    """Return the id of a resource group."""
    return ResourceId(f"/subscriptions/{subscription}/resourceGroups/{group}")


def stacks_of(group: ResourceId) -> ResourceId:
    """Return where the deployment stacks of a group are listed."""
    return ResourceId(f"{group}/providers/{STACKS}")


def resource_id(subscription: str, group: str, type: str, *names: str) -> ResourceId:
    """Return the id of a resource; a child takes one name for each segment of its type."""
    namespace, *kinds = type.split("/")
    path = "/".join(f"{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    return ResourceId(f"{group_id(subscription, group)}/providers/{namespace}/{path}")


@dataclass(frozen=True, slots=True)
class Request:
    """One request to ARM: of a resource by `id`, or of a poll `url`, which is followed as it came.

    `PUT` takes the whole body, `POST` the names of the nodes that go. `api_version` is empty where the catalog has
    the type's.
    """

    method: str  # GET, LIST (the resources of a group, or its stacks), NODES (of a scale set), PUT, DELETE, POST
    id: ResourceId
    body: Mapping[str, Any] | None = None
    url: str = ""
    api_version: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What ARM answered: `operation_url` is where to ask how a long-running operation goes, empty if there is none.

    `left`: how many more requests of this kind the subscription may send just now; None where Azure does not say.
    """

    status: int
    body: Mapping[str, Any] = field(default_factory=dict)
    operation_url: str = ""
    retry_after_s: float | None = None
    correlation_id: str = ""
    left: int | None = None


class ArmError(ProvisionError):
    """A request that ARM refused, or an operation that ended badly."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        details: tuple[tuple[str, str, str], ...] = (),
        retry_after_s: float | None = None,
        correlation_id: str = "",
        fix: str = "",
        left: int | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}", fix=fix)
        self.status = status
        self.code = code
        self.text = message
        self.details = details
        self.retry_after_s = retry_after_s
        self.correlation_id = correlation_id
        self.left = left


@dataclass(frozen=True, slots=True)
class Login:
    """How long an identity can be had tokens for: `how` it logs in, and the seconds for which that surely lasts.

    `lasts_s` is infinite of what renews itself. `ends`: it is known that nothing comes after them.
    """

    how: str
    lasts_s: float
    ends: bool


class Reader(Protocol):
    """Azure Resource Manager, as far as a check needs it that must not write. Raises ArmError, or Unreachable."""

    def read(self, path: str, type: str, query: str = "", body: Mapping[str, Any] | None = None) -> Any:
        """Return what is at a path: the items of a list, all its pages joined, or one body.

        `type` is the resource type whose API version is spoken, `query` begins the query and ends in `&`. With a body
        it is a POST that reads: a deployment's validate. What it finds wrong is its answer, `{"error": ...}`.
        """

    def login(self) -> Login:
        """Return how long tokens can be had for what this reader asks with."""


class Arm(Protocol):
    """Azure Resource Manager, as far as a run needs it. All raise ArmError, or Unreachable."""

    def send(self, request: Request) -> Answer:
        """Send one request; return the answer."""

    def groups(self, subscription: str) -> list[dict[str, Any]]:
        """Return every resource group of a subscription."""

    def marked(self, subscription: str) -> list[dict[str, Any]]:
        """Return every resource of a subscription that carries our tag, whatever its value, without properties."""

    def listed(self, group: ResourceId, type: str) -> list[dict[str, Any]]:
        """Return the bodies of a group's resources of a type; of all types, without properties, if it is empty."""

    def found(self, id: ResourceId, api_version: str) -> dict[str, Any] | None:
        """Return the body of a resource of any type, None where there is none."""

    def instances(self, scale_set: ResourceId) -> list[dict[str, Any]]:
        """Return a scale set's instances with their instance views."""


class ReadableArm(Arm, Reader, Protocol):
    """Azure Resource Manager, for runs and for checks."""


class Clock(Protocol):
    """The time of Azure's side: real, or the simulator's."""

    def now(self) -> float:
        """Return the seconds since 1970."""


class InFlight(Protocol):
    """Requests that have been sent and not yet answered."""

    def start(self, key: str, request: Request) -> None:
        """Send a request without waiting for its answer."""

    def wait(self, until: float) -> list[tuple[str, Answer | ArmError]]:
        """Return what has been answered since: at least one answer, or nothing at the time `until` or after `wake`."""

    def wake(self) -> None:
        """Make `wait` return; may be called from a signal handler."""


def innermost(error: Any) -> Iterator[tuple[str, str, str]]:
    """Yield (code, message, target) of each deepest cause of an ARM error.

    ARM nests: details hold details, and messages hold whole error envelopes as JSON text.
    """
    if not isinstance(error, Mapping):
        return
    inner = _member(error, "error") or error
    if not isinstance(inner, Mapping):
        return
    details = _member(inner, "details")
    causes = [cause for detail in (details if isinstance(details, list) else ()) for cause in innermost(detail)]
    code, message, target = (str(_member(inner, name) or "") for name in ("code", "message", "target"))
    if not causes and message.lstrip().startswith("{"):
        try:
            causes = list(innermost(json.loads(message)))
        except ValueError:
            causes = []
    if causes:
        yield from causes
    elif message or code:
        yield code, message, target


def outermost(error: Any) -> tuple[str, str]:
    """Return (code, message) of an ARM error as it came; empty where it has none."""
    inner = (_member(error, "error") or error) if isinstance(error, Mapping) else {}
    if not isinstance(inner, Mapping):
        return "", ""
    return str(_member(inner, "code") or ""), str(_member(inner, "message") or "")


def _member(error: Mapping[str, Any], name: str) -> Any:
    """Return a member of an error; some services write its names with capitals."""
    return error.get(name, error.get(name.capitalize()))
