"""Which address belongs to which number, kept in runs: a set of a thousand nodes keeps one or two."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

Runs = list[list[int]]
"""`[first number, count, offset of its address]` for numbers and addresses that follow each other."""


def runs_of(offsets: dict[int, int]) -> Runs:
    """Return the runs that an offset by number comes to."""
    runs: Runs = []
    for number, offset in sorted(offsets.items()):
        last = runs[-1] if runs else None
        if last is not None and number == last[0] + last[1] and offset == last[2] + last[1]:
            last[1] += 1
        else:
            runs.append([number, 1, offset])
    return runs


def offsets_of(runs: Iterable[list[int]], live: Collection[int]) -> dict[int, int]:
    """Return the offset by number, of the numbers that are `live`."""
    return {
        number: offset + number - first
        for first, size, offset in runs
        for number in range(first, first + size)
        if number in live
    }


def all_offsets(runs: Runs) -> Iterator[int]:
    return (each for _, size, offset in runs for each in range(offset, offset + size))


def offset_of(runs: Runs, number: int) -> int | None:
    """Return the offset of a number; None where it has none."""
    for first, size, offset in runs:
        if first <= number < first + size:
            return offset + number - first
    return None
