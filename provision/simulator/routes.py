"""Which handler answers which path and method: one table. Segments compare without case; `{x}` takes anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from provision.simulator import errors, identities, lustre, network, routes_compute
from provision.simulator import handlers_addresses as addresses
from provision.simulator import handlers_deployments as deployments
from provision.simulator import handlers_locks as locked
from provision.simulator import handlers_plain as plain
from provision.simulator import handlers_resources as resources
from provision.simulator import handlers_tenant as tenant
from provision.simulator.ids import cased
from provision.simulator.messages import Request
from provision.simulator.paths import (
    DEPLOYED,
    GROUP,
    INSTANCE,
    ONE_DEPLOYED,
    ONE_STACKED,
    SET,
    STACK_JOBS,
    STACKED,
    SUBSCRIPTION,
    Handler,
)
from provision.simulator.versions import (
    DEPLOYMENTS,
    GATEWAY,
    IDENTITIES,
    LOCKS,
    NETWORK,
    STACKS,
    STORAGE_CACHE,
    SUBSCRIPTIONS,
)


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


def find(request: Request) -> tuple[Route, dict[str, str]]:
    """Return the route of a request and the variable parts of its path; refuse as ARM does where there is none."""
    found = _walk(_tree(), request.segments)
    if found is None:
        raise _unknown(request)
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


def _unknown(request: Request) -> errors.Refusal:
    parts = [segment.lower() for segment in request.segments]
    if "providers" in parts and len(parts) > parts.index("providers") + 2:
        at = parts.index("providers") + 1
        namespace, version = request.segments[at], request.query.get("api-version", "")
        if not version:
            return errors.no_api_version()
        if cased(namespace) in resources.PROVIDERS:
            return errors.unknown_type(namespace, version)
        return errors.unknown_namespace(namespace)
    return errors.no_route(request.url)


def _table() -> list[tuple[str, str, str, Handler]]:
    gateway: list[tuple[str, str, Handler]] = [
        ("PUT", GROUP, resources.put_group),
        ("PATCH", GROUP, resources.patch_group),
        ("GET", GROUP, resources.get_group),
        ("HEAD", GROUP, resources.head_group),
        ("DELETE", GROUP, resources.delete_group),
        ("GET", f"{SUBSCRIPTION}/resourceGroups", resources.list_groups),
        ("GET", f"{GROUP}/resources", resources.list_resources),
        ("GET", f"{SUBSCRIPTION}/resources", resources.list_resources),
        ("GET", f"{SUBSCRIPTION}/operationresults/{{job}}", resources.poll_group),
        ("GET", f"{SUBSCRIPTION}/providers", resources.list_providers),
        ("GET", f"{SUBSCRIPTION}/providers/{{namespace}}", resources.provider),
        ("POST", f"{SUBSCRIPTION}/providers/{{namespace}}/register", resources.provider),
    ]
    subscriptions: list[tuple[str, str, Handler]] = [
        ("GET", "tenants", tenant.tenants),
        ("GET", "subscriptions", tenant.subscriptions),
        ("GET", SUBSCRIPTION, tenant.subscription),
        ("GET", f"{SUBSCRIPTION}/locations", resources.locations),
    ]
    deployed: list[tuple[str, str, Handler]] = [
        ("PUT", ONE_DEPLOYED, deployments.put),
        ("GET", ONE_DEPLOYED, deployments.get),
        ("HEAD", ONE_DEPLOYED, deployments.head),
        ("DELETE", ONE_DEPLOYED, deployments.delete),
        ("GET", DEPLOYED, deployments.list_group),
        ("POST", f"{ONE_DEPLOYED}/validate", deployments.validate),
        ("POST", f"{ONE_DEPLOYED}/cancel", deployments.cancel),
        ("POST", f"{ONE_DEPLOYED}/exportTemplate", deployments.export),
        ("GET", f"{ONE_DEPLOYED}/operationStatuses/{{operation}}", deployments.poll),
        ("GET", f"{ONE_DEPLOYED}/operations", deployments.list_operations),
        ("GET", f"{ONE_DEPLOYED}/operations/{{operation}}", deployments.get_operation),
        # Every client reads a group deployment's operations at this path, which has no provider in it.
        ("GET", f"{GROUP}/deployments/{{name}}/operations", deployments.list_operations),
        ("GET", f"{GROUP}/deployments/{{name}}/operations/{{operation}}", deployments.get_operation),
        ("POST", "providers/Microsoft.Resources/calculateTemplateHash", deployments.hash_template),
    ]
    stacked: list[tuple[str, str, Handler]] = [
        ("PUT", ONE_STACKED, deployments.put_stack),
        ("GET", ONE_STACKED, deployments.get_stack),
        ("DELETE", ONE_STACKED, deployments.delete_stack),
        ("GET", STACKED, deployments.list_stacks),
        ("POST", f"{ONE_STACKED}/validate", deployments.validate_stack),
        ("POST", f"{ONE_STACKED}/exportTemplate", deployments.export_stack),
        ("GET", f"{STACK_JOBS}/deploymentStackOperationStatus/{{operation}}", deployments.poll_stack),
        ("GET", f"{STACK_JOBS}/deploymentStackOperationResults/{{operation}}", deployments.poll_stack_result),
    ]
    rows = [(GATEWAY, *row) for row in gateway] + [(SUBSCRIPTIONS, *row) for row in subscriptions]
    rows += routes_compute.rows() + [(DEPLOYMENTS, *row) for row in deployed]
    rows += [(STACKS, *row) for row in stacked] + [(NETWORK, *row) for row in _network_rows()]
    rows += [(STORAGE_CACHE, *row) for row in _plain_rows(lustre.TYPE)]
    rows += [(IDENTITIES, *row) for row in _plain_rows(identities.TYPE)]
    rows += [(LOCKS, *row) for row in _lock_rows()]
    lustre_job = f"{SUBSCRIPTION}/providers/Microsoft.StorageCache/locations/{{location}}/ascOperations/{{operation}}"
    rows.append((STORAGE_CACHE, "GET", lustre_job, plain.poll_storage_cache))
    return rows


def _network_rows() -> list[tuple[str, str, Handler]]:
    region = f"{SUBSCRIPTION}/providers/Microsoft.Network/locations/{{location}}"
    rows: list[tuple[str, str, Handler]] = [
        ("GET", f"{region}/operations/{{operation}}", plain.poll),
        ("GET", f"{region}/operationResults/{{operation}}", plain.poll_result),
        ("GET", f"{SET}/publicIPAddresses", addresses.list_set),
        ("GET", f"{INSTANCE}/networkInterfaces/{{nic}}/ipConfigurations/{{ip}}/publicIPAddresses", addresses.list_one),
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


def _lock_rows() -> list[tuple[str, str, Handler]]:
    """Return the paths of locks: on a subscription, a group, a resource and a child of one."""
    resource = f"{GROUP}/providers/{{namespace}}/{{kind}}/{{name}}"
    rows: list[tuple[str, str, Handler]] = []
    for scope in (SUBSCRIPTION, GROUP, resource, f"{resource}/{{childKind}}/{{child}}"):
        here = f"{scope}/providers/Microsoft.Authorization/locks"
        rows += [
            ("GET", here, locked.list_scope),
            ("PUT", f"{here}/{{lock}}", locked.put),
            ("GET", f"{here}/{{lock}}", locked.get),
            ("DELETE", f"{here}/{{lock}}", locked.delete),
        ]
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
