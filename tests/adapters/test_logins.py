"""What is known of how long a credential gives tokens, by its kind and what its token claims."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import pytest
from azure.identity import (
    AzureCliCredential,
    ClientSecretCredential,
    DefaultAzureCredential,
    ManagedIdentityCredential,
    WorkloadIdentityCredential,
)

from provision.adapters.logins import login_of
from provision.arm import Login

NOW = 1_000_000.0
FILE = "/tmp/assertion"
POD = "/var/run/secrets/azure/tokens/azure-identity-token"


def a_token(**claims: Any) -> str:
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.s"


def login(credential: object, token: str = "opaque", file: str = FILE, holds: str = "") -> Login:
    def read(name: str) -> str:
        if not holds:
            raise FileNotFoundError(name)
        return holds

    return login_of(credential, token, 3000.0, NOW, {"AZURE_FEDERATED_TOKEN_FILE": file}, read)


WORKLOAD = WorkloadIdentityCredential(tenant_id="t", client_id="c", token_file_path=FILE)
HOW = "the workload identity in AZURE_FEDERATED_TOKEN_FILE"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (login(ManagedIdentityCredential()), Login("a managed identity", math.inf, ends=False)),
        (login(ClientSecretCredential("t", "c", "s")), Login("a client secret", math.inf, ends=False)),
        (login(AzureCliCredential(), a_token(idtyp="user")), Login("a person's az login", math.inf, ends=False)),
        (
            login(AzureCliCredential(), a_token(scp="user_impersonation")),
            Login("a person's az login", math.inf, ends=False),
        ),
        (login(AzureCliCredential(), a_token(idtyp="app")), Login("an application's az login", 3000, ends=False)),
        (login(AzureCliCredential(), "a.b.c"), Login("an application's az login", 3000, ends=False)),
        (login(WORKLOAD, file=POD), Login("a workload identity of Kubernetes", math.inf, ends=False)),
        (login(WORKLOAD, holds=a_token(exp=NOW + 300)), Login(HOW, 3000, ends=True)),
        (login(WORKLOAD, holds=a_token(exp=NOW + 7200)), Login(HOW, 7200, ends=True)),
        (login(WORKLOAD, holds="no token"), Login(HOW, 3000, ends=False)),
        (login(WORKLOAD), Login(HOW, 3000, ends=False)),
        (login(object()), Login("object", 3000, ends=False)),
    ],
)
def test_a_login_lasts_as_its_kind_and_its_claims_say(found: Login, expected: Login) -> None:
    assert found == expected


def test_a_chain_tells_which_of_its_members_gave_the_token() -> None:
    chain = DefaultAzureCredential()
    assert login(chain).how == "DefaultAzureCredential"
    member = next(each for each in chain.credentials if isinstance(each, AzureCliCredential))

    chain._successful_credential = member  # what azure-identity does itself on success, and says in no other way

    assert login(chain, a_token(idtyp="user")).how == "a person's az login"
