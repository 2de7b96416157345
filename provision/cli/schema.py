"""`provision schema`: the JSON Schema of environment files, for editors and other tools."""

from __future__ import annotations

import json

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of environment files.

    An editor checks and completes with it: save it, and begin a file with
    `# yaml-language-server: $schema=PATH`.
    """
    from provision.environment.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
