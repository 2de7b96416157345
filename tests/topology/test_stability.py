"""Whatever happens to one part of an environment, no name, address or node of another part moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from provision.environment import Environment, Pool
from provision.environment import Region as StatedRegion
from provision.environment.model import NamedScaleSet, Names, PeerNetwork, PoolHere
from provision.topology import Peering, Region, ScaleSet, Topology
from tests.topology.environments import HUB, NAMES, REGIONS, a_file_system, environments, pools, topology


def changed(environment: Environment, **parts: Any) -> Environment:
    return environment.model_copy(update=parts)


def networks(result: Topology) -> dict[str, object]:
    """Return all that is named and placed in each region, but for scale sets and the peerings with other regions."""
    return {
        region.name: (
            region.group,
            region.network,
            region.nodes_subnet,
            region.storage,
            tuple(peering for peering in region.peerings if peering.region is None),
        )
        for region in result.regions
    }


def peerings(result: Topology) -> dict[tuple[str, str], Peering]:
    """Return each half by its region and its name; the order in which halves are made is free to change."""
    return {(region.name, each.name): each for region in result.regions for each in region.peerings}


def sets(result: Topology) -> dict[tuple[str, str, int], ScaleSet]:
    return {(each.region, each.pool, each.index): each for each in result.scale_sets()}


@given(environments(), st.randoms(use_true_random=False))
def test_the_order_of_the_file_changes_nothing(environment: Environment, random: Any) -> None:
    regions, pools = list(environment.regions.items()), list(environment.pools.items())
    random.shuffle(regions)
    random.shuffle(pools)

    assert topology(changed(environment, regions=dict(regions), pools=dict(pools))) == topology(environment)


@given(environments())
def test_a_bastion_moves_nothing_else(environment: Environment) -> None:
    without, with_ = (
        topology(changed(environment, network=environment.network.model_copy(update={"bastion": bastion})))
        for bastion in (False, True)
    )

    def bare(region: Region) -> object:
        network = region.network and replace(region.network, bastion=None, reserved=())
        return replace(region, network=network)

    assert [bare(region) for region in with_.regions] == [bare(region) for region in without.regions]


@given(environments(), NAMES, st.data())
def test_a_file_system_moves_nothing_else(environment: Environment, name: str, data: st.DataObject) -> None:
    assume(name not in environment.storage)
    added = a_file_system(data.draw(st.sampled_from(sorted(environment.regions))))

    before = topology(environment)
    after = topology(changed(environment, storage={**environment.storage, name: added}))

    def bare(region: Region) -> object:
        network = region.network and replace(region.network, lustre=None, reserved=())
        return replace(region, network=network, storage=())

    assert [bare(region) for region in after.regions] == [bare(region) for region in before.regions]
    for was, now in zip(before.regions, after.regions, strict=True):
        assert {each.storage: each for each in was.storage}.items() <= {
            each.storage: each for each in now.storage
        }.items()
        if was.network and was.network.lustre:
            assert now.network == was.network


@given(environments(), NAMES)
def test_a_peering_moves_nothing_else(environment: Environment, name: str) -> None:
    assume(name not in environment.network.peer_with)
    peer = PeerNetwork(id=f"{HUB}/new", address_space=("172.20.0.0/16",))
    network = environment.network.model_copy(update={"peer_with": {**environment.network.peer_with, name: peer}})

    before, after = topology(environment), topology(changed(environment, network=network))

    assert [replace(region, peerings=()) for region in after.regions] == [
        replace(region, peerings=()) for region in before.regions
    ]
    assert [each for region in after.regions for each in region.peerings if each.remote != peer.id] == [
        each for region in before.regions for each in region.peerings
    ]


@given(environments(), REGIONS)
def test_adding_a_region_moves_nothing_else(environment: Environment, region: str) -> None:
    assume(region not in environment.regions)
    before = topology(environment)

    after = topology(changed(environment, regions={**environment.regions, region: StatedRegion()}))

    assert networks(before).items() <= networks(after).items()
    assert sets(before).items() <= sets(after).items()
    assert peerings(before).items() <= peerings(after).items()
    assert after.home_group == before.home_group


@given(environments(), st.data())
def test_removing_a_region_moves_nothing_else(environment: Environment, data: st.DataObject) -> None:
    assume(len(environment.regions) > 1)
    gone = data.draw(st.sampled_from(sorted(environment.regions)))
    rest = {name: region for name, region in environment.regions.items() if name != gone}

    before, after = topology(environment), topology(changed(environment, regions=rest))

    assert networks(after) == {name: net for name, net in networks(before).items() if name != gone}
    assert peerings(after).items() <= peerings(before).items()
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


@given(environments(), st.data())
def test_a_name_that_is_stated_moves_nothing_else(environment: Environment, data: st.DataObject) -> None:
    """What is called otherwise is called so wherever it is spoken of; no range, split, unit or other name moves."""
    region = data.draw(st.sampled_from(sorted(environment.regions)))
    key = data.draw(st.sampled_from(["security_group", "nat_gateway", "bastion", "bastion_address", "lustre_subnet"]))
    stated = environment.regions[region]
    named = stated.model_copy(update={"names": Names.model_validate({key: "theirs"})})

    before, after = (
        topology(environment),
        topology(changed(environment, regions={**environment.regions, region: named})),
    )

    was, now = before.keys(), after.keys()
    gone = [each for each in was if each not in now]
    come = [each for each in now if each not in was]
    assert len(gone) == len(come) <= 1
    assert all(each.endswith("/theirs") for each in come)
    assert sets(after) == sets(before)
    assert peerings(after) == peerings(before)


@given(environments(), st.data())
def test_the_name_of_one_scale_set_moves_no_other(environment: Environment, data: st.DataObject) -> None:
    before = topology(environment)
    assume(list(before.scale_sets()))
    one = data.draw(st.sampled_from(list(before.scale_sets())))
    own = [
        NamedScaleSet(name=each.name)
        for each in before.scale_sets()
        if (each.region, each.pool) == (one.region, one.pool)
    ]
    own[one.index] = NamedScaleSet(name="theirs", computer_name_prefix="h", interface="nic-1")
    here = environment.regions[one.region].model_copy(update={"pools": {one.pool: PoolHere(scale_sets=tuple(own))}})

    after = topology(changed(environment, regions={**environment.regions, one.region: here}))

    assert networks(after) == networks(before)
    key = (one.region, one.pool, one.index)
    assert {each: found for each, found in sets(after).items() if each != key} == {
        each: found for each, found in sets(before).items() if each != key
    }
    assert sets(after)[key] == replace(one, name="theirs", computer_name_prefix="h", interface="nic-1")
