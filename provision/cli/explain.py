"""`provision explain`: what a rule checks, why, and what to do about its findings."""

from __future__ import annotations

import click

from provision.cli.common import rules_option
from provision.errors import ProvisionError
from provision.findings import Rule
from provision.rules import all_rules


@click.command()
@click.argument("rule_id", metavar="[RULE]", required=False)
@rules_option
def explain(rule_id: str | None, own_rules: tuple[Rule, ...]) -> None:
    """Explain a rule or a check against Azure by its id; without one, list all."""
    from provision.report.rules import explained, listed

    rules = {rule.id: rule for rule in (*all_rules(), *own_rules)}
    if rule_id not in rules:  # the checks against Azure take a tenth of a second to import
        from provision.report.preflight import preflight_rules

        rules |= {rule.id: rule for rule in preflight_rules()}
    rules = dict(sorted(rules.items()))
    if rule_id is None:
        click.echo(listed(tuple(rules.values())), nl=False)
    elif rule_id in rules:
        click.echo(explained(rules[rule_id]), nl=False)
    else:
        from provision.near import nearest

        near = nearest(rule_id, rules)
        raise ProvisionError(
            f"there is no rule {rule_id}" + (f"; did you mean {near}?" if near else ""),
            fix="`provision explain` lists all rules",
        )
