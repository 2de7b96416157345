"""Whether the features that the stated resources ask for are registered in their subscriptions.

The built-in templates ask for none; a scale-set template of one's own may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from provision.arm import SCALE_SETS
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status

RULE = Rule(
    id="feature-not-registered",
    severity=Severity.ERROR,
    why="Azure refuses some properties until the subscription has registered for the feature that allows them",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/preview-features",
    what="each feature that a stated property needs and the subscription has not registered for",
    remedy="an administrator registers it once: az feature register --namespace NAMESPACE --name NAME",
)
_FEATURES = "Microsoft.Features/features"
#: From this version of Compute on, Standard is taken without a feature (azure-cli#31234, #33280; read 2026-11-30).
_STANDARD_FREE = "2025-11-01"


def _encrypts_at_host(body: Mapping[str, Any]) -> bool:
    return _security(body).get("encryptionAtHost") is True


def _standard_before_its_time(body: Mapping[str, Any]) -> bool:
    return _security(body).get("securityType") == "Standard" and body["apiVersion"] < _STANDARD_FREE


def _security(body: Mapping[str, Any]) -> Mapping[str, Any]:
    profile = body["properties"].get("virtualMachineProfile") or {}
    return profile.get("securityProfile") or {}


#: By name: what of a scale set's body needs it, and how that reads.
_NEEDED: Mapping[str, tuple[Callable[[Mapping[str, Any]], bool], str]] = {
    # learn.microsoft.com/azure/virtual-machines/linux/disks-enable-host-based-encryption-cli (read 2026-11-30)
    "Microsoft.Compute/EncryptionAtHost": (_encrypts_at_host, "encryptionAtHost"),
    "Microsoft.Compute/UseStandardSecurityType": (
        _standard_before_its_time,
        f"securityType Standard in an API version before {_STANDARD_FREE}",
    ),
}


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    wanted: dict[str, dict[str, Row]] = {}
    for number, member in enumerate(members):
        needed = wanted.setdefault(member.subscription, {})
        for stated in member.stated(SCALE_SETS):
            for name, (needs, what) in _NEEDED.items():
                if name not in needed and needs(stated.body):
                    message = f"scale set {stated.id.name} states {what}"
                    needed[name] = Row(RULE.id, name, Status.PASS, message, stated.unit.origin, member=number)
    for subscription, needed in sorted(wanted.items()):
        if not needed:
            row = Row(RULE.id, "features", Status.PASS, "nothing that is stated needs one", ("subscription",))
            yield Item("features", ("subscription",), (), lambda row=row: [row])
            continue
        first = next(iter(needed.values()))
        path = f"/subscriptions/{subscription}/providers/Microsoft.Features/features"
        yield Item(
            "features",
            first.at,
            (Question(path, _FEATURES),),
            lambda found, needed=needed: _rows(found, needed),
            first.member,
        )


def _rows(found: Iterable[Mapping[str, Any]], needed: Mapping[str, Row]) -> Iterator[Row]:
    states = {str(each.get("name")).lower(): str((each.get("properties") or {}).get("state")) for each in found}
    for name, row in sorted(needed.items()):
        state = states.get(name.lower(), "unknown to the subscription")
        namespace, _, short = name.partition("/")
        good = state.lower() == "registered"
        yield Row(
            RULE.id,
            name,
            Status.PASS if good else Status.FAIL,
            "registered" if good else f"is {state}, and {row.message}",
            row.at,
            "" if good else f"have it registered: az feature register --namespace {namespace} --name {short}",
            row.member,
        )


FEATURES = Check(RULE, _items)
