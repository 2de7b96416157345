"""The switches that a tester may set, each with what it does: what only a live Azure could tell, and harder days.

`docs/simulator.md` has its table from here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from provision.simulator import throttling
from provision.simulator.access import access, policies
from provision.simulator.compute import commands, marketplace

Check = Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class Setting:
    kind: type[Any]
    does: str
    least: int | None = None
    check: Check | None = None
    """Raises ValueError, saying what is wrong, for a value of the right kind that is none all the same."""
    each: Check | None = None
    """The same, for each entry of a list."""


_KINDS = {bool: "true or false", int: "a whole number", list: "a list", dict: "an object"}
_TYPE = re.compile(r"[A-Za-z][\w.]*(/[A-Za-z]\w*)+")


def check_types(types: Any) -> None:
    """Raise ValueError where the value is no list of resource types."""
    if not isinstance(types, list) or not all(isinstance(each, str) and _TYPE.fullmatch(each) for each in types):
        raise ValueError("types are a list of names such as Contoso.Storage/shelves")


def _text(value: Any) -> None:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")


def _budgets(value: dict[str, Any]) -> None:
    for name, stated in value.items():
        throttling.check_budget(name, stated)


SETTINGS: dict[str, Setting] = {
    "throttling": Setting(
        bool, "whether an empty budget of requests refuses (429); default: only where the clock passes by itself"
    ),
    "budgets": Setting(
        dict,
        "budgets other than Azure's, `{name: [holds, gains a second]}`: `reads`, `writes`, `deletes`, or a policy of "
        "Compute's with `SubscriptionMaximum` or `Resource` at its end",
        check=_budgets,
    ),
    "operationsKeptS": Setting(
        int,
        "seconds for which a finished operation can be polled (default: a day); then a poll answers 404",
        least=0,
    ),
    "pageSize": Setting(int, "items on a page of a list (default: 50)", least=1),
    "instancePageSize": Setting(int, "instances on a page of a scale set's list (default: 50)", least=1),
    "emptyPages": Setting(bool, "whether each list begins with an empty page and a `nextLink` (default: false)"),
    "readLagS": Setting(int, "seconds by which a GET of one thing lags behind writes (default: 0)", least=0),
    "listLagS": Setting(int, "seconds by which lists lag behind writes (default: 0)", least=0),
    "caseDrift": Setting(bool, "whether ids come back in other casings, as Azure's do (default: false)"),
    "shuffle": Setting(bool, "whether lists, and lists in bodies, come in another order (default: false)"),
    "tokenLifeS": Setting(
        int, "virtual seconds that a token of `GET /_simulator/token` lives (default: 3599)", least=0
    ),
    "subscriptions": Setting(list, "the ids of all subscriptions that there are; default: any GUID is one", each=_text),
    "permissions": Setting(
        list,
        "what callers may do, `[{actions, notActions?, scope?, principal?}]`; default: everything",
        each=access.checked,
    ),
    "policies": Setting(
        list,
        "what Azure Policy denies, `[{name, match: {type?, location?, property?, equals? …}, scope?}]`; default: none",
        each=policies.checked,
    ),
    "principalReplicatesS": Setting(
        int,
        "seconds for which a new identity is unknown to role assignments that do not name its type (default: 60)",
        least=0,
    ),
    "partialAllocation": Setting(
        bool,
        "whether a request for more nodes than there is hardware for gets as many as there is, or none (default: true)",
    ),
    "freedNodesAreTaken": Setting(
        bool, "whether others have at once what is deleted, deallocated or evicted (default: false)"
    ),
    "images": Setting(
        dict,
        "marketplace images that are added, or whose versions or plan are stated: "
        '`{"publisher:offer:sku": {versions, plan}}`',
        check=marketplace.check_setting,
    ),
    "missingImages": Setting(
        list,
        "images that are not there: ids of gallery images, and `publisher:offer:sku`, or with `:version` behind",
        each=_text,
    ),
    "imageRegions": Setting(
        dict,
        "where versions of gallery images have been replicated to, `{id: [region]}`; default: everywhere",
        check=marketplace.check_regions,
    ),
    "commandOutputs": Setting(
        list,
        "what comes of scripts on nodes, `[{script?, scaleSet?, instance?, stdout?, stderr?, exitCode?, seconds?}]`: "
        "the first that matches; `script` is a regular expression that is searched in the script",
        check=commands.check_setting,
    ),
    "plainTypes": Setting(
        list, "resource types, besides the known ones, that are stored as they are sent", check=check_types
    ),
    "failedResourcesAreManaged": Setting(
        bool, "whether a stack lists a resource whose creation failed among those that it manages (default: false)"
    ),
    "disconnectedPeeringsCanBeUpdated": Setting(
        bool, "whether a write makes a Disconnected half that stands alone Initiated, or is refused (default: false)"
    ),
    "remotePeeringsMayRun": Setting(
        bool, "whether a half can be written while one of the other network's halves is (default: false)"
    ),
}


def check(settings: dict[str, Any]) -> None:
    """Raise ValueError, saying what is wrong, where some setting is none or has a value that it cannot have."""
    if unknown := set(settings) - set(SETTINGS):
        raise ValueError(f"there are no settings {sorted(unknown)}; there are {', '.join(sorted(SETTINGS))}")
    for name, value in settings.items():
        setting = SETTINGS[name]
        if not isinstance(value, setting.kind) or (setting.kind is int and isinstance(value, bool)):
            raise ValueError(f"settings.{name} is {_KINDS[setting.kind]}")
        if setting.least is not None and value < setting.least:
            raise ValueError(f"settings.{name} is at least {setting.least}")
        if setting.check is not None:
            setting.check(value)
        if setting.each is not None:
            for entry in value:
                setting.each(entry)
