"""Tokens: who sends a request, until when."""

from __future__ import annotations

import base64
import json

import pytest

from provision.simulator import Simulator
from provision.simulator.state.tokens import TENANT, issued
from tests.simulator.azure import HOST, Azure, group_id

GROUP = f"{group_id()}?api-version=2025-04-01"


def challenge(description: str) -> str:
    return (
        f'Bearer authorization_uri="https://login.windows.net/{TENANT}", error="invalid_token", '
        f'error_description="{description}"'
    )


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic x"}, {"Authorization": "Bearer "}])
def test_a_request_without_a_token_is_challenged(headers: dict[str, str]) -> None:
    answer = Simulator().handle("GET", f"{HOST}{GROUP}", headers)

    assert (answer.status, answer.json()["error"]["code"]) == (401, "AuthenticationFailed")
    assert answer.headers["WWW-Authenticate"] == challenge(
        "The authentication failed because of missing 'Authorization' header."
    )


def test_a_token_works_until_it_expires() -> None:
    azure = Azure()
    azure.make_group()
    bearer = f"Bearer {issued(azure.simulator.now, 600)}"

    azure.wait(599)
    before = azure.ask("GET", GROUP, Authorization=bearer)
    azure.wait(3)
    after = azure.ask("GET", GROUP, Authorization=bearer)

    assert (before.status, after.status) == (200, 401)
    text = (
        "The access token expiry UTC time '12/1/2026 12:10:00 AM' is earlier than current UTC time "
        "'12/1/2026 12:10:02 AM'."
    )
    assert after.json() == {"error": {"code": "ExpiredAuthenticationToken", "message": text}}
    assert after.headers["WWW-Authenticate"] == challenge(text)
    assert after.headers["x-ms-failure-cause"] == "gateway"


def test_a_token_that_is_no_jwt_never_expires() -> None:
    azure = Azure()
    azure.make_group()
    azure.wait(10**8)

    assert azure.ask("GET", GROUP, Authorization="Bearer any").status == 200


@pytest.mark.parametrize("claims", ["{}", "no json", '{"exp": "soon"}', "[]"])
def test_a_jwt_that_cannot_be_read_is_refused(claims: str) -> None:
    text = "eyJhbGciOiJub25lIn0." + base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=") + ".bm9uZQ"

    answer = Azure().ask("GET", GROUP, Authorization=f"Bearer {text}")

    assert (answer.status, answer.json()["error"]["code"]) == (401, "InvalidAuthenticationToken")
    assert "WWW-Authenticate" in answer.headers


def test_a_token_names_its_principal_and_tenant() -> None:
    header, claims, signature = issued(1000.0, 60, principal="train").split(".")

    found = json.loads(base64.urlsafe_b64decode(claims + "=="))
    assert (found["tid"], found["exp"], found["aud"]) == (TENANT, 1060, "https://management.azure.com/")
    assert base64.urlsafe_b64decode(signature + "==")
    assert found["oid"] not in (found["appid"], json.loads(base64.urlsafe_b64decode(header + "==")))
