"""All checks, in the order in which their rows are shown: what stops everything first."""

from __future__ import annotations

from provision.preflight.addresses import ADDRESSES
from provision.preflight.features import FEATURES
from provision.preflight.groups import GROUPS_FREE
from provision.preflight.history import HISTORY
from provision.preflight.images import IMAGES
from provision.preflight.locks import LOCKS
from provision.preflight.login import LOGIN
from provision.preflight.model import Check
from provision.preflight.permissions import PERMISSIONS
from provision.preflight.providers import PROVIDERS
from provision.preflight.quota import QUOTA
from provision.preflight.sizes import SIZES
from provision.preflight.validation import VALIDATION

CHECKS: tuple[Check, ...] = (
    LOGIN,
    PERMISSIONS,
    PROVIDERS,
    FEATURES,
    GROUPS_FREE,
    LOCKS,
    SIZES,
    QUOTA,
    IMAGES,
    ADDRESSES,
    HISTORY,
    VALIDATION,
)
