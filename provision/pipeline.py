"""The whole pure path, from an environment file's text to what is to be deployed and what is wrong with it.

Nothing here touches the world: what a file holds comes through `read`, Azure's facts come as the catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from provision.catalog import Catalog
from provision.environment import Environment, load, ssh_keys_of
from provision.findings import Finding, has_errors, in_order
from provision.rules import findings_in
from provision.source import Source
from provision.topology import Topology, topology_of

if TYPE_CHECKING:
    from provision.catalog.changes import Policies
    from provision.plan import Observed, Plan
    from provision.render import Unit

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


def rendered(checked: Checked, catalog: Catalog, templates: Mapping[str, str]) -> tuple[Unit, ...]:
    """Return the deployment units of an environment without errors, as they are sent. Raises RenderError."""
    from provision.render import arm_units  # the template engine costs a verb that renders nothing 0.1 s

    assert checked.topology is not None, "an environment without errors has a topology"
    return arm_units(checked.topology, catalog, templates)


def planned(
    checked: Checked, units: tuple[Unit, ...], observed: Observed, catalog: Catalog, policies: Policies
) -> Plan:
    """Return the plan that makes Azure, as `observed`, what the environment states."""
    from provision.plan import Context, plan_of

    assert checked.environment is not None
    assert checked.topology is not None
    context = Context(
        environment=checked.environment.name,
        subscription=checked.environment.subscription,
        observed=observed,
        policies=policies,
        catalog=catalog,
        locate=checked.source.located,
    )
    return plan_of(context, checked.topology, units, checked.environment.limits)
