"""Functions of the template language over truth values, numbers and texts, by lower-case name in `TABLE`.

A function that cannot take its arguments raises whatever Python raises; its caller makes ARM's refusal of it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote, urljoin

MOST = 10_000
"""Characters that `padLeft` may fill, and elements that `range` may have."""


def string(value: Any) -> str:
    """Return a value as text; ARM writes truth values as .NET does."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "True" if value else "False"
    if value is None:
        return ""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# --- logic and numbers ---


def equals(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _truth(value: Any) -> bool:
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return bool(number(value))


def number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"'{string(value)}' is no integer")
    return value


def _int(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError("a boolean is no integer")
    return int(value)


def _div(first: Any, second: Any) -> int:
    quotient = abs(number(first)) // abs(number(second))
    return quotient if (first < 0) == (second < 0) else -quotient


def _mod(first: Any, second: Any) -> int:
    result: int = number(first) - number(second) * _div(first, second)
    return result


def _finite(value: float) -> float:
    if value - value != 0:
        raise ValueError("it is no number that JSON can hold")
    return value


def _extreme(best: Callable[..., int]) -> Callable[..., int]:
    def find(*values: Any) -> int:
        given = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        return best(number(each) for each in given)

    return find


def _compared(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compare(first: Any, second: Any) -> bool:
        if type(first) is not type(second) or not isinstance(first, int | str):
            raise TypeError("only two integers or two strings can be compared")
        return holds(first, second)

    return compare


_LOGIC: dict[str, Callable[..., Any]] = {
    "true": lambda: True,
    "false": lambda: False,
    "null": lambda: None,
    "not": lambda value: not boolean(value),
    "xor": lambda first, second: boolean(first) != boolean(second),
    "bool": _truth,
    "equals": equals,
    "less": _compared(lambda first, second: bool(first < second)),
    "lessorequals": _compared(lambda first, second: bool(first <= second)),
    "greater": _compared(lambda first, second: bool(first > second)),
    "greaterorequals": _compared(lambda first, second: bool(first >= second)),
}
_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": lambda first, second: number(first) + number(second),
    "sub": lambda first, second: number(first) - number(second),
    "mul": lambda first, second: number(first) * number(second),
    "div": _div,
    "mod": _mod,
    "int": _int,
    "float": lambda value: _finite(float(value)),
    "min": _extreme(min),
    "max": _extreme(max),
}


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"'{string(value)}' is no boolean")
    return value


# --- texts ---


def _format(pattern: str, *values: Any) -> str:
    def put(found: re.Match[str]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        index, width, style = int(found[1]), found[2], found[3]
        text = string(values[index])
        if style:
            text = _styled(values[index], style)
        return text if not width else _aligned(text, int(width[1:]))

    return re.sub(r"\{\{|\}\}|\{(\d+)(,-?\d{1,4})?(?::([^}]*))?\}", put, pattern)


def _styled(value: Any, style: str) -> str:
    found = re.fullmatch(r"([dDxX])(\d{0,2})|(0+)", style)
    if found is None:
        raise ValueError(f"the format '{style}' is not simulated")
    if found[3]:
        return f"{number(value):0{len(found[3])}d}"
    return f"{number(value):0{int(found[2] or 1)}{found[1].lower() if found[1] != 'X' else 'X'}}"


def _aligned(text: str, width: int) -> str:
    return text.ljust(-width) if width < 0 else text.rjust(width)


def _pad_left(value: Any, length: Any, character: str = " ") -> str:
    if not 0 <= number(length) <= MOST or len(character) != 1:
        raise ValueError("the length or the character cannot be")
    return string(value).rjust(length, character)


def _substring(text: str, start: Any, length: Any = None) -> str:
    end = len(text) if length is None else number(start) + number(length)
    if not 0 <= number(start) <= end <= len(text):
        raise ValueError("the index and length parameters must refer to a location within the string")
    return text[start:end]


def _split(text: str, marks: Any) -> list[str]:
    given = [marks] if isinstance(marks, str) else marks
    return re.split("|".join(re.escape(mark) for mark in given if mark) or r"(?!)", text)


def text_of(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"'{string(value)}' is no string")
    return value


def _json(text: str) -> Any:
    return json.loads(
        text, parse_constant=lambda word: _finite(float(word)), parse_float=lambda word: _finite(float(word))
    )


def _decoded(text: Any) -> str:
    return base64.b64decode(text_of(text), validate=True).decode()


def _encoded(text: Any) -> str:
    return base64.b64encode(text_of(text).encode()).decode()


_TEXTS: dict[str, Callable[..., Any]] = {
    "string": string,
    "format": lambda pattern, *values: _format(text_of(pattern), *values),
    "tolower": lambda text: text_of(text).lower(),
    "toupper": lambda text: text_of(text).upper(),
    "trim": lambda text: text_of(text).strip(),
    "replace": lambda text, old, new: text_of(text).replace(text_of(old), text_of(new)),
    "split": _split,
    "join": lambda parts, mark: text_of(mark).join(string(each) for each in parts),
    "substring": lambda text, *where: _substring(text_of(text), *where),
    "startswith": lambda text, start: text_of(text).lower().startswith(text_of(start).lower()),
    "endswith": lambda text, end: text_of(text).lower().endswith(text_of(end).lower()),
    "padleft": _pad_left,
    "base64": _encoded,
    "base64tostring": _decoded,
    "base64tojson": lambda text: _json(_decoded(text)),
    "json": lambda text: _json(text_of(text)),
    "datauri": lambda text: f"data:text/plain;charset=utf8;base64,{_encoded(text)}",
    "datauritostring": lambda text: _decoded(text_of(text).partition(",")[2]),
    "uri": lambda base, rest: urljoin(text_of(base), text_of(rest)),
    "uricomponent": lambda text: quote(text_of(text), safe=""),
    "uricomponenttostring": lambda text: unquote(text_of(text)),
}
TABLE: dict[str, Callable[..., Any]] = {**_LOGIC, **_NUMBERS, **_TEXTS}
