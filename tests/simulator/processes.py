"""The simulator as a process of its own, met over HTTP by Microsoft's clients."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy
from azure.mgmt.resource.resources import ResourceManagementClient

from provision.simulator.clients import SUBSCRIPTION, Credential

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def process(*options: str) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "provision.simulator", *options]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as running:
        try:
            yield running
        finally:
            running.kill()


@contextmanager
def served(*options: str) -> Iterator[str]:
    """Give the endpoint of a simulator."""
    with process(*options) as running:
        yield endpoint_of(running)


def endpoint_of(running: subprocess.Popen[bytes]) -> str:
    assert running.stdout is not None
    return str(json.loads(running.stdout.readline())["endpoint"])


def control(endpoint: str, method: str, part: str, body: Any = None) -> Any:
    """Ask the control side."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{endpoint}/_simulator/{part}", data=data, method=method)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as response:
        return json.loads(response.read())


class _Token(SansIOHTTPPolicy[Any, Any]):
    """A bearer token over plain HTTP, which the clients' own policy refuses."""

    def on_request(self, request: PipelineRequest[Any]) -> None:
        request.http_request.headers["Authorization"] = "Bearer any"


def resources_at(endpoint: str, **options: Any) -> ResourceManagementClient:
    """Return Microsoft's client for a simulator over HTTP; it tries nothing twice."""
    return ResourceManagementClient(
        Credential(), SUBSCRIPTION, endpoint, authentication_policy=_Token(), retry_total=0, **options
    )
