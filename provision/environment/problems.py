"""The rules that the loader itself applies while it reads; they have no check function."""

from __future__ import annotations

from provision.findings import Rule, Severity

_FORMAT = "https://yaml.org/spec/1.2.2/"

DUPLICATE_KEY = Rule(
    id="duplicate-key",
    severity=Severity.ERROR,
    why="YAML readers keep only one of two equal keys, mostly the last, and say nothing",
    link="https://yaml.org/spec/1.2.2/#3213-node-comparison",
)
AMBIGUOUS_SCALAR = Rule(
    id="ambiguous-scalar",
    severity=Severity.ERROR,
    why="readers of YAML turn some unquoted words into truth values, dates or other numbers, each in its own way",
    link="https://yaml.org/type/",
)
UNSUPPORTED_YAML = Rule(
    id="unsupported-yaml",
    severity=Severity.ERROR,
    why="an environment file is plain data: one document of maps, lists, text, numbers and truth values",
    link=_FORMAT,
)
UNKNOWN_KEY = Rule(
    id="unknown-key",
    severity=Severity.ERROR,
    why="a key that nothing reads is a wish that is not carried out",
    link="",
)
MISSING_KEY = Rule(
    id="missing-key",
    severity=Severity.ERROR,
    why="without it the environment is not described in full, and there is no default that fits everybody",
    link="",
)
WRONG_TYPE = Rule(
    id="wrong-type",
    severity=Severity.ERROR,
    why='text, numbers and truth values are never taken for one another: "false" is no falsehood, 7.10 is not 7.1',
    link="",
)
INVALID_VALUE = Rule(
    id="invalid-value",
    severity=Severity.ERROR,
    why="Azure, or the format of environment files, allows no such value here",
    link="",
)
PLACEHOLDER = Rule(
    id="placeholder",
    severity=Severity.ERROR,
    why="a value that was meant to be replaced would reach Azure as it stands, and fail there with an odd message",
    link="",
)

LOADER_RULES = (
    AMBIGUOUS_SCALAR,
    DUPLICATE_KEY,
    INVALID_VALUE,
    MISSING_KEY,
    PLACEHOLDER,
    UNKNOWN_KEY,
    UNSUPPORTED_YAML,
    WRONG_TYPE,
)
