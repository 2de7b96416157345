"""Whatever happens to one part of an environment, no name, address or node of another part moves."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from provision.environment import Environment, Pool, Region
from provision.topology import ScaleSet, Topology
from tests.topology.environments import NAMES, REGIONS, environments, pools, topology


def changed(environment: Environment, **parts: Any) -> Environment:
    return environment.model_copy(update=parts)


def networks(result: Topology) -> dict[str, object]:
    return {region.name: (region.group, region.network) for region in result.regions}


def sets(result: Topology) -> dict[tuple[str, str, int], ScaleSet]:
    return {(each.region, each.pool, each.index): each for each in result.scale_sets()}


@given(environments(), st.randoms(use_true_random=False))
def test_the_order_of_the_file_changes_nothing(environment: Environment, random: Any) -> None:
    regions, pools = list(environment.regions.items()), list(environment.pools.items())
    random.shuffle(regions)
    random.shuffle(pools)

    assert topology(changed(environment, regions=dict(regions), pools=dict(pools))) == topology(environment)


@given(environments(), REGIONS)
def test_adding_a_region_moves_nothing_else(environment: Environment, region: str) -> None:
    assume(region not in environment.regions)
    before = topology(environment)

    after = topology(changed(environment, regions={**environment.regions, region: Region()}))

    assert networks(before).items() <= networks(after).items()
    assert sets(before).items() <= sets(after).items()
    assert after.home_group == before.home_group


@given(environments(), st.data())
def test_removing_a_region_moves_nothing_else(environment: Environment, data: st.DataObject) -> None:
    assume(len(environment.regions) > 1)
    gone = data.draw(st.sampled_from(sorted(environment.regions)))
    rest = {name: region for name, region in environment.regions.items() if name != gone}

    before, after = topology(environment), topology(changed(environment, regions=rest))

    assert networks(after) == {name: net for name, net in networks(before).items() if name != gone}
    assert sets(after) == {key: each for key, each in sets(before).items() if key[0] != gone}


@given(environments(), NAMES, pools())
def test_adding_a_pool_moves_nothing_else(environment: Environment, name: str, pool: Pool) -> None:
    assume(name not in environment.pools)
    before = topology(environment)

    after = topology(changed(environment, pools={**environment.pools, name: pool}))

    assert networks(after) == networks(before)
    assert {key: each for key, each in sets(after).items() if key[1] != name} == sets(before)


@given(environments(), st.data())
def test_removing_a_pool_moves_nothing_else(environment: Environment, data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(sorted(environment.pools)))
    rest = {name: pool for name, pool in environment.pools.items() if name != gone}

    before, after = topology(environment), topology(changed(environment, pools=rest))

    assert networks(after) == networks(before)
    assert sets(after) == {key: each for key, each in sets(before).items() if key[1] != gone}


@given(environments(), st.data(), st.integers(0, 700))
def test_resizing_a_pool_moves_no_node_between_its_scale_sets(
    environment: Environment, data: st.DataObject, nodes: int
) -> None:
    name = data.draw(st.sampled_from(sorted(environment.pools)))
    pool = environment.pools[name]
    resized = pool.model_copy(update={"nodes": nodes})

    before = topology(environment)
    after = topology(changed(environment, pools={**environment.pools, name: resized}))

    assert networks(after) == networks(before)
    for region in environment.regions:
        was = [each for key, each in sorted(sets(before).items()) if key[:2] == (region, name)]
        now = [each for key, each in sorted(sets(after).items()) if key[:2] == (region, name)]
        shared = min(len(was), len(now))
        assert [each.name for each in was[:shared]] == [each.name for each in now[:shared]]
        grows = nodes >= pool.nodes_in(region)
        # Only the last set of the smaller of the two differs, so only what is added or taken away moves.
        assert all((a.nodes <= b.nodes) if grows else (a.nodes >= b.nodes) for a, b in zip(was, now, strict=False))
        assert [each.nodes for each in was[:shared][:-1]] == [each.nodes for each in now[:shared][:-1]]


@given(environments())
def test_every_node_that_is_asked_for_is_in_one_scale_set_and_none_is_over_its_limit(environment: Environment) -> None:
    result = topology(environment)

    for share in result.pools:
        pool = environment.pools[share.name]
        assert sum(each.nodes for each in share.scale_sets) == pool.nodes_in(share.region)
        for each in share.scale_sets:
            assert 1 <= each.nodes <= share.domain_size
            if share.infiniband:
                assert each.nodes <= pool.placement_group_limit
        assert all(each.nodes == share.domain_size for each in share.scale_sets[:-1])
