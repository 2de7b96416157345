"""The parameters of a template: what is given, what is taken by default, what is refused, how answers show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from provision.simulator.bodies.bodies import at_path
from provision.simulator.language.expressions import evaluated
from provision.simulator.language.scope import Scope, Unresolved, is_unresolved
from provision.simulator.language.syntax import ExpressionError
from provision.simulator.refusals.errors import Refusal, bad_content
from provision.simulator.refusals.errors_deployments import bad_template
from provision.simulator.wire.messages import Json

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "securestring": (str,),
    "int": (int,),
    "bool": (bool,),
    "array": (list,),
    "object": (dict,),
    "secureobject": (dict,),
}
SHOWN = {
    "string": "String",
    "securestring": "SecureString",
    "int": "Int",
    "bool": "Bool",
    "array": "Array",
    "object": "Object",
    "secureobject": "SecureObject",
}
_TOKENS = {
    "string": "String, Uri",
    "securestring": "String, Uri",
    "int": "Integer",
    "bool": "Boolean",
    "array": "Array",
    "object": "Object",
    "secureobject": "Object",
}
_ACTUAL = {str: "String", bool: "Boolean", int: "Integer", float: "Float", list: "Array", dict: "Object"}
_HELP = "Please see https://aka.ms/arm-syntax-parameters for usage details."
_DEEPEST = 16
"""How many definitions may stand for one another before it is called a circle."""


def values(template: Json, given: Any, scope: Scope | None = None, *, hide: bool = False) -> Json:
    """Return `{name: {type, value}}` of every parameter; refuse what is missing, unknown or of another type.

    `hide`: secure values that are given stay unknown, as in a what-if.
    """
    declared = template.get("parameters") or {}
    given = given or {}
    if not isinstance(declared, dict) or not isinstance(given, dict):
        raise bad_content("Parameters must be an object.")
    _refuse_unknown(declared, given)
    rules = {name: _rule(template, name, rule) for name, rule in declared.items()}
    found = _Values(rules, {name.lower(): value for name, value in given.items()}, scope or Scope(), hide=hide)
    return {name: {"type": rules[name]["type"], "value": found[name.lower()]} for name in declared}


def by_name(parameters: Json) -> Json:
    """Return the values of parameters by lower-case name, as expressions ask for them."""
    return {name.lower(): parameter["value"] for name, parameter in parameters.items()}


def shown(parameters: Json, *, lower: bool = False) -> Json:
    """Return parameters as answers show them; secure ones keep their value to themselves."""
    result: Json = {}
    for name, parameter in parameters.items():
        kind = parameter["type"] if lower else SHOWN[parameter["type"]]
        if parameter["type"].startswith("secure"):
            result[name] = {"type": kind, "value": ""} if lower else {"type": kind}
        elif lower:
            result[name] = {"value": parameter["value"], "type": kind}
        else:
            result[name] = {"type": kind, "value": parameter["value"]}
    return result


class _Values(Mapping[str, Any]):
    """The values by lower-case name, each worked out when it is asked for: a default may speak of another parameter."""

    def __init__(self, rules: Mapping[str, Json], given: Json, scope: Scope, *, hide: bool) -> None:
        self._rules = {name.lower(): (name, rule) for name, rule in rules.items()}
        self._given, self._hide = given, hide
        self._scope = Scope(self, {}, scope.surroundings, defaults=True)
        self._known: Json = {}
        self._busy: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        if key not in self._known:
            if key in self._busy:
                raise ExpressionError(f"The default value of the template parameter '{key}' is circular.")
            self._busy.add(key)
            self._known[key] = self._worked_out(*self._rules[key], self._given.get(key))
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def _worked_out(self, name: str, rule: Json, given: Any) -> Any:
        if given is not None and not isinstance(given, dict):
            raise bad_content(f"Error converting the parameter '{name}'. Path 'properties.parameters.{name}'.")
        if given is not None and given.get("reference") is not None:
            # The secret itself is nowhere: a reference to a key vault stands for one of its type.
            value: Any = {"array": [], "object": {}, "secureobject": {}}.get(rule["type"], "")
        elif given is not None and "value" in given:
            hidden = self._hide and rule["type"].startswith("secure")
            value = Unresolved(f"parameters('{name}')") if hidden else given["value"]
        elif "defaultValue" in rule:
            value = _default(name, rule, self._scope)
        elif rule.get("nullable"):
            return None
        else:
            text = (
                f"The value for the template parameter '{name}' at line '1' and column '1' is not provided. "
                "Please see https://aka.ms/arm-create-parameter-file for usage details."
            )
            raise bad_template(text, path=_path(name))
        if not is_unresolved(value):
            _check(name, rule, value)
        return value


def _default(name: str, rule: Json, scope: Scope) -> Any:
    try:
        return evaluated(rule["defaultValue"], scope)
    except ExpressionError as error:
        text = f"Unable to process template language expressions for the parameter '{name}'. '{error}'"
        raise bad_template(text, path=_path(name)) from error


def _rule(template: Json, name: str, rule: Any) -> Json:
    """Return what a parameter must be, with the definition that it refers to laid under it; its type lower-case."""
    found = dict(rule) if isinstance(rule, dict) else {}
    for _ in range(_DEEPEST):
        target = found.pop("$ref", None)
        if target is None:
            break
        named = at_path(template.get("definitions"), str(target).removeprefix("#/definitions/"))
        found = {**(named if isinstance(named, dict) else {}), **found}
    found["type"] = str(found.get("type", "")).lower()
    if found["type"] not in _TYPES:
        raise bad_template(f"The template parameter '{name}' has no valid type.", path=_path(name))
    return found


def _refuse_unknown(declared: Json, given: Json) -> None:
    known = {each.lower() for each in declared}
    unknown = [name for name in given if name.lower() not in known]
    if unknown:
        text = (
            f"The template parameters '{', '.join(unknown)}' in the parameters file are not valid; they are not "
            "present in the original template and can therefore not be provided at deployment time. The only supported "
            f"parameters for this template are '{', '.join(declared)}'. "
            "Please see https://aka.ms/arm-pass-parameter-values for usage details."
        )
        raise bad_template(text)


def _check(name: str, rule: Json, value: Any) -> None:
    kind = rule["type"]
    wrong = not isinstance(value, _TYPES[kind]) or (kind == "int" and isinstance(value, bool))
    if wrong and not (value is None and rule.get("nullable")):
        actual = "Null" if value is None else _ACTUAL.get(type(value), "Object")
        text = (
            f"Template parameter JToken type is not valid. Expected '{_TOKENS[kind]}'. Actual '{actual}'. "
            "Please see https://aka.ms/arm-deploy/#parameter-file for usage details."
        )
        raise bad_template(text, path=_path(name))
    if not wrong:
        _check_limits(name, {key: each for key, each in rule.items() if each is not None}, value)


def _check_limits(name: str, rule: Json, value: Any) -> None:
    if "allowedValues" in rule and value not in rule["allowedValues"]:
        allowed = ",".join(str(each) for each in rule["allowedValues"])
        raise _beyond(name, "allowedValues", f"The value '{value}' is not part of the allowed value(s): '{allowed}'.")
    number = isinstance(value, int) and not isinstance(value, bool)
    for limit, small in (("maxValue", False), ("minValue", True)):
        if number and limit in rule and (value < rule[limit] if small else value > rule[limit]):
            word = "greater" if small else "less"
            raise _beyond(name, limit, f"Value should be {word} than or equal to '{rule[limit]}'.")
    for limit, small in (("minLength", True), ("maxLength", False)):
        if not isinstance(value, str | list) or limit not in rule:
            continue
        if len(value) < rule[limit] if small else len(value) > rule[limit]:
            word = "greater" if small else "less"
            raise _beyond(name, limit, f"Length of the value should be {word} than or equal to '{rule[limit]}'.")


def _beyond(name: str, limit: str, why: str) -> Refusal:
    text = f"The provided value for the template parameter '{name}' is not valid. {why} {_HELP}"
    return bad_template(text, path=f"{_path(name)}.{limit}")


def _path(name: str) -> str:
    return f"properties.template.parameters.{name}"
