"""A run that is killed at any request, before Azure has taken it or after: the next one brings all to its end."""

from __future__ import annotations

import pytest

from provision.simulator.transport import ClientKilled
from tests.support.azure import Azure


def killed_at(azure: Azure, count: int, when: str) -> bool:
    """Apply QUICK until its n-th write, and return whether it was killed there: whether there was such a write."""
    fault = {"effect": "kill-client", "when": when, "skip": count, "count": 1}
    azure.control("POST", "faults", [{**fault, "match": {"method": method}} for method in ("PUT", "DELETE")])
    try:
        azure.apply()
    except ClientKilled:
        azure.control("DELETE", "faults")
        azure.wait(4000)  # the dead run's lock expires
        return True
    azure.control("DELETE", "faults")
    return False


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_that_is_killed_at_any_write_converges_when_it_is_run_again(when: str) -> None:
    whole = Azure()
    whole.apply()

    count = 0
    while True:
        azure = Azure()
        killed = killed_at(azure, count, when)
        azure.apply()
        assert azure.plan().empty, count
        assert azure.ids() == whole.ids(), count
        if not killed:
            break
        count += 1
    assert count > 4


@pytest.mark.parametrize("skip", range(0, 60, 6))
def test_a_run_that_is_killed_at_a_read_loses_nothing_either(skip: int) -> None:
    azure = Azure()
    fault = {"effect": "kill-client", "match": {"method": "GET"}, "skip": skip, "count": 1}
    azure.control("POST", "faults", [fault])
    try:
        azure.apply()
    except ClientKilled:
        azure.wait(4000)

    azure.control("DELETE", "faults")
    azure.apply()

    assert azure.plan().empty
    assert "provision-lock-quick" not in azure.ids()
