"""The port `Arm` through Microsoft's own clients. Decides how a request is sent, never whether.

Importing this module costs half a second: only verbs that talk to Azure do.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlsplit
from uuid import uuid4

from azure.core.credentials import AccessToken, TokenCredential
from azure.core.exceptions import AzureError, ClientAuthenticationError, HttpResponseError, ServiceRequestError
from azure.core.pipeline import PipelineRequest, PipelineResponse
from azure.core.pipeline.policies import (
    ContentDecodePolicy,
    CustomHookPolicy,
    RequestIdPolicy,
    RetryPolicy,
    SansIOHTTPPolicy,
    UserAgentPolicy,
)
from azure.core.pipeline.transport import HttpTransport
from azure.core.rest import HttpRequest, HttpResponse
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.core.policies import ARMChallengeAuthenticationPolicy
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.resource.deploymentstacks import DeploymentStacksClient
from azure.mgmt.resource.resources import ResourceManagementClient

from provision import __version__
from provision.adapters.flight import SystemClock, WaitingClock
from provision.adapters.logins import login_of
from provision.adapters.reads_only import ReadsOnly
from provision.arm import (
    BASTIONS,
    GROUPS,
    NAT_GATEWAYS,
    PEERINGS,
    PUBLIC_ADDRESSES,
    SCALE_SETS,
    SECURITY_GROUPS,
    STACKS,
    SUBNETS,
    VIRTUAL_NETWORKS,
    Answer,
    ArmError,
    Login,
    Request,
    ResourceId,
    innermost,
    outermost,
)
from provision.errors import ProvisionError, Unreachable
from provision.failures import retry_read_in
from provision.topology.names import MARK

PUBLIC_CLOUD = "https://management.azure.com"
#: What tokens are asked for.
_SCOPE = f"{PUBLIC_CLOUD}/.default"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

#: The part of a client that has a resource type: (client, operations).
_PARTS = {
    SCALE_SETS: ("compute", "virtual_machine_scale_sets"),
    VIRTUAL_NETWORKS: ("network", "virtual_networks"),
    SUBNETS: ("network", "subnets"),
    SECURITY_GROUPS: ("network", "network_security_groups"),
    NAT_GATEWAYS: ("network", "nat_gateways"),
    PUBLIC_ADDRESSES: ("network", "public_ip_addresses"),
    PEERINGS: ("network", "virtual_network_peerings"),
    BASTIONS: ("network", "bastion_hosts"),
}
#: Codes of a 404 that is about the type or its API version, not about a resource.
_NO_SUCH_TYPE = frozenset({"InvalidResourceType", "InvalidResourceNamespace"})
_T = TypeVar("_T")

_PARTS_BY_KEY = {type.lower(): part for type, part in _PARTS.items()}


class SimulatorCredential:
    """A credential for a simulator on loopback, which knows a caller's tokens apart and verifies none."""

    def get_token(self, *scopes: str, **kwargs: Any) -> AccessToken:
        """Return a token that no Azure would take; a new one each time, as the last one may have expired."""
        return AccessToken(f"simulator#{uuid4().hex}", 4_102_444_800)


class _OneHost(SansIOHTTPPolicy[Any, Any]):
    """Lets requests go to one host only: each carries our token, and a poll URL or a next page names any host."""

    def __init__(self, endpoint: str) -> None:
        self._origin = _origin(endpoint)

    def on_request(self, request: PipelineRequest[Any]) -> None:
        if _origin(request.http_request.url) != self._origin:
            where = "://".join(_origin(request.http_request.url))
            raise ArmError(0, "OtherHost", f"Azure named a URL at {where}, and our token goes nowhere but to Azure")


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme.lower(), parts.netloc.lower()


class _LoopbackAuthentication(ARMChallengeAuthenticationPolicy):
    """Bearer tokens over plain HTTP, which azure-core refuses: for the simulator on loopback only."""

    def on_request(self, request: PipelineRequest[Any]) -> None:
        request.context.options["enforce_https"] = False
        super().on_request(request)


class AzureArm:
    """Azure, or a simulator on loopback, for one subscription. With `reads_only` no write leaves this process."""

    def __init__(
        self,
        subscription: str,
        api_versions: Mapping[str, str],
        credential: TokenCredential,
        *,
        endpoint: str = PUBLIC_CLOUD,
        transport: HttpTransport[Any, Any] | None = None,
        reads_only: bool = False,
        clock: WaitingClock | None = None,
    ) -> None:
        """`clock` is what a list waits by before it is repeated: the time of day, or a simulator's."""
        self._clock = clock or SystemClock()
        self._versions_by_key = {type.lower(): version for type, version in api_versions.items()}
        self._endpoint = endpoint.rstrip("/")
        self._credential = credential
        host = urlsplit(endpoint).hostname
        authentication = (_LoopbackAuthentication if host in LOOPBACK else ARMChallengeAuthenticationPolicy)(
            credential, _SCOPE
        )

        def client(kind: Callable[..., Any], type: str) -> Any:
            policies = [
                _OneHost(self._endpoint),
                *([ReadsOnly()] if reads_only else []),
                RequestIdPolicy(),
                UserAgentPolicy(base_user_agent=f"provision/{__version__}"),
                ContentDecodePolicy(),
                # Nothing is repeated down here, where nobody knows of it and a simulator's clock would stand still.
                RetryPolicy(retry_total=0),
                authentication,
                CustomHookPolicy(),
            ]
            options: dict[str, Any] = {"transport": transport} if transport is not None else {}
            return kind(
                credential,
                subscription,
                self._endpoint,
                api_version=api_versions[type],
                policies=policies,
                **options,
            )

        self._clients = {
            "compute": client(ComputeManagementClient, SCALE_SETS),
            "network": client(NetworkManagementClient, VIRTUAL_NETWORKS),
            "resources": client(ResourceManagementClient, GROUPS),
            "stacks": client(DeploymentStacksClient, STACKS),
        }

    def groups(self, subscription: str) -> list[dict[str, Any]]:
        """Return every resource group of the subscription."""
        return self._pages(f"/subscriptions/{subscription}/resourcegroups", GROUPS)

    def marked(self, subscription: str) -> list[dict[str, Any]]:
        """Return every resource of the subscription that carries our tag, whatever its value, without properties."""
        found = self._pages(f"/subscriptions/{subscription}/resources", GROUPS, f"$filter=tagName eq '{MARK}'&")
        return [body for body in found if any(name.lower() == MARK for name in body.get("tags") or {})]

    def listed(self, group: ResourceId, type: str) -> list[dict[str, Any]]:
        """Return the bodies of a group's resources of a type; of all types, without properties, if it is empty."""
        return self._pages(f"{group}/providers/{type}" if type else f"{group}/resources", type or GROUPS)

    def found(self, id: ResourceId, api_version: str) -> dict[str, Any] | None:
        """Return the body of a resource of any type, None where there is none."""
        try:
            return dict(self._read(f"{self._endpoint}{quote(id)}?api-version={api_version}").body)
        except ArmError as error:
            if error.status == 404 and error.code not in _NO_SUCH_TYPE:
                return None
            raise

    def instances(self, scale_set: ResourceId) -> list[dict[str, Any]]:
        """Return a scale set's instances with their views."""
        return self._pages(f"{scale_set}/virtualMachines", SCALE_SETS, "$expand=instanceView&")

    def read(self, path: str, type: str, query: str = "", body: Mapping[str, Any] | None = None) -> Any:
        """Return what is at a path: the items of a list, all its pages joined, or one body.

        A POST that only reads, where there is a body: a validation's refusal is its answer, not an error.
        """
        url = f"{self._endpoint}{path}?{query}api-version={self._versions_by_key[type.lower()]}"
        if body is None:
            found = _json(self._patiently(lambda: self._response(HttpRequest("GET", url))).text())
            is_page = isinstance(found, Mapping) and isinstance(found.get("value"), list)
            return self._joined(found) if is_page else found
        try:
            return _json(self._patiently(lambda: self._response(HttpRequest("POST", url, json=body))).text())
        except ArmError as error:
            if error.status not in (400, 409):
                raise
            return {"error": {"code": error.code, "message": error.text, "details": _details(error)}}

    def login(self) -> Login:
        """Return how long tokens can be had for these requests."""
        token = _asked(lambda: self._credential.get_token(_SCOPE))
        now = time.time()  # tokens live by the time of day, whatever clock a simulator has
        return login_of(
            self._credential, token.token, token.expires_on - now, now, os.environ, lambda file: Path(file).read_text()
        )

    def _pages(self, path: str, type: str, query: str = "") -> list[dict[str, Any]]:
        """Return all items of a list, page by page, as plain JSON: as the clients' models, thousands take seconds."""
        url = f"{self._endpoint}{path}?{query}api-version={self._versions_by_key[type.lower()]}"
        return self._joined(self._read(url).body)

    def _joined(self, page: Mapping[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [*page.get("value", ())]
        while url := str(page.get("nextLink") or ""):
            page = self._read(url).body
            found += page.get("value", ())
        return found

    def _read(self, url: str) -> Answer:
        """Return what is at a URL."""
        return self._patiently(lambda: self._get(url))

    def _patiently(self, ask: Callable[[], _T]) -> _T:
        """Return what a read is answered, asked for again where that is worth it: no run knows of this request."""
        began, attempt = self._clock.now(), 1
        while True:
            try:
                return ask()
            except ArmError as error:
                wait = retry_read_in(error, attempt, self._clock.now() - began)
                if wait is None:
                    raise
                attempt += error.status != 429  # which is no failure of this request
            self._clock.sleep_until(self._clock.now() + wait)

    def send(self, request: Request) -> Answer:
        """Send one request and return its answer. Raises ArmError."""
        if request.url:
            return self._get(request.url)
        if request.method == "NODES":
            return Answer(200, {"value": self.instances(request.id)})
        if request.method == "LIST":
            group = request.id.group_id
            return Answer(200, {"value": self.listed(group, "" if request.id.key == group.key else request.id.type)})
        answers: list[Answer] = []
        call = self._call(request)
        options: dict[str, Any] = {
            "raw_response_hook": lambda response: answers.append(_answer(response)),
            **self._version_for(request.id.type),
        }
        _asked(lambda: call(**options))
        return answers[-1]

    def _call(self, request: Request) -> Callable[..., Any]:
        """Return the client's method for a request, with its arguments bound."""
        id, type = request.id, request.id.type.lower()
        if type == GROUPS.lower():
            groups = self._clients["resources"].resource_groups
            if request.method == "PUT":
                return lambda **options: groups.create_or_update(id.name, request.body, **options)
            if request.method == "DELETE":
                return lambda **options: groups.begin_delete(id.name, polling=False, **options)
            return lambda **options: groups.get(id.name, **options)
        if type == STACKS.lower():
            stacks = self._clients["stacks"].deployment_stacks
            if request.method == "PUT":
                return lambda **options: stacks.begin_create_or_update_at_resource_group(
                    id.group, id.name, request.body, polling=False, **options
                )
            if request.method == "DELETE":
                detach = {
                    f"unmanage_action_{kind}": "detach"
                    for kind in ("resources", "resource_groups", "management_groups")
                }
                return lambda **options: stacks.begin_delete_at_resource_group(
                    id.group, id.name, polling=False, **detach, **options
                )
            return lambda **options: stacks.get_at_resource_group(id.group, id.name, **options)
        if type not in _PARTS_BY_KEY:  # no client of ours has it; ARM's own takes every type by id
            by_id = self._clients["resources"].resources
            in_ours = {"api_version": request.api_version or self._versions_by_key[type]}
            if request.method == "DELETE":
                return lambda **options: by_id.begin_delete_by_id(str(id), polling=False, **in_ours, **options)
            return lambda **options: by_id.get_by_id(str(id), **in_ours, **options)
        part, names = self._part(type), id.full_name.split("/")
        if request.method == "DELETE":
            return lambda **options: part.begin_delete(id.group, *names, polling=False, **options)
        if request.method == "POST":
            return lambda **options: part.begin_delete_instances(
                id.group, *names, request.body, polling=False, **options
            )
        return lambda **options: part.get(id.group, *names, **options)

    def _version_for(self, type: str) -> dict[str, str]:
        """Return the option that states our API version, for the clients whose methods overlook their client's."""
        key = type.lower()
        return {"api_version": self._versions_by_key[key]} if key in _PARTS_BY_KEY else {}

    def _part(self, type: str) -> Any:
        client, operations = _PARTS_BY_KEY[type.lower()]
        return getattr(self._clients[client], operations)

    def _get(self, url: str) -> Answer:
        """Follow a URL that ARM gave, as it came."""
        response = self._response(HttpRequest("GET", url))
        return _answer_of(response.status_code, response.text(), response.headers)

    def _response(self, request: HttpRequest) -> HttpResponse:
        """Return what a request is answered. Raises ArmError."""
        response: HttpResponse = _asked(lambda: self._clients["resources"].send_request(request))
        if response.status_code >= 400:
            raise _error_of(response.status_code, response.text(), response.headers)
        return response


def _details(error: ArmError) -> list[dict[str, str]]:
    """Return the causes of an error as ARM writes them."""
    return [{"code": code, "message": message, "target": target} for code, message, target in error.details]


def _asked(call: Callable[[], _T]) -> _T:
    """Return what a call returns; what it raises becomes ours."""
    try:
        return call()
    except ClientAuthenticationError as error:
        if error.status_code:
            raise _from_http(error) from error
        raise Unreachable(
            f"Azure gives no token: {error.message.splitlines()[0]}",
            fix="log in (az login), or give the pipeline a workload identity; --simulate needs neither",
        ) from error
    except HttpResponseError as error:
        raise _from_http(error) from error
    except ServiceRequestError as error:
        raise _unconnected(0, "ConnectionFailed", "no connection to Azure", error) from error
    except AzureError as error:
        raise _unconnected(503, "ConnectionBroken", "the connection to Azure broke", error) from error


def _unconnected(status: int, code: str, what: str, error: AzureError) -> ArmError:
    # Without the names that Python gives to its objects.
    why = re.sub(r"<[^<>]*>:? ?|HTTPS?Connection\([^()]*\): ", "", str(error.message))
    return ArmError(status, code, f"{what}: {why}", fix="check network, proxy and DNS; then run the same command again")


def _from_http(error: HttpResponseError) -> ProvisionError:
    response: Any = error.response
    if response is None:
        return ArmError(0, "NoAnswer", str(error.message))
    return _error_of(response.status_code, response.text(), response.headers)


def _answer(response: PipelineResponse[Any, Any]) -> Answer:
    http = response.http_response
    http.read()  # the first answer of a long-running operation comes as a stream
    return _answer_of(http.status_code, http.text(), http.headers)


def _answer_of(status: int, text: str, headers: Mapping[str, str]) -> Answer:
    body = _json(text)
    return Answer(
        status=status,
        body=body if isinstance(body, Mapping) else {},
        operation_url=headers.get("Azure-AsyncOperation") or headers.get("Location") or "",
        retry_after_s=_retry_after(headers),
        correlation_id=headers.get("x-ms-correlation-request-id") or "",
        left=_left(headers),
    )


def _error_of(status: int, text: str, headers: Mapping[str, str]) -> ArmError:
    body = _json(text)
    code, message = outermost(body)
    return ArmError(
        status,
        code or f"Http{status}",
        message or text[:500] or "no explanation",
        details=tuple(innermost(body)),
        retry_after_s=_retry_after(headers),
        correlation_id=headers.get("x-ms-correlation-request-id") or "",
        left=_left(headers),
    )


def _left(headers: Mapping[str, str]) -> int | None:
    """Return how many more requests of the kind Azure allows just now; None where it does not say."""
    for kind in ("reads", "writes", "deletes"):
        text = headers.get(f"x-ms-ratelimit-remaining-subscription-{kind}") or ""
        if text.isdecimal():
            return int(text)
    return None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After; None where there is none that is a number."""
    try:
        return max(0.0, float(headers["Retry-After"])) if "Retry-After" in headers else None
    except ValueError:
        return None


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return {}


def default_credential() -> TokenCredential:
    """Return Azure's default chain: workload identity, managed identity, `az login` and so on."""
    import logging

    from azure.identity import DefaultAzureCredential

    # Its own page of advice on standard error would stand above our two lines.
    logging.getLogger("azure").addHandler(logging.NullHandler())
    return cast(TokenCredential, DefaultAzureCredential())
