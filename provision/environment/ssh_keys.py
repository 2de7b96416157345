"""Decides which text is an SSH public key that Azure takes. What it refuses is described, never shown."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from provision.environment.model import Environment
from provision.errors import FileError
from provision.source import beside

_MAKE_ONE = "make a pair with `ssh-keygen -t ed25519` and name its .pub file"
_LEAST_RSA_BITS = 2048


@dataclass(frozen=True, slots=True)
class SshKeys:
    """The key files that an environment names: the text of the good ones, and why the others are refused.

    Both are by path as the environment gives it; `refused` holds (what is wrong, how to fix it).
    """

    environment: Environment
    texts: Mapping[str, str]
    refused: Mapping[str, tuple[str, str]]


def ssh_keys_of(environment: Environment, file: str, read: Callable[[str], str]) -> SshKeys:
    """Return the key files of an environment, each read once, from beside the environment's own file."""
    texts: dict[str, str] = {}
    refused: dict[str, tuple[str, str]] = {}
    for path in sorted({pool.ssh_public_key_file for pool in environment.pools.values()}):
        try:
            text = read(beside(file, path))
        except FileError as error:
            refused[path] = (error.message, "name a public key's file; its path is relative to the environment file")
            continue
        if wrong := flaw(text):
            refused[path] = wrong
        else:
            texts[path] = text.removeprefix("\ufeff").strip()
    return SshKeys(environment, texts, refused)


def flaw(text: str) -> tuple[str, str] | None:
    """Return what is wrong with a key file's text and how to fix it; None when it is a public key that Azure takes."""
    text = text.removeprefix("\ufeff").strip()
    if not text:
        return "the file is empty", _MAKE_ONE
    if "PRIVATE KEY" in text or text.startswith("PuTTY-User-Key-File"):
        return "the file holds a private key", "name the .pub file beside it; keep the private key to yourself"
    if "BEGIN SSH2 PUBLIC KEY" in text or "BEGIN PUBLIC KEY" in text or "BEGIN RSA PUBLIC KEY" in text:
        return "the file is a public key in another format than OpenSSH's", "convert it with `ssh-keygen -i`"
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) != 1:
        return f"the file holds {len(lines)} lines; one public key is wanted", "leave one key in the file"
    kind, *rest = lines[0].split()
    if kind not in ("ssh-rsa", "ssh-ed25519"):
        known = re.fullmatch(r"(ssh|ecdsa|sk)-[a-z0-9@.-]+", kind)
        what = f"a key of type {kind}" if known else "no OpenSSH public key"
        return f"the file holds {what}; Azure takes ssh-ed25519 and ssh-rsa", _MAKE_ONE
    parts = _parts(rest[0]) if rest else None
    if parts is None or parts[0] != kind.encode() or len(parts) != (2 if kind == "ssh-ed25519" else 3):
        return f"the {kind} key in the file is damaged or cut short", "copy the .pub file again, whole"
    if kind == "ssh-ed25519" and len(parts[1]) != 32:
        return f"the {kind} key in the file is damaged or cut short", "copy the .pub file again, whole"
    bits = int.from_bytes(parts[2], "big").bit_length() if kind == "ssh-rsa" else _LEAST_RSA_BITS
    if bits < _LEAST_RSA_BITS:
        return f"the file holds an RSA key of {bits} bits; Azure takes {_LEAST_RSA_BITS} or more", _MAKE_ONE
    return None


def _parts(encoded: str) -> list[bytes] | None:
    """Return the fields of a key's base64 body, each behind its length (RFC 4253, 6.6); None when it is broken."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    parts = []
    while data:
        end = 4 + int.from_bytes(data[:4], "big")
        if len(data) < end:
            return None
        parts.append(data[4:end])
        data = data[end:]
    return parts
