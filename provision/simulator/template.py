"""Templates: their parameters, their resources in order. Of the expression language, `[parameters('x')]` alone."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from provision.simulator import bodies, providers
from provision.simulator.bodies import at_path
from provision.simulator.errors import bad_content, bad_template
from provision.simulator.facts import limit, location_name
from provision.simulator.ids import parse, resource_id
from provision.simulator.messages import Json
from provision.simulator.tables.arm import TEMPLATE

_PARAMETER = re.compile(r"\[\s*parameters\(\s*'([^']*)'\s*\)\s*\]", re.IGNORECASE)
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "securestring": (str,),
    "int": (int,),
    "bool": (bool,),
    "array": (list,),
    "object": (dict,),
    "secureobject": (dict,),
}
_SHOWN = {
    "string": "String",
    "securestring": "SecureString",
    "int": "Int",
    "bool": "Bool",
    "array": "Array",
    "object": "Object",
    "secureobject": "SecureObject",
}
_NESTED = "microsoft.resources/deployments"
_RESOURCES_HELP = "Please see https://aka.ms/arm-syntax-resources for usage details."
_PARAMETERS_HELP = "Please see https://aka.ms/arm-syntax-parameters for usage details."
_ENVELOPE = frozenset({"type", "apiVersion", "name", "dependsOn", "comments", "condition", "scope", "metadata"})
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
    }
)


def values(template: Json, given: Any) -> Json:
    """Return `{name: {type, value}}` of every parameter; refuse what is missing, unknown or of another type."""
    declared = template.get("parameters") or {}
    given = given or {}
    if not isinstance(declared, dict) or not isinstance(given, dict):
        raise bad_content("Parameters must be an object.")
    unknown = [name for name in given if name.lower() not in {each.lower() for each in declared}]
    if unknown:
        allowed = ", ".join(declared)
        text = (
            f"The template parameters '{', '.join(unknown)}' in the parameters file are not valid; they are not "
            "present in the original template and can therefore not be provided at deployment time. The only supported "
            f"parameters for this template are '{allowed}'. "
            "Please see https://aka.ms/arm-pass-parameter-values for usage details."
        )
        raise bad_template(text)
    by_name = {name.lower(): value for name, value in given.items()}
    return {name: _value(name, rule, by_name.get(name.lower())) for name, rule in declared.items()}


def shown(parameters: Json, *, lower: bool = False) -> Json:
    """Return parameters as answers show them; secure ones keep their value to themselves."""
    result: Json = {}
    for name, parameter in parameters.items():
        kind = parameter["type"] if lower else _SHOWN[parameter["type"]]
        if parameter["type"].startswith("secure"):
            result[name] = {"type": kind, "value": ""} if lower else {"type": kind}
        elif lower:
            result[name] = {"value": parameter["value"], "type": kind}
        else:
            result[name] = {"type": kind, "value": parameter["value"]}
    return result


def steps(template: Json, parameters: Json, subscription: str, group: str) -> list[Json]:
    """Return the template's resources with their values put in: `{id, type, api_version, body, needs}`, as they stand.

    Refuses anything that ARM would refuse before it starts: expressions that are not known here, duplicates, unknown
    or circular dependencies, and too many resources.
    """
    resources = template["resources"]
    # Language version 2 keys resources by symbolic name, and dependsOn may use it.
    named = list(resources.items() if isinstance(resources, dict) else (("", each) for each in resources))
    most = limit("template_resources")
    if len(named) > most:
        raise bad_template(
            f"The number of template resources limit exceeded. Limit: '{most}' and actual: '{len(named)}'. "
            f"{_RESOURCES_HELP}"
        )
    made = []
    for symbol, raw in named:
        if not isinstance(raw, dict):
            raise bad_template("A template resource must be an object.")
        if raw.get("condition") is False:
            continue
        if str(raw.get("type")).lower() == _NESTED:
            made.append((symbol, _nested_step(raw, parameters, subscription, group)))
        else:
            made.append((symbol, _step(evaluated(raw, parameters), subscription, group)))
    _link(made)
    found = [step for _, step in made]
    _refuse_cycles(found)
    return _flat(found)


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
    return template


def evaluated(value: Any, parameters: Json) -> Any:
    """Return the value with parameters put in and escapes undone."""
    if isinstance(value, dict):
        return {_key(key, parameters): evaluated(inner, parameters) for key, inner in value.items()}
    if isinstance(value, list):
        return [evaluated(inner, parameters) for inner in value]
    return _text(value, parameters) if isinstance(value, str) else value


def outputs(template: Json, parameters: Json) -> Json:
    """Return outputs as answers show them, with the names re-cased as ARM's serialiser does."""
    found: Json = {}
    for name, output in (template.get("outputs") or {}).items():
        kind = _SHOWN.get(str(output.get("type", "string")).lower(), "String")
        value = evaluated(output.get("value"), parameters)
        found[recased(name)] = {"type": kind, "value": value} if value is not None else {"type": kind}
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


def hash_of(template: Json) -> str:
    """Return a decimal hash of the template without its metadata. Azure's own function is not known."""
    text = json.dumps(
        {key: value for key, value in template.items() if key != "metadata"}, separators=(",", ":")
    ).upper()
    return str(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big"))


def _value(name: str, rule: Any, given: Any) -> Json:
    kind = str(rule.get("type", "")).lower() if isinstance(rule, dict) else ""
    path = f"properties.template.parameters.{name}"
    if kind not in _TYPES:
        raise bad_template(f"The template parameter '{name}' has no valid type.", path=path)
    if given is not None and not isinstance(given, dict):
        raise bad_content(f"Error converting the parameter '{name}'. Path 'properties.parameters.{name}'.")
    if given is not None and "reference" in given:
        value: Any = "" if kind == "securestring" else {}
    elif given is not None and "value" in given:
        value = given["value"]
    elif "defaultValue" in rule:
        value = evaluated(rule["defaultValue"], {})
    else:
        text = (
            f"The value for the template parameter '{name}' at line '1' and column '1' is not provided. "
            "Please see https://aka.ms/arm-create-parameter-file for usage details."
        )
        raise bad_template(text, path=path)
    wrong = not isinstance(value, _TYPES[kind]) or (kind == "int" and isinstance(value, bool))
    if wrong and not (value is None and rule.get("nullable")):
        text = (
            f"Template parameter JToken type is not valid. Expected '{_SHOWN[kind]}'. Actual "
            f"'{type(value).__name__}'. Please see https://aka.ms/arm-deploy/#parameter-file for usage details."
        )
        raise bad_template(text, path=path)
    _check_limits(name, rule, value, path)
    return {"type": kind, "value": value}


def _check_limits(name: str, rule: Json, value: Any, path: str) -> None:
    rule = {key: each for key, each in rule.items() if each is not None}
    what = f"The provided value for the template parameter '{name}' is not valid. "
    tail = f" {_PARAMETERS_HELP}"
    if "allowedValues" in rule and value not in rule["allowedValues"]:
        allowed = ",".join(str(each) for each in rule["allowedValues"])
        text = f"{what}The value '{value}' is not part of the allowed value(s): '{allowed}'."
        raise bad_template(f"{text}{tail}", path=f"{path}.allowedValues")
    if isinstance(value, int) and not isinstance(value, bool):
        if "maxValue" in rule and value > rule["maxValue"]:
            raise bad_template(
                f"{what}Value should be less than or equal to '{rule['maxValue']}'.{tail}",
                path=f"{path}.maxValue",
            )
        if "minValue" in rule and value < rule["minValue"]:
            raise bad_template(
                f"{what}Value should be greater than or equal to '{rule['minValue']}'.{tail}",
                path=f"{path}.minValue",
            )
    if isinstance(value, str | list):
        if "minLength" in rule and len(value) < rule["minLength"]:
            raise bad_template(
                f"{what}Length of the value should be greater than or equal to '{rule['minLength']}'.{tail}",
                path=f"{path}.minLength",
            )
        if "maxLength" in rule and len(value) > rule["maxLength"]:
            raise bad_template(
                f"{what}Length of the value should be less than or equal to '{rule['maxLength']}'.{tail}",
                path=f"{path}.maxLength",
            )


def _text(text: str, parameters: Json) -> Any:
    """Return what a string means: an expression ends with `]`; `[[` escapes one bracket; all else is itself."""
    if not (text.startswith("[") and text.endswith("]")):
        return text
    if text.startswith("[["):
        return text[1:]
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise bad_template(f"Unable to process template language expression '{text}': the function is not known here.")
    by_name = {name.lower(): parameter for name, parameter in parameters.items()}
    parameter = by_name.get(found[1].lower())
    if parameter is None:
        raise bad_template(
            f"Unable to process template language expressions: the template parameter '{found[1]}' is "
            f"not found. {_PARAMETERS_HELP}"
        )
    return parameter["value"]


def _key(text: str, parameters: Json) -> str:
    found = _text(text, parameters)
    if not isinstance(found, str):
        raise bad_template(f"The template language expression '{text}' is a property name and must be a string.")
    return found


def _step(resource: Json, subscription: str, group: str) -> Json:
    type_, name, version = resource.get("type"), resource.get("name"), resource.get("apiVersion")
    if not isinstance(type_, str) or not isinstance(name, str) or not isinstance(version, str):
        raise bad_template("The template resource must have a type, a name and an apiVersion.")
    kinds, names = type_.split("/")[1:], name.split("/")
    if len(kinds) != len(names) or "resources" in resource or "copy" in resource:
        text = (
            f"The template resource '{name}' for type '{type_}' has incorrect segment lengths, or nests or copies "
            f"resources, which is not known here. {_RESOURCES_HELP}"
        )
        raise bad_template(text)
    for key in ("resourceGroup", "subscriptionId", "scope"):
        if key in resource:
            text = (
                f"The template resource '{name}' of type '{type_}' has the property '{key}', which only nested "
                f"deployments and extension resources may have. {_RESOURCES_HELP}"
            )
            raise bad_template(text)
    rid = resource_id(subscription, group, type_, *names)
    if not providers.known(rid.type):
        raise bad_template(f"The resource type '{type_}' of the template resource '{name}' is not known here.")
    body = {key: value for key, value in resource.items() if key not in _ENVELOPE}
    bodies.check_tags(body.get("tags"))
    needs = resource.get("dependsOn") or []
    if not isinstance(needs, list) or not all(isinstance(each, str) for each in needs):
        raise bad_template(f"The 'dependsOn' of the template resource '{rid.text}' must be an array of strings.")
    if "location" in body:
        body["location"] = location_name(str(body["location"]))
    return {"id": rid.text, "type": rid.type, "api_version": version, "body": body, "needs": needs}


def _nested_step(raw: Json, parameters: Json, subscription: str, group: str) -> Json:
    """Return a nested deployment as one step with its own steps inside: the one way into another group.

    No record of it is kept: its resources are carried out with those around it.
    """
    properties = raw.get("properties") if isinstance(raw.get("properties"), dict) else {}
    scope = at_path(properties, "expressionEvaluationOptions.scope")
    inner = isinstance(scope, str) and scope.lower() == "inner"
    # With inner scope the expressions in the template are not about the parameters out here.
    outside = {**raw, "properties": {key: each for key, each in (properties or {}).items() if key != "template"}}
    resource = evaluated(outside, parameters)
    body = checked(properties.get("template") if properties else None)
    bodies.fit(TEMPLATE, body)
    if not inner:
        body = evaluated(body, parameters)
    there = resource.get("resourceGroup", group), resource.get("subscriptionId", subscription)
    name, needs = resource.get("name"), resource.get("dependsOn") or []
    if not all(isinstance(each, str) and each for each in (*there, name)):
        raise bad_template("A nested deployment must have a name, and resourceGroup and subscriptionId as strings.")
    if not isinstance(needs, list) or not all(isinstance(each, str) for each in needs):
        raise bad_template(f"The 'dependsOn' of the template resource '{name}' must be an array of strings.")
    given = resource["properties"].get("parameters")
    if given is not None and not isinstance(given, dict):
        raise bad_content(f"The parameters of the nested deployment '{name}' must be an object.")
    made = steps(body, values(body, given), there[1], there[0])
    text = resource_id(there[1], there[0], _NESTED, str(name)).text
    return {"id": text, "type": _NESTED, "body": {}, "needs": needs, "steps": made}


def _flat(found: list[Json]) -> list[Json]:
    """Return the steps with those of nested deployments in their places, waiting for what these wait for."""
    instead = {step["id"]: step for step in found if "steps" in step}

    def spread(names: list[str]) -> list[str]:
        result: set[str] = set()
        for name in names:
            nested = instead.get(name)
            if nested is None:
                result.add(name)
            else:
                result |= {step["id"] for step in nested["steps"]} or set(spread(nested["needs"]))
        return sorted(result)

    flat = []
    for step in found:
        for each in step.get("steps", [step]):
            own = each["needs"] if "steps" in step else []
            flat.append({**each, "needs": sorted({*own, *spread(step["needs"])})})
    ids = [step["id"].lower() for step in flat]
    for step in flat:
        if ids.count(step["id"].lower()) > 1:
            raise bad_template(f"Resource {step['id']} is defined multiple times in a template. {_RESOURCES_HELP}")
    return flat


def _link(made: list[tuple[str, Json]]) -> None:
    """Replace the names in `needs` by ids; refuse names that mean no resource of the template."""
    by_id: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for symbol, step in made:
        if step["id"].lower() in by_id:
            raise bad_template(f"Resource {step['id']} is defined multiple times in a template. {_RESOURCES_HELP}")
        by_id[step["id"].lower()] = step["id"]
        rid = parse(step["id"])
        assert rid is not None
        short = "/".join(rid.names)
        for name in {short, f"{rid.type}/{short}", *([symbol] if symbol else [])}:
            by_name.setdefault(name.lower(), []).append(step["id"])
    for _, step in made:
        needs = []
        for text in step["needs"]:
            full = text if text.lower().startswith("/subscriptions/") else None
            found = [by_id[full.lower()]] if full and full.lower() in by_id else by_name.get(text.lower(), [])
            if len(found) != 1:
                raise bad_template(f"The resource '{text}' is not defined in the template. {_RESOURCES_HELP}")
            needs.append(found[0])
        step["needs"] = sorted(set(needs))


def _refuse_cycles(found: list[Json]) -> None:
    left = {step["id"]: set(step["needs"]) for step in found}
    while left:
        free = [name for name, needs in left.items() if not needs & left.keys()]
        if not free:
            names = ", ".join(sorted(left))
            raise bad_template(f"Circular dependency detected on resource: '{names}'. {_RESOURCES_HELP}")
        for name in free:
            del left[name]
