"""Tells where a value is a resource id that a shell on Windows has taken for a path (azure-cli#14299).

Git Bash puts its own folder in front of arguments, and of variables of a command, that begin with a slash.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from provision.environment.tree import at
from provision.findings import Problem

_REWRITTEN = re.compile(r"[A-Za-z]:[\\/].*?[\\/](?=subscriptions[\\/])")


def with_shell_told(problem: Problem, data: Any) -> Problem:
    """Return a problem, with the cures as its fix where its value is an id that a shell has rewritten."""
    try:
        value = at(data, problem.at)
    except (KeyError, IndexError, TypeError):
        return problem  # about something that is not there
    if not isinstance(value, str) or not _REWRITTEN.match(value):
        return problem
    fix = (
        "this looks like a resource id that Git Bash has rewritten as a path of Windows: begin it with two slashes "
        "where it is typed, or set MSYS_NO_PATHCONV=1"
    )
    return replace(problem, fix=fix)
