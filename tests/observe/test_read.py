"""What is read of an environment: its groups, what lies in them, and no more requests than that takes."""

from __future__ import annotations

import pytest

from provision.arm import STACKS, ArmError, Request, ResourceId, group_id, resource_id
from provision.observe import observe
from provision.plan import Observed
from tests.support.azure import ENDPOINT, Azure
from tests.support.fleets import GROUP, SETS, make_fleet
from tests.support.worlds import HOMES, NETAPP, QUICK, SUBSCRIPTION, checked

STATED = [group_id(SUBSCRIPTION, "quick-home"), group_id(SUBSCRIPTION, "quick-southcentralus")]


def observed(azure: Azure) -> Observed:
    return observe(azure.arm, SUBSCRIPTION, "quick", STATED)


def names(keys: object) -> list[str]:
    assert isinstance(keys, dict)
    return sorted(key.rsplit("/", 1)[1] for key in keys)


def test_an_empty_azure_costs_two_requests() -> None:
    azure = Azure(hard=False)

    assert observed(azure) == Observed({}, {}, {}, (), environment="quick")
    assert azure.requests() == [("GET", "/resources", 200), ("GET", "/resourcegroups", 200)]


def test_groups_resources_with_their_subnets_and_stacks_are_read_in_a_few_lists_a_group() -> None:
    azure = Azure(hard=False)
    azure.apply()
    azure.control("DELETE", "log")

    found = observed(azure)

    assert names(found.groups) == ["quick-home", "quick-southcentralus"]
    assert names(found.resources) == [
        "nodes",
        "quick-southcentralus-nat",
        "quick-southcentralus-nat-ip-0",
        "quick-southcentralus-nodes-nsg",
        "quick-southcentralus-vnet",
        "quick-train-0",
    ]
    assert names(found.stacks) == ["quick.network", "quick.train-0"]
    assert found.others == ()
    assert len(azure.requests()) == 2 + 2 * 2 + 5


HOME = ("homes", "fast", "home")


def own() -> dict[ResourceId, str]:
    topology = checked(HOMES).topology
    assert topology is not None
    return dict(topology.own_resources())


def test_what_units_of_one_s_own_have_made_is_read_by_its_id_one_request_each() -> None:
    azure = Azure(hard=False)
    azure.apply(HOMES)
    azure.control("DELETE", "log")

    found = observe(azure.arm, SUBSCRIPTION, "quick", STATED, own())

    assert [key.rsplit("/", 1)[1] for key in found.versions] == list(HOME)
    assert set(found.versions.values()) == {NETAPP}
    assert [found.resources[key]["properties"]["provisioningState"] for key in found.versions] == ["Succeeded"] * 3
    assert (found.others, found.lost) == ((), ())
    assert len(azure.requests()) == 2 + 2 * 2 + 5 + 3


def test_what_nothing_states_any_more_is_read_by_what_its_stack_recorded() -> None:
    azure = Azure()
    azure.apply(HOMES)

    assert observed(azure) == observe(azure.arm, SUBSCRIPTION, "quick", STATED, own())


def test_without_its_group_nothing_of_a_unit_is_asked_for() -> None:
    azure = Azure()

    assert observe(azure.arm, SUBSCRIPTION, "quick", STATED, own()) == Observed({}, {}, {}, (), environment="quick")
    assert len(azure.requests()) == 2


def test_what_has_lost_its_stack_and_is_stated_nowhere_is_lost_and_others_are_others() -> None:
    azure = Azure(hard=False)
    azure.apply(HOMES)
    group = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/quick-southcentralus"
    stack = resource_id(SUBSCRIPTION, "quick-southcentralus", STACKS, "quick.home")
    azure.arm.send(Request("DELETE", stack))
    theirs = f"{ENDPOINT}{group}/providers/Microsoft.KeyVault/vaults/theirs?api-version=2024-11-01"
    azure.simulator.handle("PUT", theirs, {"Authorization": "Bearer b"}, b'{"location": "southcentralus"}')

    found = observed(azure)

    assert [id.name for id in found.lost] == list(HOME)
    assert [id.name for id in found.others] == ["theirs"]
    assert found.versions == {}


def test_an_api_version_that_azure_does_not_take_is_told_and_not_taken_for_absence() -> None:
    azure = Azure()
    azure.apply(HOMES)

    with pytest.raises(ArmError, match="InvalidResourceType"):
        observe(azure.arm, SUBSCRIPTION, "quick", STATED, dict.fromkeys(own(), "newest"))


def test_a_group_that_is_marked_is_read_though_nothing_states_it_and_others_are_not() -> None:
    azure = Azure()
    azure.apply()

    assert names(observe(azure.arm, SUBSCRIPTION, "quick", []).groups) == ["quick-home", "quick-southcentralus"]
    assert observe(azure.arm, SUBSCRIPTION, "other", []).groups == {}


def test_what_was_read_twice_has_the_same_digests_and_a_change_shows_in_one() -> None:
    azure = Azure()
    azure.apply()
    before = observed(azure).digests()
    assert observed(azure).digests() == before

    azure.apply(nodes_of(3))
    after = observed(azure).digests()

    changed = {id.rsplit("/", 1)[1] for id in before.keys() | after.keys() if before.get(id) != after.get(id)}
    assert changed == {"quick-train-0", "quick.train-0"}


def test_what_others_have_marked_in_a_group_that_is_given_is_their_own_business() -> None:
    azure = Azure(hard=False)
    make_fleet(azure.put)
    mark = {"operation": "Merge", "properties": {"tags": {"provision": "other/train-0"}}}

    def digests(also: frozenset[str] = frozenset()) -> dict[str, str]:
        return observe(azure.arm, SUBSCRIPTION, "hpc", [ResourceId(GROUP)]).digests(also)

    before = digests()
    looked_at = digests(frozenset({f"{SETS}/vmss-h100".lower()}))
    azure.arm.send(Request("PATCH", ResourceId(f"{SETS}/vmss-h100"), mark))

    assert digests() == before == {GROUP.lower(): before[GROUP.lower()]}
    assert digests(frozenset(looked_at)) != looked_at


def nodes_of(count: int) -> str:
    return QUICK.replace("nodes: 2", f"nodes: {count}")


def test_a_group_that_goes_away_while_it_is_read_is_empty() -> None:
    azure = Azure(hard=False)
    azure.apply()
    azure.fault("refuse", "ResourceGroupNotFound", method="GET", url="quick-southcentralus/", status=404)

    found = observed(azure)

    assert (found.resources, found.stacks) == ({}, {})


def test_what_cannot_be_read_is_no_empty_azure() -> None:
    azure = Azure()
    azure.apply()
    azure.fault("refuse", "AuthorizationFailed", method="GET", url="deploymentStacks", status=403, message="no")

    with pytest.raises(ArmError, match="AuthorizationFailed: no"):
        observed(azure)
