"""Decides what Azure's own what-if is asked, and explains where it says something else than the plan.

It is known to differ: it compares with what a GET returns, so it shows defaults as deletions and what is never returned
as new, pairs the items of lists by their places, and does not know which properties cannot be changed (facts, 6.5).
What none of that explains is a disagreement that somebody should look at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from provision.arm import ResourceId, innermost
from provision.catalog.changes import Policies, TypePolicies
from provision.plan.model import Action, Change, Operation, Plan
from provision.plan.observed import VOLATILE
from provision.plan.record import PARAMETER

#: Properties of a network that are resources of their own, and are written as such.
_APART = ("properties.subnets", "properties.virtualNetworkPeerings")
#: What Azure fills in where nothing is stated.
_DEFAULTS: tuple[Any, ...] = (None, False, "", "None", "Disabled", "VirtualNetworkInherited", "IPv4", "Regular")


@dataclass(frozen=True, slots=True)
class Question:
    """One what-if: of the deployment of a unit's resources to its group."""

    unit: str
    region: str
    group: ResourceId
    name: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where what-if says something else than the plan about a resource. `why`: the known reason; empty without one.

    `paths`: the properties that it is about; none where it is about the resource.
    """

    id: ResourceId
    unit: str
    region: str
    plan: str
    what_if: str
    paths: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What came of asking: how many resources both say the same of, where they differ, and what could not be asked.

    `unasked` are (what, why), and so are `skipped`: parts of what was asked that Azure says it did not look at.
    """

    agreeing: int
    disagreements: tuple[Disagreement, ...]
    unasked: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...] = ()

    @property
    def unexplained(self) -> tuple[Disagreement, ...]:
        """Return the disagreements without a known reason."""
        return tuple(each for each in self.disagreements if not each.why)


def questions(plan: Plan, groups: Collection[str]) -> tuple[list[Question], list[tuple[str, str]]]:
    """Return what to ask, one question a unit that is written, and what cannot be asked, with the reason.

    `groups`: those that exist, by id in lower case.
    """
    asked, unasked = [], []
    for put in _puts(plan):
        told = f"{put.unit} in {put.region}"
        if put.target.group_id.key not in groups:
            unasked.append(
                (told, f"its group {put.target.group} is still to be made, and Azure foresees nothing there")
            )
            continue
        properties = (put.body or {})["properties"]
        body = {
            "properties": {
                "mode": "Incremental",
                "template": properties["template"],
                "parameters": {PARAMETER: {"value": {}}},
                "whatIfSettings": {"resultFormat": "FullResourcePayloads"},
            }
        }
        asked.append(Question(put.unit, put.region, put.target.group_id, f"{put.target.name}-what-if", body))
    return asked, unasked


def foreseen(
    plan: Plan,
    answers: Iterable[tuple[Question, Mapping[str, Any]]],
    unasked: Iterable[tuple[str, str]],
    policies: Policies,
) -> Foreseen:
    """Return how what Azure foresees agrees with a plan."""
    changes = {change.id.key: change for change in plan.changes}
    puts = {(put.region, put.unit): put for put in _puts(plan)}
    agreeing = 0
    found: list[Disagreement] = []
    missing = list(unasked)
    skipped: list[tuple[str, str]] = []
    for question, answer in answers:
        put = puts[question.region, question.unit]
        if str(answer.get("status", "")).lower() != "succeeded":
            found.append(_refused(put, answer))
            continue
        listed = answer.get("properties") or answer
        told = f"{question.unit} in {question.region}"
        skipped += [(told, why) for each in listed.get("diagnostics") or () if (why := _skipped(each))]
        theirs = {str(each.get("resourceId", "")).lower(): each for each in listed.get("changes") or ()}
        for resource in question.body["properties"]["template"]["resources"]:
            id = _id_of(question.group, resource)
            differing = list(_compared(id, put, changes.get(id.key), theirs.get(id.key), policies.of(id.type)))
            found += differing
            agreeing += not differing
    deleted = [change for change in plan.changes if change.action is Action.DELETE]
    if deleted:
        missing.append(
            (
                f"{len(deleted)} {'deletion' if len(deleted) == 1 else 'deletions'}",
                "they are requests of their own, and a what-if is of a deployment",
            )
        )
    return Foreseen(agreeing, tuple(found), tuple(missing), tuple(skipped))


def _skipped(diagnostic: Mapping[str, Any]) -> str:
    """Return what Azure says that it did not look at; empty where it only informs."""
    if str(diagnostic.get("level", "")).lower() not in ("warning", "error"):
        return ""
    return f"{diagnostic.get('code', 'no code')}: {diagnostic.get('message', '')}"


def _puts(plan: Plan) -> Iterator[Operation]:
    return (operation for operation in plan.operations if operation.kind == "put-stack")


def _id_of(group: ResourceId, resource: Mapping[str, Any]) -> ResourceId:
    provider, *types = resource["type"].split("/")
    pairs = (part for pair in zip(types, resource["name"].split("/"), strict=True) for part in pair)
    return ResourceId("/".join([group, "providers", provider, *pairs]))


def _refused(put: Operation, answer: Mapping[str, Any]) -> Disagreement:
    causes = [f"{code}: {message}" for code, message, _ in innermost(answer.get("error"))]
    to_come = any(need.startswith(("stack ", "group ")) for need in put.after)
    why = "what it refers to is still to be made by this plan" if to_come else ""
    told = f"Azure foresees nothing of {put.unit}: {causes[0] if causes else 'it gave no reason'}"
    return Disagreement(put.target, put.unit, put.region, "deploys", told, (), why)


def _compared(
    id: ResourceId, put: Operation, change: Change | None, theirs: Mapping[str, Any] | None, rows: TypePolicies
) -> Iterator[Disagreement]:
    """Yield where both differ about a resource that a unit states."""
    ours = change.action.label if change else "no change"
    kind = str((theirs or {}).get("changeType", "nothing"))

    def differ(why: str, paths: tuple[str, ...] = ()) -> Disagreement:
        return Disagreement(id, put.unit, put.region, ours, kind, paths, why)

    action = change.action if change else Action.RECORD
    if theirs is None:
        yield differ("")
    elif kind == "Unsupported":
        yield differ(f"what-if cannot tell: {theirs.get('unsupportedReason') or 'Azure gives no reason'}")
    elif kind == "Ignore":
        yield differ("it is beyond what a what-if expands, so it was not looked at")
    elif action is Action.REFUSED and change is not None:
        yield differ(f"what-if sees what a template does, not whose a resource is or what is promised: {change.reason}")
    elif action is Action.CREATE or kind == "Create":
        if action is not Action.CREATE or kind != "Create":
            replaced = action is Action.REPLACE
            yield differ("it is deleted first, and what-if foresees what follows" if replaced else "")
    else:
        if action is Action.REPLACE and change is not None:
            yield differ(_why_replaced(change))
            return
        yield from _properties(change, theirs, kind, rows, differ)


def _why_replaced(change: Change) -> str:
    reasons = [edit.reason for edit in change.edits if edit.action is Action.REPLACE]
    return f"what-if does not know what cannot be changed in place: {reasons[0] if reasons else change.reason}"


def _properties(
    change: Change | None, theirs: Mapping[str, Any], kind: str, rows: TypePolicies, differ: Any
) -> Iterator[Disagreement]:
    """Yield where both differ about the properties of a resource that exists."""
    delta = theirs.get("delta") or ()
    edits = change.edits if change else ()
    reasons: dict[str, list[str]] = {}
    for each in delta:
        path = str(each.get("path", ""))
        if any(_meets(path, edit.path) for edit in edits):
            continue
        reasons.setdefault(_noise(path, each, rows), []).append(path)
    told = [str(each.get("path", "")) for each in delta]
    for edit in edits if kind != "Deploy" else ():
        if not any(_meets(path, edit.path) for path in told):
            why = _unseen(edit.path, edit.after, rows)
            reasons.setdefault(why, []).append(edit.path)
    for why, paths in reasons.items():
        yield differ(why, tuple(paths))


def _meets(theirs: str, ours: str) -> bool:
    """Return whether two paths are of the same property, or one is inside the other; items of lists are one list."""
    here, there = theirs.partition("[")[0].lower(), ours.partition("[")[0].lower()
    return here == there or here.startswith(f"{there}.") or there.startswith(f"{here}.")


def _unseen(path: str, after: Any, rows: TypePolicies) -> str:
    """Return why what-if does not show an edit; empty if there is no known reason."""
    if path in rows.hidden:
        return "Azure never shows it; the plan compares with what the stack recorded"
    if after is None:
        return "the template states null, which takes a value away, and what-if passes over it"
    if path.rpartition(".")[2] == "peeringState":
        return "no property differs; the other half of the peering is gone, so nothing passes"
    return ""


def _noise(path: str, delta: Mapping[str, Any], rows: TypePolicies) -> str:
    """Return why what-if shows a difference that is none; empty if there is no known reason."""
    kind, before, after = delta.get("propertyChangeType"), delta.get("before"), delta.get("after")
    leaf = path.rpartition(".")[2]
    if kind == "NoEffect":
        return "only Azure sets it, so stating it has no effect"
    if kind == "Create":
        if path in rows.hidden:
            return "Azure never shows it, so it always looks new; the plan compares with what the stack recorded"
        if leaf == "location":
            return "a child has no place of its own that Azure shows"
        return "nothing is stated, and nothing is there" if after in (None, [], {}) else ""
    if kind == "Delete":
        if path in _APART:
            return "these are resources of their own, and stay as they are"
        if leaf in VOLATILE:
            return "only Azure sets it"
        if rows.merges:
            return "it is not stated, and Azure keeps what a scale set's deployment does not state"
        if _is_default(before) or (path in rows.carried and before == rows.carried[path]):
            return "it is not stated, and is Azure's default"
        return ""
    if kind == "Array":
        children = delta.get("children") or ()
        if _same_items(children):
            return "the same items stand in another order"
        inner = {_noise_in_item(path, child, rows) for child in children}
        return next(iter(sorted(inner))) if inner and "" not in inner else ""
    if isinstance(before, str) and isinstance(after, str) and before.lower() == after.lower():
        return "Azure does not tell these letters' cases apart"
    return ""


def _noise_in_item(path: str, child: Mapping[str, Any], rows: TypePolicies) -> str:
    """Return why a difference inside an item of a list is none; the worst of several."""
    inner = child.get("children")
    if not inner:
        return _noise(str(child.get("path", "")), child, rows)
    found = [_noise(f"{path}[].{each.get('path', '')}", each, rows) for each in inner]
    return "" if "" in found else found[0]


def _same_items(children: Iterable[Mapping[str, Any]]) -> bool:
    listed = list(children)
    if any(each.get("children") for each in listed):
        return False
    before = sorted(repr(each["before"]).lower() for each in listed if each.get("before") is not None)
    after = sorted(repr(each["after"]).lower() for each in listed if each.get("after") is not None)
    return bool(before) and before == after


def _is_default(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_default(each) for each in value.values())
    return not value if isinstance(value, list) else value in _DEFAULTS
