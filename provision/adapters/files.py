"""Reads and writes files, and finds those that come with the tool. Each failure is a `FileError`."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path

from provision.catalog import Catalog, catalog_from
from provision.errors import FileError
from provision.source import STDIN_NAME

#: What stands for standard input on the command line.
STDIN = "-"

#: More than any environment, key or plan of a whole fleet is.
_MOST_BYTES = 256 * 2**20

_PACKAGE = resources.files("provision")


def read_text(path: str) -> str:
    """Return the text of a UTF-8 file; of standard input when the path is `<stdin>`. Raises FileError."""
    if path == STDIN_NAME:
        return stdin()
    try:
        with open(path, "rb") as file:  # a device may never end, so no more than can make sense is read
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise FileError(path, "there is no such file", fix="check the path, relative to where you are") from None
    except (IsADirectoryError, NotADirectoryError):
        raise FileError(path, "this is a folder, not a file", fix="name a file in it") from None
    except PermissionError:
        raise FileError(path, "the file may not be read", fix="give yourself the right to read it") from None
    except OSError as error:
        raise FileError(path, f"the file can't be read: {error.strerror or error}") from None
    except ValueError:  # a NUL in the path
        raise FileError(path, "this can't be a file's name") from None
    if len(data) > _MOST_BYTES:
        raise FileError(path, f"the file is larger than {_MOST_BYTES // 2**20} MiB", fix="name the file that you mean")
    return decoded(path, data)


@cache
def stdin() -> str:
    """Return the text of standard input, which must be UTF-8 and can be read only once. Raises FileError."""
    if sys.stdin is None:  # closed by whoever started us
        raise FileError(STDIN_NAME, "there is no standard input", fix="name a file, or pipe one in")
    return decoded(STDIN_NAME, sys.stdin.buffer.read())


def decoded(path: str, data: bytes) -> str:
    """Return `data` as text; raises FileError with the byte offset where it is no UTF-8. A byte-order mark stays."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileError(path, "byte 0: the file is UTF-16, not UTF-8", fix="save it as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line_start = before.rfind(b"\n") + 1
        end = data.find(b"\n", error.start)
        raise FileError(
            path,
            f"byte {error.start}: 0x{data[error.start]:02X} is no UTF-8; the file may be Latin-1 or Windows-1252",
            line=before.count(b"\n") + 1,
            column=len(before[line_start:].decode("utf-8")) + 1,
            source_line=data[line_start : None if end < 0 else end].decode("utf-8", "replace").rstrip("\r"),
            fix="save it as UTF-8",
        ) from None


def write_tree(folder: str, files: Mapping[str, str]) -> None:
    """Write each file of `files`, whose names are relative to `folder`, with LF line ends. Raises FileError.

    A file is written whole or not at all: beside its place first, then renamed into it. A link is followed, and what is
    no file, a pipe or a device, is written to and never replaced.
    """
    for name, text in files.items():
        path = Path(os.path.realpath(Path(folder, name)))
        new = path.with_name(f".{path.name}.new")
        try:
            if path.exists() and not path.is_file() and not path.is_dir():
                path.write_bytes(text.encode("utf-8"))
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(text.encode("utf-8"))
            os.replace(new, path)
        except OSError as error:
            with suppress(OSError):
                new.unlink()
            raise FileError(str(path), f"the file can't be written: {error.strerror or error}") from None


@cache
def load_catalog() -> Catalog:
    """Return the catalog that comes with the tool."""
    return catalog_from(lambda name: _PACKAGE.joinpath(name).read_text("utf-8"))


@cache
def data_digest() -> str:
    """Return a digest of all that comes with the tool and decides about a plan: facts, policies and templates."""
    folders = (Path(str(_PACKAGE.joinpath("data"))), Path(str(_PACKAGE.joinpath("catalog"))), templates_root())
    whole = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".json", ".yaml", ".j2"):
                data = path.read_bytes()
                whole.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode() + data)
    return "sha256:" + whole.hexdigest()


def templates_root() -> Path:
    """Return the folder of the built-in templates."""
    return _bundled("templates")


def environments_root() -> Path:
    """Return the folder of the sample environments."""
    return _bundled("environments")


def _bundled(name: str) -> Path:
    """Return a top-level folder: inside an installed package, else of the checkout."""
    package = Path(str(_PACKAGE))
    installed = package / "_bundled" / name
    return installed if installed.is_dir() else package.parent / name
