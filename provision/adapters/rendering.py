"""The output folder of `provision render`: which of its files are ours, and how they change.

Ours is what the manifest there lists, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from provision.adapters.files import read_text, write_tree
from provision.errors import FileError
from provision.render.documents import ENDINGS, MANIFEST


def listed_files(folder: str, environment: str) -> tuple[str, ...]:
    """Return the files that the folder's manifest lists, sorted; none where there is no manifest.

    Raises FileError when the manifest is somebody else's or another environment's: nothing there may be touched.
    """
    path = Path(folder, MANIFEST)
    if not path.exists():
        return ()
    text = read_text(str(path))
    try:
        manifest = json.loads(text)
        owner = manifest["environment"]
        files = sorted(file for unit in manifest["units"] for file in unit["files"].values())
    except (ValueError, LookupError, TypeError, AttributeError):
        raise _foreign(path, "this is no manifest of a rendering") from None
    if owner != environment:
        raise _foreign(path, f"the folder holds the rendering of environment {owner}, not of {environment}")
    if not all(isinstance(file, str) and _is_ours(file) for file in files):
        raise _foreign(path, "the manifest lists files that no rendering has")
    return tuple(files)


def replace(folder: str, files: Mapping[str, str], before: Iterable[str]) -> tuple[str, ...]:
    """Write a rendering and remove the files of `before` that it lacks; return those that were removed, sorted.

    The manifest comes last but for the removals, so that whatever interrupts this, the next run finds them listed.
    """
    gone = sorted(name for name in set(before) - set(files) if Path(folder, name).is_file())
    write_tree(folder, {name: text for name, text in files.items() if name != MANIFEST})
    for name in gone:
        path = Path(folder, name)
        try:
            path.unlink(missing_ok=True)
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        except OSError as error:
            raise FileError(str(path), f"the file can't be removed: {error.strerror or error}") from None
    write_tree(folder, {MANIFEST: files[MANIFEST]})
    return tuple(gone)


def differences(folder: str, files: Mapping[str, str], before: Iterable[str]) -> tuple[str, ...]:
    """Return how a folder differs from a rendering, one line a file, by the file's name."""
    lines = {name: f"no longer rendered: {name}" for name in set(before) - set(files) if Path(folder, name).is_file()}
    for name, text in files.items():
        path = Path(folder, name)
        if not path.is_file():
            lines[name] = f"missing: {name}"
        elif path.read_bytes() != text.encode():
            lines[name] = f"differs: {name}"
    return tuple(lines[name] for name in sorted(lines))


def _is_ours(file: str) -> bool:
    path = PurePosixPath(file)
    return (
        len(path.parts) == 2 and ".." not in path.parts and not path.is_absolute() and path.suffix in ENDINGS.values()
    )


def _foreign(path: Path, message: str) -> FileError:
    return FileError(str(path), message, fix="name another folder with --output, or remove this file")
