"""Template folders: what is read of them, and why one can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from provision.adapters.templates import load_templates, read_templates
from provision.environment.own_templates import BUILT_IN, FILES
from provision.errors import FileError


def write(folder: Path, files: dict[str, bytes]) -> str:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return str(folder)


def test_a_template_is_a_file_in_a_folder_of_the_folder_and_nothing_else(tmp_path: Path) -> None:
    files = {
        "b/arm.json.j2": b"b",
        "a/bicep.j2": b"\xef\xbb\xbfa\r\nb\n",
        "a/notes.md": b"no",
        "top.j2": b"no",
        "a/deep/arm.json.j2": b"no",
    }
    folder = write(tmp_path, files)
    (tmp_path / "c" / "arm.json.j2").mkdir(parents=True)

    assert read_templates(folder) == {"a/bicep.j2": "a\nb\n", "b/arm.json.j2": "b"}


def test_a_folder_that_cannot_be_read_is_told_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    write(tmp_path, {"bad/a/arm.json.j2": b"\n\xff"})

    def reason(name: str) -> tuple[str, str]:
        with pytest.raises(FileError) as raised:
            read_templates(f"{tmp_path}/{name}")
        return raised.value.file, raised.value.message

    assert reason("none") == (f"{tmp_path}/none", "there is no such folder")
    assert reason("file") == (f"{tmp_path}/file", "this is a file, not a folder")
    assert reason("a\0b")[1] in ("there is no such folder", "the folder can't be read: embedded null byte")
    assert reason("bad") == (
        f"{tmp_path}/bad/a/arm.json.j2",
        "byte 1: 0xFF is no UTF-8; the file may be Latin-1 or Windows-1252",
    )


def test_the_built_in_templates_are_those_that_users_can_replace() -> None:
    assert set(load_templates()) == {f"{folder}/{file}" for folder in BUILT_IN for file in FILES}
