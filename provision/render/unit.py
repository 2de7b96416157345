"""What a deployment unit is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provision.render import arm_json
from provision.render.layout import UnitKey
from provision.source import Path
from provision.topology import OwnUnit


@dataclass(frozen=True, slots=True)
class Unit:
    """One deployment unit, which is deployed as one stack.

    `template` is the parsed ARM template, as it is sent; `after` are the units that must stand before, as (region,
    name); `nodes` and `gpus` count what it holds (gpus None: not known); `origin` is the path in the environment file
    that caused it; `own`: it is a unit of one's own.
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
    own: OwnUnit | None = None

    @property
    def text(self) -> str:
        """Return the template as its file holds it; made anew at each call, because most runs need none."""
        return arm_json.text_of(self.template)
