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
    what="YAML beyond plain data: several documents, tags, aliases without end, keys that are no text",
    remedy="write the data out",
)
MERGE_DROPS_KEYS = Rule(
    id="merge-drops-keys",
    severity=Severity.WARNING,
    why="YAML merges the keys of one level only: a map that stands in the place of a merged one takes nothing from it",
    link="https://yaml.org/type/merge.html",
    what="a map that takes the place of one from a merge key (<<) and lacks keys of it",
    remedy="repeat the keys, merge the inner map too, or use `extends`, which merges maps at every level",
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
    what="a value such as <NOT-SET> or TODO that was meant to be replaced",
    remedy="write the real value",
)

UNDEFINED_VARIABLE = Rule(
    id="undefined-variable",
    severity=Severity.ERROR,
    why="an environment with a hole in it is never taken for one with an empty text",
    link="",
    what="a ${NAME} of which the process environment has no variable",
    remedy="set the variable where provision runs, or give the value with `--set`",
)
PARTIAL_VARIABLE = Rule(
    id="partial-variable",
    severity=Severity.ERROR,
    why="a variable stands for a whole value, so that what it holds can't change what stands around it",
    link="",
    what="a ${NAME} that is only part of a text, is in a key, or has no name that a variable can have",
    remedy="let the variable hold the whole value",
)
BASE_UNREADABLE = Rule(
    id="base-unreadable",
    severity=Severity.ERROR,
    why="without the file that it extends, an environment is not whole",
    link="",
    what="an `extends` whose file can't be read, or leads back to a file that it began with",
    remedy="name a file, relative to the one that says it, in a chain that ends",
)
SEVERITY_NOT_SETTABLE = Rule(
    id="severity-not-settable",
    severity=Severity.WARNING,
    why="who lowers or raises a severity counts on it, and here nothing comes of it",
    link="",
    what="a `severity` of a rule that there isn't, or whose findings nothing can go on with",
    remedy="name a rule that can be suppressed, or take it out",
    suppressible=False,
)
SUPPRESSION_EXPIRED = Rule(
    id="suppression-expired",
    severity=Severity.ERROR,
    why="what was accepted for a time is to be looked at again when the time is over",
    link="",
    what="a suppression whose last day is over; what it suppressed counts again",
    remedy="mend what was accepted, or accept it anew with a later day and a reason",
    suppressible=False,
)
SUPPRESSION_UNUSED = Rule(
    id="suppression-unused",
    severity=Severity.WARNING,
    why="a suppression that suppresses nothing hides the next mistake of its kind",
    link="",
    what="a suppression that no finding matches",
    remedy="take it out",
    suppressible=False,
)

LOADER_RULES = (
    AMBIGUOUS_SCALAR,
    BASE_UNREADABLE,
    DUPLICATE_KEY,
    INVALID_VALUE,
    MERGE_DROPS_KEYS,
    MISSING_KEY,
    PARTIAL_VARIABLE,
    PLACEHOLDER,
    SEVERITY_NOT_SETTABLE,
    SUPPRESSION_EXPIRED,
    SUPPRESSION_UNUSED,
    UNDEFINED_VARIABLE,
    UNKNOWN_KEY,
    UNSUPPORTED_YAML,
    WRONG_TYPE,
)
