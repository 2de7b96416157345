"""What a caller may do: actions at scopes, as role assignments would grant them, and what each request asks for.

Without the setting `permissions` everything is allowed. With it, a list of `{actions, notActions, scope, principal}`,
an action is allowed where some entry grants it at the scope or above. An action may have `*` in it; without `scope` an
entry is about everything, without `principal`, an object id, about everybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from provision.simulator.access import errors_access
from provision.simulator.state.ids import cased
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json

_VERBS = {"GET": "read", "HEAD": "read", "PUT": "write", "PATCH": "write", "DELETE": "delete"}
_RESOURCES = "Microsoft.Resources/subscriptions"
_JOINS = {
    "microsoft.network/virtualnetworks/subnets": "Microsoft.Network/virtualNetworks/subnets/join/action",
    "microsoft.network/virtualnetworks": "Microsoft.Network/virtualNetworks/peer/action",
    "microsoft.network/networksecuritygroups": "Microsoft.Network/networkSecurityGroups/join/action",
    "microsoft.network/natgateways": "Microsoft.Network/natGateways/join/action",
    "microsoft.network/publicipaddresses": "Microsoft.Network/publicIPAddresses/join/action",
    "microsoft.network/publicipprefixes": "Microsoft.Network/publicIPPrefixes/join/action",
    "microsoft.network/routetables": "Microsoft.Network/routeTables/join/action",
    "microsoft.network/networkinterfaces": "Microsoft.Network/networkInterfaces/join/action",
    "microsoft.compute/capacityreservationgroups": "Microsoft.Compute/capacityReservationGroups/deploy/action",
    "microsoft.managedidentity/userassignedidentities": (
        "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"
    ),
}
"""What has to be allowed on a resource that another one refers to, by its type."""
_POLLS = frozenset({"operationresults", "operationstatuses", "operations"})


def checked(entry: Any) -> Json:
    """Return an entry of the setting; raise ValueError, saying what is wrong, where it is none."""
    if not isinstance(entry, dict) or set(entry) - {"actions", "notActions", "scope", "principal"}:
        raise ValueError("a permission has actions, and may have notActions, scope and principal")
    for key in ("actions", "notActions"):
        if not isinstance(entry.get(key, []), list) or not all(isinstance(each, str) for each in entry.get(key, [])):
            raise ValueError(f"{key} of a permission is a list of texts")
    if not all(isinstance(entry.get(key, ""), str) for key in ("scope", "principal")):
        raise ValueError("scope and principal of a permission are texts")
    return entry


def allowed(world: World, caller: Caller, action: str, scope: str) -> bool:
    return any(_grants(entry, caller, action, scope) for entry in world.setting("permissions", _EVERYTHING))


def entries_at(world: World, caller: Caller, scope: str) -> list[Json]:
    """Return what is granted at a scope, as `Microsoft.Authorization/permissions` shows it."""
    found = [entry for entry in world.setting("permissions", _EVERYTHING) if _covers(entry, caller, scope)]
    return [
        {
            "actions": entry.get("actions", []),
            "notActions": entry.get("notActions", []),
            "dataActions": [],
            "notDataActions": [],
        }
        for entry in found
    ]


def refuse(world: World, caller: Caller, method: str, path: str) -> None:
    """Refuse a request that the caller may not make. Lists across groups are cut down instead; polls are free."""
    if "permissions" not in world.settings:
        return
    asked = action_of(method, path)
    if asked is not None and not allowed(world, caller, *asked):
        raise errors_access.not_authorized(caller, *asked)


def refuse_links(world: World, caller: Caller, action: str, scope: str, body: Any) -> None:
    """Refuse the write of a resource that refers to others on which the caller may not do what that takes."""
    if "permissions" not in world.settings:
        return
    missing = [(join, text) for join, text in links(body) if not allowed(world, caller, join, text)]
    if missing:
        raise errors_access.not_authorized_on_linked(caller, action, scope, missing)


def links(body: Any) -> list[tuple[str, str]]:
    """Return what has to be allowed on what a body refers to: `(action, id)`, by id."""
    found = {}
    for text in _ids(body):
        type_ = _type_of(text)
        if type_.lower() in _JOINS:
            found[text.lower()] = (_JOINS[type_.lower()], text)
    return [found[key] for key in sorted(found)]


def action_of(method: str, path: str) -> tuple[str, str] | None:
    """Return the action that a request is and the scope that it is at; None where ARM asks for nothing."""
    parts = path.strip("/").split("/")
    lowered = [part.lower() for part in parts]
    if not parts or parts == [""] or _POLLS & set(lowered):
        return None
    if "providers" in lowered[:-1]:
        at = len(lowered) - 1 - lowered[::-1].index("providers")
        return _of_provider(method, parts, at)
    kinds = lowered[::2]
    if kinds == ["subscriptions"] and len(parts) == 2:
        return f"{_RESOURCES}/{_VERBS.get(method, 'action')}", path
    if len(parts) < 4 or kinds[:2] != ["subscriptions", "resourcegroups"]:
        return None  # a list of what the principal can see
    group = "/" + "/".join(parts[:4])
    if len(parts) == 4:
        return f"{_RESOURCES}/resourceGroups/{_VERBS.get(method, 'action')}", group
    rest = "/".join(parts[4:5])
    return f"{_RESOURCES}/resourceGroups/{rest}/{_VERBS.get(method, 'action')}", group


def _of_provider(method: str, parts: list[str], at: int) -> tuple[str, str] | None:
    namespace, rest = cased(parts[at + 1]), parts[at + 2 :]
    before = "/" + "/".join(parts[:at])
    if not rest:
        return f"{_RESOURCES}/providers/{_VERBS.get(method, 'action')}", before
    if method == "POST":
        kinds = [cased(kind) for kind in rest[:-1:2]]
        scope = "/" + "/".join(parts[:-1]) if len(rest) > 1 else before
        return "/".join([namespace, *kinds, rest[-1], "action"]), scope
    kinds = [cased(kind) for kind in rest[::2]]
    # A list is read at what holds it; a resource at itself.
    whole = len(rest) % 2 == 0
    above = parts[:-1] if len(rest) > 1 else parts[:at]
    scope = "/" + "/".join(parts if whole else above)
    return "/".join([namespace, *kinds, _VERBS.get(method, "action")]), scope


_EVERYTHING: list[Json] = [{"actions": ["*"]}]


def _grants(entry: Json, caller: Caller, action: str, scope: str) -> bool:
    return (
        _covers(entry, caller, scope)
        and _matches(tuple(entry.get("actions", ())), action)
        and not _matches(tuple(entry.get("notActions", ())), action)
    )


def _covers(entry: Json, caller: Caller, scope: str) -> bool:
    if entry.get("principal", caller.object_id).lower() != caller.object_id.lower():
        return False
    here = str(entry.get("scope", "")).rstrip("/").lower()
    return f"{scope.rstrip('/').lower()}/".startswith(f"{here}/")


def _matches(patterns: Sequence[str], action: str) -> bool:
    return any(_pattern(each).fullmatch(action) for each in patterns)


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in text.split("*")), re.IGNORECASE)


def _ids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, str) and key in ("id", "filesystemSubnet") and "/providers/" in each:
                yield each
            elif key == "userAssignedIdentities" and isinstance(each, dict):
                yield from each
            else:
                yield from _ids(each)
    elif isinstance(value, list):
        for each in value:
            yield from _ids(each)


def _type_of(text: str) -> str:
    namespace, *pairs = text.rpartition("/providers/")[2].split("/")
    return "/".join([namespace, *pairs[::2]])
