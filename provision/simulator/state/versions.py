"""Which api-versions each part of the simulated Azure takes, and what it says to others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from provision.simulator.refusals import errors
from provision.simulator.state.facts import regions

_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}(-\w+)?")
_COMPUTE = [
    "2015-06-15",
    "2016-03-30",
    "2017-03-30",
    "2017-12-01",
    "2018-04-01",
    "2018-06-01",
    "2018-10-01",
    "2019-03-01",
    "2019-07-01",
    "2019-12-01",
    "2020-06-01",
    "2020-12-01",
    "2021-03-01",
    "2021-04-01",
    "2021-07-01",
    "2021-11-01",
    "2022-03-01",
    "2022-08-01",
    "2022-11-01",
    "2023-03-01",
    "2023-07-01",
    "2023-09-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-04-01",
    "2025-11-01",
    "2026-03-01",
    "2026-04-01",
]
_NETWORK = [
    "2015-06-15",
    "2016-03-30",
    "2016-06-01",
    "2016-09-01",
    "2016-12-01",
    "2017-03-01",
    "2017-06-01",
    "2017-08-01",
    "2017-09-01",
    "2017-10-01",
    "2017-11-01",
    "2018-01-01",
    "2018-02-01",
    "2018-04-01",
    "2018-06-01",
    "2018-07-01",
    "2018-08-01",
    "2018-10-01",
    "2018-11-01",
    "2018-12-01",
    "2019-02-01",
    "2019-04-01",
    "2019-06-01",
    "2019-07-01",
    "2019-08-01",
    "2019-09-01",
    "2019-11-01",
    "2019-12-01",
    "2020-03-01",
    "2020-04-01",
    "2020-05-01",
    "2020-06-01",
    "2020-07-01",
    "2020-08-01",
    "2020-11-01",
    "2021-02-01",
    "2021-03-01",
    "2021-05-01",
    "2021-08-01",
    "2022-01-01",
    "2022-05-01",
    "2022-07-01",
    "2022-09-01",
    "2022-11-01",
    "2023-02-01",
    "2023-04-01",
    "2023-05-01",
    "2023-06-01",
    "2023-09-01",
    "2023-11-01",
    "2024-01-01",
    "2024-03-01",
    "2024-05-01",
    "2024-07-01",
    "2024-10-01",
    "2025-01-01",
    "2025-03-01",
    "2025-05-01",
    "2025-07-01",
    "2026-03-01",
]
_RESOURCES = [
    "2019-05-01",
    "2019-10-01",
    "2020-06-01",
    "2020-10-01",
    "2021-01-01",
    "2021-04-01",
    "2022-09-01",
    "2023-07-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-03-01",
    "2025-04-01",
    "2026-06-01",
]

GALLERIES = "Microsoft.Compute/galleries"
GATEWAY, DEPLOYMENTS, STACKS, SUBSCRIPTIONS, COMPUTE, SKUS, NETWORK = (
    "gateway",
    "Microsoft.Resources/deployments",
    "Microsoft.Resources/deploymentStacks",
    "subscriptions",
    "Microsoft.Compute/virtualMachineScaleSets",
    "Microsoft.Compute/skus",
    "Microsoft.Network",
)
STORAGE_CACHE, IDENTITIES, LOCKS, STORED, ROLES, PERMISSIONS, FEATURES, MARKETPLACE = (
    "Microsoft.StorageCache",
    "Microsoft.ManagedIdentity",
    "Microsoft.Authorization/locks",
    "stored",
    "Microsoft.Authorization/roleAssignments",
    "Microsoft.Authorization/permissions",
    "Microsoft.Features",
    "Microsoft.MarketplaceOrdering",
)

OF_GATEWAY = (GATEWAY, DEPLOYMENTS, SUBSCRIPTIONS, LOCKS, PERMISSIONS, FEATURES)
"""Parts that Resource Manager answers itself, without asking a provider."""

TAKEN: dict[str, Sequence[str]] = {
    GATEWAY: _RESOURCES,
    DEPLOYMENTS: _RESOURCES,
    STACKS: ("2022-08-01-preview", "2024-03-01", "2025-07-01"),
    SUBSCRIPTIONS: (
        "2016-06-01",
        "2019-06-01",
        "2019-11-01",
        "2020-01-01",
        "2021-01-01",
        "2021-04-01",
        "2022-12-01",
        "2025-04-01",
    ),
    COMPUTE: _COMPUTE,
    GALLERIES: ["2022-08-03", "2023-07-03", "2024-03-03", "2025-03-03", "2026-03-03"],
    SKUS: ("2019-04-01", "2021-07-01"),
    NETWORK: _NETWORK,
    STORAGE_CACHE: ("2023-05-01", "2024-03-01", "2024-07-01", "2025-07-01"),
    IDENTITIES: ("2018-11-30", "2023-01-31", "2024-11-30"),
    MARKETPLACE: ("2015-06-01", "2021-01-01"),
    LOCKS: ("2016-09-01", "2017-04-01", "2020-05-01"),
    ROLES: ("2018-01-01-preview", "2020-04-01-preview", "2020-10-01-preview", "2022-04-01"),
    PERMISSIONS: ("2015-07-01", "2018-07-01", "2022-04-01", "2022-05-01-preview"),
    FEATURES: ("2015-12-01", "2021-07-01"),
}


def check(part: str, type_: str, version: str | None) -> str:
    """Return the version of a request, or refuse it in the words of who would answer."""
    if not version:
        raise errors.no_api_version()
    if part == STORED:
        # Which versions a type has that is only stored is not known: any that can be one is taken.
        if not _VERSION.fullmatch(version):
            raise errors.unknown_type(type_.split("/")[0], version)
        return version
    known = TAKEN[part]
    if version in known:
        return version
    if part in (GATEWAY, SUBSCRIPTIONS):
        raise errors.bad_api_version(version, known)
    if not version[:4].isdecimal():
        raise errors.unknown_type(type_.split("/")[0], version)
    raise errors.unregistered_version(type_, version, known, sorted(regions()))


def check_stated(type_: str, version: str) -> None:
    """Refuse the version that a template states of a type that does not have it; of types only stored any is one."""
    known = _of(type_)
    if known is not None and version not in known:
        raise errors.unregistered_version(type_, version, known, sorted(regions()))


def newest_first(type_: str) -> list[str]:
    """Return the api-versions of a type: its own, those of the type above it, or its provider's."""
    return list(reversed(_of(type_) or TAKEN[GATEWAY]))


def _of(type_: str) -> Sequence[str] | None:
    """Return the versions of a type; None where they are not known."""
    parts = type_.split("/")
    for end in range(len(parts), 0, -1):
        found = TAKEN.get("/".join(parts[:end]))
        if found is not None:
            return found
    return TAKEN[COMPUTE] if parts[0] == "Microsoft.Compute" else None
