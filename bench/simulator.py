"""What the simulated Azure costs at fleet size: time a request, memory, its state file.

Run: .venv/bin/python bench/simulator.py [REGIONS SETS NODES]     (default: 23 regions x 26 scale sets x 100 nodes)
Microsoft's clients are left out: what is measured is the simulator's own time and memory, state file included.

Figures of December 2026 (2 virtual cores, Python 3.11), 59,800 nodes, processor time:

    make a scale set, saved                            1.0 ms    state file                        12 MiB
    get a scale set                                    0.1 ms    start again from it              120 ms
    a page of 50 nodes with their views                4.3 ms    peak memory, with 50,000 rows
    a page of 50 scale sets                            2   ms      of log                         178 MiB
    instance view of a set                             0.3 ms    request over HTTP               0.32 ms
    write a stack for a set, to its end                2.0 ms
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from provision.simulator import Answer, Simulator
from provision.simulator.state.facts import regions, sizes

SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000001"
SIZE = "Standard_ND96isr_H100_v5"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE7a2pR4n8dQn7VYwq9mXgq3b1c0dE5fG6hI7jK8lM9n bench"
VERSIONS = {
    "": "2025-04-01",
    "Microsoft.Network": "2025-05-01",
    "Microsoft.Compute": "2025-11-01",
    "Stacks": "2025-07-01",
}


class Fleet:
    """A simulator with a state file, and what a client sends to it."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.simulator = Simulator(state=state)

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        version = next(VERSIONS[part] for part in reversed(VERSIONS) if part in path)
        url = path if path.startswith("http") else f"https://management.azure.com{SUBSCRIPTION}{path}"
        url = url if "api-version" in url else f"{url}{'&' if '?' in url else '?'}api-version={version}"
        content = b"" if body is None else json.dumps(body).encode()
        answer = self.simulator.handle(method, url, {"Authorization": "Bearer bench"}, content)
        assert answer.status < 300, answer.body
        return answer

    def pages(self, path: str) -> Iterator[list[Any]]:
        """Yield the items of each page of a list."""
        while path:
            body = self.ask("GET", path).json()
            yield body["value"]
            path = body.get("nextLink", "")

    def wait(self, seconds: float) -> None:
        self.simulator.advance_to(self.simulator.now + seconds)


@contextmanager
def timed(what: str, times: int = 1) -> Iterator[None]:
    """Print the processor's milliseconds that something takes, for one of so many."""
    began = time.process_time()
    yield
    spent = 1000 * (time.process_time() - began)
    each = f", {spent / times:8.2f} ms each of {times}" if times > 1 else ""
    print(f"{what:48} {spent:8.0f} ms{each}")


def scale_set(region: str, nodes: int) -> dict[str, Any]:
    subnet = f"{SUBSCRIPTION}/resourceGroups/{region}/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes"
    address = {"name": "ip", "properties": {"subnet": {"id": subnet}}}
    keys = [{"path": "/home/azureuser/.ssh/authorized_keys", "keyData": KEY}]
    linux = {"disablePasswordAuthentication": True, "ssh": {"publicKeys": keys}}
    profile = {
        "osProfile": {"computerNamePrefix": "node", "adminUsername": "azureuser", "linuxConfiguration": linux},
        "storageProfile": {
            "imageReference": {
                "publisher": "microsoft-dsvm",
                "offer": "ubuntu-hpc",
                "sku": "2204",
                "version": "22.04.2026071501",
            },
            "osDisk": {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}},
        },
        "networkProfile": {
            "networkInterfaceConfigurations": [
                {"name": "nic", "properties": {"primary": True, "ipConfigurations": [address]}}
            ]
        },
    }
    properties = {
        "orchestrationMode": "Uniform",
        "singlePlacementGroup": True,
        "overprovision": False,
        "platformFaultDomainCount": 1,
        "upgradePolicy": {"mode": "Manual"},
        "virtualMachineProfile": profile,
    }
    return {"location": region, "sku": {"name": SIZE, "capacity": nodes}, "properties": properties}


def make(fleet: Fleet, names: list[str], sets: int, nodes: int) -> None:
    network = {
        "addressSpace": {"addressPrefixes": ["10.0.0.0/12"]},
        "subnets": [{"name": "nodes", "properties": {"addressPrefix": "10.0.0.0/16"}}],
    }
    with timed("make groups and networks", 2 * len(names)):
        for region in names:
            fleet.ask("PUT", f"/resourceGroups/{region}", {"location": region})
            path = f"/resourceGroups/{region}/providers/Microsoft.Network/virtualNetworks/net"
            fleet.ask("PUT", path, {"location": region, "properties": network})
    fleet.wait(60)
    with timed("make scale sets, saved one by one", len(names) * sets):
        for region in names:
            for number in range(sets):
                fleet.ask("PUT", set_path(region, number), scale_set(region, nodes))
    with timed("let them come up"):
        fleet.wait(1200)


def set_path(region: str, number: int, inner: str = "") -> str:
    return f"/resourceGroups/{region}/providers/Microsoft.Compute/virtualMachineScaleSets/train-{number}{inner}"


def look(fleet: Fleet, names: list[str], sets: int, nodes: int) -> None:
    places = [(region, number) for region in names for number in range(sets)]
    with timed("get a scale set", len(places)):
        for region, number in places:
            fleet.ask("GET", set_path(region, number))
    with timed("list the scale sets of a group", len(names)):
        for region in names:
            assert sum(map(len, fleet.pages(set_path(region, 0).rsplit("/", 1)[0]))) == sets
    with timed("list the scale sets of the subscription"):
        path = "/providers/Microsoft.Compute/virtualMachineScaleSets"
        assert sum(map(len, fleet.pages(path))) == len(places)
    with timed("list the resources of the subscription"):
        assert sum(map(len, fleet.pages("/resources"))) == len(places) + len(names)
    with timed("instance view of a scale set", len(places)):
        for region, number in places:
            fleet.ask("GET", set_path(region, number, "/instanceView"))
    pages = [0]
    before = time.process_time()
    for region, number in places:
        shown = list(fleet.pages(set_path(region, number, "/virtualMachines?$expand=instanceView")))
        assert sum(map(len, shown)) == nodes
        pages.append(len(shown))
    spent, count = 1000 * (time.process_time() - before), sum(pages)
    print(f"{'list all nodes with their views':48} {spent:8.0f} ms, {spent / count:8.2f} ms each of {count} pages")
    with timed("usages of a region", len(names)):
        for region in names:
            fleet.ask("GET", f"/providers/Microsoft.Compute/locations/{region}/usages")


def change(fleet: Fleet, names: list[str], nodes: int) -> None:
    with timed("write a set of a full fleet again, saved", len(names)):
        for region in names:
            fleet.ask("PUT", set_path(region, 0), scale_set(region, nodes - 1))
    fleet.wait(1200)
    with timed("restart all nodes of a set, to the end", len(names)):
        for region in names:
            fleet.ask("POST", set_path(region, 0, "/restart"), {})
        fleet.wait(600)
    poll = fleet.ask("POST", set_path(names[0], 0, "/restart"), {}).headers["Azure-AsyncOperation"]
    with timed("polls", 60_000):
        for _ in range(60_000):
            fleet.ask("GET", poll)
    fleet.wait(600)


def stack(fleet: Fleet, names: list[str], sets: int, nodes: int) -> None:
    """Write every set once more as a deployment stack, which is how provision writes, and see them to their end."""
    kind = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": VERSIONS["Microsoft.Compute"]}
    with timed("write a stack for each set, to its end", len(names) * sets):
        for region in names:
            polls = []
            for number in range(sets):
                template = {
                    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                    "contentVersion": "1.0.0.0",
                    "resources": [{**kind, "name": f"train-{number}", **scale_set(region, nodes)}],
                }
                properties = {
                    "template": template,
                    "actionOnUnmanage": {"resources": "detach"},
                    "denySettings": {"mode": "none"},
                }
                path = f"/resourceGroups/{region}/providers/Microsoft.Resources/deploymentStacks/train-{number}"
                answer = fleet.ask("PUT", path, {"properties": properties})
                polls.append(answer.headers["Azure-AsyncOperation"])
            fleet.wait(1200)
            assert all(fleet.ask("GET", poll).json()["status"] == "succeeded" for poll in polls)


def over_http(requests: int = 3000) -> None:
    """Print the server's own processor time a request, over one connection that is kept."""
    command = [sys.executable, "-m", "provision.simulator", "--exit-with-stdin"]
    path = f"{SUBSCRIPTION}/resourceGroups/rg?api-version=2025-04-01"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for count in (1, requests):  # the first shows what starting costs
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            host = json.loads(process.stdout.readline())["endpoint"].removeprefix("http://")
            connection = HTTPConnection(host)
            for number in range(count):
                method, body = ("GET", None) if number else ("PUT", '{"location": "eastus"}')
                connection.request(method, path, body, {"Authorization": "Bearer bench"})
                connection.getresponse().read()
            connection.close()
            assert process.stdin is not None
            process.stdin.close()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        before = after
        if count == 1:
            start = spent
    spent, what = spent - start, "requests over HTTP, own time of the server"
    print(f"{what:48} {spent:8.0f} ms, {spent / requests:8.2f} ms each of {requests}")


def mib(path: Path) -> float:
    return sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*")) / 2**20


def main(count: int = 23, sets: int = 26, nodes: int = 100) -> None:
    """Print what each kind of request costs, and what is kept."""
    offered = sizes()[SIZE.lower()].regions
    names = [name for name in regions() if name in offered][:count]
    print(f"{len(names)} regions x {sets} scale sets x {nodes} nodes: {len(names) * sets * nodes} nodes")
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(Path(folder, "world.db"))
        make(fleet, names, sets, nodes)
        look(fleet, names, sets, nodes)
        change(fleet, names, nodes)
        stack(fleet, names, sets, nodes)
        with timed("the world, whole, through the control side"):
            fleet.simulator.handle("GET", "http://x/_simulator/world", {})
        fleet.simulator.close()
        print(f"{'state file':48} {mib(fleet.state):8.1f} MiB")
        with timed("start again from the state file"):
            again = Simulator(state=fleet.state)
        again.close()
    over_http()
    print(f"{'peak memory':48} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MiB")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
