"""A simulated Azure and Microsoft's clients for it, with builders of bodies whose defaults a test need not know."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.rest import HttpRequest

from provision.simulator import Answer, Simulator
from provision.simulator.clients import SUBSCRIPTION as SUBSCRIPTION
from provision.simulator.clients import Credential as Credential
from provision.simulator.clients import SimulatedAzure

Json = dict[str, Any]

HOST = "https://management.azure.com"
SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
SIZE = "Standard_ND96isr_H100_v5"
VERSIONS = {"compute": "2025-11-01", "network": "2025-05-01", "group": "2025-04-01", "stack": "2025-07-01"}

SSH_KEY = {"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA someone"}

A_RULE: Json = {
    "protocol": "Tcp",
    "access": "Allow",
    "priority": 100,
    "direction": "Inbound",
    "sourceAddressPrefix": "*",
    "sourcePortRange": "*",
    "destinationAddressPrefix": "*",
    "destinationPortRange": "22",
}
"""What a security rule states."""

KINDS = {
    "/locks/": "2020-05-01",
    "/amlFilesystems/": "2025-07-01",
    "/userAssignedIdentities/": "2024-11-30",
    "Microsoft.Network/": VERSIONS["network"],
    "Microsoft.Compute/": VERSIONS["compute"],
}
"""The api-version of a resource by a part of its id."""


@dataclass(frozen=True)
class Started:
    """The answer that started a long-running operation."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def poll(self) -> str:
        return self.headers["Azure-AsyncOperation"]


class Azure(SimulatedAzure):
    """A simulator with every client that a test may want. Nothing moves its clock but the test."""

    def __init__(self, simulator: Simulator | None = None) -> None:
        # No retries: a test sees each refusal once, and no sleep of the client moves the clock.
        super().__init__(simulator, retry_total=0)

    def put(self, resource_id: str, body: Json) -> Answer:
        """Write a resource of any type by its id, and let the time that any of them takes pass."""
        seen: list[Any] = []
        try:
            self.resources.resources.begin_create_or_update_by_id(
                resource_id, body, api_version=version_of(resource_id), polling=False, raw_response_hook=seen.append
            )
            response = seen[0].http_response
        except HttpResponseError as refused:
            response = refused.response
        self.wait(900)
        return Answer(response.status_code, response.headers, response.content)

    def get(self, resource_id: str) -> Json:
        seen: list[Any] = []
        self.resources.resources.get_by_id(
            resource_id, api_version=version_of(resource_id), raw_response_hook=seen.append
        )
        found: Json = seen[0].http_response.json()
        return found

    def make_identity(self, name: str = "train", group: str = "rg") -> str:
        """Make a user-assigned identity and return its id."""
        made = identity_id(name, group)
        assert self.put(made, {"location": "eastus"}).status == 201
        return made

    def wait(self, seconds: float) -> None:
        self.control.wait(seconds)

    def start(self, begin: Callable[..., Any], *args: Any, **kwargs: Any) -> Started:
        """Begin an operation without a poller and return the answer that started it."""
        seen: list[Any] = []
        begin(*args, polling=False, raw_response_hook=seen.append, **kwargs)
        response = seen[0].http_response
        return Started(response.status_code, response.headers, response.json() if response.content else None)

    def answer_to(self, begin: Callable[..., Any], *args: Any, **kwargs: Any) -> Answer:
        """Return the answer with which an operation that a client begins is accepted or refused."""
        seen: list[Any] = []
        with suppress(HttpResponseError):
            begin(*args, polling=False, raw_response_hook=seen.append, **kwargs)
        response = seen[0].http_response
        return Answer(response.status_code, dict(response.headers), response.content)

    def finish(self, begin: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Begin an operation and wait for it as the client's own poller does; return its result."""
        return begin(*args, **kwargs).result()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send one request through a client's pipeline, whatever its operations can say; the control side's past it."""
        url = path if path.startswith("http") else f"{HOST}{path}"
        content = b"" if body is None else json.dumps(body).encode()
        if "Authorization" in headers or not url.startswith(HOST) or url.startswith(f"{HOST}/_simulator/"):
            return self.simulator.handle(method, url, {"Authorization": "Bearer any", **headers}, content)
        sent = {"Content-Type": "application/json", **headers} if content else headers
        response = self.stacks.send_request(HttpRequest(method, url, headers=sent, content=content or None))
        return Answer(response.status_code, response.headers, response.content)

    def status_of(self, started: Started) -> str:
        return str(self.ask("GET", started.poll).json()["status"])

    @property
    def world(self) -> Json:
        return self.control.world

    def set_world(self, **parts: Any) -> None:
        self.control.set_world(**parts)

    # --- what most tests begin with ---

    def make_group(self, name: str = "rg", location: str = "eastus", **tags: str) -> None:
        self.resources.resource_groups.create_or_update(name, {"location": location, "tags": tags})

    def make_network(self, group: str = "rg", location: str = "eastus", prefix: str = "10.0.0.0/24") -> str:
        """Make a virtual network `net` with one subnet `nodes`, and return the subnet's id."""
        self.make_group(group, location)
        subnets = [{"name": "nodes", "properties": {"addressPrefix": prefix}}]
        body = {
            "location": location,
            "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": subnets},
        }
        self.start(self.network.virtual_networks.begin_create_or_update, group, "net", body)
        self.wait(60)
        return subnet_id(group=group)

    def make_scale_set(self, name: str = "train", **changes: Any) -> Started:
        """Make a scale set in `rg` and wait until it stands."""
        body = a_scale_set(**changes)
        started = self.start(self.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", name, body)
        self.wait(600)
        return started

    def scale_set(self, name: str = "train") -> Json:
        found: Json = self.compute.virtual_machine_scale_sets.get("rg", name).as_dict()
        return found

    def put_scale_set(self, name: str, body: Json) -> Answer:
        """Write a scale set as the client does; return Compute's answer, whether it takes or refuses the body."""
        return self.answer_to(self.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", name, body)

    def nodes(self, name: str = "train") -> list[Json]:
        """Return the instances as the client lists them, with their views."""
        found = self.compute.virtual_machine_scale_set_vms.list("rg", name, expand="instanceView")
        return [each.as_dict() for each in found]

    def listed(self, path: str) -> list[Json]:
        """Return all that a list holds, page by page."""
        found: list[Json] = []
        while path:
            body = self.ask("GET", path).json()
            found += body["value"]
            path = body.get("nextLink", "")
        return found


def azure_with_a_network(prefix: str = "10.0.0.0/24") -> Azure:
    azure = Azure()
    azure.make_network(prefix=prefix)
    return azure


def version_of(resource_id: str) -> str:
    return next(version for kind, version in KINDS.items() if kind in resource_id)


def group_id(group: str = "rg") -> str:
    return f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{group}"


def network_id(kind_and_name: str, group: str = "rg") -> str:
    return f"{group_id(group)}/providers/Microsoft.Network/{kind_and_name}"


def subnet_id(name: str = "nodes", group: str = "rg") -> str:
    return network_id(f"virtualNetworks/net/subnets/{name}", group)


def set_id(name: str = "train", group: str = "rg") -> str:
    return f"{group_id(group)}/providers/Microsoft.Compute/virtualMachineScaleSets/{name}"


def identity_id(name: str = "train", group: str = "rg") -> str:
    return f"{group_id(group)}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name}"


def lustre_id(name: str = "scratch", group: str = "rg") -> str:
    return f"{group_id(group)}/providers/Microsoft.StorageCache/amlFilesystems/{name}"


def path_of(kind_and_name: str, group: str = "rg") -> str:
    return f"{group_id(group)}/providers/Microsoft.Compute/{kind_and_name}?api-version={VERSIONS['compute']}"


def network_path(kind_and_name: str, group: str = "rg") -> str:
    return f"{network_id(kind_and_name, group)}?api-version={VERSIONS['network']}"


def a_scale_set(
    nodes: int = 4,
    location: str = "eastus",
    size: str = SIZE,
    subnet: str | None = None,
    properties: Json | None = None,
    profile: Json | None = None,
    **top: Any,
) -> Json:
    """Return a body as Azure wants one for InfiniBand, whole but for what a test changes."""
    address = {"name": "ip", "properties": {"subnet": {"id": subnet or subnet_id()}}}
    interface = {"name": "nic", "properties": {"primary": True, "ipConfigurations": [address]}}
    linux = {"disablePasswordAuthentication": True, "ssh": {"publicKeys": [SSH_KEY]}}
    made = {
        "osProfile": {"computerNamePrefix": "train", "adminUsername": "azureuser", "linuxConfiguration": linux},
        "storageProfile": {
            "imageReference": {
                "publisher": "microsoft-dsvm",
                "offer": "ubuntu-hpc",
                "sku": "2204",
                "version": "22.04.2026071501",
            },
            "osDisk": {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}},
        },
        "networkProfile": {"networkInterfaceConfigurations": [interface]},
        **(profile or {}),
    }
    stated = {
        "orchestrationMode": "Uniform",
        "singlePlacementGroup": True,
        "overprovision": False,
        "platformFaultDomainCount": 1,
        "upgradePolicy": {"mode": "Manual"},
        "virtualMachineProfile": made,
        **(properties or {}),
    }
    return {"location": location, "sku": {"name": size, "capacity": nodes}, "properties": stated, **top}


def a_file_system(
    tib: float = 16, tier: int = 250, subnet: str | None = None, properties: Json | None = None, **top: Any
) -> Json:
    stated = {
        "storageCapacityTiB": tib,
        "filesystemSubnet": subnet or subnet_id(),
        "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
        **(properties or {}),
    }
    return {
        "location": "eastus",
        "sku": {"name": f"AMLFS-Durable-Premium-{tier}"},
        "zones": ["1"],
        "properties": stated,
        **top,
    }


def a_template(*resources: Json, **parts: Any) -> Json:
    return {"$schema": SCHEMA, "contentVersion": "1.0.0.0", "resources": list(resources), **parts}


def a_security_group(name: str = "nsg", location: str = "eastus", **parts: Any) -> Json:
    """Return one as a resource of a template."""
    kind = "Microsoft.Network/networkSecurityGroups"
    return {"type": kind, "apiVersion": "2025-05-01", "name": name, "location": location, "properties": {}, **parts}


def a_stack(*resources: Json, unmanaged: str = "detach", parameters: Json | None = None, **template: Any) -> Json:
    return {
        "properties": {
            "actionOnUnmanage": {"resources": unmanaged},
            "denySettings": {"mode": "none"},
            "template": a_template(*resources, **template),
            "parameters": parameters or {},
        }
    }


def refusal(act: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[int, str, str]:
    """Return `(status, code, message)` of the refusal that a client raises."""
    with pytest.raises(HttpResponseError) as found:
        act(*args, **kwargs)
    response = found.value.response
    assert response is not None
    error = json.loads(response.text())["error"]
    return int(found.value.status_code or 0), str(error["code"]), str(error["message"])
