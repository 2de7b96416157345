"""An apply in each kind of weather that passes: it comes to its end, by itself or at the next try."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Azure, Shell


@pytest.mark.parametrize("name", ["throttled", "flaky-network", "slow-region", "expired-token"])
def test_an_apply_lives_through_it(azure: Azure, provision: Shell, name: str) -> None:
    azure.ask("POST", "/_simulator/scenario", {"name": name})

    codes = [provision("apply", "quick.yaml", "--yes")]
    while codes[-1] and len(codes) < 4:
        codes.append(provision("apply", "quick.yaml", "--yes"))

    azure.ask("POST", "/_simulator/scenario", {"name": "calm"})
    assert codes[-1] == 0, (codes, provision.out, provision.err)
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out
    assert provision("status", "quick.yaml") == 0
