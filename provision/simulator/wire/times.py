"""How Azure writes times and durations."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def moment(now: float) -> datetime:
    return datetime.fromtimestamp(now, UTC)


def iso(now: float) -> str:
    """Return `2026-12-01T00:00:00.0000000Z`, as Resource Manager writes times."""
    return moment(now).strftime("%Y-%m-%dT%H:%M:%S.%f0Z")


@lru_cache(maxsize=1024)
def iso_offset(now: float) -> str:
    """Return the time as Compute writes it, with an offset."""
    return moment(now).strftime("%Y-%m-%dT%H:%M:%S.%f0+00:00")


def american(now: float) -> str:
    """Return `12/1/2026 1:05:00 AM`, as Resource Manager writes times in its refusals of tokens."""
    when = moment(now)
    return f"{when.month}/{when.day}/{when.year} {when:%I:%M:%S %p}".replace(" 0", " ")


def duration(seconds: float) -> str:
    """Return an ISO 8601 duration, as deployments show it."""
    minutes, rest = divmod(round(seconds, 7), 60)
    hours, minutes = divmod(int(minutes), 60)
    head = "PT" + (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    return f"{head}{rest:.7f}".rstrip("0").rstrip(".") + "S"


def seconds_in(text: str) -> float | None:
    """Return how many seconds an ISO 8601 duration of days and less has; None where it is none."""
    found = _DURATION.fullmatch(text)
    if found is None or text.endswith("T") or not any(found.groups()):
        return None
    days, hours, minutes, seconds = (float(each or 0) for each in found.groups())
    return 86400 * days + 3600 * hours + 60 * minutes + seconds


def parse_iso(text: str) -> float:
    """Return the time that an ISO 8601 text names; raise ValueError where it names none or has no offset."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"{text} has no offset from UTC")
    return found.timestamp()
