"""The simulator as the transport of Microsoft's own clients: no sockets, no waiting. Nothing else imports Azure."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError, ServiceResponseError, ServiceResponseTimeoutError
from azure.core.pipeline.transport import HttpTransport
from azure.core.rest import HttpRequest, HttpResponse
from azure.core.utils import CaseInsensitiveDict

from provision.simulator.simulator import Simulator
from provision.simulator.wire.messages import DROP, HANG, KILL, Answer


class ClientKilled(BaseException):
    """The fault `kill-client`: the client's process is taken to end here, so that no `except Exception` sees it."""


class SimulatorTransport(HttpTransport[HttpRequest, HttpResponse]):
    """Pass as `transport=` to any client. A client's sleep moves the simulator's clock and no other."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def send(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        body = request.content
        content = body.encode() if isinstance(body, str) else bytes(body or b"")
        answer = self._simulator.handle(request.method, request.url, dict(request.headers), content)
        if answer.delay_s:
            self.sleep(answer.delay_s)
        if answer.lost == KILL:
            raise ClientKilled
        if answer.lost == HANG:
            raise ServiceResponseTimeoutError("Read timed out.")
        if answer.lost == DROP:
            # What `requests` makes of a connection that ends, whatever had become of the request by then.
            raise ServiceResponseError("('Connection aborted.', RemoteDisconnected)")
        return SimulatedResponse(request, answer)

    def sleep(self, duration: float) -> None:
        self._simulator.advance_to(self._simulator.now + duration)

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close: the simulator belongs to whoever made it."""

    def __enter__(self) -> SimulatorTransport:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()


class SimulatedCredential:
    """Pass as the credential of any client: tokens of a principal, which live for the tester's `tokenLifeS`.

    A client keeps a token by the time of day, so one that outlives it in virtual time is refused as Azure would.
    """

    def __init__(self, simulator: Simulator, principal: str = "tester") -> None:
        self._simulator = simulator
        self._principal = principal

    def get_token(self, *scopes: str, **kwargs: Any) -> AccessToken:
        text, life_s = self._simulator.token(self._principal)
        return AccessToken(text, int(time.time() + life_s))


class SimulatedResponse(HttpResponse):
    """An answer as azure-core wants it; read from the start."""

    def __init__(self, request: HttpRequest, answer: Answer) -> None:
        self._request = request
        self._answer = answer
        self._headers = CaseInsensitiveDict(answer.headers)
        self._encoding = "utf-8"

    @property
    def request(self) -> HttpRequest:
        return self._request

    @property
    def status_code(self) -> int:
        return self._answer.status

    @property
    def headers(self) -> CaseInsensitiveDict:
        return self._headers

    @property
    def reason(self) -> str:
        return HTTPStatus(self._answer.status).phrase

    @property
    def content_type(self) -> str | None:
        found: str | None = self._headers.get("Content-Type")
        return found

    @property
    def is_closed(self) -> bool:
        return True

    @property
    def is_stream_consumed(self) -> bool:
        return True

    @property
    def encoding(self) -> str | None:
        return self._encoding

    @encoding.setter
    def encoding(self, value: str | None) -> None:
        self._encoding = value or "utf-8"

    @property
    def url(self) -> str:
        return self._request.url

    @property
    def content(self) -> bytes:
        return self._answer.body

    def text(self, encoding: str | None = None) -> str:
        return self._answer.body.decode(encoding or self._encoding)

    def json(self) -> Any:
        return json.loads(self._answer.body)

    def raise_for_status(self) -> None:
        if self.status_code >= HTTPStatus.BAD_REQUEST:
            raise HttpResponseError(response=self)

    def read(self) -> bytes:
        return self._answer.body

    def iter_raw(self, **kwargs: Any) -> Iterator[bytes]:
        yield self._answer.body

    def iter_bytes(self, **kwargs: Any) -> Iterator[bytes]:
        yield self._answer.body

    def close(self) -> None:
        """Nothing to close."""

    def __enter__(self) -> SimulatedResponse:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<SimulatedResponse: {self.status_code} {self.reason}>"
