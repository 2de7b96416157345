"""The command line against a simulated Azure, for the cases that need one."""

from tests.e2e.conftest import azure as azure
from tests.e2e.conftest import provision as provision
from tests.e2e.conftest import simulator as simulator
