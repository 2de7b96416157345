"""The simulator beside recorded traffic of the real Azure: the same statuses, headers and keys, but for what is listed.

The recordings lie outside the project (they are other people's), so these tests skip where they are not there.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from provision.simulator import Answer
from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    a_security_group,
    a_stack,
    group_id,
    network_path,
    path_of,
)

RECORDINGS = Path(__file__).resolve().parents[3] / "shared" / "data" / "recordings"
pytestmark = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not part of the project")

# The recorded sets log in with a password, and so have no keys to show.
WITH_PASSWORD = {"computerNamePrefix": "train", "adminUsername": "azureuser", "adminPassword": "Not-a-secret-1"}

# The recorder zeroed Retry-After and added it to answers that never had one.
IGNORED_HEADERS = {"retry-after", "content-type"}
OURS_ONLY_HEADERS = {
    "cache-control",
    "pragma",
    "expires",
    "date",
    "strict-transport-security",
    "x-content-type-options",
    "etag",  # newer api-versions than the recordings' have it on every answer about a scale set
    "x-ms-arm-service-request-id",  # left out by the recorder
    "azure-asyncnotification",  # recorded for writes; deletions of the same provider carry it too
    "x-ms-request-charge",
    # Newer than the recordings of 2020, and left out by the recorder of 2026.
    "x-ms-ratelimit-remaining-subscription-global-reads",
    "x-ms-ratelimit-remaining-subscription-global-writes",
    "x-ms-ratelimit-remaining-subscription-global-deletes",
    "x-ms-deployment-engine-version",  # on deployments in other recordings
}

# Keys that the recorded bodies of 2020 do not have yet, or that this request did not lead to.
NEW_KEYS = {
    "etag",
    "orchestrationMode",
    "timeCreated",
    "platformFaultDomainCount",
    "patchSettings",
    "patchSettings.patchMode",
    "patchSettings.assessmentMode",
    "diskControllerType",
    "osType",
    "disableTcpStateTracking",
    "deleteOption",
    "primary",
    "privateEndpointVNetPolicies",
    "vmSize",
    "statuses.time",  # the recorded instance was still updating, and such a status has no time
}
# Keys of things that the simulator does not have: load balancers, DHCP options, an internal number of subnets.
THEIRS_ONLY_KEYS = {
    "loadBalancerBackendAddressPools",
    "loadBalancerInboundNatPools",
    "dhcpOptions",
    "dhcpOptions.dnsServers",
    "subnetID",
    "enableVmProtection",
    "outputs",
}


def recorded(name: str) -> list[Any]:
    found: list[Any] = json.loads((RECORDINGS / f"{name}.json").read_text("utf-8"))["exchanges"]
    return found


def of(exchanges: list[Any], method: str, pattern: str) -> list[Any]:
    return [each for each in exchanges if each["method"] == method and re.search(pattern, each["url"])]


def keys(body: Any, path: str = "") -> set[str]:
    """Return the paths of all keys, without those of the free maps."""
    if isinstance(body, list):
        return set().union(*(keys(each, path) for each in body)) if body else set()
    if not isinstance(body, dict) or path.split(".")[-1] in ("tags", "parameters", "outputs"):
        return set()
    here = {f"{path}.{key}".strip(".") for key in body}
    return here.union(*(keys(value, f"{path}.{key}".strip(".")) for key, value in body.items()))


def differing(paths: set[str], allowed: set[str]) -> set[str]:
    return {
        path
        for path in paths
        if not any(path == key or path.endswith(f".{key}") or f".{key}." in path for key in allowed)
    }


def assert_alike(answer: Answer, exchange: Any) -> None:
    """Compare an answer with a recorded one: status, headers, and the keys of the body at every depth."""
    assert answer.status == exchange["status"], exchange["url"]
    ours = {name.lower() for name in answer.headers} - IGNORED_HEADERS
    theirs = {name.lower() for name in exchange["response_headers"]} - IGNORED_HEADERS
    assert ours - OURS_ONLY_HEADERS == theirs - OURS_ONLY_HEADERS, exchange["url"]
    body = json.loads(answer.body) if answer.body else None
    if exchange["response_body"] is None:
        assert body is None
        return
    mine, real = keys(body), keys(exchange["response_body"])
    assert (differing(mine - real, NEW_KEYS), differing(real - mine, THEIRS_ONLY_KEYS)) == (set(), set()), exchange[
        "url"
    ]


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_network()
    return made


def test_a_group_is_written_and_deleted_as_recorded() -> None:
    exchanges, azure = recorded("vmss-instances"), Azure()
    path = f"{group_id()}?api-version=2025-04-01"

    made = azure.ask("PUT", path, {"location": "eastus"})
    begun = azure.ask("DELETE", path)
    running = azure.ask("GET", begun.headers["Location"])
    azure.wait(120)
    over = azure.ask("GET", begun.headers["Location"])

    polls = of(exchanges, "GET", "/operationresults/")
    assert_alike(made, of(exchanges, "PUT", r"/resourcegroups/[^/]*\?")[0])
    assert_alike(begun, of(exchanges, "DELETE", "")[0])
    assert_alike(running, polls[0])
    assert_alike(over, polls[-1])


def test_a_network_is_written_as_recorded() -> None:
    exchanges, azure = recorded("vmss-instances"), Azure()
    azure.make_group()
    subnets = [{"name": "nodes", "properties": {"addressPrefix": "10.0.0.0/24"}}]
    properties = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": subnets}

    made = azure.ask("PUT", network_path("virtualNetworks/net"), {"location": "eastus", "properties": properties})
    running = azure.ask("GET", made.headers["Azure-AsyncOperation"])
    azure.wait(60)
    over = azure.ask("GET", made.headers["Azure-AsyncOperation"])
    shown = azure.ask("GET", network_path("virtualNetworks/net"))

    polls = of(exchanges, "GET", "Network/locations/.*/operations/")
    assert_alike(made, of(exchanges, "PUT", "virtualNetworks")[0])
    assert_alike(running, next(each for each in polls if each["response_body"]["status"] == "InProgress"))
    assert_alike(over, next(each for each in polls if each["response_body"]["status"] == "Succeeded"))
    assert_alike(shown, of(exchanges, "GET", "virtualNetworks")[0])


def test_a_scale_set_is_written_as_recorded(azure: Azure) -> None:
    exchanges = recorded("vmss-instances")

    made = azure.put_scale_set("train", a_scale_set(nodes=2, profile={"osProfile": WITH_PASSWORD}))
    running = azure.ask("GET", made.headers["Azure-AsyncOperation"])
    azure.wait(300)
    over = azure.ask("GET", made.headers["Azure-AsyncOperation"])
    shown = azure.ask("GET", path_of("virtualMachineScaleSets/train"))

    polls = of(exchanges, "GET", "Compute/locations/.*/operations/")
    assert_alike(made, of(exchanges, "PUT", "virtualMachineScaleSets")[0])
    assert_alike(running, polls[0])
    assert_alike(over, polls[-1])
    assert_alike(shown, of(exchanges, "GET", r"virtualMachineScaleSets/[^/]*\?")[0])


def test_instances_are_shown_as_recorded(azure: Azure) -> None:
    exchanges = recorded("vmss-instances")
    azure.make_scale_set(nodes=2, profile={"osProfile": WITH_PASSWORD})
    path = path_of("virtualMachineScaleSets/train/virtualMachines")

    assert_alike(azure.ask("GET", path), of(exchanges, "GET", r"/virtualMachines\?")[0])
    assert_alike(azure.ask("GET", path.replace("?", "/0?")), of(exchanges, "GET", r"(?i)/virtualMachines/0\?")[0])
    view = of(exchanges, "GET", r"(?i)/virtualMachines/0/instanceView\?")[0]
    assert_alike(azure.ask("GET", path.replace("?", "/0/instanceView?")), view)


def test_a_patch_is_answered_as_recorded(azure: Azure) -> None:
    exchanges = recorded("vmss-low-priority")
    azure.make_scale_set(nodes=2, profile={"osProfile": WITH_PASSWORD, "priority": "Spot"})

    patched = azure.ask("PATCH", path_of("virtualMachineScaleSets/train"), {"tags": {}})

    assert_alike(patched, of(exchanges, "PATCH", "virtualMachineScaleSets")[0])


def test_actions_are_answered_as_recorded(azure: Azure) -> None:
    exchanges = recorded("vmss-create-extension")
    azure.make_scale_set(nodes=2, profile={"osProfile": WITH_PASSWORD})

    upgraded = azure.ask("POST", path_of("virtualMachineScaleSets/train/manualupgrade"), {"instanceIds": ["0"]})
    restarted = azure.ask("POST", path_of("virtualMachineScaleSets/train/virtualmachines/1/restart"))

    assert_alike(upgraded, of(exchanges, "POST", "/manualupgrade")[0])
    assert_alike(restarted, of(exchanges, "POST", "/restart")[0])


def test_a_stack_lives_and_dies_as_recorded(azure: Azure) -> None:
    exchanges = recorded("stack-group-scope")
    stacks = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks"
    path = f"{stacks}/unit?api-version=2024-03-01"
    body = {**a_stack(a_security_group()), "tags": {}}

    empty = azure.ask("GET", f"{stacks}?api-version=2024-03-01")
    checked = azure.ask("POST", path.replace("?", "/validate?"), body)
    made = azure.ask("PUT", path, body)
    azure.wait(60)
    validated = azure.ask("GET", checked.headers["Location"])
    over = azure.ask("GET", made.headers["Azure-AsyncOperation"])
    shown = azure.ask("GET", path)
    listed = azure.ask("GET", f"{stacks}?api-version=2024-03-01")
    deleted = azure.ask("DELETE", f"{path}&unmanageAction.Resources=delete")
    azure.wait(60)
    gone = azure.ask("GET", deleted.headers["Azure-AsyncOperation"])

    lists = of(exchanges, "GET", r"/deploymentStacks\?")
    polls = of(exchanges, "GET", "/deploymentStackOperationStatus/")
    assert_alike(empty, lists[0])
    assert_alike(checked, of(exchanges, "POST", "/validate")[0])
    assert_alike(validated, of(exchanges, "GET", "/deploymentStackOperationResults/")[0])
    assert_alike(made, of(exchanges, "PUT", "/deploymentStacks/")[0])
    assert_alike(over, polls[0])
    assert_alike(shown, of(exchanges, "GET", r"/deploymentStacks/[^/]*\?")[0])
    assert_alike(listed, lists[-1])
    assert_alike(deleted, of(exchanges, "DELETE", "/deploymentStacks/")[0])
    assert_alike(gone, polls[-1])


HERE = f"/subscriptions/{SUBSCRIPTION}"
HASHES = "/providers/Microsoft.Resources/calculateTemplateHash?api-version=2021-04-01"
IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities"


def without_storage(template: Any) -> Any:
    """Return a recorded template with an identity in the place of its storage account, which is not simulated."""
    text = json.dumps(template).replace("Microsoft.Storage/storageAccounts", IDENTITY)
    found = json.loads(text)
    for nested in found["resources"].values():
        for resource in nested.get("properties", {}).get("template", {}).get("resources", []):
            for key in ("kind", "sku", "properties"):
                resource.pop(key)
            resource["apiVersion"] = "2024-11-30"
    return found


def test_a_subscription_deployment_is_foreseen_checked_and_carried_out_as_recorded() -> None:
    exchanges, azure = recorded("deployment-subscription-whatif"), Azure()
    path = f"{HERE}/providers/Microsoft.Resources/deployments/one?api-version=2021-04-01"
    put = of(exchanges, "PUT", "/deployments/")[0]["request_body"]
    body = {**put, "properties": {**put["properties"], "template": without_storage(put["properties"]["template"])}}

    def foresee() -> tuple[Answer, Answer]:
        begun = azure.ask("POST", path.replace("?", "/whatIf?"), body)
        azure.wait(20)
        return begun, azure.ask("GET", begun.headers["Location"])

    first = foresee()
    checked = azure.ask("POST", path.replace("?", "/validate?"), body)
    made = azure.ask("PUT", path, body)
    azure.wait(60)
    over = azure.ask("GET", made.headers["Azure-AsyncOperation"])
    shown = azure.ask("GET", path)
    second = foresee()
    again = azure.ask("PUT", path, body)
    hashed = azure.ask("POST", HASHES, put["properties"]["template"])

    begun, results = of(exchanges, "POST", "/whatIf"), of(exchanges, "GET", "/operationresults/")
    for number, (asked, answered) in enumerate((first, second)):
        assert_alike(asked, begun[number])
        assert answered.status == results[number]["status"]
        assert_foreseen(answered.json(), results[number]["response_body"])
    assert_alike(checked, of(exchanges, "POST", "/validate")[0])
    assert_alike(made, of(exchanges, "PUT", "/deployments/")[0])
    assert_alike(over, of(exchanges, "GET", "/operationStatuses/")[0])
    assert_alike(shown, of(exchanges, "GET", r"/deployments/[^/]*\?")[0])
    assert again.status == of(exchanges, "PUT", "/deployments/")[1]["status"]
    assert_alike(hashed, of(exchanges, "POST", "calculateTemplateHash")[0])


def assert_foreseen(ours: Any, theirs: Any) -> None:
    """Compare what two what-ifs foresee of a group, value by value but for its times, and of the rest, the kinds."""
    assert set(ours) == set(theirs)
    mine, real = ours["properties"]["changes"], theirs["properties"]["changes"]
    assert [each["changeType"] for each in mine] == [each["changeType"] for each in real]
    assert [set(each) for each in mine] == [set(each) for each in real]
    assert plain(mine[0]) == plain(real[0])


def plain(value: Any) -> Any:
    """Return a value without what differs from run to run, and without the one tag whose empty value Azure drops."""
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "TIME", json.dumps(value))
    found = json.loads(re.sub(r"/subscriptions/[0-9a-f-]{36}", "/subscriptions/S", text))
    found.get("before", {}).get("tags", {}).pop("SecureTag", None)
    found["delta"] = [each for each in found.get("delta", []) if each["path"] != "tags.SecureTag"]
    return found
