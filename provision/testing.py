"""A pytest plug-in: the fixture `simulated_azure`, with Microsoft's clients on a simulated Azure (docs/simulator.md).

It is loaded wherever provision is installed, so it imports nothing but pytest until a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from provision.simulator.clients import SimulatedAzure

__all__ = ["simulated_azure"]

_MARK = "simulated_azure"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{_MARK}(scenario=None, seed=0): the scenario, by name or path, and the seed of the fixture {_MARK}",
    )


@pytest.fixture
def simulated_azure(request: pytest.FixtureRequest) -> Iterator[SimulatedAzure]:
    """Give an empty simulated Azure, new for each test: `compute`, `network`, `resources`, …, `control`."""
    from provision.simulator import Simulator
    from provision.simulator.clients import SimulatedAzure

    chosen = _chosen(**_marked(request))
    simulator = Simulator(seed=chosen["seed"])
    azure = SimulatedAzure(simulator)
    if chosen["scenario"] is not None:
        azure.control.play(chosen["scenario"])
    yield azure
    simulator.close()


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the keywords of the mark that is nearest to the test."""
    mark = request.node.get_closest_marker(_MARK)
    return {} if mark is None else dict(mark.kwargs)


def _chosen(*, scenario: str | None = None, seed: int = 0) -> dict[str, Any]:
    return {"scenario": scenario, "seed": seed}
