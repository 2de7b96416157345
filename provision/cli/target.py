"""Which Azure a verb talks to: the real one, unless --simulate or --endpoint says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click

from provision.catalog import Catalog

if TYPE_CHECKING:
    from provision.adapters.flight import WaitingClock
    from provision.arm import Arm

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Which:
    """What the options say: `endpoint` is empty for Azure and for a simulator of our own."""

    simulate: bool
    endpoint: str


@dataclass(frozen=True, slots=True)
class Target:
    """An Azure to talk to, and its time."""

    arm: Arm
    clock: WaitingClock


def target_options(function: _F) -> _F:
    """Add the options that say which Azure is meant."""
    simulate = click.option(
        "--simulate", is_flag=True, help="Use a simulated Azure, kept in .provision/, instead of the real one."
    )
    endpoint = click.option("--endpoint", metavar="URL", default="", help="Use a running simulator on this machine.")
    return endpoint(simulate(function))


def which(simulate: bool, endpoint: str) -> Which:
    """Return what the options say. Raises UsageError where they contradict each other."""
    if simulate and endpoint:
        raise click.UsageError("--simulate starts a simulator of its own; give it or --endpoint, not both")
    if endpoint:
        parts = urlsplit(endpoint)
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise click.UsageError(
                f"--endpoint {endpoint}: a simulator is reached at http://127.0.0.1:PORT, on this machine only"
            )
    return Which(simulate, endpoint)


@contextmanager
def opened(chosen: Which, subscription: str, catalog: Catalog) -> Iterator[Target]:
    """Yield the Azure that is meant. Raises Unreachable."""
    # Azure's packages take half a second to import, so only here.
    from provision.adapters.azure import AzureArm, SimulatorCredential, default_credential
    from provision.adapters.flight import SystemClock
    from provision.adapters.simulator import SimulatorProcess, clock_of

    def simulated(endpoint: str) -> Target:
        arm = AzureArm(subscription, catalog.api_versions, SimulatorCredential(), endpoint=endpoint)
        return Target(arm, clock_of(endpoint))

    if chosen.simulate:
        with SimulatorProcess() as simulator:
            yield simulated(simulator.endpoint)
    elif chosen.endpoint:
        yield simulated(chosen.endpoint)
    else:
        yield Target(AzureArm(subscription, catalog.api_versions, default_credential()), SystemClock())
