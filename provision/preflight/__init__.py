"""What can be read beforehand of why an apply would fail: quota, sizes, images, addresses, permissions, locks.

Each check says what it asks of Azure and what an answer means; asking is `run.py`'s business, and nothing here writes.
"""

from provision.preflight.checks import CHECKS
from provision.preflight.model import Member, Row, Status, member_of, member_of_saved
from provision.preflight.run import rows_of

__all__ = ["CHECKS", "Member", "Row", "Status", "member_of", "member_of_saved", "rows_of"]
