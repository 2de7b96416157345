"""Whether the resource providers that the environments need are registered in their subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import GROUPS
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status

RULE = Rule(
    id="provider-not-registered",
    severity=Severity.ERROR,
    why="Azure refuses resources of a provider that the subscription is not registered with",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/resource-providers-and-types",
    what="each resource provider that an environment needs and its subscription is not registered with",
    remedy="an administrator registers it once: az provider register --namespace NAME",
)


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    needed: dict[str, dict[str, int]] = {}
    for number, member in enumerate(members):
        for stated in member.stated():
            namespace = stated.id.type.split("/")[0]
            needed.setdefault(member.subscription, {}).setdefault(namespace, number)
    for subscription, namespaces in sorted(needed.items()):
        question = Question(f"/subscriptions/{subscription}/providers", GROUPS, "$expand=metadata&")
        yield Item(
            "resource providers",
            ("subscription",),
            (question,),
            lambda found, namespaces=namespaces: _rows(found, namespaces),
            min(namespaces.values()),
        )


def _rows(found: Iterable[Mapping[str, Any]], namespaces: Mapping[str, int]) -> Iterator[Row]:
    states = {str(each.get("namespace")).lower(): str(each.get("registrationState")) for each in found}
    for namespace, member in sorted(namespaces.items()):
        state = states.get(namespace.lower(), "unknown to the subscription")
        good = state.lower() == "registered"
        yield Row(
            RULE.id,
            namespace,
            Status.PASS if good else Status.FAIL,
            "registered" if good else f"is {state}",
            ("subscription",),
            "" if good else f"have it registered: az provider register --namespace {namespace}",
            member,
        )


PROVIDERS = Check(RULE, _items)
