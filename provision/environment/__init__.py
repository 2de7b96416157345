"""The environment file: its model, and how it is read."""

from provision.environment.boot_files import BootFiles, boot_files_of
from provision.environment.load import Loaded, load
from provision.environment.model import Environment, Pool, Region
from provision.environment.own_templates import OwnTemplates, ReadFolder, Templates, nothing_read, own_templates_of
from provision.environment.settings import Setting, setting_of
from provision.environment.ssh_keys import SshKeys, ssh_keys_of
from provision.environment.suppressions import Suppressed, suppressed

__all__ = [
    "BootFiles",
    "Environment",
    "Loaded",
    "OwnTemplates",
    "Pool",
    "ReadFolder",
    "Region",
    "Setting",
    "SshKeys",
    "Suppressed",
    "Templates",
    "boot_files_of",
    "load",
    "nothing_read",
    "own_templates_of",
    "setting_of",
    "ssh_keys_of",
    "suppressed",
]
