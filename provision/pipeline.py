"""The whole pure path, from an environment file's text to what is to be deployed and what is wrong with it.

Nothing here touches the world: what a file holds comes through `read`, Azure's facts come as the catalog, variables
and today's date as values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from provision.catalog import Catalog
from provision.environment import (
    Environment,
    ReadFolder,
    Setting,
    Suppressed,
    Templates,
    Written,
    boot_files_of,
    load,
    nothing_read,
    own_templates_of,
    ssh_keys_of,
    suppressed,
    weighed,
)
from provision.environment.inputs import Inputs
from provision.environment.problems import LOADER_RULES
from provision.environment.secret_shapes import secret_in
from provision.findings import Finding, Rule, Severity, has_errors, in_order
from provision.rules import findings_in, rules
from provision.source import Source
from provision.topology import Run, Topology, topology_of

if TYPE_CHECKING:
    from provision.catalog.changes import Policies
    from provision.plan import Chosen, Context, Observed, Plan
    from provision.plan.adopt import Adoption
    from provision.render import Unit

_SECRET_RULES = frozenset({"secret-in-environment", "secret-in-settings"})

Read = Callable[[str], str]  # a path → the file's text; raises FileError


@dataclass(frozen=True, slots=True)
class Checked:
    """An environment file, checked. With an error among the findings there is no environment and no topology.

    `data` is what the file comes to, composed and without defaults; `settings` are the `--set` that it was made with;
    `own` are its templates of its own. `inputs`: a digest of each file that was read for it, its own first.
    """

    source: Source
    data: Mapping[str, Any]
    environment: Environment | None
    topology: Topology | None
    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...] = ()
    settings: tuple[str, ...] = ()
    own: Templates = field(default_factory=Templates)
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def accepted(self) -> tuple[str, ...]:
        """Return the findings that the file accepts, and why, as a plan tells them."""
        return tuple(each.told() for each in self.suppressed)


def check(
    file: str,
    read: Read,
    catalog: Catalog,
    *,
    variables: Mapping[str, str] | None = None,
    settings: tuple[Setting, ...] = (),
    today: date | None = None,
    own_rules: tuple[Rule, ...] = (),
    read_folder: ReadFolder = nothing_read,
) -> Checked:
    """Return what an environment file comes to. Raises FileError when it can't be read as an environment at all.

    `variables` fill in `${NAME}`, `settings` win over the file; without `today` no suppression is expired, and an
    image's end is told from its row; `own_rules` are applied beside ours; `read_folder` gives templates of the file's
    own. Where the file has mistakes, the rules look at the rest of it, so that one run tells all that is wrong.
    """
    catalog = replace(catalog, today=today.isoformat() if today else "")
    inputs = Inputs()
    read = inputs.noting(read)
    loaded = load(file, read, variables, settings)
    given = tuple(setting.text for setting in settings)
    if loaded.readable is None:
        return Checked(loaded.source, loaded.data, None, None, loaded.findings, settings=given, inputs=inputs.digests)
    keys = ssh_keys_of(loaded.readable, file, read)
    boot = boot_files_of(loaded.readable, file, read)
    own = own_templates_of(loaded.readable, file, inputs.noting_folder(read_folder))
    topology = topology_of(loaded.readable, catalog, {**keys.texts, **boot.texts})
    found = list(loaded.findings)
    for subject in (Written(loaded.data), loaded.readable, keys, boot, own, topology):
        found += (finding for _, finding in findings_in(subject, [loaded.source], catalog, own_rules))
    suppressible = {**_suppressible(), **{rule.id: rule.suppressible for rule in own_rules}}
    found = weighed(found, loaded.readable.severity, suppressible, loaded.source)
    findings, accepted = suppressed(
        in_order(found),
        loaded.readable.suppress,
        suppressible,
        loaded.source,
        today=today,
        whole=loaded.environment is not None,
    )
    environment = None if has_errors(findings) else loaded.environment
    return Checked(
        loaded.source,
        loaded.data,
        environment,
        None if environment is None else topology,
        _without_secret_lines(in_order(findings)),
        tuple(accepted),
        given,
        own.templates,
        inputs.digests,
    )


def _without_secret_lines(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Return findings none of which shows a line with a secret, whatever it finds there itself."""
    secret = {(each.file, each.line) for each in findings if each.rule in _SECRET_RULES and not each.source_line}
    return tuple(
        replace(each, source_line="") if (each.file, each.line) in secret or secret_in(each.source_line) else each
        for each in findings
    )


def check_together(checked: Sequence[Checked], catalog: Catalog, own_rules: tuple[Rule, ...] = ()) -> list[Checked]:
    """Return the environments of one run with what is wrong between them added to the later one's findings."""
    laid_out = {number: each.topology for number, each in enumerate(checked) if each.topology is not None}
    run = Run(tuple(laid_out.values()))
    sources = [checked[number].source for number in laid_out]
    result = list(checked)
    for member, finding in findings_in(run, sources, catalog, own_rules):
        number = list(laid_out)[member]
        findings = in_order((*result[number].findings, finding))
        result[number] = replace(result[number], findings=findings)
        if has_errors(findings):
            result[number] = replace(result[number], environment=None, topology=None)
    return result


@cache
def _suppressible() -> Mapping[str, bool]:
    """Return the ids of all rules, and whether their findings can be suppressed; an error of reading can't."""
    readers = {rule.id: rule.suppressible and rule.severity is not Severity.ERROR for rule in LOADER_RULES}
    return {**readers, **{rule.id: rule.suppressible for rule in rules()}}


def rendered(checked: Checked, catalog: Catalog, templates: Mapping[str, str]) -> tuple[Unit, ...]:
    """Return the deployment units of an environment without errors, as they are sent. Raises RenderError."""
    from provision.render import arm_units  # the template engine costs a verb that renders nothing 0.1 s

    assert checked.topology is not None, "an environment without errors has a topology"
    return arm_units(checked.topology, catalog, templates, checked.own)


def planned(
    checked: Checked,
    units: tuple[Unit, ...],
    observed: Observed,
    catalog: Catalog,
    policies: Policies,
    chosen: Chosen | None = None,
) -> Plan:
    """Return the plan that makes Azure, as `observed`, what the environment states, or a part of it that is chosen."""
    from provision.plan import plan_of

    assert checked.environment is not None
    assert checked.topology is not None
    context = _context(checked, observed, catalog, policies)
    plan = plan_of(context, checked.topology, units, checked.environment.limits, chosen)
    return replace(plan, settings=checked.settings, accepted=checked.accepted, inputs=checked.inputs)


def adopted(
    checked: Checked, units: tuple[Unit, ...], observed: Observed, catalog: Catalog, policies: Policies
) -> Adoption:
    """Return what it comes to if the environment takes over what it states and somebody else has made."""
    from provision.plan.adopt import adoption_of

    assert checked.environment is not None
    assert checked.topology is not None
    context = _context(checked, observed, catalog, policies)
    limits, stated = checked.environment.limits, checked.source.keys
    adoption = adoption_of(context, checked.topology, units, limits, stated)
    after = replace(adoption.after, settings=checked.settings, accepted=checked.accepted, inputs=checked.inputs)
    return replace(adoption, after=after)


def _context(checked: Checked, observed: Observed, catalog: Catalog, policies: Policies) -> Context:
    from provision.plan import Context

    assert checked.environment is not None
    return Context(
        environment=checked.environment.name,
        subscription=checked.environment.subscription,
        observed=observed,
        policies=policies,
        catalog=catalog,
        locate=checked.source.located,
        prices=checked.environment.prices,
        ignored=checked.environment.ignore,
    )
