"""Decides what somebody may have meant: the nearest of some words, by edit distance. Used by every "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 100  # letters; nobody mistypes longer words, and comparing them takes long


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the word that `word` most likely stands for, or None when none is near.

    Letter case, spaces, hyphens and underscores do not count, so "East US" is near `eastus`.
    """
    plain = _plain(word)
    if len(plain) > _LONGEST:
        return None
    most = max(1, len(plain) // 3) if len(plain) > 2 else 0
    ranked = sorted(
        (distance(plain, other), candidate)
        for candidate in words
        if abs(len(other := _plain(candidate)) - len(plain)) <= most  # others can't be near, and comparing takes long
    )
    return ranked[0][1] if ranked and ranked[0][0] <= most else None


def distance(a: str, b: str) -> int:
    """Return how many letters must be added, dropped, changed or swapped with their neighbour to make `b` of `a`."""
    before, row = [0], list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and other == a[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _plain(word: str) -> str:
    return "".join(letter for letter in word.casefold() if letter.isalnum())
