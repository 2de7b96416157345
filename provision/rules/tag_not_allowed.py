"""Tags must fit Azure's rules, with room for our own one."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.topology.names import ADOPTED, MARK

_REFUSED = "<>%&\\?/"  # read in the page of `link`, 2026-11-30


@rule(
    id="tag-not-allowed",
    subject=Environment,
    severity=Severity.ERROR,
    why="Azure allows 50 tags on a resource, one of which marks what is ours, and compares their names without case",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources",
    remedy="rename, shorten or drop the tag",
)
def tag_not_allowed(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each tag that Azure would refuse or that would hide our mark, and a surplus of tags."""
    most = catalog.limits["resource_tags"] - 1
    longest_name, longest = catalog.limits["tag_name_characters"], catalog.limits["tag_value_characters"]
    seen: dict[str, str] = {}
    for name, value in environment.tags.items():
        at = ("tags", name)
        first = seen.setdefault(name.lower(), name)
        if name.lower() in (MARK, ADOPTED):
            yield Problem(at, f"the tag {name} is reserved: it marks what provision owns", "choose another name", True)
        elif first != name:
            yield Problem(at, f"the tags {first} and {name} differ only in case", "keep one of the two", True)
        if letters := "".join(letter for letter in _REFUSED if letter in name):
            yield Problem(at, f"the name of the tag {name} holds {' '.join(letters)}", f"use none of {_REFUSED}", True)
        if len(name) > longest_name:
            yield Problem(
                at, f"a tag's name has {len(name)} characters", f"use at most {longest_name} characters", True
            )
        if len(value) > longest:
            yield Problem(
                at, f"the value of the tag {name} has {len(value)} characters", f"use at most {longest} characters"
            )
    if len(environment.tags) > most:
        yield Problem(("tags",), f"there are {len(environment.tags)} tags", f"use at most {most}", True)
