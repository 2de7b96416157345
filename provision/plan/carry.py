"""Decides what a body takes over from Azure: what others added, and a PUT without it would drop.

Also says what is taken away: where a PUT merges, a property left out would stay, so the body states null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from provision.catalog.changes import INDEX, Policy, TypePolicies, words_of
from provision.plan.diff import READ_ONLY, by_key
from provision.plan.model import Edit


def carried_body(
    template: Mapping[str, Any],
    observed: Mapping[str, Any],
    recorded: Mapping[str, Any] | None,
    edits: tuple[Edit, ...],
    rows: TypePolicies,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the resource as it is sent over `observed`, and the paths that it takes over from there."""
    body = dict(template)
    before = recorded or {}
    kept = [*_carry_tags(body, observed, before)]
    for path, policies in rows.rows.items():
        row = policies[0]
        if row.keep and (row.key or row.set):
            kept += _carry_elements(body, observed, before, path.split("."), row, path)
    for path, default in rows.carried.items():
        keys = path.split(".")
        value = _at(observed, keys)
        if value not in (None, [], {}, default) and _at(body, keys) is None and _at(before, keys) is None:
            _put(body, keys, writable(value))
            kept.append(path)
    if rows.merges:
        for edit in edits:
            if edit.after is None and not edit.path.startswith("tags"):
                _remove(body, edit.path, rows)
        for path, policies in rows.rows.items():
            if policies[0].action == "replace" and policies[0].default is not None:
                _leave_out_default(body, observed, path.split("."), policies[0].default)
            if policies[0].words:
                kept += _carry_words(body, observed, before, path.split("."), rows)
            elif policies[0].members:
                kept += _others_members(template, observed, before, path.split("."))
    return body, tuple(kept)


def _carry_tags(body: dict[str, Any], observed: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    stated = {name.lower() for name in body.get("tags") or {}}
    recorded = {name.lower() for name in before.get("tags") or {}}
    kept = []
    for name, value in sorted((observed.get("tags") or {}).items()):
        if name.lower() not in stated | recorded:
            _put(body, ["tags", name], value)
            kept.append(f"tags.{name}")
    return kept


def _carry_elements(
    body: dict[str, Any],
    observed: Mapping[str, Any],
    before: Mapping[str, Any],
    keys: list[str],
    row: Policy,
    path: str,
) -> list[str]:
    there, stated, recorded = (_at(b, keys) or [] for b in (observed, body, before))
    kept: list[str] = []
    if row.set:
        foreign = [item for item in there if item not in stated and item not in recorded]
        kept = [f"{path}[{item}]" for item in foreign]
    else:
        known = by_key(stated, row).keys() | by_key(recorded, row).keys()
        others = {name: item for name, item in by_key(there, row).items() if name not in known}
        foreign = [writable(item, keep=row.key) for item in others.values()]
        kept = [f"{path}[{item[row.key]}]" for item in others.values()]
    if foreign:
        _put(body, keys, [*stated, *foreign])
    return kept


def _leave_out_default(body: dict[str, Any], observed: Mapping[str, Any], keys: list[str], default: Any) -> None:
    """Leave out what Azure means anyway by reporting nothing, and would refuse to be told of what it never changes."""
    if _at(body, keys) == default and _at(observed, keys) is None:
        _drop(body, keys)


def _drop(body: dict[str, Any], keys: list[str]) -> None:
    """Take a value out of a body, and what stands around it where nothing else is in there."""
    head, *rest = keys
    if rest:
        body[head] = dict(body[head])
        _drop(body[head], rest)
        if body[head]:
            return
    del body[head]


def _carry_words(
    body: dict[str, Any], observed: Mapping[str, Any], before: Mapping[str, Any], keys: list[str], rows: TypePolicies
) -> list[str]:
    """Take over what others have put into a text that lists words; return what was kept.

    Where the text is not sent at all, it stays as it is, for the PUT merges. As long as others have members beside ours
    in the same map, the words that they came with stay as well.
    """
    stated = _at(body, keys)
    recorded = words_of(_at(before, keys))
    if stated is None:
        others = [word for word in words_of(_at(observed, keys)) if word not in recorded]
        return [f"{'.'.join(keys)}[{word}]" for word in others]
    for path in _member_maps(rows, keys[:-1]):
        mine = _at(before, path) or {}
        if {name.lower() for name in _at(observed, path) or {}} - {name.lower() for name in mine}:
            recorded = ()
            stays = {name.lower() for name in _at(body, path) or {}}
            for name in mine:
                if name.lower() not in stays:
                    _put(body, [*path, name], None)
    ours = {*words_of(stated), *recorded}
    foreign = [word for word in words_of(_at(observed, keys)) if word not in ours]
    if foreign:
        _put(body, keys, ", ".join(sorted({*words_of(stated), *foreign})))
    return [f"{'.'.join(keys)}[{word}]" for word in foreign]


def _others_members(
    template: Mapping[str, Any], observed: Mapping[str, Any], before: Mapping[str, Any], keys: list[str]
) -> list[str]:
    """Return what others have put into a map whose keys alone count; it stays, for the PUT merges."""
    ours = {name.lower() for body in (template, before) for name in _at(body, keys) or {}}
    return [f"{'.'.join(keys)}[{name}]" for name in _at(observed, keys) or {} if name.lower() not in ours]


def _member_maps(rows: TypePolicies, parent: list[str]) -> list[list[str]]:
    beneath = ".".join(parent) + "."
    return [path.split(".") for path, found in rows.rows.items() if path.startswith(beneath) and found[0].members]


def writable(value: Any, keep: str | None = None) -> Any:
    """Return a value without what Azure adds; a reference, which is nothing but an `id`, stays whole."""
    if isinstance(value, Mapping):
        if set(value) == {"id"}:
            return dict(value)
        return {k: writable(v) for k, v in value.items() if k == keep or k not in READ_ONLY}
    return [writable(item) for item in value] if isinstance(value, list) else value


def _at(body: Mapping[str, Any], keys: list[str]) -> Any:
    value: Any = body
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _put(body: dict[str, Any], keys: list[str], value: Any) -> None:
    """Set a value inside a body. What stands around it is copied: the template that it comes from stays as it is."""
    for key in keys[:-1]:
        inner = dict(body.get(key, {}))
        body[key] = inner
        body = inner
    body[keys[-1]] = value


def _remove(body: dict[str, Any], path: str, rows: TypePolicies) -> None:
    """State null at a path, or what stands for it; of a list's element, the list without it."""
    keys = INDEX.sub("", path).split(".") if path.endswith("]") else path.split(".")
    if path.endswith("]") and rows.exactly(path.partition("[")[0]).members:
        if isinstance(_at(body, keys), Mapping):
            _put(body, [*keys, path.partition("[")[2][:-1]], None)
    elif path.endswith("]"):
        if _at(body, keys) is None:
            _put(body, keys, [])
    elif "[" not in path:
        _put(body, keys, rows.exactly(path).gone)
