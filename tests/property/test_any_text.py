"""Whatever text an environment file holds, it gives findings or one clear error, and never a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provision.adapters.files import decoded, environments_root, load_catalog
from provision.errors import FileError
from provision.pipeline import Checked, check
from provision.report.findings import as_text
from tests.support.worlds import KEY

SAMPLES = [path.read_text("utf-8") for path in sorted(environments_root().glob("*.yaml"))]
#: What has broken readers of YAML before, and what our own format is made of.
PIECES = (
    "&a ",
    "*a",
    "<<: *a",
    "? ",
    ": ",
    "- ",
    "|\n",
    ">-\n",
    "!!binary ",
    "!!python/object:os.system ",
    "!x ",
    "%YAML 1.1\n",
    "---\n",
    "...\n",
    "\t",
    "\ufeff",
    "\x00",
    "\x85",
    "\u2028",
    "\ud7ff",
    "'",
    '"',
    "{",
    "}",
    "[",
    "]",
    "#",
    "@",
    "`",
    "~",
    "null",
    "true",
    "no",
    "1e3",
    "0o17",
    "012",
    "1_000",
    ".inf",
    ".nan",
    "12:30:45",
    "2026-02-30",
    "=",
    "<NOT-SET>",
    "${A}",
    "${",
    "x${A}y",
    "-1",
    "99999999999999999999",
    "1.5",
    "é",
    "名",
    "\U0001f600",
    "a" * 5000,
    "[" * 60,
    "{a: " * 60,
    "/subscriptions/x/resourceGroups/y",
    "10.0.0.0/8",
    "10.0.0.0/33",
    "999.1.1.1/8",
    "::/0",
    "../key.pub",
    "/dev/null",
    "x.yaml",
    "version",
    "name",
    "regions",
    "pools",
    "nodes",
    "size",
    "network",
    "peer_with",
    "storage",
    "suppress",
    "extends",
    "severity",
)


def mutated(seed: int) -> str:
    """Return a sample with some of its lines or words replaced, repeated, moved or taken out."""
    chance = random.Random(seed)
    lines = chance.choice(SAMPLES).splitlines(keepends=True)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(lines)) if lines else 0
        match chance.randrange(6):
            case 0 if lines:
                del lines[at]
            case 1 if lines:
                lines.insert(chance.randrange(len(lines) + 1), lines[at])
            case 2 if lines:
                lines[at] = " " * chance.randint(0, 9) + lines[at].lstrip(" ")
            case 3 if lines and ":" in lines[at]:
                lines[at] = lines[at].split(":")[0] + ": " + chance.choice(PIECES) + "\n"
            case 4 if lines:
                cut = chance.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:cut] + chance.choice(PIECES) + lines[at][cut:]
            case _:
                lines.insert(at, chance.choice(PIECES) + chance.choice((": ", "\n", "")) + chance.choice(PIECES) + "\n")
    return "".join(lines)


def outcome(text: str) -> Checked | FileError:
    """Return what a text comes to; every file beside it is a key, or the text again."""

    def read(path: str) -> str:
        if Path(path).suffix == ".pub":
            return KEY
        if Path(path).suffix == ".yaml":
            return text
        raise FileError(path, "there is no such file")

    try:
        return check("any.yaml", read, load_catalog(), variables={"A": "1"})
    except FileError as error:
        return error


def is_told(found: Checked | FileError) -> None:
    """Assert that an outcome can be shown, and that an environment without errors has all that verbs go on with."""
    if isinstance(found, FileError):
        assert found.message
        return
    text = as_text(found.findings)
    assert "Traceback" not in text
    assert all(finding.line >= 1 and finding.message for finding in found.findings)
    assert (found.environment is None) == (found.topology is None)


@settings(max_examples=400, derandomize=True)
@given(st.integers(0, 2**32))
def test_a_sample_that_somebody_has_mangled(seed: int) -> None:
    is_told(outcome(mutated(seed)))


@settings(max_examples=200, derandomize=True)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=30))
def test_a_heap_of_pieces(pieces: list[str]) -> None:
    is_told(outcome("".join(pieces)))


@settings(max_examples=200, derandomize=True)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    try:
        found = outcome(decoded("any.yaml", data))
    except FileError as error:
        found = error
    is_told(found)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 100_000, id="deep lists"),
        pytest.param("{a: " * 20_000, id="deep maps"),
        pytest.param("a: " + "x" * 3_000_000, id="a huge scalar"),
        pytest.param("a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(1000)), id="many aliases"),
        pytest.param(
            "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)), id="exploding"
        ),
        pytest.param("a: &a {b: *a}\n", id="recursive"),
        pytest.param("x: " + "\x00" * 1000, id="NUL"),
        pytest.param("".join(f"k{n}: {n}\n" for n in range(5_000)), id="many keys"),
        pytest.param("- " * 5000, id="nested dashes"),
    ],
)
def test_what_would_take_a_careless_reader_down(text: str) -> None:
    is_told(outcome(text))
