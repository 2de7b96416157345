"""The environment file: its model, and how it is read."""

from provision.environment.load import Loaded, load
from provision.environment.model import Environment, Pool, Region
from provision.environment.ssh_keys import SshKeys, ssh_keys_of

__all__ = ["Environment", "Loaded", "Pool", "Region", "SshKeys", "load", "ssh_keys_of"]
