"""Whatever an environment file says: it is applied, found as stated and destroyed, and others keep what is theirs."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.cli.planning import plan_for
from provision.cli.target import Target
from provision.observe.status import read_status
from provision.pipeline import Checked, check, rendered
from provision.plan import Plan
from tests.property.environments import (
    BOOT,
    HUB,
    IDENTITIES,
    TEMPLATES,
    Drawn,
    environments,
    existing_network,
    given_group,
)
from tests.support.azure import Azure
from tests.support.topologies import SUBSCRIPTION
from tests.support.worlds import KEY

Json = dict[str, Any]


def checked(drawn: Drawn) -> Checked:
    """Return the file, checked; it has no error."""
    files = {"any.yaml": drawn.text, "key.pub": KEY, "boot.yaml": BOOT}
    found = check("any.yaml", files.__getitem__, load_catalog(), read_folder=lambda folder: TEMPLATES)
    assert found.topology is not None, (drawn.text, found.findings)
    return found


def azure_of_others(drawn: Drawn) -> Azure:
    """Return an Azure in which stands what the file refers to, and what others have beside it."""
    groups = {"shared": "westus3", **{given_group(name): name for name in drawn.given_groups}}
    prefix = f"/subscriptions/{SUBSCRIPTION}/resourceGroups"
    resources: list[Json] = [
        {"id": id, "type": "Microsoft.ManagedIdentity/userAssignedIdentities", "location": "westus3", "properties": {}}
        for id in IDENTITIES
    ]
    resources.append(_network(HUB, "westus3", "192.168.0.0/16", "192.168.1.0/24"))
    resources += [
        _network(existing_network(name), name, "10.9.0.0/16", "10.9.4.0/22") for name in drawn.existing_subnets
    ]
    resources += [
        {
            "id": f"{prefix}/{group}/providers/Microsoft.Network/networkSecurityGroups/theirs",
            "type": "Microsoft.Network/networkSecurityGroups",
            "location": location,
            "tags": {"owner": "others"},
            "properties": {"securityRules": []},
        }
        for group, location in groups.items()
    ]
    azure = Azure()
    azure.control(
        "PUT",
        "world",
        {
            "resourceGroups": [
                {"id": f"{prefix}/{name}", "name": name, "location": location, "properties": {}, "tags": {"a": "b"}}
                for name, location in groups.items()
            ],
            "resources": [{"name": body["id"].rpartition("/")[2], **body} for body in resources],
        },
    )
    return azure


def _network(id: str, location: str, space: str, subnet: str) -> Json:
    return {
        "id": id,
        "type": "Microsoft.Network/virtualNetworks",
        "location": location,
        "properties": {
            "addressSpace": {"addressPrefixes": [space]},
            "subnets": [{"name": "compute", "properties": {"addressPrefix": subnet}}],
        },
    }


def planned(azure: Azure, found: Checked, *, destroying: bool = False) -> Plan:
    return plan_for(found, Target(azure.arm, azure.clock), destroying=destroying)


def carried_out(azure: Azure, plan: Plan) -> None:
    run = azure.carry_out(plan)
    lost = [(name, run.progress.states[name].detail) for name, status in run.statuses.items() if status != "done"]
    assert lost == []


def world(azure: Azure) -> Json:
    """Return all that exists, without the marks of time."""
    found = azure.control("GET", "world")
    return {part: [_steady(body) for body in found[part]] for part in ("resourceGroups", "resources", "stacks")}


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _steady(each) for key, each in value.items() if key not in ("etag", "resourceGuid")}
    return [_steady(each) for each in value] if isinstance(value, list) else copy.copy(value)


@settings(
    max_examples=40,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(environments())
def test_any_environment_is_applied_found_as_stated_and_destroyed_without_a_trace(drawn: Drawn) -> None:
    found = checked(drawn)
    assert found.topology is not None
    units = rendered(found, load_catalog(), load_templates())
    assert units == rendered(checked(drawn), load_catalog(), load_templates())
    azure = azure_of_others(drawn)
    before = world(azure)

    first = planned(azure, found)
    assert (first.refused, first.breaches[1:], first.consents) == ((), (), ())
    carried_out(azure, first)

    second = planned(azure, found)
    assert [(change.action.label, str(change.id), change.edits) for change in second.changes] == []
    azure.wait(3600)
    assert [status for status in read_status(azure.arm, found.topology) if not status.complete] == []

    carried_out(azure, planned(azure, found, destroying=True))
    azure.wait(3600)
    assert world(azure) == before
