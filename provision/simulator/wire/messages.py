"""What goes in and out of the core: a request, the reply a handler gives, and the answer as bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

Json = dict[str, Any]

DROP, HANG, KILL = LOSSES = ("drop", "hang", "kill-client")
"""The ways in which an answer gets lost."""


@dataclass(frozen=True)
class Request:
    """One HTTP request. Header and query names are lower-case, because ARM compares them so."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def of(cls, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Request:
        return cls(method.upper(), url, {name.lower(): value for name, value in headers.items()}, body)

    @cached_property
    def token(self) -> str:
        """The bearer token; empty where there is none."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""

    @cached_property
    def base(self) -> str:
        """Scheme and host that the client used: operation URLs start with them."""
        split = urlsplit(self.url)
        return f"{split.scheme}://{split.netloc}"

    @cached_property
    def path(self) -> str:
        return urlsplit(self.url).path

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The decoded path segments; doubled and trailing slashes mean nothing to ARM."""
        return tuple(unquote(part) for part in self.path.split("/") if part)

    @cached_property
    def query(self) -> Mapping[str, str]:
        pairs = parse_qsl(urlsplit(self.url).query, keep_blank_values=True)
        return {name.lower(): value for name, value in pairs}


@dataclass(frozen=True)
class Reply:
    """What a handler answers, before headers that every response carries are added."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    indented: bool = False
    """Compute, Network and Stacks write their errors indented with CRLF; the gateway writes compact JSON."""


@dataclass(frozen=True)
class Answer:
    """An HTTP response, whole."""

    status: int
    """0 where the request was lost before anything was done."""
    headers: Mapping[str, str]
    body: bytes = b""
    faults: tuple[str, ...] = ()
    """The effects of the faults that the request met."""
    delay_s: float = 0.0
    """The virtual seconds that pass before the client has it."""

    @property
    def lost(self) -> str:
        """How it gets lost on its way to the client, one of `LOSSES`; empty where it does not."""
        return next((effect for effect in self.faults if effect in LOSSES), "")

    def json(self) -> Any:
        return json.loads(self.body)


def encoded(body: Any, *, indented: bool) -> bytes:
    if body is None:
        return b""
    if indented:
        return json.dumps(body, indent=2, ensure_ascii=False).replace("\n", "\r\n").encode()
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
