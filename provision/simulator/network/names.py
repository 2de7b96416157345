"""What resources may be called. Looked at when one is made; what exists keeps its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from provision.simulator.refusals.errors import Refusal, service
from provision.simulator.refusals.network_errors import network
from provision.simulator.state.ids import ResourceId

_NETWORK_NAME = re.compile(r"\w([\w.-]*\w)?")
_SCALE_SET_NAME = re.compile(r"""(?!_)[^\\/"\[\]:|<>+=;,?*@&\s]+(?<![.-])""")
_LUSTRE_NAME = re.compile(r"[0-9a-zA-Z][-0-9a-zA-Z_]*[0-9a-zA-Z]")
_IDENTITY_NAME = re.compile(r"[0-9a-zA-Z][-0-9a-zA-Z_]*")


@dataclass(frozen=True, slots=True)
class _Rule:
    shortest: int
    longest: int
    pattern: re.Pattern[str]


_RULES = {
    "microsoft.compute/virtualmachinescalesets": _Rule(1, 64, _SCALE_SET_NAME),
    "microsoft.storagecache/amlfilesystems": _Rule(2, 80, _LUSTRE_NAME),
    "microsoft.managedidentity/userassignedidentities": _Rule(3, 128, _IDENTITY_NAME),
    "microsoft.network/virtualnetworks": _Rule(2, 64, _NETWORK_NAME),
}
_OF_NETWORK = _Rule(1, 80, _NETWORK_NAME)


def check(rid: ResourceId) -> None:
    """Refuse a resource whose name Azure would not take."""
    of_network = rid.namespace.lower() == "microsoft.network"
    rule = _RULES.get(rid.type.lower(), _OF_NETWORK if of_network else None)
    if rule is None or (rule.shortest <= len(rid.name) <= rule.longest and rule.pattern.fullmatch(rid.name)):
        return
    raise refusal(rid.name, rule.longest) if of_network else _refused(rid, rule)


def check_entry(name: str) -> None:
    """Refuse the name of an entry that Network treats as a resource: a rule, an ip configuration, a delegation."""
    if len(name) > _OF_NETWORK.longest or not _NETWORK_NAME.fullmatch(name):
        raise refusal(name, _OF_NETWORK.longest)


def refusal(name: str, longest: int) -> Refusal:
    message = (
        f"Resource name {name} is invalid. The name can be up to {longest} characters long. It must begin with a word "
        "character, and it must end with a word character or with '_'. The name may contain word characters or '.', "
        "'-', '_'."
    )
    return network(400, "InvalidResourceName", message)


def _refused(rid: ResourceId, rule: _Rule) -> Refusal:
    message = (
        f"Resource name '{rid.name}' is invalid for type '{rid.type}': {rule.shortest} to {rule.longest} characters, "
        f"of the form {rule.pattern.pattern}."
    )
    return service(400, "InvalidResourceName", message)
