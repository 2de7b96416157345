"""Which Azure a verb talks to: the real one, unless --simulate or --endpoint says otherwise."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

import click

from provision.catalog import Catalog

if TYPE_CHECKING:
    from provision.adapters.flight import WaitingClock
    from provision.arm import ReadableArm

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Which:
    """What the options say: `endpoint` is empty for Azure and for a simulator of our own."""

    simulate: bool
    endpoint: str
    scenario: str | None = None

    @property
    def flags(self) -> str:
        """Return the options that say the same again, with a space before them."""
        if self.simulate:
            return " --simulate" + (f" --scenario {shlex.quote(self.scenario)}" if self.scenario is not None else "")
        return f" --endpoint {self.endpoint}" if self.endpoint else ""

    @property
    def simulated(self) -> bool:
        """Return whether it is not the real Azure."""
        return bool(self.flags)


@dataclass(frozen=True, slots=True)
class Target:
    """An Azure to talk to, and its time. `alone`: it is a simulator that only this command can reach."""

    arm: ReadableArm
    clock: WaitingClock
    alone: bool = False


def target_options(function: _F) -> _F:
    """Add the options that say which Azure is meant; the verb gets what they say as `chosen`."""

    @wraps(function)
    def verb(simulate: bool, scenario: str | None, endpoint: str | None, **rest: Any) -> Any:
        return function(chosen=which(simulate, scenario, endpoint), **rest)

    for option in (
        click.option("--endpoint", metavar="URL", default=None, help="Use a running simulator on this machine."),
        click.option(
            "--scenario",
            metavar="NAME|FILE",
            default=None,
            help="With --simulate: what goes wrong in it.",
        ),
        click.option(
            "--simulate", is_flag=True, help="Use a simulated Azure, kept in .provision/, instead of the real one."
        ),
    ):
        verb = option(verb)
    return cast(_F, verb)


def which(simulate: bool, scenario: str | None, endpoint: str | None) -> Which:
    """Return what the options say. Raises UsageError where they contradict each other."""
    if simulate and endpoint is not None:
        raise click.UsageError("--simulate starts a simulator of its own; give it or --endpoint, not both")
    if scenario is not None and not simulate:
        raise click.UsageError("--scenario is of the simulator that --simulate starts; give both")
    if endpoint is not None:  # an empty one is a variable that is not set, and must not mean the real Azure
        parts = urlsplit(endpoint)
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            what = endpoint or "is empty"
            raise click.UsageError(f"--endpoint {what}: a simulator is at http://127.0.0.1:PORT, on this machine only")
    return Which(simulate, endpoint or "", scenario)


@contextmanager
def opened(
    chosen: Which, subscription: str, catalog: Catalog, own_types: Sequence[str] = (), *, reads_only: bool = False
) -> Iterator[Target]:
    """Yield the Azure that is meant; with `reads_only` nothing can be written to it. Raises Unreachable.

    `own_types`: types that a user's own templates deploy; a simulator of our own is told to let them in.
    """
    # Azure's packages take half a second to import, so only here.
    from provision.adapters.azure import AzureArm, SimulatorCredential, default_credential
    from provision.adapters.flight import SystemClock
    from provision.adapters.simulator import SimulatorProcess, clock_of, store_as_sent

    def simulated(endpoint: str, alone: bool) -> Target:
        clock = clock_of(endpoint)
        credential = SimulatorCredential()
        versions = catalog.api_versions
        arm = AzureArm(subscription, versions, credential, endpoint=endpoint, clock=clock, reads_only=reads_only)
        return Target(arm, clock, alone)

    if chosen.simulate:
        with SimulatorProcess(scenario=chosen.scenario) as simulator:
            for type in store_as_sent(simulator.endpoint, own_types) if own_types else ():
                click.echo(
                    f"the simulated Azure knows nothing of {type}: it stores such resources as they are sent, "
                    "and nothing about them is checked",
                    err=True,
                )
            yield simulated(simulator.endpoint, alone=True)
    elif chosen.endpoint:
        yield simulated(chosen.endpoint, alone=False)
    else:
        arm = AzureArm(subscription, catalog.api_versions, default_credential(), reads_only=reads_only)
        yield Target(arm, SystemClock())
