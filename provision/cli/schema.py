"""`provision schema`: what may stand in environment files and plans, for editors, other tools and readers."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("what", metavar="[environment|plan]", type=click.Choice(["environment", "plan"]), default="environment")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["json", "markdown"]),
    default="json",
    help="A JSON Schema, or a page to read (of environment files).",
)
def schema(what: str, shape: str) -> None:
    """Print the JSON Schema of environment files, or of plans as `plan --format json` and `plan --out` write them.

    An editor checks and completes with it: save it, and begin a file with
    `# yaml-language-server: $schema=PATH`.
    """
    if what == "plan":
        if shape == "markdown":
            raise click.UsageError("there is no page about plans; the JSON Schema describes each key")
        from provision.plan.shape import plan_schema

        click.echo(json.dumps(plan_schema(), indent=2, ensure_ascii=False))
        return
    from provision.environment.schema import json_schema
    from provision.report.schema import schema_as_markdown

    document = json_schema()
    shown = schema_as_markdown(document) if shape == "markdown" else json.dumps(document, indent=2, ensure_ascii=False)
    click.echo(shown.rstrip("\n"))
