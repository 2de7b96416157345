"""The environment file: its model, and how it is read."""

from provision.environment.boot_files import BootFiles, boot_files_of
from provision.environment.load import Loaded, load
from provision.environment.model import Environment, Pool, Region
from provision.environment.settings import Setting, setting_of
from provision.environment.severities import weighed
from provision.environment.ssh_keys import SshKeys, ssh_keys_of
from provision.environment.suppressions import Suppressed, suppressed

__all__ = [
    "BootFiles",
    "Environment",
    "Loaded",
    "Pool",
    "Region",
    "Setting",
    "SshKeys",
    "Suppressed",
    "boot_files_of",
    "load",
    "setting_of",
    "ssh_keys_of",
    "suppressed",
    "weighed",
]
