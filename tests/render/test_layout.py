"""Templates use nothing that the layout does not give: whatever is missing is an error, never an empty text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jinja2 import Environment, nodes

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.render.arm_json import ARM
from provision.render.bicep import BICEP
from provision.render.errors import RenderError
from provision.render.language import Language
from provision.render.layout import layouts
from provision.render.templates import Templates
from tests.support.topologies import HUB, IDENTITY, a_file_system, a_pool, a_topology, an_extension

#: A topology in which templates take each branch that writes a value.
FULL: dict[str, Any] = {
    "regions": {"westus3": {"zone": "2"}},
    "network": {
        "ssh_from": ("203.0.113.0/24",),
        "outbound": {"nat_gateway": {"addresses": 2}},
        "bastion": True,
        "peer_with": {
            name: {"id": f"{HUB}-{name}", "address_space": (range,)}
            for name, range in (("a", "192.168.0.0/24"), ("b", "192.168.1.0/24"))
        },
    },
    "storage": {"scratch": a_file_system(zone="2")},
    "pools": {
        "train": a_pool(
            upgrade="rolling",
            priority="spot",
            os_disk={"kind": "ephemeral", "size_gib": 100},
            data_disks=({"size_gib": 1024},),
            public_ip=True,
            identities=(IDENTITY,),
            extensions={"monitor": an_extension(after=("health",))},
        ),
    },
}


def contexts() -> dict[str, dict[str, Any]]:
    """Return what each folder's templates see, as plain maps that a test can take something out of."""
    topology = a_topology(**FULL)
    return {layout.folder: _plain(layout.context) for layout in layouts(topology, load_catalog())}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def uses(text: str) -> dict[tuple[str, ...], int]:
    """Return every path that a template uses and the first line that does; `[]` stands for each item of a list."""
    found: dict[tuple[str, ...], int] = {}
    for path, line in sorted(_walk(Environment().parse(text), {}), key=lambda use: use[1]):
        for end in range(1, len(path) + 1):
            found.setdefault(path[:end], line)
    return {path: line for path, line in found.items() if path[-1] != "[]"}


def _walk(node: nodes.Node, loops: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[tuple[str, ...], int]]:
    if isinstance(node, nodes.Name | nodes.Getattr):
        path = _path(node, loops)
        if path[0] != "loop":
            yield path, node.lineno
        return
    if isinstance(node, nodes.For):
        assert isinstance(node.target, nodes.Name)
        assert isinstance(node.iter, nodes.Name | nodes.Getattr)
        yield from _walk(node.iter, loops)
        inside = {**loops, node.target.name: (*_path(node.iter, loops), "[]")}
        for child in node.body:
            yield from _walk(child, inside)
        return
    for child in node.iter_child_nodes():
        yield from _walk(child, loops)


def _path(node: nodes.Node, loops: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if isinstance(node, nodes.Getattr):
        return (*_path(node.node, loops), node.attr)
    assert isinstance(node, nodes.Name)
    return loops.get(node.name, (node.name,))


def without(value: Any, path: tuple[str, ...]) -> Any:
    """Return a value without what is at a path."""
    head, *rest = path
    if head == "[]":
        return [without(item, tuple(rest)) for item in value]
    if not rest:
        return {key: item for key, item in value.items() if key != head}
    return {**value, head: without(value[head], tuple(rest))}


USES = [
    (language, folder, path, line)
    for language in (ARM, BICEP)
    for folder in ("network", "peering", "storage", "scale-set")
    for path, line in uses(load_templates()[f"{folder}/{language.file}"]).items()
]


@pytest.mark.parametrize(("language", "folder", "path", "line"), USES, ids=lambda v: v if isinstance(v, str) else "")
def test_whatever_a_template_uses_and_does_not_get_is_an_error_at_its_first_use(
    language: Language, folder: str, path: tuple[str, ...], line: int
) -> None:
    context = contexts()[folder]

    with pytest.raises(RenderError) as raised:
        Templates(language, load_templates()).rendered(folder, without(context, path), "pools.train")

    error = raised.value
    missing = f"'{path[0]}' is undefined" if len(path) == 1 else f"'dict object' has no attribute '{path[-1]}'"
    assert (error.file, error.line, error.message) == (
        f"{folder}/{language.file}",
        line,
        f"{missing} (for pools.train)",
    )


def test_both_languages_get_all_that_they_use_and_the_uses_are_many() -> None:
    for language in (ARM, BICEP):
        templates = Templates(language, load_templates())
        for folder, context in contexts().items():
            templates.rendered(folder, context, folder)
    assert len(USES) > 100
