"""Some names are refused for the nodes' administrator."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.source import Path

# The page of `link`, osProfile.adminUsername, read 2026-11-30; without those that our own pattern refuses.
_REFUSED = frozenset(
    (
        *("a", "actuser", "adm", "admin", "admin1", "admin2", "administrator", "aspnet", "backup", "console", "david"),
        *("guest", "john", "owner", "root", "server", "sql", "support", "support_388945a0", "sys"),
        *("test", "test1", "test2", "test3", "user", "user1", "user2", "user3", "user4", "user5"),
    )
)


@rule(
    id="admin-user-not-allowed",
    subject=Environment,
    severity=Severity.ERROR,
    why="Azure refuses some names for the administrator of a virtual machine",
    link="https://learn.microsoft.com/rest/api/compute/virtual-machine-scale-sets/create-or-update",
    remedy="choose a name that is not on Azure's list, or leave admin_user out",
)
def admin_user_not_allowed(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose admin_user, there or in a region, is on Azure's list of names that it refuses."""
    stated: list[tuple[Path, str | None]] = [
        (("pools", name, "admin_user"), pool.admin_user) for name, pool in environment.pools.items()
    ]
    for region, each in environment.regions.items():
        stated += [(("regions", region, "pools", name, "admin_user"), p.admin_user) for name, p in each.pools.items()]
    for at, admin_user in stated:
        if admin_user in _REFUSED:
            yield Problem(
                at=at,
                message=f"Azure allows no administrator called {admin_user}",
                fix="choose another name, or leave admin_user out: it is azureuser then",
            )
