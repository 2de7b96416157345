"""An environment file is kept in a repository, and everybody who can read that can read what is in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from provision.catalog import Catalog
from provision.environment import Written
from provision.environment.secret_shapes import secret_in, secret_under
from provision.findings import Problem, Severity, rule
from provision.source import Path

#: Where another rule looks, which knows what becomes of the values.
_ELSEWHERE = frozenset({"tags", "extensions", "values"})


@rule(
    id="secret-in-environment",
    subject=Written,
    severity=Severity.ERROR,
    why="environment files are kept in repositories, which keep what was once in them, for everybody who can read them",
    link="https://learn.microsoft.com/azure/key-vault/general/overview",
    remedy="keep it in Key Vault, name it by a ${VARIABLE} where it must be, and change what has been written down",
)
def secret_in_environment(written: Written, catalog: Catalog) -> Iterator[Problem]:
    """Yield what looks like a secret anywhere else in the file, also in `x-…` keys. It is never shown."""
    yield from _problems((), written.data)


def _problems(at: Path, value: Any) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key not in _ELSEWHERE:
                yield from _problems((*at, key), item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _problems((*at, index), item)
    elif isinstance(value, str):
        own = bool(at) and str(at[0]).startswith("x-")
        kind = secret_under(str(at[-1]), value) if own else secret_in(value)
        if kind:
            yield Problem(
                at=at,
                message=f"this looks like {kind}",
                fix="take it out of the file and of the repository's history, and change it",
                secret=True,
            )
