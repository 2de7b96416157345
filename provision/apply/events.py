"""What is told while a plan is applied: one event for each thing that starts, waits or ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. `at`: seconds since 1970 on Azure's side; `event`: what, such as `lock-held`."""

    at: float
    run: str
    event: str
    operation: str = ""
    unit: str = ""
    region: str = ""
    resource: str = ""
    correlation_id: str = ""
    detail: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the event in the published shape: what it does not have is left out."""
        at = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        rest = {
            "operation": self.operation,
            "unit": self.unit,
            "region": self.region,
            "resource": self.resource,
            "correlation_id": self.correlation_id,
            "detail": self.detail,
        }
        return {"at": at, "run": self.run, "event": self.event, **{key: text for key, text in rest.items() if text}}
