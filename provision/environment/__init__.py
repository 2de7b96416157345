"""The environment file: its model, and how it is read."""

from provision.environment.model import Environment, Pool, Region

__all__ = ["Environment", "Pool", "Region"]
