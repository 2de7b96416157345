"""Makes the deployment units of a topology: their ARM templates, and the same as Bicep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provision.catalog import Catalog
from provision.render import arm_json, bicep
from provision.render.errors import RenderError
from provision.render.layout import UnitKey, UnitLayout, layouts
from provision.render.templates import Templates
from provision.source import Path
from provision.topology import Topology, names


@dataclass(frozen=True, slots=True)
class Unit:
    """One deployment unit, which is deployed as one stack.

    `template` is the parsed ARM template, as it is sent; `after` are the units that must stand before, as (region,
    name); `nodes` and `gpus` count what it holds (gpus None: not known); `origin` is the path in the environment file
    that caused it.
    """

    region: str
    group: str
    name: str
    stack: str
    template: Mapping[str, Any]
    after: tuple[UnitKey, ...]
    pool: str | None
    nodes: int
    gpus: int | None
    protect: bool
    origin: Path

    @property
    def text(self) -> str:
        """Return the template as its file holds it; made anew at each call, because most runs need none."""
        return arm_json.text_of(self.template)


def arm_units(topology: Topology, catalog: Catalog, templates: Mapping[str, str]) -> tuple[Unit, ...]:
    """Return every unit, each behind those that it waits for; their order is that of `layouts`.

    `templates` is text by name, `network/arm.json.j2`. Raises RenderError.
    """
    arm = Templates(arm_json.ARM, templates)
    return tuple(_unit(topology, arm, layout) for layout in layouts(topology, catalog))


def bicep_texts(topology: Topology, catalog: Catalog, templates: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return the Bicep text of every unit by region and unit, in the order of `arm_units`. Raises RenderError."""
    texts = Templates(bicep.BICEP, templates)
    return {
        (layout.region, layout.name): bicep.laid_out(texts.rendered(layout.folder, layout.context, layout.subject))
        for layout in layouts(topology, catalog)
    }


def _unit(topology: Topology, arm: Templates, layout: UnitLayout) -> Unit:
    return Unit(
        region=layout.region,
        group=layout.group,
        name=layout.name,
        stack=names.stack(topology.environment, layout.name),
        template=_parsed(arm.rendered(layout.folder, layout.context, layout.subject), layout),
        after=layout.after,
        pool=layout.pool,
        nodes=layout.nodes,
        gpus=layout.gpus,
        protect=layout.protect,
        origin=layout.origin,
    )


def _parsed(text: str, layout: UnitLayout) -> dict[str, Any]:
    try:
        template = arm_json.parsed(text)
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        shown = text.splitlines()[line - 1].strip() if line else ""
        raise RenderError(
            f"{layout.folder}/{arm_json.ARM.file}",
            f"what it makes of {layout.subject} is no JSON: {error}" + (f": {shown}" if shown else ""),
        ) from error
    if not isinstance(template.get("resources"), list):
        raise RenderError(
            f"{layout.folder}/{arm_json.ARM.file}", f"what it makes of {layout.subject} has no list `resources`"
        )
    return template
