"""Makes the deployment units of a topology: their ARM templates, and the same as Bicep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from provision.catalog import Catalog
from provision.environment import Templates as Own
from provision.render import arm_json, bicep
from provision.render.errors import RenderError
from provision.render.layout import UnitLayout, layouts
from provision.render.own_checks import check_apart, check_sizes, checked
from provision.render.templates import Templates
from provision.render.unit import Unit
from provision.topology import Topology, names


def arm_units(
    topology: Topology, catalog: Catalog, templates: Mapping[str, str], own: Own | None = None
) -> tuple[Unit, ...]:
    """Return every unit, each behind those that it waits for; their order is that of `layouts`.

    `templates` is text by name, `network/arm.json.j2`; `own` are a user's, in front of them. Raises RenderError.
    """
    own = own or Own()
    arm = Templates(arm_json.ARM, templates, own)
    units = tuple(_unit(topology, arm, layout, own) for layout in layouts(topology, catalog))
    if own.texts:
        check_apart(units, own)
        check_sizes(units, own, catalog.limits)
    return units


def bicep_texts(
    topology: Topology, catalog: Catalog, templates: Mapping[str, str], own: Own | None = None
) -> dict[tuple[str, str], str]:
    """Return the Bicep text of every unit by region and unit, in the order of `arm_units`. Raises RenderError."""
    texts = Templates(bicep.BICEP, templates, own)
    return {
        (layout.region, layout.name): bicep.laid_out(texts.rendered(layout.folder, layout.context, layout.subject))
        for layout in layouts(topology, catalog)
    }


def _unit(topology: Topology, arm: Templates, layout: UnitLayout, own: Own) -> Unit:
    return Unit(
        region=layout.region,
        group=layout.group,
        name=layout.name,
        stack=names.stack(topology.environment, layout.name),
        template=_template(arm, layout, own, topology.environment),
        after=layout.after,
        pool=layout.pool,
        nodes=layout.nodes,
        gpus=layout.gpus,
        protect=layout.protect,
        origin=layout.origin,
        own=layout.own,
    )


def _template(arm: Templates, layout: UnitLayout, own: Own, environment: str) -> dict[str, Any]:
    name = f"{layout.folder}/{arm_json.ARM.file}"
    text = arm.rendered(layout.folder, layout.context, layout.subject)
    try:
        template = arm_json.parsed(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        shown = text.splitlines()[line - 1].strip() if line else ""
        raise RenderError(
            own.file_of(name),
            f"what it makes of {layout.subject} is no JSON: {error}" + (f": {shown}" if shown else ""),
        ) from error
    if name in own.texts:
        return checked(template, layout, own.file_of(name), names.mark(environment, layout.name))
    if not isinstance(template.get("resources"), list):
        raise RenderError(own.file_of(name), f"what it makes of {layout.subject} has no list `resources`")
    return template
