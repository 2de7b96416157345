"""The environment's lock: a stack that holds nothing but tags that say who applies, and until when.

ARM makes it safe: of two PUTs of one stack, only the first is answered with 201. A lock that has expired may be taken
over; one that is held is left alone, without a write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from provision.arm import STACKS, Request, ResourceId, resource_id
from provision.topology.names import lock_stack

#: How long a lock counts if its run dies, how much of that may pass before it is renewed, and then between attempts.
LIFE_S = 1800.0
RENEW_AFTER_S = 600.0
RENEW_AGAIN_S = 60.0

_TAGS = {"run": "provision-run", "host": "provision-host", "since": "provision-since", "until": "provision-until"}


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock; times in seconds since 1970. `alone`: nobody else can reach this Azure, so that a lock which
    is found there can only be a dead run's.
    """

    run: str
    host: str
    since: float
    until: float
    alone: bool = False

    def told(self) -> str:
        """Return the holder for people."""
        return (
            f"run {self.run} on {self.host}, since {_text(self.since)}, until {_text(self.until)} if it does not renew"
        )


def lock_id(subscription: str, home_group: str, environment: str) -> ResourceId:
    """Return the id of an environment's lock."""
    return resource_id(subscription, home_group, STACKS, lock_stack(environment))


def claim(lock: ResourceId, holder: Holder) -> Request:
    """Return the request that claims or renews the lock."""
    tags = {
        _TAGS["run"]: holder.run,
        _TAGS["host"]: holder.host,
        _TAGS["since"]: _text(holder.since),
        _TAGS["until"]: _text(holder.until),
    }
    body: dict[str, Any] = {
        "properties": {
            "actionOnUnmanage": {"resources": "detach", "resourceGroups": "detach", "managementGroups": "detach"},
            "denySettings": {"mode": "none"},
            "template": {
                "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                "contentVersion": "1.0.0.0",
                "resources": [],
            },
        },
        "tags": tags,
    }
    return Request("PUT", lock, body)


def holder_in(stack: Mapping[str, Any]) -> Holder:
    """Return who holds a lock; of tags that somebody has broken, a holder whose time is long over."""
    tags = stack.get("tags") or {}
    return Holder(
        run=str(tags.get(_TAGS["run"], "unknown")),
        host=str(tags.get(_TAGS["host"], "unknown")),
        since=_seconds(tags.get(_TAGS["since"])),
        until=_seconds(tags.get(_TAGS["until"])),
    )


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _seconds(text: Any) -> float:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return 0.0
