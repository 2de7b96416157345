"""What the template environment must know of a target language; each language says it in a module of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class TextProblem(NamedTuple):
    """Something wrong in a template's own text, and how many characters into it."""

    offset: int
    message: str


@dataclass(frozen=True, slots=True)
class Language:
    """A target language.

    `file`: the template's file name in its folder. `literal` gives a value as it is written in the language and raises
    TypeError or ValueError on what has no literal. `text_problem` looks at a stretch of a template's own text between
    two tags: a value stands where a value may stand only if the stretch closes each string and comment that it opens.
    """

    file: str
    literal: Callable[[Any], str]
    text_problem: Callable[[str], TextProblem | None]
