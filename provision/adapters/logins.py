"""Decides what is known of how long a credential gives tokens: by which of the chain gave the last one, and its claims.

Nothing that is secret is told: of a token only its end and whose kind it is, of an assertion's file only its end.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from provision.arm import Login

#: These make each token anew from what does not end within a run: a secret, a certificate, the machine itself.
#: Tokens for a simulator are made up by whoever sends them.
_LASTING = {
    "CertificateCredential": "a certificate",
    "ClientSecretCredential": "a client secret",
    "EnvironmentCredential": "a secret or certificate from the process environment",
    "ManagedIdentityCredential": "a managed identity",
    "SimulatorCredential": "the simulator's own login",
}
#: These hand on the tokens of a login of a tool, which may be a person's or an application's.
_TOOLS = {
    "AzureCliCredential": "az login",
    "AzureDeveloperCliCredential": "azd auth login",
    "AzurePowerShellCredential": "Connect-AzAccount",
}
#: Where Kubernetes mounts the assertion of a workload identity, which it writes anew before it ends
#: (azure.github.io/azure-workload-identity, the mutating webhook's defaults).
_KEPT_BY_KUBERNETES = "/var/run/secrets/azure/tokens/"


def login_of(
    credential: object,
    token: str,
    left_s: float,
    now: float,
    environ: Mapping[str, str],
    read: Callable[[str], str],
) -> Login:
    """Return what is known of a credential whose last token is `token` and lives for `left_s` more seconds."""
    # A chain says in no other way which of its members it had the token from.
    used = getattr(credential, "_successful_credential", None) or credential
    kind = type(used).__name__
    if kind in _LASTING:
        return Login(_LASTING[kind], math.inf, ends=False)
    if kind in _TOOLS:
        claims = _claims(token)
        if claims.get("idtyp") == "user" or "scp" in claims:  # which only tokens of persons have
            return Login(f"a person's {_TOOLS[kind]}", math.inf, ends=False)
        # One with a secret is renewed; one with an assertion, as pipelines have it, can't be (azure-cli#28708).
        return Login(f"an application's {_TOOLS[kind]}", left_s, ends=False)
    if kind == "WorkloadIdentityCredential":
        return _of_file(environ.get("AZURE_FEDERATED_TOKEN_FILE", ""), left_s, now, read)
    return Login(kind, left_s, ends=False)


def _of_file(file: str, left_s: float, now: float, read: Callable[[str], str]) -> Login:
    """Return what is known of a workload identity: tokens can be had as long as the assertion in its file lives."""
    if file.startswith(_KEPT_BY_KUBERNETES):
        return Login("a workload identity of Kubernetes", math.inf, ends=False)
    how = "the workload identity in AZURE_FEDERATED_TOKEN_FILE"
    try:
        end = float(_claims(read(file).strip())["exp"])
    except (OSError, KeyError, TypeError, ValueError):
        return Login(how, left_s, ends=False)
    return Login(how, max(left_s, end - now), ends=True)


def _claims(token: str) -> Mapping[str, Any]:
    """Return what a JWT claims, unverified; nothing of any other text."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        found = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
