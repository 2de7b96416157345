"""Recorded traffic of the real Azure, sent once more to the simulator, and what of the answers is compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from provision.simulator import Answer
from tests.simulator.azure import Azure

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "recordings"
FILES = (
    "deployment-subscription-whatif",
    "stack-group-scope",
    "vmss-create-extension",
    "vmss-identity",
    "vmss-instances",
    "vmss-low-priority",
)

#: What is sent in the place of what was: sizes that are long retired are in no data of ours.
SIZES = {"Standard_A0": "Standard_D2s_v5", "Standard_D3_v2": "Standard_D4s_v5"}

#: The files of 2020 hold no requests, so a body is what was answered, without what only Azure writes, ...
_READ_ONLY = frozenset({"provisioningState", "uniqueId", "resourceGuid", "subnetID", "principalId", "tenantId", "etag"})
#: ... and what belongs to load balancers, which are not simulated, ...
_ABSENT = frozenset({"loadBalancerBackendAddressPools", "loadBalancerInboundNatPools"})
#: ... to disks in storage accounts, which nobody makes any more, and the size of an image that is no more.
_UNMANAGED = frozenset({"vhdContainers", "diskSizeGB"})
#: What is sent besides, because it never comes back.
_PASSWORD = "Recorded-1-Password"

_INSTANCE = re.compile(r"(/virtualmachines/)(\d+)", re.IGNORECASE)
_LONG_RUNNING = re.compile(r"/operation|/deploymentStackOperation", re.IGNORECASE)
_RUNNING = ("inprogress", "running", "accepted")


@dataclass(frozen=True)
class Exchange:
    """One recorded request with its answer, and the simulator's answer to the same; None where it was not sent."""

    number: int
    recorded: Mapping[str, Any]
    answer: Answer | None

    @property
    def name(self) -> str:
        return f"{self.number}: {self.recorded['method']} {self.recorded['url'].partition('?')[0][-90:]}"


def replayed(file: str) -> Iterator[Exchange]:
    """Send a file's requests in their order, each operation polled as it was: while it runs, and when it is over."""
    azure, urls, instances = Azure(), dict[str, str](), dict[str, str]()
    for number, each in enumerate(json.loads((FOLDER / f"{file}.json").read_text("utf-8"))["exchanges"]):
        url = _unsigned(each["url"])
        polls = _LONG_RUNNING.search(url) is not None and "/operations?" not in url
        if polls and url not in urls:
            yield Exchange(number, each, None)  # of an operation that no recorded request began
            continue
        if polls and each["status"] != 202 and _state(each) not in _RUNNING:
            azure.wait(7200)
        body = each.get("request_body", _asked_for(each) if each["method"] in ("PUT", "PATCH") else None)
        if url.partition("?")[0].endswith("/manualupgrade"):
            body = {"instanceIds": list(instances.values())}
        answer = azure.ask(each["method"], _of_ours(urls.get(url, url), instances), body)
        if url.partition("?")[0].lower().endswith("/virtualmachines"):
            pairs = zip(each["response_body"]["value"], answer.json()["value"], strict=True)
            instances = {theirs["instanceId"]: ours["instanceId"] for theirs, ours in pairs}
        ours = {name.lower(): value for name, value in answer.headers.items()}
        for header in ("azure-asyncoperation", "location"):
            if header in ours and header in each["response_headers"]:
                urls[_unsigned(each["response_headers"][header])] = ours[header]
        yield Exchange(number, each, answer)


def keys(body: Any, path: str = "") -> set[str]:
    """Return the paths of all keys, without those of the free maps and without the places in lists."""
    if isinstance(body, list):
        return set().union(*(keys(each, path) for each in body)) if body else set()
    if not isinstance(body, dict) or path.rpartition(".")[2] in ("tags", "parameters", "outputs"):
        return set()
    here = {f"{path}.{key}".strip(".") for key in body}
    return here.union(*(keys(value, f"{path}.{key}".strip(".")) for key, value in body.items()))


def _of_ours(url: str, instances: Mapping[str, str]) -> str:
    """Return a URL about our instance: which ids overprovisioning leaves is chance, so they go by their order."""
    return _INSTANCE.sub(lambda found: f"{found[1]}{instances.get(found[2], found[2])}", url)


def _unsigned(url: str) -> str:
    return url.partition("&t=")[0]


def _state(exchange: Mapping[str, Any]) -> str:
    body = exchange["response_body"]
    return str(body.get("status", "")).lower() if isinstance(body, dict) else ""


def _asked_for(exchange: Mapping[str, Any]) -> Any:
    """Return what must have been asked for, as far as an answer tells."""
    body = {key: value for key, value in exchange["response_body"].items() if key not in ("id", "name", "type")}
    asked = stripped(body)
    profile = asked["properties"].get("virtualMachineProfile") if "properties" in asked else None
    if profile is not None and exchange["method"] == "PUT":
        profile["osProfile"]["adminPassword"] = _PASSWORD
        asked["sku"] = {**asked["sku"], "name": SIZES[asked["sku"]["name"]]}
    if exchange["method"] == "PATCH":
        # Of the whole set that was answered, what the recorded test changed.
        billing = profile["billingProfile"] if profile is not None else {}
        return {"properties": {"virtualMachineProfile": {"billingProfile": billing}}}
    return asked


def stripped(value: Any) -> Any:
    """Return a body without what only Azure writes, and without what nobody sends any more."""
    if isinstance(value, list):
        return [stripped(each) for each in value]
    if not isinstance(value, dict):
        return value
    gone = _READ_ONLY | _ABSENT | _UNMANAGED
    if "id" in value and "name" in value:
        gone |= {"id", "type"}
    if "vhdContainers" in value:
        gone |= {"name"}
    return {key: stripped(each) for key, each in value.items() if key not in gone}
