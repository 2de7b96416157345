"""Security groups: the rules that a body states and those that every group has."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator

from provision.simulator.network import names
from provision.simulator.network.service_tags import SERVICE_TAGS
from provision.simulator.refusals.errors import Refusal
from provision.simulator.refusals.network_errors import network
from provision.simulator.state.facts import limit
from provision.simulator.state.world import Resource
from provision.simulator.wire.messages import Json

RULE = "microsoft.network/networksecuritygroups/securityrules"

_PLURALS = ("sourcePortRanges", "destinationPortRanges", "sourceAddressPrefixes", "destinationAddressPrefixes")
_STATED = ("protocol", "access", "priority", "direction")
_PORTS = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")
_LAST_PORT = 65535

_DEFAULTS = (
    ("AllowVnetInBound", "Allow inbound traffic from all VMs in VNET", 65000, "VirtualNetwork", "VirtualNetwork"),
    (
        "AllowAzureLoadBalancerInBound",
        "Allow inbound traffic from azure load balancer",
        65001,
        "AzureLoadBalancer",
        "*",
    ),
    ("DenyAllInBound", "Deny all inbound traffic", 65500, "*", "*"),
    (
        "AllowVnetOutBound",
        "Allow outbound traffic from all VMs to all VMs in VNET",
        65000,
        "VirtualNetwork",
        "VirtualNetwork",
    ),
    ("AllowInternetOutBound", "Allow outbound traffic from all VMs to Internet", 65001, "*", "Internet"),
    ("DenyAllOutBound", "Deny all outbound traffic", 65500, "*", "*"),
)


def rule(resource_id: str, properties: Json) -> Json:
    """Return what is kept of a rule's properties; refuse what Network would."""
    names.check_entry(resource_id.rpartition("/")[2])
    for key in _STATED:
        if key not in properties:
            raise _missing(resource_id, key[:1].upper() + key[1:])
    priority = properties["priority"]
    if not 100 <= priority <= 4096:
        message = (
            f"Security rule has invalid Priority. Value provided: {priority}. Allowed range 100-4096. "
            f"Rule {resource_id.rpartition('/')[2]}."
        )
        raise network(400, "SecurityRuleInvalidPriority", message)
    for end in ("source", "destination"):
        _check_ports(resource_id, properties, end)
        _check_addresses(resource_id, properties, end)
    return {**properties, **{key: properties.get(key, []) for key in _PLURALS}}


def check_together(rules: Iterable[tuple[str, Json]]) -> None:
    """Refuse rules, each with its name, that stand in one place of the order, or that are too many."""
    taken: dict[tuple[str, int], str] = {}
    for name, properties in rules:
        place = (properties["direction"], properties["priority"])
        if place in taken:
            raise network(
                400,
                "SecurityRuleConflict",
                f"Security rule {name} conflicts with rule {taken[place]}. Rules cannot have the same Priority and "
                "Direction. To learn more see aka.ms/nsgrules.",
            )
        taken[place] = name
    most = limit("security_group_rules")
    if len(taken) > most:
        message = f"Cannot create more than {most} security rules in a network security group."
        raise network(400, "MaxSecurityRulesPerNetworkSecurityGroupReached", message)


def default_rules(resource_id: str, etag: str) -> list[Json]:
    return [
        {
            "name": name,
            "id": f"{resource_id}/defaultSecurityRules/{name}",
            "etag": etag,
            "type": "Microsoft.Network/networkSecurityGroups/defaultSecurityRules",
            "properties": {
                "provisioningState": "Succeeded",
                "description": description,
                "protocol": "*",
                "sourcePortRange": "*",
                "destinationPortRange": "*",
                "sourceAddressPrefix": source,
                "destinationAddressPrefix": destination,
                "access": "Deny" if name.startswith("Deny") else "Allow",
                "priority": priority,
                "direction": "Inbound" if name.endswith("InBound") else "Outbound",
                **{key: [] for key in _PLURALS},
            },
        }
        for name, description, priority, source, destination in _DEFAULTS
    ]


def allows(rows: Iterable[Resource], direction: str, port: int, source: str, destination: str) -> bool:
    """Return whether the first rule that is about TCP to a port, from and to these tags, lets it pass.

    Only rules about exactly these ends, or about any, count: that is how Bastion looks at the group of its subnet.
    """
    for row in sorted(rows, key=lambda row: int(row.properties["priority"])):
        properties = row.properties
        if properties["direction"] != direction or properties["protocol"] not in ("Tcp", "*"):
            continue
        ends = ((source, "sourceAddressPrefix"), (destination, "destinationAddressPrefix"))
        if all(properties.get(key) in ("*", "Internet" if tag == "*" else tag, tag) for tag, key in ends) and any(
            text == "*" or _covers(text, port) for text in _values(properties, "destinationPortRange")
        ):
            return bool(properties["access"] == "Allow")
    return False


def _check_ports(resource_id: str, properties: Json, end: str) -> None:
    one, several = properties.get(f"{end}PortRange"), properties.get(f"{end}PortRanges")
    if not one and not several:
        raise _missing(resource_id, f"{_capital(end)}PortRange or {_capital(end)}PortRanges")
    for text in several or []:
        if text == "*":
            message = f"Security rule {resource_id} cannot have '*' among its {_capital(end)}PortRanges."
            raise network(400, "SecurityRuleParameterContainsInvalidPortRanges", message)
    for text in _values(properties, f"{end}PortRange"):
        found = _PORTS.fullmatch(text)
        first = int(found[1]) if found else -1
        last = int(found[2] or found[1]) if found else -1
        if text != "*" and not 0 <= first <= last <= _LAST_PORT:
            message = (
                f"Security rule has invalid Port range. Value provided: {text}. Value should be an integer OR integer "
                f"range with '-' delimiter. Valid range 0-{_LAST_PORT}."
            )
            raise network(400, "SecurityRuleInvalidPortRange", message)


def _check_addresses(resource_id: str, properties: Json, end: str) -> None:
    name = _capital(end)
    one, several = properties.get(f"{end}AddressPrefix"), properties.get(f"{end}AddressPrefixes")
    if not one and not several and not properties.get(f"{end}ApplicationSecurityGroups"):
        raise _missing(resource_id, f"{name}AddressPrefixes, {name}AddressPrefix, or {name}ApplicationSecurityGroups")
    for text in several or []:
        if text == "*" or _is_tag(text):
            message = (
                f"Security rule parameter {name}AddressPrefix for rule with Id {resource_id} cannot specify existing "
                f"VIRTUALNETWORK, INTERNET, AZURELOADBALANCER, '*' or system tags. Unsupported value used: {text}."
            )
            raise network(400, "SecurityRuleParameterContainsUnsupportedValue", message)
    for text in _values(properties, f"{end}AddressPrefix"):
        if text != "*" and not _is_tag(text) and not _is_prefix(text):
            message = f"Security rule {resource_id} has invalid Address prefix. Value provided: {text}"
            raise network(400, "SecurityRuleInvalidAddressPrefix", message)


def _missing(resource_id: str, what: str) -> Refusal:
    name = resource_id.rpartition("/")[2]
    message = (
        f'Required security rule parameters are missing for security rule with name "{name}". '
        f"Security rule must specify {what}."
    )
    return network(400, "SecurityRuleParameterMissing", message)


def _values(properties: Json, singular: str) -> Iterator[str]:
    plural = f"{singular}es" if singular.endswith("Prefix") else f"{singular}s"
    if properties.get(singular):
        yield properties[singular]
    yield from properties.get(plural) or []


def _covers(text: str, port: int) -> bool:
    found = _PORTS.fullmatch(text)
    return found is not None and int(found[1]) <= port <= int(found[2] or found[1])


def _is_tag(text: str) -> bool:
    """Return whether a text is a service tag, of which many may end with a region."""
    return text.partition(".")[0].lower() in SERVICE_TAGS


def _is_prefix(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
