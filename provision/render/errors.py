"""What is raised when a topology cannot be laid out: always a mistake in a template, or a text too large to send."""

from __future__ import annotations

from provision.errors import FileError


class RenderError(FileError):
    """A template that cannot be used. `file` is the template's name, `line` counts from 1; 0: not known."""
