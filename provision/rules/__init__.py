"""The rules: one file each, found by listing this folder in name order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from provision.catalog import Catalog
from provision.environment.problems import LOADER_RULES
from provision.findings import Finding, Rule, finding_of
from provision.source import Source


@cache
def rules() -> tuple[Rule, ...]:
    """Return every rule with a check, by name: the attribute of each module here that is named like it."""
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(getattr(import_module(f"{__name__}.{name}"), name) for name in names)


def all_rules() -> tuple[Rule, ...]:
    """Return every rule by id, those that the loader applies among them."""
    return tuple(sorted((*LOADER_RULES, *rules()), key=lambda rule: rule.id))


def findings_in(
    subject: object, sources: Sequence[Source], catalog: Catalog, own: Iterable[Rule] = ()
) -> Iterator[tuple[int, Finding]]:
    """Yield what our rules and the user's `own` find in what they are about, each with the number of its source.

    There is one source, but of a `Run`, which has one for each of its environments.
    """
    for rule in (*rules(), *own):
        if rule.check is not None and rule.subject is type(subject):
            for problem in rule.check(subject, catalog):
                yield problem.member, finding_of(rule, problem, sources[problem.member])
