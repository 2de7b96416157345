"""Decides how YAML's syntax errors are told to people: what is wrong, where, and what to do."""

from __future__ import annotations

import re

import yaml

from provision.errors import FileError
from provision.source import lines_of

#: Part of a parser's message (libyaml's or PyYAML's) → what it mostly means, what to do, and whether the place that
#: helps is where the broken thing began rather than where the parser gave up.
_MEANINGS = (
    ("mapping values are not allowed", "a second `: ` in one line, or a line that is indented too far",
     "quote the value, or check the indentation", False),
    ("could not find expected ':'", "this line has no `: ` after its key",
     "write `key: value`, with a space after the colon", True),
    ("found unexpected end of stream", "the quote that opens here is never closed", "close the quote", True),
    ("did not find expected ',' or", "the bracket that opens here is not closed, or a comma is missing",
     "close the bracket, or put a comma between the values", True),
    ("did not find expected '-'", "this line belongs to a list but does not begin with `- `",
     "check the indentation", False),
    ("did not find expected key", "this line does not line up with those above it",
     "indent it exactly as its neighbours", False),
    ("expected <block end>", "this line does not line up with those above it",
     "indent it exactly as its neighbours", False),
    ("found undefined alias", "this alias has no anchor of that name before it", "define it with &, or quote the value",
     False),
    ("second occurrence", "this anchor stands twice in the file", "give it another name", False),
    ("unknown escape character", "this backslash in double quotes is no escape that YAML knows",
     "use single quotes, or write the backslash twice", False),
    ("maximum nesting depth", "maps and lists are nested too deeply", "look for brackets that stay open", False),
    ("did not find expected node content", "a value is missing here", "write the value, or quote this text", False),
)  # fmt: skip

UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def explained(file: str, text: str, error: yaml.MarkedYAMLError) -> FileError:
    """Return the error to raise for what the YAML parser found."""
    problem = f"{error.problem or ''} {error.context or ''}"
    mark = error.problem_mark or error.context_mark
    at = _line(text, mark.line)[mark.column : mark.column + 1] if mark else ""
    message, fix, begins = f"this is no YAML: {problem.strip()}", "", False
    if "cannot start any token" in problem and at == "\t":
        message, fix = "YAML allows no tab for indentation", "use spaces"
    elif "cannot start any token" in problem and at:
        message, fix = f"an unquoted value can't begin with {at}", "quote it"
    else:
        for part, means, remedy, at_beginning in _MEANINGS:
            if part in problem:
                message, fix, begins = means, remedy, at_beginning
                break
    if begins and error.context_mark is not None:
        mark = error.context_mark
    if mark is None:
        return FileError(file, message, fix=fix)
    return FileError(
        file, message, line=mark.line + 1, column=mark.column + 1, source_line=_line(text, mark.line), fix=fix
    )


def check_characters(file: str, text: str) -> None:
    """Raise FileError at the first character that no YAML may hold, a byte-order mark inside the file among them."""
    found = UNPRINTABLE.search(text)
    if found is None:
        return
    before = lines_of(text[: found.start()])
    line, column = len(before), len(before[-1]) + 1
    if found.group() == "\ufeff":
        message = "byte 3: a second byte-order mark" if found.start() == 0 else "a byte-order mark inside the file"
        fix = "save the file as UTF-8 without a byte-order mark"
    else:
        message = f"the control character U+{ord(found.group()):04X}, which YAML does not allow"
        fix = "delete it"
    shown = UNPRINTABLE.sub("\ufffd", _line(text, line - 1))
    raise FileError(file, message, line=line, column=column, source_line=shown, fix=fix)


def _line(text: str, index: int) -> str:
    lines = lines_of(text)
    return lines[index] if index < len(lines) else ""
