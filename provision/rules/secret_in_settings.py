"""Secrets have no place in what everybody with Reader sees."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import BootFiles
from provision.environment.secret_shapes import secret_under
from provision.findings import Problem, Severity, rule
from provision.source import Path


@rule(
    id="secret-in-settings",
    subject=BootFiles,
    severity=Severity.ERROR,
    why="tags, extension settings and custom data stand in plain text in Azure, for everybody with Reader or a shell",
    link="https://learn.microsoft.com/azure/virtual-machines/custom-data#can-i-place-sensitive-values-in-custom-data",
    remedy="keep it in Key Vault and let the nodes fetch it as their identity; change what has been written down",
)
def secret_in_settings(files: BootFiles, catalog: Catalog) -> Iterator[Problem]:
    """Yield what looks like a secret in tags, settings of extensions and units, and cloud-init files. Never shown."""
    environment = files.environment
    for key, value in environment.tags.items():
        yield from _problems(("tags", key), key, value)
    for name, unit in environment.units.items():
        yield from _problems(("units", name, "values"), "values", unit.values)
    for name, pool in environment.pools.items():
        for extension, each in pool.extensions.items():
            yield from _problems(("pools", name, "extensions", extension, "settings"), "settings", each.settings)
        if (secret := files.secrets.get(pool.cloud_init_file or "")) is not None:
            line, kind = secret
            yield Problem(
                at=("pools", name, "cloud_init_file"),
                message=f"line {line} of {pool.cloud_init_file} holds {kind}, or what looks like it",
                fix="let the node fetch it from Key Vault as its identity, and change it",
            )


def _problems(at: Path, key: str, value: object) -> Iterator[Problem]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _problems((*at, name), name, item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _problems((*at, index), key, item)
    elif kind := secret_under(key, value):
        yield Problem(
            at=at,
            message=f"this looks like {kind}",
            fix="take it out, let the node fetch it from Key Vault as its identity, and change it",
            on_key=True,
            secret=True,
        )
