"""Reads YAML: text → plain values, and where each stands. What of YAML may be used is decided in `walk.py`."""

from __future__ import annotations

from typing import TypeAlias

import yaml

from provision.environment.problems import UNSUPPORTED_YAML
from provision.environment.syntax import check_characters, explained
from provision.environment.walk import Values, Walk
from provision.errors import FileError

_BEGIN = "begin with `version: 1`; `provision schema` prints all keys"

Loader: TypeAlias = "type[yaml.SafeLoader] | type[yaml.CSafeLoader]"

#: libyaml's loader; the pure one where libyaml is absent: slower, same result.
FASTEST: Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def values_of(file: str, text: str, loader_type: Loader = FASTEST) -> Values:
    """Return the values of a file's text. Raises FileError when it is no YAML, or no map at the top."""
    text = text.removeprefix("\ufeff")
    check_characters(file, text)
    root, second = nodes_of(file, text, loader_type)
    if root is None:
        raise FileError(file, "the file holds nothing", fix=_BEGIN)
    walk = Walk(file, text)
    data = walk.value(root, (), True)
    if not isinstance(root, yaml.MappingNode):
        raise walk.stop(root, "the file does not hold a map of keys and values", _BEGIN)
    if second is not None:
        walk.report(
            UNSUPPORTED_YAML,
            (),
            walk.start(second),
            "a second document begins here, after `---`; a file holds one environment",
            "move it to a file of its own",
            settles=False,
        )
    return walk.values(data)


def nodes_of(file: str, text: str, loader_type: Loader = FASTEST) -> tuple[yaml.Node | None, yaml.Node | None]:
    """Return the root of a text's document and that of the second, where there are such. Raises FileError."""
    loader = loader_type(text)
    try:
        root = loader.get_node() if loader.check_node() else None
        return root, loader.get_node() if loader.check_node() else None
    except yaml.MarkedYAMLError as error:
        raise explained(file, text, error) from None
    finally:
        loader.dispose()
