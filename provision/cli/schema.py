"""`provision schema`: the keys of environment files, for editors, other tools and readers."""

from __future__ import annotations

import json

import click


@click.command()
@click.option(
    "--format",
    "shape",
    type=click.Choice(["json", "markdown"]),
    default="json",
    help="A JSON Schema, or a page to read.",
)
def schema(shape: str) -> None:
    """Print the JSON Schema of environment files.

    An editor checks and completes with it: save it, and begin a file with
    `# yaml-language-server: $schema=PATH`.
    """
    from provision.environment.schema import json_schema
    from provision.report.schema import schema_as_markdown

    document = json_schema()
    shown = schema_as_markdown(document) if shape == "markdown" else json.dumps(document, indent=2, ensure_ascii=False)
    click.echo(shown.rstrip("\n"))
