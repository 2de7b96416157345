"""`--set path=value`: what is a path, and how a value is read."""

from __future__ import annotations

import pytest

from provision.environment.settings import setting_of, values_of_setting
from provision.errors import FileError
from provision.source import Position


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("name=x", ("name",), "x"),
        ("pools.train.nodes=3", ("pools", "train", "nodes"), 3),
        ("a.b=true", ("a", "b"), True),
        ("a={b: [1, c]}", ("a",), {"b": (1, "c")}),
        ('a="no"', ("a",), "no"),
        ("a=b=c", ("a",), "b=c"),
        ("a=", ("a",), None),
        ("a=null", ("a",), None),
        ("a= spaced ", ("a",), "spaced"),
        ('tags."cost.center"=ml', ("tags", "cost.center"), "ml"),
        ("tags.größe=ü", ("tags", "größe"), "ü"),
    ],
)
def test_a_setting_is_a_file_with_one_value_at_one_path(text: str, path: tuple[str, ...], value: object) -> None:
    setting = setting_of(text)
    values = values_of_setting(setting)
    data: object = value
    for key in reversed(path):
        data = {key: data}

    assert setting.path == path
    assert values.data == data
    assert values.findings == ()


@pytest.mark.parametrize("text", ["", "nodes", "=3", ".a=3", "a.=3", "a..b=3", 'a."b=3', 'a"b"=3'])
def test_what_is_no_path_and_value_is_wrong_usage(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no PATH=VALUE, such as pools\.train\.nodes=3"):
        setting_of(text)


def test_each_part_and_each_value_has_its_place_in_the_argument() -> None:
    source = values_of_setting(setting_of("pools.train={nodes: 3}")).source
    file = "--set pools.train={nodes: 3}"

    assert source.position(("pools",), key=True) == Position(1, 1, file)
    assert source.position(("pools", "train"), key=True) == Position(1, 7, file)
    assert source.position(("pools", "train")) == Position(1, 13, file)
    assert source.position(("pools", "train", "nodes")) == Position(1, 21, file)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("tags.env=on", "ambiguous-scalar"),
        ("tags.color=#fff", "unsupported-yaml"),
        ("tags.note=a #b", "unsupported-yaml"),
        ("a=1\n---\n2", "unsupported-yaml"),
        ("a={b: 1, b: 2}", "duplicate-key"),
        ("a=!!str 3", "unsupported-yaml"),
    ],
)
def test_a_value_is_as_strict_as_a_files(text: str, rule: str) -> None:
    assert [finding.rule for finding in values_of_setting(setting_of(text)).findings] == [rule]


@pytest.mark.parametrize(("text", "column"), [("a=[1", 3), ("a=@x", 3), ("a=b: c: d", 7), ("a=x\x07", 4)])
def test_a_value_that_is_no_yaml_is_shown_as_typed(text: str, column: int) -> None:
    with pytest.raises(FileError) as raised:
        values_of_setting(setting_of(text))

    assert (raised.value.file, raised.value.line, raised.value.column) == (f"--set {text}", 1, column)
    assert raised.value.source_line.replace("\ufffd", "\x07") == text
