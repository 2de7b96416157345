"""Carries out a plan: a pure scheduler and one thin loop. It chooses nothing; the plan has decided."""

from provision.apply.events import Event
from provision.apply.loop import Applying
from provision.apply.scheduler import Progress, Status

__all__ = ["Applying", "Event", "Progress", "Status"]
