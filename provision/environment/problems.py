"""The rules that the loader itself applies while it reads; they have no check function."""

from __future__ import annotations

from provision.findings import Rule, Severity

_FORMAT = "https://yaml.org/spec/1.2.2/"

DUPLICATE_KEY = Rule(
    id="duplicate-key",
    severity=Severity.ERROR,
    why="YAML readers keep only one of two equal keys, mostly the last, and say nothing",
    link="https://yaml.org/spec/1.2.2/#3213-node-comparison",
    what="a key that stands twice in one map",
    remedy="keep one of the two",
)
AMBIGUOUS_SCALAR = Rule(
    id="ambiguous-scalar",
    severity=Severity.ERROR,
    why="readers of YAML turn some unquoted words into truth values, dates or other numbers, each in its own way",
    link="https://yaml.org/type/",
    what="an unquoted word that some reader of YAML takes for something other than text",
    remedy="quote it, or write the value plainly: true, false, a decimal number",
)
UNSUPPORTED_YAML = Rule(
    id="unsupported-yaml",
    severity=Severity.ERROR,
    why="an environment file is plain data: one document of maps, lists, text, numbers and truth values",
    link=_FORMAT,
    what="YAML beyond plain data: several documents, tags, merge keys, aliases without end, keys that are no text",
    remedy="write the data out",
)
UNKNOWN_KEY = Rule(
    id="unknown-key",
    severity=Severity.ERROR,
    why="a key that nothing reads is a wish that is not carried out",
    link="",
    what="a key that this version does not know at this place",
    remedy="correct its spelling, move it, or take it out; your own keys may stand at the top as `x-…`",
)
MISSING_KEY = Rule(
    id="missing-key",
    severity=Severity.ERROR,
    why="without it the environment is not described in full, and there is no default that fits everybody",
    link="",
    what="a map without a key that it must have",
    remedy="add the key",
)
WRONG_TYPE = Rule(
    id="wrong-type",
    severity=Severity.ERROR,
    why='text, numbers and truth values are never taken for one another: "false" is no falsehood, 7.10 is not 7.1',
    link="",
    what="text where a number or a truth value is wanted, or the other way round",
    remedy="add or remove the quotes",
)
INVALID_VALUE = Rule(
    id="invalid-value",
    severity=Severity.ERROR,
    why="Azure, or the format of environment files, allows no such value here",
    link="",
    what="a value that is out of range, of the wrong form, or names what the file does not have",
    remedy="write a value that fits",
)
PLACEHOLDER = Rule(
    id="placeholder",
    severity=Severity.ERROR,
    why="a value that was meant to be replaced would reach Azure as it stands, and fail there with an odd message",
    link="",
    what="a value such as <NOT-SET>, TODO or ${NAME} that was meant to be replaced",
    remedy="write the real value",
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
