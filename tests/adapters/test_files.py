"""Files: read as UTF-8 or refused with a reason, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from provision.adapters.files import environments_root, load_catalog, read_text, templates_root, write_tree
from provision.errors import FileError
from provision.report.excerpt import error_as_text


def refusal(path: Path) -> str:
    """Return what is said about a file that can't be read, its folder cut away."""
    with pytest.raises(FileError) as raised:
        read_text(str(path))
    return error_as_text(raised.value).replace(str(path.parent), "DIR")


def test_utf_8_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeffnaïve\r\n".encode())

    assert read_text(str(tmp_path / "a")) == "\ufeffnaïve\r\n"


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a") == (
        "DIR/a: error: there is no such file\n  fix: check the path, relative to where you are\n"
    )


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()

    assert refusal(tmp_path / "a") == "DIR/a: error: this is a folder, not a file\n  fix: name a file in it\n"


def test_latin_1_is_refused_at_its_first_odd_byte(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("name: a\nöwner: größe\n".encode("latin-1"))

    assert refusal(tmp_path / "a") == (
        "DIR/a:2:1: error: byte 8: 0xF6 is no UTF-8; the file may be Latin-1 or Windows-1252\n"
        "    2 | \ufffdwner: gr\ufffd\ufffde\n"
        "      | ^^^^^\n"
        "  fix: save it as UTF-8\n"
    )


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_called_by_its_name(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a").write_bytes("\ufeffname: a\n".encode(encoding))

    assert refusal(tmp_path / "a") == ("DIR/a: error: byte 0: the file is UTF-16, not UTF-8\n  fix: save it as UTF-8\n")


def test_a_tree_is_written_with_line_feeds_and_leaves_nothing_beside(tmp_path: Path) -> None:
    write_tree(str(tmp_path), {"b/c.txt": "1\n2\n", "a.txt": "old"})
    write_tree(str(tmp_path), {"a.txt": "new\n"})

    assert {str(p.relative_to(tmp_path)): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == {
        "a.txt": b"new\n",
        "b/c.txt": b"1\n2\n",
    }


def test_what_can_not_be_written_leaves_the_old_file_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")

    with pytest.raises(FileError):
        write_tree(str(tmp_path), {"a/b": "new"})

    assert (tmp_path / "a").read_text() == "old"


def test_what_comes_with_the_tool_is_found() -> None:
    assert load_catalog() is load_catalog()
    assert (environments_root() / "quickstart.yaml").is_file()
    assert templates_root().is_dir()
