"""Remembers what an environment was made from: a digest of each file that was read for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from provision.environment.own_templates import ReadFolder


class Inputs:
    """The files that were read so far. `digests` are by path, in the order in which they were read."""

    def __init__(self) -> None:
        self.digests: dict[str, str] = {}

    def noting(self, read: Callable[[str], str]) -> Callable[[str], str]:
        """Return what reads a file as `read` does, and notes it."""

        def noted(path: str) -> str:
            text = read(path)
            self.digests[path] = _digest(text)
            return text

        return noted

    def noting_folder(self, read_folder: ReadFolder) -> ReadFolder:
        """Return what reads a folder of templates as `read_folder` does, and notes each file in it."""

        def noted(folder: str) -> Mapping[str, str]:
            texts = read_folder(folder)
            self.digests |= {f"{folder.rstrip('/')}/{name}": _digest(text) for name, text in sorted(texts.items())}
            return texts

        return noted


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
