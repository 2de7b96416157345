"""Decides which text looks like a secret, by its shape. What it finds is named by its kind and never shown."""

from __future__ import annotations

import re

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
#: Keys whose value is a secret whatever it looks like.
_NAMES = re.compile(r"(password|passwd|secret|token|(access|account|api|storage)_?key|sas)$", re.IGNORECASE)


def secret_in(text: str) -> str | None:
    """Return the kind of the first thing in a text that looks like a secret, None when nothing does."""
    return next((kind for kind, shape in _SHAPES if shape.search(text)), None)


def secret_under(key: str, value: object) -> str | None:
    """Return the kind of secret that a value is, told from its key too; None when it looks like none."""
    if not isinstance(value, str) or not value:
        return None
    return secret_in(value) or (f"something called {key}" if _NAMES.search(key) else None)
