"""The simulator beside recorded traffic of the real Azure: every file sent once more, in order, and compared.

Statuses are the same, every header that was recorded is there, and bodies have the same keys at every depth, but for
what is listed here with its reason. The recordings lie outside the project (they are other people's), so these tests
skip where they are not there.
"""

from __future__ import annotations

import json
from functools import cache

import pytest

from tests.simulator.recordings import FILES, FOLDER, Exchange, keys, replayed

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the recordings are not part of the project")

NOT_COMPARED = {
    "retry-after": "the recorder set it to 0, and put it on answers that never had one",
    "content-type": "the recorder left it out here and there",
}
HEADERS_OF_OURS = {
    **dict.fromkeys(
        ("cache-control", "pragma", "expires", "date", "strict-transport-security", "x-content-type-options"),
        "on every answer of Azure's; left out by the recorders",
    ),
    **dict.fromkeys(
        [f"x-ms-ratelimit-remaining-subscription-global-{kind}" for kind in ("reads", "writes", "deletes")],
        "newer than the recordings of 2020, left out by the recorder of 2026",
    ),
    "etag": "newer api-versions have it on every answer about a scale set; ours on all",
    "x-ms-arm-service-request-id": "left out by the recorder",
    "azure-asyncnotification": "recorded for writes; other recordings have it on deletions and actions too",
    "x-ms-deployment-engine-version": "left out by the recorder",
}

KEYS_OF_OURS = {
    **dict.fromkeys(
        (
            "etag",
            "orchestrationMode",
            "timeCreated",
            "platformFaultDomainCount",
            "patchSettings",
            "patchSettings.patchMode",
            "patchSettings.assessmentMode",
            "diskControllerType",
            "osDisk.osType",
            "disableTcpStateTracking",
            "deleteOption",
            "ipConfigurations.properties.primary",
            "privateEndpointVNetPolicies",
            "hardwareProfile.vmSize",
            "architecture",
            "imageDeprecationStatus",
            "imageDeprecationStatus.imageState",
        ),
        "newer than the recordings of 2020; the recordings of 2024 that facts/arm-protocol.md counts have them",
    ),
    "statuses.time": "the recorded instance was still updating, and such a status has no time",
    "osDisk.managedDisk": "the recorded set kept its disks in storage accounts, which is not sent",
    "osDisk.managedDisk.id": "as above",
    "osDisk.managedDisk.storageAccountType": "as above",
    "osDisk.diskSizeGB": "as above",
    "storageProfile.dataDisks": "as above: shown of managed disks only",
}
KEYS_OF_THEIRS = {
    **dict.fromkeys(
        ("loadBalancerBackendAddressPools", "loadBalancerInboundNatPools", "loadBalancerInboundNatRules"),
        "load balancers are not simulated",
    ),
    **dict.fromkeys(("vhdContainers", "osDisk.vhd", "osDisk.name"), "disks in storage accounts are not simulated"),
    "subnetID": "an internal number, gone from later recordings",
    **dict.fromkeys(
        ("accessTier", "allowBlobPublicAccess", "allowCrossTenantReplication", "encryption", "minimumTlsVersion"),
        "of storage accounts only what is sent is kept, so they get no defaults",
    ),
    **dict.fromkeys(("networkAcls", "supportsHttpsTrafficOnly", "value.sku.tier"), "as above"),
    **dict.fromkeys(
        ("vmAgent", "osName", "osVersion", "extensions"),
        "recorded the second after a node was stopped, whose agent had reported a moment before",
    ),
}
_BELOW = frozenset(
    {"loadBalancerBackendAddressPools", "loadBalancerInboundNatPools", "loadBalancerInboundNatRules", "osDisk.vhd"}
    | {"encryption", "networkAcls", "vmAgent", "extensions"}
)
"""Keys of theirs below which nothing is compared either."""


@cache
def exchanges(file: str) -> tuple[Exchange, ...]:
    return tuple(replayed(file))


def answered(file: str) -> list[Exchange]:
    return [each for each in exchanges(file) if each.answer is not None]


def header_names(exchange: Exchange) -> tuple[set[str], set[str]]:
    """Return the names of our headers and of the recorded ones."""
    assert exchange.answer is not None
    ours = {name.lower() for name in exchange.answer.headers}
    theirs = {name.lower() for name in exchange.recorded["response_headers"]}
    return ours - set(NOT_COMPARED), theirs - set(NOT_COMPARED)


def body_keys(exchange: Exchange) -> tuple[set[str], set[str]]:
    assert exchange.answer is not None
    ours = json.loads(exchange.answer.body) if exchange.answer.body else None
    return keys(ours), keys(exchange.recorded["response_body"])


def reasons_for(paths: set[str], stated: dict[str, str]) -> dict[str, str | None]:
    """Return the stated difference that each path is; None where it is none."""
    return {path: next((key for key in stated if _is(path, key)), None) for path in paths}


def _is(path: str, key: str) -> bool:
    return f".{path}".endswith(f".{key}") or (key in _BELOW and f".{key}." in f".{path}.")


@pytest.mark.parametrize("file", FILES)
def test_each_request_is_answered_with_the_recorded_status(file: str) -> None:
    found = [(each.name, each.answer.status) for each in exchanges(file) if each.answer is not None]

    assert found == [(each.name, each.recorded["status"]) for each in answered(file)]


@pytest.mark.parametrize("file", FILES)
def test_each_answer_has_the_recorded_headers(file: str) -> None:
    different = {}
    for each in answered(file):
        ours, theirs = header_names(each)
        if missing := theirs - ours:
            different[each.name] = missing
        if new := ours - theirs - set(HEADERS_OF_OURS):
            different[each.name] = new

    assert different == {}


@pytest.mark.parametrize("file", FILES)
def test_each_body_has_the_recorded_keys(file: str) -> None:
    different = {}
    for each in answered(file):
        ours, theirs = body_keys(each)
        found = {**reasons_for(ours - theirs, KEYS_OF_OURS), **reasons_for(theirs - ours, KEYS_OF_THEIRS)}
        if unstated := sorted(path for path, reason in found.items() if reason is None):
            different[each.name] = unstated

    assert different == {}


@pytest.mark.parametrize("file", FILES)
def test_only_polls_of_what_no_recorded_request_began_are_not_sent(file: str) -> None:
    left_out = [each for each in exchanges(file) if each.answer is None]

    assert {each.recorded["method"] for each in left_out} <= {"GET"}
    assert all("/Microsoft.Network/locations/" in each.recorded["url"] for each in left_out), "of load balancers"
    assert len(left_out) <= 2


def test_each_stated_difference_is_one() -> None:
    seen: set[str | None] = set()
    headers: set[str] = set()
    for file in FILES:
        for each in answered(file):
            ours, theirs = body_keys(each)
            seen |= set(reasons_for(ours - theirs, KEYS_OF_OURS).values())
            seen |= set(reasons_for(theirs - ours, KEYS_OF_THEIRS).values())
            mine, recorded = header_names(each)
            headers |= mine - recorded

    assert (set(KEYS_OF_OURS) | set(KEYS_OF_THEIRS)) - seen == set()
    assert set(HEADERS_OF_OURS) - headers == set()
