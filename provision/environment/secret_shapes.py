"""Decides which text looks like a secret, by its shape. What it finds is named by its kind and never shown."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

#: Each kind of secret and its shape. A value that is a variable, a command or a path is none.
_SHAPES = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|^PuTTY-User-Key-File", re.MULTILINE)),
    ("a SAS token", re.compile(r"[?&]sig=[A-Za-z0-9%+/=]{20,}")),
    ("a storage account's key", re.compile(r"\b(AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}")),
    ("an access token", re.compile(r"\b(gh[pousr]_|github_pat_|hf_|glpat-|xox[abp]-|AKIA)[A-Za-z0-9_-]{16,}")),
    ("a signed token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    (
        "a password",
        re.compile(
            r"""(?:\b|_)(?<!lock_)(?:password|passwd|pwd)["']?\s*[:=]\s*["']?(?!\$[A-Za-z{(]|[/<{]|true\b|false\b|null\b)[^\s"']{4,}""",
            re.IGNORECASE,
        ),
    ),
    (
        "a key or token",
        re.compile(
            r"""(?:\b|_)(?:secret|token|(?:api|access|munge)[-_]?key|client[-_]?secret)["']?\s*[:=]\s*["']?"""
            r"""(?!/)(?=[^\s"']*\d)[A-Za-z0-9+/=_.~-]{16,}""",
            re.IGNORECASE,
        ),
    ),
)
#: Base64 of 30 bytes or more, or the form of an application's secret in Entra.
_DRAWN = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}|[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,}")
_KINDS = (re.compile("[A-Z]"), re.compile("[a-z]"), re.compile("[0-9]"))
#: Entropy in bits a character: words and paths of such a length have 4 or less, drawn base64 nearly 5.
_LEAST_BITS = 4.4
#: Keys whose value is a secret whatever it looks like.
_NAMES = re.compile(r"(password|passwd|secret|token|(access|account|api|storage)_?key|sas)$", re.IGNORECASE)


def secret_in(text: str) -> str | None:
    """Return the kind of the first thing in a text that looks like a secret, None when nothing does."""
    found = next((kind for kind, shape in _SHAPES if shape.search(text)), None)
    return found or ("something as random as a key" if _is_random(text) else None)


def _is_random(text: str) -> bool:
    """Return whether a text is nothing but characters that look drawn: no word, no path, no id, no digest."""
    if not _DRAWN.fullmatch(text) or not all(kind.search(text) for kind in _KINDS):
        return False
    shares = [count / len(text) for count in Counter(text).values()]
    return -sum(share * log2(share) for share in shares) >= _LEAST_BITS


def secret_under(key: str, value: object) -> str | None:
    """Return the kind of secret that a value is, told from its key too; None when it looks like none."""
    if not isinstance(value, str) or not value:
        return None
    return secret_in(value) or (f"something called {key}" if _NAMES.search(key) else None)
