"""Decides which rows the environment files accept, and which of their entries accept nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from provision.environment import AGAINST_AZURE, Suppression, covers
from provision.preflight.model import Member, Row, Status
from provision.source import dotted


def with_accepted(rows: Sequence[Row], members: Sequence[Member]) -> tuple[Row, ...]:
    """Return the rows, those that did not pass with the entry of their own environment that accepts them."""
    return tuple(
        replace(row, accepted=next(_covering(row, members[row.member]), None)) if row.status is not Status.PASS else row
        for row in rows
    )


def unused(rows: Sequence[Row], members: Sequence[Member]) -> Iterator[tuple[int, int]]:
    """Yield (member, number of its entry) of what accepts nothing although its check looked at something there."""
    looked_at = {(row.member, row.rule) for row in rows}
    for number, member in enumerate(members):
        used = [row.accepted for row in rows if row.member == number and row.accepted]
        for index, entry in enumerate(member.suppress):
            if entry.rule in AGAINST_AZURE and (number, entry.rule) in looked_at and entry not in used:
                yield number, index


def _covering(row: Row, member: Member) -> Iterator[Suppression]:
    return (entry for entry in member.suppress if covers(entry, row.rule, dotted(row.at)))
