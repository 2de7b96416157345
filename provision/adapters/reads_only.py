"""Lets only reads through to Azure: for verbs that must not be able to write, whatever the rest of the tool does."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy

from provision.arm import ArmError

#: POSTs that change nothing: a deployment's or a stack's validation, what-if, and the template of one.
_READS = re.compile(
    r"/providers/Microsoft\.Resources/(deployments|deploymentStacks)/[^/]+/(validate|whatIf|exportTemplate)",
    re.IGNORECASE,
)


class ReadsOnly(SansIOHTTPPolicy[Any, Any]):
    """A policy that refuses every request which may write, before it is sent."""

    def on_request(self, request: PipelineRequest[Any]) -> None:
        """Raise ArmError of a request that is neither GET nor HEAD nor a POST that reads."""
        method, url = request.http_request.method.upper(), request.http_request.url
        if method in ("GET", "HEAD") or (method == "POST" and _READS.search(urlsplit(url).path)):
            return
        raise ArmError(0, "ReadOnly", f"{method} {urlsplit(url).path} would write, and this command only reads")
