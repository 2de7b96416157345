"""Templates as wholes: what every one must have, its outputs, its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from provision.simulator.deployments.template_parameters import SHOWN
from provision.simulator.language.expressions import count_of, evaluated
from provision.simulator.language.scope import Scope, shown
from provision.simulator.language.syntax import ExpressionError
from provision.simulator.refusals.errors import bad_content
from provision.simulator.refusals.errors_deployments import bad_template
from provision.simulator.state.facts import limit
from provision.simulator.wire.messages import Json

_TOP = frozenset(
    {
        "$schema",
        "contentVersion",
        "languageVersion",
        "parameters",
        "variables",
        "resources",
        "outputs",
        "metadata",
        "definitions",
        "functions",
        "apiProfile",
        "imports",
        "extensions",
    }
)
_PARTS = ("parameters", "variables", "outputs", "definitions")


def checked(template: Any) -> Json:
    """Return the template; refuse what is none."""
    if not isinstance(template, dict):
        raise bad_content("The request must hold a template. Path 'properties.template'.")
    for key in ("$schema", "contentVersion", "resources"):
        if key not in template:
            raise bad_template(f"Required property '{key}' not found in JSON. Path ''.")
    for key in template:
        if key not in _TOP:
            raise bad_template(f"Could not find member '{key}' on object of type 'Template'. Path '{key}'.")
    if not isinstance(template["resources"], list | dict):
        raise bad_template("The template 'resources' must be an array or an object.")
    for key in _PARTS:
        part = template.get(key)
        if part is not None and not isinstance(part, dict):
            raise bad_template(f"The template '{key}' must be an object.")
        if key != "definitions" and len(part or {}) > limit(f"template_{key}"):
            most = limit(f"template_{key}")
            raise bad_template(
                f"The number of template {key} limit exceeded. Limit: '{most}' and actual: '{len(part or {})}'. "
                "Please see https://aka.ms/arm-template for usage details."
            )
    for loop in _loops(template):
        if not isinstance(loop, dict) or not isinstance(loop.get("name"), str) or "input" not in loop:
            raise bad_template("The 'copy' of variables must be an array of objects with a name, a count and an input.")
    if template.get("functions"):
        raise bad_template("The template has functions of its own, which are not simulated")
    return template


def outputs(template: Json, scope: Scope) -> Json:
    """Return outputs as answers show them, with the names re-cased as ARM's serialiser does.

    Raises ExpressionError for one that cannot be worked out; one that is not known yet shows its source.
    """
    found: Json = {}
    for name, output in (template.get("outputs") or {}).items():
        if evaluated(output.get("condition", True), scope) is False:
            continue
        kind = SHOWN.get(str(output.get("type", "string")).lower(), "String")
        value = shown(_output(output, scope))
        told = value is not None and not kind.startswith("Secure")
        found[recased(name)] = {"type": kind, "value": value} if told else {"type": kind}
    return found


def recased(name: str) -> str:
    """Return `STORAGE_ID` as `storagE_ID`: capitals go small until the next letter would start a word."""
    letters = list(name)
    for index, letter in enumerate(letters):
        following = letters[index + 1] if index + 1 < len(letters) else ""
        if not letter.isupper() or (index > 0 and following and not following.isupper()):
            break
        letters[index] = letter.lower()
    return "".join(letters)


def minified(template: Json) -> str:
    """Return the template as one line in capitals, as Azure compares templates."""
    return json.dumps(template, separators=(",", ":"), ensure_ascii=False).upper()


def hash_of(template: Json) -> str:
    """Return a decimal hash of the template without its metadata. Azure's own function is not known."""
    text = minified({key: value for key, value in template.items() if key != "metadata"})
    return str(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big"))


def _output(output: Json, scope: Scope) -> Any:
    loop = output.get("copy")
    if loop is None:
        return evaluated(output.get("value"), scope)
    if not isinstance(loop, dict) or "input" not in loop:
        raise ExpressionError("The 'copy' of an output must have a count and an input.")
    return [evaluated(loop["input"], scope.inside("", index)) for index in range(count_of(loop, scope))]


def _loops(template: Json) -> Iterator[Any]:
    loops = (template.get("variables") or {}).get("copy")
    yield from loops if isinstance(loops, list) else () if loops is None else [loops]
