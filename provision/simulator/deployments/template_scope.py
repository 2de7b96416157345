"""Where a template is deployed, and what its expressions may therefore speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provision.simulator.language.azure import utc_now
from provision.simulator.language.scope import Lookup, Scope, Unresolved
from provision.simulator.state.world import Group, World, guid_of
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import moment


@dataclass(frozen=True)
class Place:
    """The scope of a deployment: a resource group, or, where `group` is empty, a subscription."""

    subscription: str
    group: str
    location: str
    """Where the deployment itself is kept: its group's region, or the one that was asked for."""
    tags: Mapping[str, str] | None = None
    """The group's; None where the group does not exist yet."""

    @classmethod
    def of(cls, group: Group) -> Place:
        return cls(group.subscription, group.name, group.location, group.tags)

    @classmethod
    def at(cls, world: World, subscription: str, group: str, location: str) -> Place:
        """Return the place by its names; a group need not exist."""
        found = world.groups.get(f"/subscriptions/{subscription}/resourcegroups/{group}".lower()) if group else None
        return cls(subscription, group, location) if found is None else cls.of(found)

    @property
    def id(self) -> str:
        here = f"/subscriptions/{self.subscription}"
        return f"{here}/resourceGroups/{self.group}" if self.group else here

    @property
    def exists(self) -> bool:
        return not self.group or self.tags is not None


@dataclass(frozen=True)
class Moment:
    """What `utcNow` and `newGuid` answer in one deployment."""

    now: float
    seed: str


def scope_of(
    template: Json,
    parameters: Mapping[str, Any],
    place: Place,
    name: str,
    when: Moment | None = None,
    lookup: Lookup | None = None,
) -> Scope:
    """Return the scope of a template. Without `when`, it is not known what time it is: a what-if asks so."""
    around = _surroundings(place, name)
    if when is not None:
        made = iter(range(1_000_000))
        around["utcnow"] = utc_now(moment(when.now))
        around["newguid"] = lambda: guid_of(when.seed, "new", str(next(made)))
    return Scope(parameters, _variables(template), around, lookup=lookup)


def _variables(template: Json) -> dict[str, Any]:
    """Return the variables by lower-case name; one that a loop makes is an expression about that loop's array."""
    variables = template.get("variables") or {}
    found = {name.lower(): value for name, value in variables.items() if name.lower() != "copy"}
    for loop in variables.get("copy") or []:
        name = str(loop["name"]).replace("'", "''")
        found[f"{loop['name']}$".lower()] = {"copy": [loop]}
        found[loop["name"].lower()] = f"[variables('{name}$')['{name}']]"
    return found


def _surroundings(place: Place, name: str) -> dict[str, Any]:
    tenant = guid_of("tenant")
    around: dict[str, Any] = {
        "subscription": {
            "id": f"/subscriptions/{place.subscription}",
            "subscriptionId": place.subscription,
            "tenantId": tenant,
            "displayName": "Simulated subscription",
        },
        "tenant": {"tenantId": tenant, "displayName": "Simulated tenant", "countryCode": "US"},
        "deployment": {
            "name": name,
            "properties": {"mode": "Incremental", "provisioningState": "Accepted", "parameters": {}},
            **({} if place.group else {"location": place.location}),
        },
        "deployer": {"objectId": guid_of("principal"), "tenantId": tenant, "userPrincipalName": ""},
        "environment": _ENVIRONMENT,
    }
    if place.group:
        known = place.tags is not None
        around["resourcegroup"] = {
            "id": place.id,
            "name": place.group,
            "type": "Microsoft.Resources/resourceGroups",
            "location": place.location if known else Unresolved("resourceGroup().location"),
            "tags": dict(place.tags or {}) if known else Unresolved("resourceGroup().tags"),
            "properties": {"provisioningState": "Succeeded"},
        }
    return around


_ENVIRONMENT = {
    "name": "AzureCloud",
    "gallery": "https://gallery.azure.com/",
    "graph": "https://graph.windows.net/",
    "portal": "https://portal.azure.com",
    "resourceManager": "https://management.azure.com/",
    "authentication": {
        "loginEndpoint": "https://login.microsoftonline.com/",
        "audiences": ["https://management.core.windows.net/", "https://management.azure.com/"],
        "tenant": "common",
        "identityProvider": "AAD",
    },
    "suffixes": {"storage": "core.windows.net", "keyvaultDns": ".vault.azure.net", "acrLoginServer": ".azurecr.io"},
}
