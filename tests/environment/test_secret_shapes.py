"""What looks like a secret, and what only nearly does."""

from __future__ import annotations

import pytest

from provision.environment.secret_shapes import secret_in, secret_under

SIGNED = f"eyJ{'a' * 20}.eyJ{'b' * 20}.{'c' * 20}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("-----BEGIN PRIVATE KEY-----", "a private key"),
        ("-----BEGIN RSA PRIVATE KEY-----", "a private key"),
        ("PuTTY-User-Key-File-3: ssh-ed25519", "a private key"),
        (f"https://a.blob.core.windows.net/c/f?sv=1&sig={'a' * 43}%3D", "a SAS token"),
        (f"DefaultEndpointsProtocol=https;AccountKey={'a' * 86}==", "a storage account's key"),
        (f"ghp_{'a' * 36}", "an access token"),
        (f"hf_{'a' * 34}", "an access token"),
        (SIGNED, "a signed token"),
        ("export DB_PASSWORD=letmein", "a password"),
        ("password: 'letmein now'", "a password"),
        ('{"passwd": "$6$rounds=4096$salt$hash"}', "a password"),
        ("client_secret: abcdefghijklmnop1", "a key or token"),
        ("API_KEY=0123456789abcdef", "a key or token"),
        ("MUNGE_KEY=abcdefghijklmnopqrstuvwxyz123456 munge.sh", "a key or token"),
    ],
)
def test_a_secret_is_known_by_its_shape(text: str, kind: str) -> None:
    assert secret_in(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE7a2pR4n8dQn7VYwq9mXgq3b1c0dE5fG6hI7jK8lM9n me@example.com",
        "-----BEGIN PUBLIC KEY-----",
        "ssh_pwauth: false",
        "lock_passwd: true",
        "password=$(az keyvault secret show --name db)",
        "password: ${PASSWORD}",
        "--password-file /run/secret",
        "token=$TOKEN",
        "munge_key: /etc/munge/munge.key",
        "tokenizer: sentencepiece-32000-bpe",
        "secret: /run/secrets/db-password-1",
        "disablePasswordAuthentication: true",
    ],
)
def test_what_only_names_a_secret_is_none(text: str) -> None:
    assert secret_in(text) is None


def test_a_key_tells_a_secret_whose_value_looks_like_nothing() -> None:
    assert secret_under("adminPassword", "plain words") == "something called adminPassword"
    assert secret_under("storageAccountKey", "x") == "something called storageAccountKey"
    assert secret_under("adminPassword", True) is None
    assert secret_under("adminPassword", "") is None
    assert secret_under("workspaceId", "x") is None
