"""The clusters, checked and put to work: the examples for users, and beside this file what is wrong on purpose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from provision.adapters.files import environments_root, load_catalog, read_text
from provision.adapters.templates import load_templates, read_templates
from provision.arm import ResourceId
from provision.cli.planning import plan_for
from provision.cli.target import Target
from provision.environment import Environment
from provision.environment.settings import setting_of
from provision.pipeline import Checked, check, rendered
from provision.plan import Plan
from provision.render import Unit
from provision.topology import Topology
from tests.support.azure import ENDPOINT, Azure, Run

HERE = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in environments_root().glob("*.yaml")))
WRONG = tuple(sorted(path.stem for path in HERE.glob("*.yaml")))


@cache
def checked(name: str, *settings: str) -> Checked:
    """Return a cluster, checked, with `settings` as `--set` would give them."""
    folder = environments_root() if name in NAMES else HERE
    given = tuple(map(setting_of, settings))
    return check(
        f"{name}.yaml",
        lambda path: read_text(str(folder / path)),
        load_catalog(),
        settings=given,
        read_folder=lambda path: read_templates(str(folder / path)),
    )


def topology(name: str, *settings: str) -> Topology:
    """Return the topology of a cluster without errors."""
    found = checked(name, *settings)
    assert found.topology is not None, found.findings
    return found.topology


def units(name: str, *settings: str) -> tuple[Unit, ...]:
    """Return what is deployed of a cluster without errors."""
    return rendered(checked(name, *settings), load_catalog(), load_templates())


def messages(name: str, *settings: str) -> list[tuple[str, str]]:
    """Return the rule and the message of each finding."""
    return [(finding.rule, finding.message) for finding in checked(name, *settings).findings]


def plan(azure: Azure, name: str, *settings: str, destroying: bool = False) -> Plan:
    """Return the plan of a cluster against what is there now."""
    return plan_for(checked(name, *settings), Target(azure.arm, azure.clock), destroying=destroying)


def applied(azure: Azure, name: str, *settings: str, destroying: bool = False) -> Run:
    """Plan a cluster and carry the plan out; nothing of it may fail."""
    made = plan(azure, name, *settings, destroying=destroying)
    assert (made.refused, made.breaches) == ((), ())
    run = azure.carry_out(made)
    assert set(run.statuses.values()) == {"done"}, run.named("operation-failed")
    return run


def azure_for(name: str) -> Azure:
    """Return an Azure that has what a cluster takes for given: what others own, and the limits that it was granted."""
    azure = Azure()
    environment = checked(name).environment
    assert environment is not None
    raised = {
        "placementGroupLimit": max(pool.placement_group_limit for pool in environment.pools.values()),
        **{f"AMLFS-Durable-Premium-{each.tier}": each.size_tib for each in environment.storage.values()},
    }
    azure.control("PUT", "world", {"quota": {"*": raised}})
    for id, body in others(environment):
        put(azure, id, body)
    return azure


def others(environment: Environment) -> Iterator[tuple[ResourceId, dict[str, object]]]:
    """Yield what an environment names and does not make, groups first, with the body that its owners would send."""
    anywhere = min(environment.regions)
    found: dict[ResourceId, dict[str, object]] = {}
    for peer in environment.network.peer_with.values():
        space = {"addressPrefixes": [*peer.address_space]}
        found[ResourceId(peer.id)] = {"location": anywhere, "properties": {"addressSpace": space}}
    for name, region in environment.regions.items():
        subnet = region.subnets.nodes or ""
        if subnet.startswith("/"):
            network, _, of = subnet.partition("/subnets/")
            subnets = [{"name": of, "properties": {"addressPrefix": "172.30.0.0/20"}}]
            space = {"addressPrefixes": ["172.30.0.0/16"]}
            properties = {"addressSpace": space, "subnets": subnets}
            found[ResourceId(network)] = {"location": name, "properties": properties}
        if region.resource_group:
            group = f"/subscriptions/{environment.subscription}/resourceGroups/{region.resource_group}"
            yield ResourceId(group), {"location": name}
    for pool in environment.pools.values():
        for identity in pool.identities:
            found[ResourceId(identity)] = {"location": anywhere}
    for group_id in sorted({id.group_id for id in found}):
        yield group_id, {"location": anywhere}
    yield from found.items()


def put(azure: Azure, id: ResourceId, body: dict[str, object]) -> None:
    """Write something as somebody else would, and wait until it stands."""
    version = load_catalog().api_versions.get(id.type, "2024-11-30")
    headers = {"Authorization": "Bearer somebody"}
    content = json.dumps(body).encode()
    answer = azure.simulator.handle("PUT", f"{ENDPOINT}{id}?api-version={version}", headers, content)
    assert answer.status in (200, 201), (id, answer.body)
    azure.wait(600)
