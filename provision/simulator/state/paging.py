"""Lists in pages. Decides how long a page is, what its token says, and where the next one begins.

A token names the place and the last item shown, so that what comes or goes between two pages moves no other item out
of the list. Clients cannot read it, as they cannot read Azure's.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from provision.simulator.refusals import errors
from provision.simulator.wire.messages import Json

T = TypeVar("T")

PAGE_SIZE = 50
"""Where the tester sets no `pageSize` or `instancePageSize`. Shorter than Azure's, so that a test fleet spans pages."""


def cut(rows: Sequence[T], show: Callable[[T], Json], size: int, token: str | None) -> tuple[list[Json], str | None]:
    """Return one page, and the token of the next where there is one. Refused with a token that is none."""
    start = 0 if token is None else _start(rows, show, token)
    page = [show(row) for row in rows[start : start + size]]
    end = start + len(page)
    return page, token_after(end, page[-1] if page else None) if end < len(rows) else None


def token_after(position: int, last: Json | None) -> str:
    return base64.urlsafe_b64encode(f"{position}|{_mark(last) if last else ''}".encode()).decode().rstrip("=")


def _start(rows: Sequence[T], show: Callable[[T], Json], token: str) -> int:
    try:
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
        place, mark = text.split("|")
        position = max(0, int(place))
    except ValueError as error:
        raise errors.bad_skip_token(token) from error
    if not mark:
        return position
    # Nearly always the last item shown is still where it was; else it is looked for, the nearest place first.
    for at in sorted(range(len(rows)), key=lambda at: abs(at - position + 1)):
        if _mark(show(rows[at])) == mark:
            return at + 1
    return max(0, position - 1)  # it is gone itself, and the next has moved up: rather one twice than one never


def _mark(body: Json) -> str:
    text = f"{body.get('id', '')}|{body.get('name', '')}|{body.get('operationId', '')}".lower()
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
