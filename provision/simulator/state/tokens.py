"""Who sends a request, as its bearer token says, and whether the token still lives.

A token is taken apart where it is a JWT, and never verified: there is nobody to sign one. Any other text is a token
that never expires, and a caller of its own; what follows a `#` tells apart the tokens of one caller.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from provision.simulator.refusals import errors
from provision.simulator.state.world import guid_of
from provision.simulator.wire.messages import Request

TENANT = guid_of("tenant")
LIFE_S = 3599.0
"""How long a token of Azure's lives where the tester sets no other: an hour, less a second."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal: `client` is the id of its application, as Azure names it in refusals."""

    object_id: str
    client: str


@dataclass(frozen=True, slots=True)
class _Token:
    caller: Caller
    expires: float | None


def caller_of(request: Request, now: float) -> Caller:
    """Return who sends a request. Refused without a token, with one that is none, and with one that has expired."""
    if not request.token:
        raise errors.no_token(TENANT)
    token = _read(request.token)
    if token is None:
        raise errors.bad_token(TENANT)
    if token.expires is not None and token.expires <= now:
        raise errors.expired_token(TENANT, token.expires, now)
    return token.caller


def issued(now: float, life_s: float = LIFE_S, *, principal: str = "tester") -> str:
    """Return a token of a principal that lives for `life_s` seconds, in the shape of Azure's own: an unsigned JWT."""
    claims = {
        "aud": "https://management.azure.com/",
        "iss": f"https://sts.windows.net/{TENANT}/",
        "iat": int(now),
        "nbf": int(now),
        "exp": int(now + life_s),
        "appid": guid_of("application", principal),
        "idtyp": "app",
        "oid": guid_of("principal", principal),
        "sub": guid_of("principal", principal),
        "tid": TENANT,
        "ver": "1.0",
    }
    parts = ({"typ": "JWT", "alg": "none"}, claims)
    # Clients take the third part apart too, so it is one, though it signs nothing.
    return ".".join([*(_base64(json.dumps(part, separators=(",", ":")).encode()) for part in parts), _base64(b"none")])


@lru_cache(maxsize=256)
def _read(text: str) -> _Token | None:
    """Return what a token says; None where it looks like a JWT and is none."""
    parts = text.split(".")
    if len(parts) != 3 or not text.startswith("eyJ"):
        name = text.partition("#")[0]
        return _Token(Caller(guid_of("principal", name), guid_of("application", name)), None)
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        expires = float(claims["exp"])
    except (ValueError, KeyError, TypeError):
        return None
    return _Token(Caller(_claim(claims, "oid", text), _claim(claims, "appid", text)), expires)


def _claim(claims: Any, name: str, text: str) -> str:
    found = claims.get(name)
    return found if isinstance(found, str) and found else guid_of(name, text)


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
