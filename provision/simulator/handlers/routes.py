"""Which handler answers which path and method: one table. Segments compare without case; `{x}` takes anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from provision.simulator.access import identities
from provision.simulator.handlers import (
    addresses,
    galleries,
    plain,
    routes_compute,
    routes_deployments,
    routes_resources,
    rules,
    stored,
)
from provision.simulator.handlers import lustre as handlers_lustre
from provision.simulator.handlers.paths import GROUP, INSTANCE, SET, SUBSCRIPTION, Handler
from provision.simulator.handlers.subscriptions import PROVIDERS
from provision.simulator.network import network
from provision.simulator.refusals import errors
from provision.simulator.state.ids import cased
from provision.simulator.state.versions import GALLERIES, IDENTITIES, NETWORK, STORAGE_CACHE, STORED
from provision.simulator.state.world import World
from provision.simulator.storage import lustre
from provision.simulator.storage.stored import in_namespace
from provision.simulator.wire.messages import Request


@dataclass(frozen=True, slots=True)
class Route:
    handler: Handler
    versions: str
    """The part of Azure that answers, as `versions` knows it."""
    type: str
    names: tuple[str, ...]
    """The names of the variable parts of the path, in order."""
    lists: bool
    """Whether it is about many things, where it reads."""
    polls: bool
    """Whether it is about an operation."""


@dataclass(slots=True)
class _Node:
    fixed: dict[str, _Node] = field(default_factory=dict)
    free: _Node | None = None
    methods: dict[str, Route] = field(default_factory=dict)


def find(world: World, request: Request) -> tuple[Route, dict[str, str]]:
    """Return the route of a request and the variable parts of its path; refuse as ARM does where there is none."""
    found = _walk(_tree(), request.segments)
    if found is None:
        return _stored(world, request)
    node, values = found
    route = node.methods.get(request.method)
    if route is None:
        raise errors.wrong_method(request.method)
    return route, dict(zip(route.names, values, strict=True))


def _walk(node: _Node, segments: tuple[str, ...]) -> tuple[_Node, tuple[str, ...]] | None:
    """Return the node at the end of a path and what stood in its variable parts; fixed segments come first."""
    if not segments:
        return (node, ()) if node.methods else None
    head, rest = segments[0], segments[1:]
    fixed = node.fixed.get(head.lower())
    found = _walk(fixed, rest) if fixed is not None else None
    if found is None and node.free is not None:
        deeper = _walk(node.free, rest)
        found = None if deeper is None else (deeper[0], (head, *deeper[1]))
    return found


def _stored(world: World, request: Request) -> tuple[Route, dict[str, str]]:
    """Return the route of a request about a resource that is only stored: which types are, the tester decides."""
    rid, listed = stored.resource_of(world, request), stored.listed_of(world, request)
    methods: dict[str, Handler] = {}
    type_ = ""
    if rid is not None:
        methods = {"PUT": stored.put, "PATCH": stored.patch, "GET": stored.get, "DELETE": stored.delete}
        type_ = rid.type
    elif listed is not None:
        methods, type_ = {"GET": stored.list_all}, listed[2]
    elif stored.operation_of(request) is not None:
        methods, type_ = {"GET": stored.poll}, request.segments[3]
    if not methods:
        raise _unknown(world, request)
    if request.method not in methods:
        raise errors.wrong_method(request.method)
    values = dict(zip(("subscription", "group"), request.segments[1:4:2], strict=True))
    lists, polls = listed is not None, rid is None and listed is None
    return Route(methods[request.method], STORED, type_, (), lists, polls), values


def _unknown(world: World, request: Request) -> errors.Refusal:
    parts = [segment.lower() for segment in request.segments]
    if "providers" in parts and len(parts) > parts.index("providers") + 2:
        at = parts.index("providers") + 1
        namespace, version = request.segments[at], request.query.get("api-version", "")
        if not version:
            return errors.no_api_version()
        if cased(namespace) in PROVIDERS or in_namespace(world, namespace):
            return errors.unknown_type(namespace, version)
        return errors.unknown_namespace(namespace)
    return errors.no_route(request.url)


def _table() -> list[tuple[str, str, str, Handler]]:
    rows = routes_resources.rows() + routes_deployments.rows() + routes_compute.rows()
    rows += [(NETWORK, *row) for row in _network_rows()]
    version = f"{GROUP}/providers/Microsoft.Compute/galleries/{{gallery}}/images/{{image}}/versions/{{version}}"
    rows.append((GALLERIES, "GET", version, galleries.get_version))
    rows += [(STORAGE_CACHE, *row) for row in _plain_rows(lustre.TYPE)]
    rows += [(IDENTITIES, *row) for row in _plain_rows(identities.TYPE)]
    lustre_job = f"{SUBSCRIPTION}/providers/Microsoft.StorageCache/locations/{{location}}/ascOperations/{{operation}}"
    rows.append((STORAGE_CACHE, "GET", lustre_job, plain.poll_storage_cache))
    storage = f"{SUBSCRIPTION}/providers/Microsoft.StorageCache"
    rows.append((STORAGE_CACHE, "POST", f"{storage}/getRequiredAmlFSSubnetsSize", handlers_lustre.subnet_size))
    rows.append((STORAGE_CACHE, "POST", f"{storage}/checkAmlFSSubnets", handlers_lustre.check_subnet))
    return rows


def _network_rows() -> list[tuple[str, str, Handler]]:
    region = f"{SUBSCRIPTION}/providers/Microsoft.Network/locations/{{location}}"
    configuration = f"{INSTANCE}/networkInterfaces/{{nic}}/ipConfigurations/{{ip}}"
    one = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/{{name}}"
    defaults = f"{GROUP}/providers/Microsoft.Network/networkSecurityGroups/{{name}}/defaultSecurityRules"
    rows: list[tuple[str, str, Handler]] = [
        ("GET", f"{one}/usages", addresses.usages),
        ("GET", f"{one}/checkIPAddressAvailability", addresses.check_address),
        ("GET", f"{region}/usages", addresses.region_usages),
        ("GET", f"{region}/operations/{{operation}}", plain.poll),
        ("GET", f"{region}/operationResults/{{operation}}", plain.poll_result),
        ("GET", f"{SET}/publicIPAddresses", addresses.list_set),
        ("GET", defaults, rules.list_defaults),
        ("GET", f"{defaults}/{{rule}}", rules.get_default),
        ("GET", f"{SET}/networkInterfaces", addresses.list_set_interfaces),
        ("GET", f"{INSTANCE}/networkInterfaces", addresses.list_interfaces),
        ("GET", f"{INSTANCE}/networkInterfaces/{{nic}}", addresses.get_interface),
        ("GET", f"{INSTANCE}/networkInterfaces/{{nic}}/ipConfigurations", addresses.list_configurations),
        ("GET", configuration, addresses.get_configuration),
        ("GET", f"{configuration}/publicIPAddresses", addresses.list_one),
        ("GET", f"{configuration}/publicIPAddresses/{{address}}", addresses.get_one),
    ]
    for type_ in network.TYPES:
        rows += _plain_rows(type_)
    return rows


def _plain_rows(type_: str) -> list[tuple[str, str, Handler]]:
    namespace, *kinds = (cased(word) for word in type_.split("/"))
    rows: list[tuple[str, str, Handler]] = []
    if len(kinds) == 1:
        here = f"{GROUP}/providers/{namespace}/{kinds[0]}"
        everywhere = f"{SUBSCRIPTION}/providers/{namespace}/{kinds[0]}"
        rows.append(("GET", here, plain.list_group(type_)))
        rows.append(("GET", everywhere, plain.list_subscription(type_)))
        rows.append(("PATCH", f"{here}/{{name}}", plain.patch(type_)))
    else:
        here = f"{GROUP}/providers/{namespace}/{kinds[0]}/{{parent}}/{kinds[1]}"
        rows.append(("GET", here, plain.list_children(type_)))
    rows.append(("PUT", f"{here}/{{name}}", plain.put(type_)))
    rows.append(("GET", f"{here}/{{name}}", plain.get(type_)))
    rows.append(("DELETE", f"{here}/{{name}}", plain.delete(type_)))
    return rows


@cache
def _tree() -> _Node:
    root = _Node()
    for versions, method, path, handler in _table():
        node, names = root, []
        for segment in path.split("/"):
            if not segment.startswith("{"):
                node = node.fixed.setdefault(segment.lower(), _Node())
                continue
            names.append(segment[1:-1])
            node.free = node.free or _Node()
            node = node.free
        lists = not path.endswith(("}", "/instanceView"))
        polls = "operation" in names or "job" in names
        node.methods[method] = Route(handler, versions, _type_of(path), tuple(names), lists, polls)
    return root


def _type_of(path: str) -> str:
    """Return the resource type that a path is about, for messages."""
    parts = path.split("/")
    if "providers" not in parts[:-1]:
        return "Microsoft.Resources/resourceGroups"
    at = parts.index("providers") + 1
    kinds = [part for part in parts[at + 1 :] if not part.startswith("{")]
    return "/".join([cased(parts[at]), *(cased(kind) for kind in kinds)])
