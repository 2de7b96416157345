"""What Azure says of an environment, asked with a few lists a region, whatever the number of nodes."""

from provision.observe.read import observe, with_instances
from provision.observe.status import PoolStatus, ScaleSetStatus, read_status

__all__ = ["PoolStatus", "ScaleSetStatus", "observe", "read_status", "with_instances"]
