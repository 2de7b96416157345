"""Reads the templates that come with the tool."""

from __future__ import annotations

from functools import cache

from provision.adapters.files import read_text, templates_root


@cache
def load_templates() -> dict[str, str]:
    """Return the built-in templates, text by name: `network/arm.json.j2`."""
    root = templates_root()
    return {file.relative_to(root).as_posix(): read_text(str(file)) for file in sorted(root.rglob("*.j2"))}
