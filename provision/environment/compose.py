"""Decides how an environment is composed: a file over the file that it extends, and `--set` over both.

Maps merge at every level, lists and scalars replace, null removes. It is done on what was read, each value with its
place, before anything is said about what the values should be.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from provision.environment.problems import BASE_UNREADABLE, WRONG_TYPE
from provision.environment.settings import Setting, values_of_setting
from provision.environment.walk import Values
from provision.environment.yaml_values import values_of
from provision.errors import FileError
from provision.findings import Problem, Rule, finding_of
from provision.source import Path, Source, beside, is_within

_EXTENDS = "extends"

#: Keys whose value is a path relative to the file that says it; `*` stands for a name that the user chooses.
_FILES: tuple[Path, ...] = (
    ("pools", "*", "ssh_public_key_file"),
    ("pools", "*", "cloud_init_file"),
    ("templates",),
)


def composed(file: str, read: Callable[[str], str], settings: Iterable[Setting] = ()) -> Values:
    """Return the values of a file over those that it extends, and of the settings over both, the last on top.

    Paths in it are relative to the file. Raises FileError of a file or a setting that is no YAML.
    """
    chain = _chain(file, read)
    values = chain[-1]
    for over in reversed(chain[:-1]):
        values = merged(values, over)
    for setting in settings:
        values = merged(values, values_of_setting(setting), beneath=setting.path)
    return replace(values, source=replace(values.source, file=file))


def _chain(file: str, read: Callable[[str], str]) -> list[Values]:
    """Return a file's values, then those of the file that it extends, and so on.

    Where the chain breaks, the last that could be read has a finding.
    """
    values, extends = _without_extends(values_of(file, read(file)))
    chain, names = [values], [_normal(file)]
    near = ""  # the path to the last file from the folder of the first
    while extends is not None:
        near, name = _normal(beside(near, extends)), _normal(beside(names[-1], extends))
        try:
            if name in names:
                raise FileError(name, "it extends this one in its turn, so there is no end")
            text = read(name)
        except FileError as error:
            chain[-1] = _reported(chain[-1], BASE_UNREADABLE, f"{name} can't be extended: {error.message}")
            break
        values, extends = _without_extends(values_of(name, text))
        chain.append(_with_paths_from(near, values))
        names.append(name)
    return chain


def _normal(path: str) -> str:
    """Return a path as short as it can be written: `a/../b` is `b`."""
    return posixpath.normpath(path)


def merged(base: Values, over: Values, beneath: Path = ()) -> Values:
    """Return one file's values over another's.

    A map that both have stands where `over` has it; with `beneath`, the maps outside that path stand where `base` has
    them.
    """
    cut: set[Path] = set()
    data = _merged(base.data, over.data, (), cut)

    def tables(below: Mapping[Path, Any], above: Mapping[Path, Any]) -> dict[Path, Any]:
        kept = {path: value for path, value in below.items() if not is_within(path, cut)}
        inside = {path: at for path, at in above.items() if path[: len(beneath)] == beneath or path not in kept}
        return {**kept, **inside}

    source = Source(
        over.source.file,
        {**base.source.lines, **over.source.lines},
        tables(base.source.values, over.source.values),
        tables(base.source.keys, over.source.keys),
    )
    reported = {path for path in base.reported if not is_within(path, cut)} | over.reported
    findings = (*base.findings, *over.findings)
    return Values(data, source, tables(base.typed, over.typed), findings, frozenset(reported))


def _merged(base: Any, over: Any, path: Path, cut: set[Path]) -> Any:
    """Return `over` on top of `base`; `cut` collects the paths whose value in `base` is no longer there."""
    if not isinstance(base, Mapping) or not isinstance(over, Mapping):
        cut.add(path)
        return over
    found = dict(base)
    for key, value in over.items():
        at = (*path, key)
        if key not in base:
            found[key] = value
        elif value is None:
            cut.add(at)
            del found[key]
        else:
            found[key] = _merged(base[key], value, at, cut)
    return found


def _without_extends(values: Values) -> tuple[Values, str | None]:
    """Return a file's values without `extends`, and the path that it names; a finding where that is no path."""
    if _EXTENDS not in values.data:
        return values, None
    named = values.data[_EXTENDS]
    rest = replace(values, data={key: value for key, value in values.data.items() if key != _EXTENDS})
    if named is None or (_EXTENDS,) in values.reported:
        return rest, None
    if not isinstance(named, str) or not named:
        return _reported(rest, WRONG_TYPE, "extends is no text; the path of one file is wanted"), None
    if "${" in named:
        return _reported(rest, BASE_UNREADABLE, f"extends {named}; variables have no place in it"), None
    return rest, named


def _reported(values: Values, rule: Rule, message: str) -> Values:
    fix = "write the path of a file, relative to this one, such as base.yaml"
    found = finding_of(rule, Problem((_EXTENDS,), message, fix), values.source)
    return replace(values, findings=(*values.findings, found))


def _with_paths_from(near: str, values: Values) -> Values:
    """Return a base's values with its relative paths written from the folder of the file that everything extends."""
    data = values.data
    for path in _FILES:
        data = _changed(data, path, lambda text: text if text.startswith("${") else beside(near, text))
    return replace(values, data=data)


def _changed(data: Any, path: Path, change: Callable[[str], str]) -> Any:
    """Return data with the texts at a path changed."""
    if not path:
        return change(data) if isinstance(data, str) else data
    if not isinstance(data, Mapping):
        return data
    head, *rest = path
    keys = list(data) if head == "*" else [head] if head in data else []
    return {**data, **{key: _changed(data[key], tuple(rest), change) for key in keys}}
