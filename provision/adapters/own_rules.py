"""Finds rules that do not come with the tool: in folders, and in installed packages that offer some."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from provision.errors import FileError, ProvisionError
from provision.findings import Problem, Rule
from provision.rules import all_rules

#: Packages offer rules under this group; each entry names a rule.
GROUP = "provision.rules"
#: What passes through somebody's code and is not its mistake. All else is, `sys.exit()` too: a rule must not end a run
#: with a code of its own, as if all were well.
_NO_MISTAKES = (KeyboardInterrupt, GeneratorExit)


def own_rules(folders: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of installed packages and of folders, by id.

    A folder is laid out as ours: a file for each rule, and in it an attribute of the same name. Files whose names begin
    with an underscore hold what several share. Raises ProvisionError of what is no rule, or has an id that is taken.
    """
    found: dict[str, tuple[str, Rule]] = {rule.id: ("provision", rule) for rule in all_rules()}
    ours = set(found)
    for origin, rule in (*_of_packages(), *(pair for folder in folders for pair in _in_folder(folder))):
        if rule.id in found:
            fix = "give it an id of its own; a prefix, such as your team's name, keeps it apart"
            raise FileError(origin, f"a rule {rule.id} comes from {found[rule.id][0]} already", fix=fix)
        found[rule.id] = origin, _guarded(rule, origin)
    return tuple(found[id][1] for id in sorted(found) if id not in ours)


def _of_packages() -> Iterator[tuple[str, Rule]]:
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        yield _told(entry), _rule_in(_told(entry), _loaded(entry))


def _told(entry: EntryPoint) -> str:
    return f"{entry.dist.name if entry.dist else GROUP}:{entry.value}"


def _loaded(entry: EntryPoint) -> object:
    try:
        return entry.load()
    except _NO_MISTAKES:
        raise
    except BaseException as error:
        raise FileError(_told(entry), f"the rule can't be loaded: {_said(error)}") from error


def _in_folder(folder: str) -> Iterator[tuple[str, Rule]]:
    path = Path(folder)
    if not path.is_dir():
        raise FileError(folder, "there is no such folder", fix="name a folder with a file for each rule")
    for file in sorted(path.glob("*.py")):
        if not file.name.startswith("_"):
            yield str(file), _rule_in(str(file), getattr(_module(file), file.stem, None))


def _module(file: Path) -> ModuleType:
    """Return a rule's file as a module; what lies beside it can be imported by its plain name."""
    spec = importlib.util.spec_from_file_location(f"provision_own_rules.{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except _NO_MISTAKES:
        raise
    except BaseException as error:
        raise FileError(
            str(file), f"the rule can't be loaded: {_said(error)}", line=_line(error, str(file)), fix="mend the file"
        ) from error
    finally:
        sys.path.remove(str(file.parent))
    return module


def _rule_in(origin: str, value: object) -> Rule:
    if isinstance(value, Rule) and value.check is not None:
        return value
    name = Path(origin).stem
    raise FileError(
        origin, f"there is no rule called {name} in it", fix=f"define {name} with the decorator provision.findings.rule"
    )


def _guarded(rule: Rule, origin: str) -> Rule:
    """Return a rule whose own mistakes end the run with its name and line, as no mistake of ours."""
    check = rule.check
    assert check is not None, "_rule_in has seen to it"

    def guarded(subject: Any, catalog: Any) -> Iterator[Problem]:
        try:
            for problem in check(subject, catalog):
                if not isinstance(problem, Problem):
                    raise TypeError(f"it yields {problem!r:.80}, which is no Problem")
                yield problem
        except (ProvisionError, *_NO_MISTAKES):
            raise
        except BaseException as error:
            line = _line(error, origin)
            raise FileError(origin, f"the rule {rule.id} fails: {_said(error)}", line=line, fix="mend it") from error

    return replace(rule, check=guarded)


def _line(error: BaseException, file: str) -> int:
    """Return the innermost line of a file that an exception passed through, 0 if none."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 0
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else 0


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
