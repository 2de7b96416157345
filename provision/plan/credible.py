"""Decides what a plan file may ask for. A digest shows that it was altered, not who made it: anybody can reckon one.

So what a plan never does is refused, whatever the file says: what would be sent outside the environment's subscription,
delete what is not shown or not ours, deploy more than our stacks do. What only Azure can tell, whether something is
ours, is asked when the plan is applied (`strangers`), and again by each deletion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from provision.arm import GROUPS, MADE, PEERINGS, SCALE_SETS, STACKS, SUBNETS, ResourceId
from provision.plan.model import CONSENT, Action, Operation, Plan
from provision.plan.observed import Observed, is_marked, mark_of
from provision.plan.record import PARAMETER
from provision.render.arm_json import unescaped
from provision.topology.names import MARK, home_group, mark, stack

_DETACH = {"resources": "detach", "resourceGroups": "detach", "managementGroups": "detach"}
_STACK = {"actionOnUnmanage", "denySettings", "parameters", "template"}
_TEMPLATE = {"$schema", "contentVersion", "parameters", "resources"}
#: Keys by which a template's resource is deployed elsewhere, more than once, or not at all.
_NOT_OURS = ("condition", "copy", "existing", "resourceGroup", "resources", "scope", "subscriptionId")
_MADE = frozenset(type.lower() for type in MADE)
_UNTAGGED = frozenset((SUBNETS.lower(), PEERINGS.lower()))
_TYPE_OF = {
    "put-group": GROUPS,
    "delete-group": GROUPS,
    "put-stack": STACKS,
    "delete-stack": STACKS,
    "await-empty": SUBNETS,
    "delete-instances": SCALE_SETS,
}
_GOES = (Action.DELETE, Action.REPLACE)


def incredible(plan: Plan) -> str:
    """Return what no plan of ours would hold; empty if there is nothing."""
    return next(_problems(plan), "")


def strangers(plan: Plan, observed: Observed) -> tuple[ResourceId, ...]:
    """Return what a plan deletes that exists and does not show itself as the environment's."""
    recorded = {key for _, record in observed.records(plan.environment) for key in record.ids()}
    stacks = {id.key for id, _ in observed.records(plan.environment)}

    def is_ours(operation: Operation) -> bool:
        id = operation.target
        there = {"delete-group": observed.groups, "delete-stack": observed.stacks}.get(
            operation.kind, observed.resources
        ).get(id.key)
        if there is None:
            return True
        if operation.kind == "delete-group":
            return mark_of(there) == plan.environment
        if operation.kind == "delete-stack":
            return id.key in stacks
        around = observed.resources.get(id.parent.key, {})
        return is_marked(there, plan.environment) or id.key in recorded or is_marked(around, plan.environment)

    deleting = (operation for operation in plan.operations if operation.kind.startswith("delete"))
    return tuple(operation.target for operation in deleting if not is_ours(operation))


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a plan shows: the ids that go, those that are written or go, the units, what is own, the nodes that go."""

    going: frozenset[str]
    touched: frozenset[str]
    units: frozenset[tuple[str, str]]
    own: frozenset[str]
    nodes: Mapping[str, tuple[str, ...]]


def _problems(plan: Plan) -> Iterator[str]:
    if not plan.environment or "/" in plan.environment:
        yield "its environment has no name that one may have"
    if plan.home.name.lower() != home_group(plan.environment).lower():
        yield f"{plan.home.name} is not the home group of {plan.environment}"
    ids = (plan.home, *(change.id for change in plan.changes), *map(ResourceId, plan.read), *plan.own)
    for id in (*ids, *(operation.target for operation in plan.operations)):
        if id.subscription.lower() != plan.subscription.lower() or _is_odd(id):
            yield f"{id} is not in its subscription, {plan.subscription}"
    needed = {CONSENT[change.action] for change in plan.changes if change.action in CONSENT}
    if needed - set(plan.consents):
        yield f"it would {min(needed)}, and asks for no consent to that"
    for change in plan.changes:
        if len(change.instances) > change.nodes:
            yield f"the change of {change.id.name} names more nodes than it counts"
    shown = _Shown(
        frozenset(change.id.key for change in plan.changes if change.action in _GOES),
        frozenset(change.id.key for change in plan.changes if change.action is not Action.REFUSED),
        frozenset((change.region, change.unit) for change in plan.changes),
        frozenset(id.key for id in plan.own),
        {change.id.key: change.instances for change in plan.changes if change.action is Action.SCALE_IN},
    )
    known: set[str] = set()
    for operation in plan.operations:
        if operation.id in known:
            yield f"it has two operations {operation.id}"
        if missing := [need for need in operation.after if need not in known]:
            yield f"{operation.id} waits for {missing[0]}, which does not come before it"
        known.add(operation.id)
        yield from _wrong_operation(plan, operation, shown)
    if unknown := sorted(set(plan.assessment.estimate.critical_path) - known):
        yield f"its longest chain has {unknown[0]}, which is none of its operations"


def _wrong_operation(plan: Plan, operation: Operation, shown: _Shown) -> Iterator[str]:
    id, kind = operation.target, operation.kind
    if id.type.lower() != _TYPE_OF.get(kind, id.type).lower():
        yield f"{operation.id} is a {kind} of a {id.type}"
    if operation.body is not None and not kind.startswith("put-") and kind != "delete-instances":
        yield f"{operation.id} has a body, and sends none"
    if kind == "delete-instances" and operation.body != {"instanceIds": list(shown.nodes.get(id.key, ()))}:
        yield f"{operation.id} deletes other nodes than its changes show"
    # To destroy an environment without its home group, that group is made and deleted for the lock; no change says so.
    for_the_lock = plan.destroys and id.key == plan.home.key
    is_shown = {
        "put-group": id.key in shown.touched or for_the_lock,
        "delete-group": id.key in shown.going or for_the_lock,
        "delete": id.key in shown.going,
    }
    if not is_shown.get(kind, (operation.region, operation.unit) in shown.units):
        yield f"{operation.id} is not among its changes"
    if kind == "put-group":
        body = operation.body or {}
        shaped = body.keys() == {"location", "tags"} and isinstance(body["tags"], Mapping)
        if not shaped or not isinstance(body["location"], str) or mark_of(body) != plan.environment:
            yield f"{operation.id} makes more, or something else, than a group of {plan.environment}"
    elif kind == "put-stack":
        yield from _wrong_stack(plan, operation, shown.own)
    elif kind in ("delete", "delete-instances"):
        if id.type.lower() in (GROUPS.lower(), STACKS.lower()):
            yield f"{operation.id} deletes a {id.type}"
        if operation.mark != mark(plan.environment, operation.unit) and (operation.mark or id.key not in shown.own):
            yield f"{operation.id} deletes what does not carry the mark of {plan.environment}"


def _is_odd(id: ResourceId) -> bool:
    parts = id.split("/")
    return len(parts) < 5 or any(part in ("", ".", "..") for part in parts[1:]) or any(sign in id for sign in "?#%\\")


def _wrong_stack(plan: Plan, operation: Operation, own: frozenset[str]) -> Iterator[str]:
    body = operation.body or {}
    properties = body.get("properties")
    told = f"the stack of {operation.id}"
    if operation.target.name != stack(plan.environment, operation.unit):
        yield f"{told} has not the name of one of {plan.environment}"
    if body.keys() != {"properties", "tags"} or not isinstance(properties, Mapping) or properties.keys() != _STACK:
        yield f"{told} is sent with more, or less, than our stacks are"
        return
    if properties["actionOnUnmanage"] != _DETACH or properties["denySettings"] != {"mode": "none"}:
        yield f"{told} would delete, or lock, what it no longer states"
    if not isinstance(body["tags"], Mapping) or mark_of(body) != mark(plan.environment, operation.unit):
        yield f"{told} has not our mark"
    parameters, template = properties["parameters"], properties["template"]
    if not isinstance(parameters, Mapping) or parameters.keys() != {PARAMETER}:
        yield f"{told} has other parameters than its record"
    if not isinstance(template, Mapping) or template.keys() != _TEMPLATE:
        yield f"{told} has a template with more, or less, than ours have"
        return
    if template["parameters"] != {PARAMETER: {"type": "object"}} or not isinstance(template["resources"], list):
        yield f"{told} has a template with more, or less, than ours have"
        return
    for resource in template["resources"]:
        yield from (f"{told}: {problem}" for problem in _wrong_resource(plan, operation, resource, own))


def _wrong_resource(plan: Plan, operation: Operation, resource: Any, own: frozenset[str]) -> Iterator[str]:
    texts = ("type", "name", "apiVersion")
    if not isinstance(resource, Mapping) or not all(isinstance(resource.get(key), str) for key in texts):
        yield "a resource has no type, name or API version"
        return
    told = f"{resource['type']} {resource['name']}"
    types, names = resource["type"].split("/"), resource["name"].split("/")
    if len(types) != len(names) + 1:
        yield f"{told} has not as many parts in its name as in its type"
        return
    if found := [key for key in _NOT_OURS if key in resource]:
        yield f"{told} has `{found[0]}`"
    pairs = "/".join(part for pair in zip(types[1:], names, strict=True) for part in pair)
    id = f"{operation.target.group_id}/providers/{types[0]}/{pairs}".lower()
    if resource["type"].lower() not in _MADE and id not in own:
        yield f"{told} is of a type that we do not make, and no unit of one's own states it"
    if not isinstance(resource.get("tags", {}), Mapping):
        yield f"{told} has tags that are no map"
    elif mark_of(resource) != mark(plan.environment, operation.unit) and (
        "tags" in resource or (resource["type"].lower() not in _UNTAGGED and id not in own)
    ):
        yield f"{told} has not our mark, the tag {MARK}"
    try:
        unescaped(resource)
    except ValueError as error:
        yield f"{told}: {error}"
