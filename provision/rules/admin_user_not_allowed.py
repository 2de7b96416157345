"""Some names are refused for the nodes' administrator."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule

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
    """Yield each pool whose admin_user is on Azure's list of names that it refuses."""
    for name, pool in environment.pools.items():
        if pool.admin_user in _REFUSED:
            yield Problem(
                at=("pools", name, "admin_user"),
                message=f"Azure allows no administrator called {pool.admin_user}",
                fix="choose another name, or leave admin_user out: it is azureuser then",
            )
