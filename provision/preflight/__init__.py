"""What can be read beforehand of why an apply would fail: quota, sizes, images, addresses, permissions, locks.

Each check says what it asks of Azure and what an answer means; asking is `run.py`'s business, and nothing here writes.
"""

from provision.preflight.accepted import unused, with_accepted
from provision.preflight.checks import CHECKS
from provision.preflight.login import RULE as _LOGIN
from provision.preflight.model import Check, Member, Row, Status, member_of, member_of_saved
from provision.preflight.permissions import RULE as _ROLES
from provision.preflight.run import rows_of

#: The ids of the checks that are about who asks, and not about what is asked.
OF_WHO_ASKS = frozenset({_LOGIN.id, _ROLES.id})

__all__ = [
    "CHECKS",
    "OF_WHO_ASKS",
    "Check",
    "Member",
    "Row",
    "Status",
    "member_of",
    "member_of_saved",
    "rows_of",
    "unused",
    "with_accepted",
]
