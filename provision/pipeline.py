"""The whole pure path, from an environment file's text to what is to be deployed and what is wrong with it.

Nothing here touches the world: what a file holds comes through `read`, Azure's facts come as the catalog.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from provision.catalog import Catalog
from provision.environment import Environment, load, ssh_keys_of
from provision.findings import Finding, has_errors, in_order
from provision.rules import findings_in
from provision.source import Source
from provision.topology import Topology, topology_of

Read = Callable[[str], str]  # a path → the file's text; raises FileError


@dataclass(frozen=True, slots=True)
class Checked:
    """An environment file, checked. With an error among the findings there is no environment and no topology."""

    source: Source
    environment: Environment | None
    topology: Topology | None
    findings: tuple[Finding, ...]


def check(file: str, read: Read, catalog: Catalog) -> Checked:
    """Return what an environment file comes to. Raises FileError when it can't be read as an environment at all.

    Where the file has mistakes, the rules look at the rest of it, so that one run tells all that is wrong.
    """
    loaded = load(file, read(file))
    if loaded.readable is None:
        return Checked(loaded.source, None, None, loaded.findings)
    keys = ssh_keys_of(loaded.readable, file, read)
    topology = topology_of(loaded.readable, catalog, keys.texts)
    findings = list(loaded.findings)
    for subject in (loaded.readable, keys, topology):
        findings += findings_in(subject, loaded.source, catalog)
    if has_errors(findings):
        return Checked(loaded.source, None, None, in_order(findings))
    return Checked(loaded.source, loaded.environment, topology, in_order(findings))
