"""What `provision render` writes: a file for each unit and format, and a manifest that lists them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from provision.catalog import Catalog
from provision.environment import Templates as Own
from provision.render.unit import Unit
from provision.render.units import arm_units, bicep_texts
from provision.topology import Topology

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
#: The endings of the files, by format.
ENDINGS = {"arm": ".json", "bicep": ".bicep"}


def documents(
    topology: Topology,
    catalog: Catalog,
    templates: Mapping[str, str],
    formats: Collection[str],
    own: Own | None = None,
) -> dict[str, str]:
    """Return the files of a rendering by their path in the output folder, the manifest last. Raises RenderError.

    `formats` are of "arm" and "bicep"; `own` are a user's templates, in front of the others. Units are in the order in
    which they are deployed.
    """
    units = arm_units(topology, catalog, templates, own)
    texts = bicep_texts(topology, catalog, templates, own) if "bicep" in formats else {}
    files: dict[str, str] = {}
    for unit in units:
        if "arm" in formats:
            files[_path(unit, "arm")] = unit.text
        if "bicep" in formats:
            files[_path(unit, "bicep")] = texts[unit.region, unit.name]
    listed = manifest(topology, units, formats)
    return {**files, MANIFEST: json.dumps(listed, ensure_ascii=False, indent=2) + "\n"}


def manifest(topology: Topology, units: Iterable[Unit], formats: Collection[str]) -> dict[str, Any]:
    """Return the manifest: the units in their order, each with its files and the digest of its ARM template's text.

    `after` names units: UNIT of the same region, REGION/UNIT of another.
    """
    return {
        "format_version": FORMAT_VERSION,
        "environment": topology.environment,
        "subscription": topology.subscription,
        "units": [
            {
                "region": unit.region,
                "unit": unit.name,
                "group": unit.group,
                "stack": unit.stack,
                "after": [name if region == unit.region else f"{region}/{name}" for region, name in unit.after],
                "resources": len(unit.template["resources"]),
                "files": {name: _path(unit, name) for name in ENDINGS if name in formats},
                "digest": f"sha256:{hashlib.sha256(unit.text.encode()).hexdigest()}",
            }
            for unit in units
        ],
    }


def _path(unit: Unit, name: str) -> str:
    return f"{unit.region}/{unit.name}{ENDINGS[name]}"
