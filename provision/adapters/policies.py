"""Reads what changes of properties mean."""

from __future__ import annotations

from functools import cache
from importlib import resources

from provision.catalog.changes import Policies, policies_from


@cache
def load_policies() -> Policies:
    """Return the policies that come with the tool."""
    package = resources.files("provision")
    return policies_from(lambda name: package.joinpath(name).read_text("utf-8"))
