"""Decides how one resource differs: stated against observed, with what was recorded as the third.

A property only in observed is Azure's default or somebody else's, so it is no difference. One that was recorded and is
no longer stated is. What both state the same and Azure reports otherwise was changed by somebody else: drift.

Bodies are JSON's plain values. They are told apart by `dict` and `list`, because a fleet has a million of them and
Python takes ten times as long to ask whether one is a `Mapping`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from provision.catalog.changes import UNKNOWN, Policy, TypePolicies, words_of
from provision.plan.model import Action, Edit
from provision.plan.record import hashed

#: What Azure adds to the elements of lists and refuses or ignores in a request.
READ_ONLY = frozenset({"id", "etag", "type", "provisioningState", "resourceGuid"})

#: What stands for a value that Azure never shows and no stack recorded.
NOT_SHOWN = "not shown by Azure"

#: Azure does not tell these from an absent property.
_EMPTY: tuple[Any, ...] = (None, [], {}, ())


@dataclass(frozen=True, slots=True)
class Difference:
    """A path where two bodies differ; `recorded` is what was last sent there."""

    path: str
    before: Any
    after: Any
    recorded: Any


def differences(
    stated: Mapping[str, Any], observed: Mapping[str, Any], recorded: Mapping[str, Any] | None, rows: TypePolicies
) -> list[Difference]:
    """Return where a resource differs from what is stated, in the order of the stated body."""
    return list(_walk("", stated, observed, recorded, rows))


def edits_of(
    stated: Mapping[str, Any],
    observed: Mapping[str, Any],
    recorded: Mapping[str, Any] | None,
    rows: TypePolicies,
    origin_of: Callable[[str], str],
    rolls: bool = False,
    applied: bool = True,
) -> tuple[Edit, ...]:
    """Return the edits that make `observed` what is stated.

    `origin_of` names the place in the environment file that causes an edit of a path. `rolls`: Azure itself upgrades
    the nodes of the set after a change of its model. `applied`: what was recorded has once been so in Azure; only then
    is what differs from it somebody else's doing.
    """
    found = differences(stated, observed, recorded, rows)
    bodies = (observed, stated)
    return tuple(_edit(difference, bodies, rows, origin_of, rolls, applied) for difference in found)


def _edit(
    difference: Difference,
    bodies: tuple[Mapping[str, Any], Mapping[str, Any]],
    rows: TypePolicies,
    origin_of: Callable[[str], str],
    rolls: bool,
    applied: bool,
) -> Edit:
    policy = rows.policy(difference.path, difference.before, difference.after, *bodies)
    recorded = difference.recorded
    drift = applied and recorded is not None and _same(recorded, difference.after, policy, difference.path)
    reason = policy.why if policy is not UNKNOWN else f"{difference.path} is {policy.why}"
    return Edit(
        path=difference.path,
        before=difference.before,
        after=difference.after,
        action=action_of(policy.action, rolls),
        reason=reason + ("; changed in Azure since the last apply, which this reverts" if drift else ""),
        link=rows.link,
        origin=origin_of(difference.path),
        drift=drift,
    )


def action_of(name: str, rolls: bool) -> Action:
    """Return the action that a row of the table names; `rolls`: Azure itself upgrades the nodes of the set."""
    if name == "model":
        return Action.ROLL if rolls else Action.UPDATE_MODEL
    return Action[name.upper().replace("-", "_")]


def _walk(path: str, stated: Any, observed: Any, recorded: Any, rows: TypePolicies) -> Iterator[Difference]:
    if rows.unknown and recorded == stated and _is_as_sent(stated, observed):
        return
    if isinstance(stated, dict):
        yield from _walk_map(path, stated, observed, recorded, rows)
    elif isinstance(stated, list | tuple):
        yield from _walk_list(path, stated, observed, recorded, rows)
    elif stated != observed and not _same(stated, observed, _row(rows, path), path):
        yield Difference(path, observed, stated, recorded)


def _walk_map(
    path: str, stated: Mapping[str, Any], observed: Any, recorded: Any, rows: TypePolicies
) -> Iterator[Difference]:
    there = observed if isinstance(observed, dict) else {}
    before = recorded if isinstance(recorded, dict) else {}
    hidden = rows.hidden
    if rows.exactly(path).members:
        yield from _walk_members(path, stated, there, before)
        return
    for key, value in stated.items():
        where = _join(path, key)
        if where in hidden:
            # Azure never shows it, so only what was recorded can tell whether it changes; without that, it may.
            known = NOT_SHOWN if recorded is None else before.get(key)
            if hashed(value) != known:
                yield Difference(where, known, hashed(value), None)
            continue
        inner: dict[str, Any] | None = {} if recorded is not None and isinstance(value, dict) else None
        yield from _walk(where, value, _get(there, key, path), before.get(key, inner), rows)
    for key, value in before.items():
        if key in stated or _get(stated, key, path) is not None:
            continue
        where = _join(path, key)
        if where in hidden:
            yield Difference(where, value, None, None)
        elif (now := _get(there, key, path)) not in _EMPTY:
            yield from _taken_away(where, now, value, rows)


def _walk_members(
    path: str, stated: Mapping[str, Any], there: Mapping[str, Any], before: Mapping[str, Any]
) -> Iterator[Difference]:
    wanted, found, ours = ({name.lower(): name for name in body} for body in (stated, there, before))
    for key, name in wanted.items():
        if key not in found:
            yield Difference(f"{path}[{name}]", None, stated[name], before.get(ours.get(key, "")))
    for key, name in found.items():
        if key in ours and key not in wanted:
            yield Difference(f"{path}[{name}]", {}, None, None)


def _taken_away(path: str, observed: Any, recorded: Any, rows: TypePolicies) -> Iterator[Difference]:
    """Yield what was stated once and no longer is; what others have put beside it is theirs."""
    if isinstance(recorded, dict) and set(recorded) != {"id"}:  # a reference goes as a whole
        yield from _walk_map(path, {}, observed, recorded, rows)
    elif isinstance(recorded, list | tuple) and rows.exactly(path).key is not None:
        yield from _walk_list(path, [], observed, recorded, rows)
    elif not rows.exactly(path).words or set(words_of(recorded)) & set(words_of(observed)):
        yield Difference(path, observed, None, recorded)


def _walk_list(
    path: str, stated: Sequence[Any], observed: Any, recorded: Any, rows: TypePolicies
) -> Iterator[Difference]:
    row = rows.exactly(path)
    there = list(observed) if isinstance(observed, list | tuple) else []
    before = list(recorded) if isinstance(recorded, list | tuple) else []
    if row.key is not None:
        yield from _walk_keyed(path, row, stated, there, before, rows)
    elif row.set:
        kept = [item for item in there if row.keep and not _holds(before, item, row) and not _holds(stated, item, row)]
        mine = [item for item in there if item not in kept]
        if not (all(_holds(mine, i, row) for i in stated) and all(_holds(stated, i, row) for i in mine)):
            yield Difference(path, mine, list(stated), before or None)
    elif len(stated) != len(there):
        yield Difference(path, there, list(stated), before or None)
    else:
        for index, item in enumerate(stated):
            old = before[index] if index < len(before) else None
            yield from _walk(f"{path}[{index}]", item, there[index], old, rows)


def _walk_keyed(
    path: str, row: Policy, stated: Sequence[Any], there: list[Any], before: list[Any], rows: TypePolicies
) -> Iterator[Difference]:
    observed, recorded = by_key(there, row), by_key(before, row)
    names = by_key(stated, row)
    for name, item in names.items():
        where = f"{path}[{item[row.key]}]"
        if name not in observed:
            yield Difference(where, None, item, recorded.get(name))
        else:
            yield from _walk(where, item, observed[name], recorded.get(name), rows)
            if not rows.merges:
                yield from _added_within(where, item, observed[name])
    for name, item in observed.items():
        if name not in names and (name in recorded or not row.keep):
            yield Difference(f"{path}[{item[row.key]}]", item, None, recorded.get(name))


def _added_within(path: str, stated: Any, observed: Any) -> Iterator[Difference]:
    """Yield what somebody has put into an element of ours that a PUT replaces, and that so goes with the next one."""
    theirs, ours = observed.get("properties") or {}, stated.get("properties") or {}
    for key, value in theirs.items():
        if key not in ours and key not in READ_ONLY and value not in _EMPTY:
            yield Difference(f"{path}.properties.{key}", value, None, None)


def by_key(items: Sequence[Any], row: Policy) -> dict[str, Any]:
    """Return a list's elements by the property that tells them apart, in lower case."""
    return {str(item[row.key]).lower(): item for item in items if isinstance(item, dict) and row.key in item}


def _holds(items: Sequence[Any], item: Any, row: Policy) -> bool:
    return any(_same(other, item, row, row.path) for other in items)


def _same(stated: Any, observed: Any, row: Policy, path: str) -> bool:
    """Return whether two values mean the same to Azure."""
    if stated == observed or (stated in _EMPTY and observed in _EMPTY):
        return True
    if observed is None:
        return row.default is not None and stated == row.default and row.path == path
    if isinstance(stated, str) and isinstance(observed, str):
        if row.words:
            return set(words_of(stated)) <= set(words_of(observed))
        if path == "location":
            return stated.replace(" ", "").lower() == observed.replace(" ", "").lower()
        ids = stated.startswith("/subscriptions/") and observed.startswith("/")
        return (row.fold or ids) and stated.lower() == observed.lower()
    return False


def _is_as_sent(sent: Any, observed: Any) -> bool:
    """Return whether Azure may report what was sent by this: some values it hides, others it writes in its own case."""
    both_text = isinstance(sent, str) and isinstance(observed, str)
    return observed is None or (both_text and sent.lower() == observed.lower())


def _row(rows: TypePolicies, path: str) -> Policy:
    return next(iter(rows.covering(path)), UNKNOWN)


def _get(body: Mapping[str, Any], key: str, path: str) -> Any:
    """Return a property; the names of tags compare without case, as Azure's do."""
    if key in body or path != "tags":
        return body.get(key)
    return next((value for name, value in body.items() if name.lower() == key.lower()), None)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
