"""A name that the file states must be one that Azure gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from provision import arm
from provision.catalog import Catalog
from provision.environment import Environment
from provision.environment.stated_names import stated_names
from provision.findings import Problem, Severity, rule


class _Form(NamedTuple):
    kind: str
    shortest: int
    longest: int
    pattern: re.Pattern[str]
    told: str


# The page of `link`, read 2026-11-30.
_WORDS = re.compile(r"[a-zA-Z0-9](?:[\w.-]*\w)?", re.ASCII)
_TOLD = "letters, digits and _ . -, beginning with a letter or digit and ending with one or with _"
_NETWORK = {
    arm.VIRTUAL_NETWORKS: _Form("virtual network", 2, 64, _WORDS, _TOLD),
    arm.SUBNETS: _Form("subnet", 1, 80, _WORDS, _TOLD),
    arm.SECURITY_GROUPS: _Form("security group", 1, 80, _WORDS, _TOLD),
    arm.NAT_GATEWAYS: _Form("NAT gateway", 1, 80, _WORDS, _TOLD),
    arm.PUBLIC_ADDRESSES: _Form("public address", 1, 80, _WORDS, _TOLD),
    arm.BASTIONS: _Form("bastion", 1, 80, _WORDS, _TOLD),
    arm.PEERINGS: _Form("peering", 1, 80, _WORDS, _TOLD),
    "": _Form("part of a scale set", 1, 80, _WORDS, _TOLD),
}
_FORMS = {
    **_NETWORK,
    arm.SCALE_SETS: _Form(
        "scale set",
        1,
        64,
        re.compile(r"[a-zA-Z0-9](?:[\w.-]*\w)?", re.ASCII),
        "letters, digits and _ . -, beginning with a letter or digit and ending with neither . nor -",
    ),
    arm.FILE_SYSTEMS: _Form(
        "file system",
        2,
        80,
        re.compile(r"[a-zA-Z0-9][-\w]*[a-zA-Z0-9]", re.ASCII),
        "letters, digits, _ and -, beginning and ending with a letter or digit",
    ),
}
#: Azure appends six digits to make a host name of at most 64 characters.
_PREFIX = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9-]{0,57}")


@rule(
    id="name-not-allowed",
    subject=Environment,
    severity=Severity.ERROR,
    why="each type of resource has its own length and characters of names, and Azure refuses any other",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules",
    remedy="write the name as Azure shows it; of something that is still to be made, choose another",
    suppressible=False,
)
def name_not_allowed(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each stated name of a resource that Azure would not give, and each such beginning of host names."""
    for at, _, type, name in stated_names(environment):
        form = _FORMS[type]
        if not (form.shortest <= len(name) <= form.longest and form.pattern.fullmatch(name)):
            yield Problem(
                at=at,
                message=f"no {form.kind} can be called {name!r}",
                fix=f"write {form.shortest} to {form.longest} {form.told}",
            )
    for region, stated in environment.regions.items():
        for pool, here in stated.pools.items():
            for number, each in enumerate(here.scale_sets):
                if each.computer_name_prefix is not None and not _PREFIX.fullmatch(each.computer_name_prefix):
                    yield Problem(
                        at=("regions", region, "pools", pool, "scale_sets", number, "computer_name_prefix"),
                        message=f"no host name can begin with {each.computer_name_prefix!r}",
                        fix="write 1 to 58 letters, digits and hyphens, beginning with a letter or digit",
                    )
