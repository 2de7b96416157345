"""Cases that people in this field reported, as far as Azure has to be asked: by id, from the command line."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import Azure, Shell, azure, provision, simulator
from tests.support.worlds import QUICK, SUBSCRIPTION

__all__ = ["azure", "provision", "simulator"]  # fixtures

SCOPE = f"/subscriptions/{SUBSCRIPTION}"
FAMILY = "standardNDSH100v5Family"
SIZE = {"location": "southcentralus", "size": "Standard_ND96isr_H100_v5"}
GALLERY = f"{SCOPE}/resourceGroups/images/providers/Microsoft.Compute/galleries/g/images/hpc/versions/1.2.3"


def asked(azure: Azure, provision: Shell, part: dict[str, Any], *edits: tuple[str, str], verb: str = "validate") -> int:
    """Change QUICK and the world, and return with what code it is checked; nothing is written on the way."""
    text = QUICK
    for before, after in edits:
        text = text.replace(before, after)
    provision.write(text)
    azure.ask("PUT", "/_simulator/world", part)
    azure.forget()
    options = ("--online", "--endpoint", azure.endpoint) if verb == "validate" else ("--yes",)
    code = provision(verb, *options, "quick.yaml")
    assert azure.writes() == []
    return code


def nodes(count: int) -> tuple[str, str]:
    return "nodes: 2", f"nodes: {count}"


@pytest.mark.parametrize(
    ("quota", "code", "told"),
    [
        ({FAMILY: 0}, 4, (f"{FAMILY} in southcentralus: 192 vCPUs are added to 0 in use, 192 in all; the limit is 0",)),
        ({FAMILY.upper(): 960}, 0, ("checked against Azure:",)),
    ],
)
def test_c09_a_region_without_quota_is_told_before_anything_is_written(
    azure: Azure, provision: Shell, quota: dict[str, int], code: int, told: tuple[str, ...]
) -> None:
    assert asked(azure, provision, {"quota": {"southcentralus": quota}}) == code
    assert all(text in provision.out + provision.err for text in told)


def test_c09_usages_that_cannot_be_read_are_neither_zero_nor_enough(azure: Azure, provision: Shell) -> None:
    azure.ask(
        "POST",
        "/_simulator/faults",
        [{"match": {"method": "GET", "url": "/usages"}, "effect": "refuse", "status": 403, "code": "NoUsages"}],
    )

    assert asked(azure, provision, {}) == 5
    assert "NoUsages" in provision.out


@pytest.mark.parametrize(("count", "code"), [(10, 0), (11, 4)])
def test_c10_the_four_numbers_stand_in_the_message(azure: Azure, provision: Shell, count: int, code: int) -> None:
    provision.write(QUICK)
    assert provision("apply", "--yes", "quick.yaml") == 0  # 2 nodes, 192 vCPUs

    assert asked(azure, provision, {"quota": {"southcentralus": {FAMILY: 960}}}, nodes(count)) == code
    if code:
        assert "864 vCPUs are added to 192 in use, 1,056 in all; the limit is 960" in provision.out
        assert "ask for a limit of 1,056 or more" in provision.out


@pytest.mark.parametrize(
    ("zone", "code", "told"),
    [
        ('{zone: "1"}', 4, "is closed to this subscription in zone 1 of southcentralus; open are 2"),
        ('{zone: "2"}', 0, "open to this subscription; open are 2"),
        ("{}", 0, 'write regions.southcentralus.zone: "2"'),
    ],
)
def test_c13_c14_a_size_may_be_closed_in_zones(azure: Azure, provision: Shell, zone: str, code: int, told: str) -> None:
    part = {"restrictions": [{**SIZE, "zones": ["1", "3"]}]}

    assert asked(azure, provision, part, ('{zone: "1"}', zone)) == code
    assert told in provision.out


def test_c13_a_size_may_be_closed_in_a_whole_region(azure: Azure, provision: Shell) -> None:
    assert asked(azure, provision, {"restrictions": [SIZE]}) == 4
    assert "NotAvailableForSubscription" in provision.out


def test_c83_all_providers_that_are_missing_are_told_at_once_with_the_command(azure: Azure, provision: Shell) -> None:
    part = {"registrations": {"Microsoft.Compute": "NotRegistered", "Microsoft.Network": "NotRegistered"}}

    assert asked(azure, provision, part) == 4
    for namespace in part["registrations"]:
        assert f"az provider register --namespace {namespace}" in provision.out


def test_c89_an_identity_that_may_only_read_says_what_it_could_not_check(azure: Azure, provision: Shell) -> None:
    reader = [{"actions": ["*/read"], "notActions": []}]

    code = asked(azure, provision, {"settings": {"permissions": reader}})

    assert code in (4, 5)
    assert "Microsoft.Compute/virtualMachineScaleSets/write" in provision.out
    assert provision("validate", "quick.yaml") == 0


def test_c91_one_refusal_costs_one_check_and_has_its_own_code(azure: Azure, provision: Shell) -> None:
    azure.ask(
        "POST",
        "/_simulator/faults",
        [{"match": {"method": "GET", "url": "/locks"}, "effect": "refuse", "status": 403, "code": "NoLocks"}],
    )

    assert asked(azure, provision, {}) == 5
    assert "NoLocks" in provision.out
    assert "1 could not run" in provision.out


POLICIES = {
    "required tag": {"property": "tags.owner", "notEquals": "platform"},
    "allowed locations": {"type": "Microsoft.Network/virtualNetworks", "location": "southcentralus"},
    "allowed sizes": {"type": "Microsoft.Compute/virtualMachineScaleSets"},
    "no public address": {"type": "Microsoft.Network/publicIPAddresses"},
}


@pytest.mark.parametrize("name", POLICIES)
def test_c92_a_policy_that_denies_is_told_with_its_name(azure: Azure, provision: Shell, name: str) -> None:
    assert asked(azure, provision, {"settings": {"policies": [{"name": name, "match": POLICIES[name]}]}}) == 4
    assert "RequestDisallowedByPolicy" in provision.out
    assert name in provision.out


@pytest.mark.parametrize("scope", [SCOPE, f"{SCOPE}/resourceGroups/quick-southcentralus"])
def test_c93_a_lock_stops_a_destruction_before_its_first_deletion(azure: Azure, provision: Shell, scope: str) -> None:
    provision.write(QUICK)
    assert provision("apply", "--yes", "quick.yaml") == 0
    id = f"{scope}/providers/Microsoft.Authorization/locks/keep"
    part = {"locks": [{"id": id, "name": "keep", "properties": {"level": "CanNotDelete"}}]}

    assert asked(azure, provision, part, verb="destroy") == 4
    assert "keep" in provision.err
    assert "CanNotDelete" in provision.err


def test_c97_a_gallery_image_has_to_be_replicated_to_the_region(azure: Azure, provision: Shell) -> None:
    part = {"settings": {"imageRegions": {GALLERY: ["eastus"]}}}

    assert asked(azure, provision, part, ("nodes: 2", f"nodes: 2\n    image: {GALLERY}")) == 4
    assert "the version is replicated to eastus, and not to southcentralus" in provision.out
