"""Named kinds of bad weather: a part of a world, its settings among them, and faults. One YAML file each, beside this.

A scenario is `{summary, world?, faults?}`: `world` as the control side takes it, `faults` a list of them.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from provision.simulator.wire.messages import Json

KEYS = ("summary", "world", "faults")


def names() -> list[str]:
    """Return the names of those that come with the simulator, sorted."""
    found = (each.name for each in resources.files(__package__).iterdir())
    return sorted(name.removesuffix(".yaml") for name in found if name.endswith(".yaml"))


def named(name: str) -> Json:
    """Return a scenario that comes with the simulator; raise ValueError, saying what there is, for another name."""
    if name not in names():
        raise ValueError(f"there is no scenario {name}; there are {', '.join(names())}")
    return _parsed((resources.files(__package__) / f"{name}.yaml").read_text("utf-8"), name)


def read(name: str) -> Json:
    """Return a scenario by its name, or, for a text with a dot or a slash, from a file; raise ValueError."""
    if "." not in name and "/" not in name:
        return named(name)
    try:
        return _parsed(Path(name).read_text("utf-8"), name)
    except OSError as error:
        raise ValueError(f"cannot read the scenario {name}: {error.strerror}") from error


def checked(body: Any, name: str) -> Json:
    """Return the body if it is laid out as a scenario; what it holds is checked where it is taken over."""
    if not isinstance(body, dict):
        raise ValueError(f"the scenario {name} is no map")
    if unknown := sorted(set(map(str, body)) - set(KEYS)):
        raise ValueError(f"the scenario {name} has no {', '.join(unknown)}; it has {', '.join(KEYS)}")
    return body


def _parsed(text: str, name: str) -> Json:
    try:
        return checked(yaml.safe_load(text), name)
    except yaml.YAMLError as error:
        raise ValueError(f"the scenario {name} is no YAML: {error}") from error
