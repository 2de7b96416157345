"""Azure Policy, as far as it denies: assignments that the tester sets, and the refusal of what they match.

The setting `policies` is a list of `{name, match, effect, scope}`. `match` may hold `type` (may have `*`), `location`,
and `property` (a dotted path of the body) with one of `equals`, `notEquals`, `in`, `notIn`, `exists`; all of them have
to hold. `effect` is `deny`; `scope` is left out for the subscription of whatever is written.
"""

from __future__ import annotations

import json
import re
from typing import Any

from provision.simulator.bodies.bodies import at_path
from provision.simulator.refusals import errors
from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json

_OPERATORS = {"equals": "Equals", "notEquals": "NotEquals", "in": "In", "notIn": "NotIn", "exists": "Exists"}
_AUTHORIZATION = "providers/Microsoft.Authorization"
GROUPS = "Microsoft.Resources/subscriptions/resourceGroups"
"""The type of resource groups, as policies name it."""


def checked(policy: Any) -> Json:
    """Return a policy as it is kept; raise ValueError, saying what is wrong, where it is none."""
    if not isinstance(policy, dict) or set(policy) - {"name", "match", "effect", "scope"}:
        raise ValueError("a policy has name and match, and may have effect and scope")
    if not isinstance(policy.get("name"), str) or policy.get("effect", "deny") != "deny":
        raise ValueError("a policy has a name, and its effect is deny")
    match = policy.get("match")
    if not isinstance(match, dict) or set(match) - {"type", "location", "property", *_OPERATORS}:
        raise ValueError(f"match of a policy may hold type, location, property and one of {', '.join(_OPERATORS)}")
    named = [key for key in _OPERATORS if key in match]
    if len(named) != ("property" in match):
        raise ValueError("match of a policy names a property and one condition on it, or neither")
    if any(not isinstance(match.get(key, []), list) for key in ("in", "notIn")):
        raise ValueError("in and notIn of a policy are lists")
    if any(not isinstance(match.get(key, ""), str) for key in ("type", "location", "property")):
        raise ValueError("type, location and property of a policy are texts")
    return policy


def refuse(world: World, resource_id: str, type_: str, body: Any) -> None:
    """Refuse the write of a resource that some policy denies."""
    found = refusal(world, resource_id, type_, body)
    if found is not None:
        raise found


def refusal(world: World, resource_id: str, type_: str, body: Any) -> errors.Refusal | None:
    """Return the refusal of a resource; None where no policy denies it."""
    if not world.setting("policies", []) or not isinstance(body, dict):
        return None
    denied = [policy for policy in world.settings["policies"] if _denies(policy, resource_id, type_, body)]
    if not denied:
        return None
    name = resource_id.rpartition("/")[2]
    subscription = "/".join(resource_id.split("/")[:3])
    named = [_identifiers(policy, subscription) for policy in denied]
    text = json.dumps(named, separators=(",", ":"))
    message = f"Resource '{name}' was disallowed by policy. Policy identifiers: '{text}'."
    info = [
        {"type": "PolicyViolation", "info": _info(policy, each, subscription, type_, body)}
        for policy, each in zip(denied, named, strict=True)
    ]
    return errors.Refusal(403, "RequestDisallowedByPolicy", message, target=name, info=info)


def _denies(policy: Json, resource_id: str, type_: str, body: Json) -> bool:
    scope = str(policy.get("scope", "")).rstrip("/").lower()
    if not f"{resource_id.lower()}/".startswith(f"{scope}/"):
        return False
    match = policy["match"]
    pattern = ".*".join(re.escape(part) for part in match.get("type", "*").split("*"))
    if not re.fullmatch(pattern, type_, re.IGNORECASE):
        return False
    if "location" in match and str(body.get("location", "")).lower() != match["location"].lower():
        return False
    return "property" not in match or _holds(match, at_path(body, match["property"]))


def _holds(match: Json, value: Any) -> bool:
    if "exists" in match:
        return (value is not None) is bool(match["exists"])
    if "equals" in match or "notEquals" in match:
        same = _plain(value) == _plain(match.get("equals", match.get("notEquals")))
        return same if "equals" in match else not same
    listed = _plain(value) in [_plain(each) for each in match["in" if "in" in match else "notIn"]]
    return listed if "in" in match else not listed


def _plain(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _identifiers(policy: Json, subscription: str) -> Json:
    scope, name = policy.get("scope", subscription), policy["name"]
    return {
        "policyAssignment": {"name": name, "id": f"{scope}/{_AUTHORIZATION}/policyAssignments/{name}"},
        "policyDefinition": {"name": name, "id": f"{subscription}/{_AUTHORIZATION}/policyDefinitions/{name}"},
    }


def _info(policy: Json, named: Json, subscription: str, type_: str, body: Json) -> Json:
    definition, assignment = named["policyDefinition"], named["policyAssignment"]
    return {
        "evaluationDetails": {"evaluatedExpressions": _expressions(policy["match"], type_, body)},
        "policyDefinitionId": definition["id"],
        "policyDefinitionName": definition["name"],
        "policyDefinitionDisplayName": definition["name"],
        "policyDefinitionVersion": "1.0.0",
        "policyDefinitionEffect": policy.get("effect", "deny"),
        "policyAssignmentId": assignment["id"],
        "policyAssignmentName": assignment["name"],
        "policyAssignmentDisplayName": assignment["name"],
        "policyAssignmentScope": policy.get("scope", subscription),
        "policyAssignmentParameters": {},
        "policyExemptionIds": [],
        "policyEnrollmentIds": [],
    }


def _expressions(match: Json, type_: str, body: Json) -> list[Json]:
    found: list[tuple[str, str, Any, str, Any]] = []
    if "type" in match:
        found.append(("type", "type", type_, "Like" if "*" in match["type"] else "Equals", match["type"]))
    if "location" in match:
        found.append(("location", "location", body.get("location"), "Equals", match["location"]))
    if "property" in match:
        operator = next(key for key in _OPERATORS if key in match)
        path = match["property"]
        found.append(
            (
                f"{type_}/{path.removeprefix('properties.')}",
                path,
                at_path(body, path),
                _OPERATORS[operator],
                match[operator],
            )
        )
    return [
        {
            "result": "True",
            "expressionKind": "Field",
            "expression": expression,
            "path": path,
            **({"expressionValue": value} if value is not None else {}),
            "targetValue": target,
            "operator": operator,
        }
        for expression, path, value, operator, target in found
    ]
