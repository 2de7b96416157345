"""The environment file: its model, and how it is read."""

from provision.environment.boot_files import BootFiles, boot_files_of
from provision.environment.load import Loaded, Written, load
from provision.environment.model import Environment, Pool, Region, Suppression
from provision.environment.own_templates import OwnTemplates, ReadFolder, Templates, nothing_read, own_templates_of
from provision.environment.settings import Setting, setting_of
from provision.environment.severities import weighed
from provision.environment.ssh_keys import SshKeys, ssh_keys_of
from provision.environment.suppressions import AGAINST_AZURE, Suppressed, covers, suppressed
from provision.environment.suppressions import unused as unused_suppression

__all__ = [
    "AGAINST_AZURE",
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
    "Suppression",
    "Templates",
    "Written",
    "boot_files_of",
    "covers",
    "load",
    "nothing_read",
    "own_templates_of",
    "setting_of",
    "ssh_keys_of",
    "suppressed",
    "unused_suppression",
    "weighed",
]
