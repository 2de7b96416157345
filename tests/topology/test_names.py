"""Derived names fit Azure's rules, and no two things in one scope share one."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provision.environment import Environment, Pool, Region
from provision.environment.model import Names, NatGateway, NatOutbound, Network, PeerNetwork
from provision.topology import names
from tests.topology.environments import HUB, NAMES, environments, topology

# https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules, read 2026-11-30
GROUP = re.compile(r"[\w.()-]{0,89}[\w()-]", re.ASCII)
STACK = re.compile(r"[-\w._()]{1,90}", re.ASCII)
SCALE_SET = re.compile(r"[a-z0-9][a-z0-9-]{0,62}[a-z0-9]")
NETWORK = re.compile(r"[a-z0-9][\w.-]{0,62}\w", re.ASCII)
OTHER = re.compile(r"[a-zA-Z0-9]([\w.-]{0,78}\w)?", re.ASCII)
FILE_SYSTEM = re.compile(r"[a-zA-Z0-9][-\w]{0,78}[a-zA-Z0-9]", re.ASCII)
HOST_PREFIX = re.compile(r"[a-z][a-z0-9-]{0,14}")

UNITS = (names.NETWORK, names.PEERING, names.STORAGE)


@given(environments())
def test_every_name_fits_azures_rules(environment: Environment) -> None:
    result = topology(environment)

    assert GROUP.fullmatch(result.home_group)
    assert STACK.fullmatch(names.lock_stack(result.environment))
    for region in result.regions:
        assert GROUP.fullmatch(region.group)
        others = [peering.name for peering in region.peerings]
        if (network := region.network) is not None:
            assert NETWORK.fullmatch(network.virtual_network)
            others += [subnet.name for subnet in network.subnets()]
            others += [network.bastion.name, network.bastion.address] if network.bastion else []
            others += [network.security_group, network.nat_gateway or "x", *network.nat_addresses]
        for name in others:
            assert OTHER.fullmatch(name), name
        for each in region.storage:
            assert FILE_SYSTEM.fullmatch(each.name), each.name
        for unit in (*UNITS, *(each.unit for each in region.scale_sets)):
            assert STACK.fullmatch(names.stack(result.environment, unit))
        for scale_set in region.scale_sets:
            assert SCALE_SET.fullmatch(scale_set.name), scale_set.name
            assert HOST_PREFIX.fullmatch(scale_set.computer_name_prefix), scale_set.computer_name_prefix


@given(environments())
def test_no_two_things_in_one_group_share_a_name(environment: Environment) -> None:
    result = topology(environment)

    groups = [region.group for region in result.regions if not region.group_is_given]
    assert len({*groups, result.home_group}) == len(groups) + 1
    for region in result.regions:
        units = [*UNITS, *(each.unit for each in region.scale_sets)]
        assert max(Counter(units).values()) == 1
        assert max(Counter(each.name for each in region.scale_sets).values(), default=1) == 1
        assert max(Counter(each.name for each in region.storage).values(), default=1) == 1
        if not environment.network.peer_with.keys() & environment.regions.keys():  # refused by a rule
            assert max(Counter(each.name for each in region.peerings).values(), default=1) == 1
        prefixes = Counter(each.computer_name_prefix for each in region.scale_sets)
        assert max(prefixes.values(), default=1) == 1


@given(NAMES, NAMES, st.integers(0, 99), st.integers(0, 99))
def test_host_names_of_different_scale_sets_never_begin_alike(a: str, b: str, m: int, n: int) -> None:
    same = (a, m) == (b, n)

    assert (names.computer_name_prefix(a, m) == names.computer_name_prefix(b, n)) == same


@given(st.text(alphabet="abc-", min_size=1, max_size=30), st.integers(8, 20))
def test_a_name_is_only_shortened_when_it_is_too_long(text: str, limit: int) -> None:
    short = names.shortened(text, limit)

    assert len(short) <= limit
    assert (short == text) == (len(text) <= limit)


@pytest.mark.parametrize(("a", "b"), [("pool-1", "pool"), ("a", "a-0")])
def test_pool_names_that_end_in_numbers_are_kept_apart(a: str, b: str) -> None:
    assert {names.scale_set("env", a, n) for n in range(20)}.isdisjoint(names.scale_set("env", b, n) for n in range(20))


def test_what_is_called_otherwise_is_called_so_wherever_it_is_spoken_of() -> None:
    hub = PeerNetwork(id=f"{HUB}/hub", address_space=("192.168.0.0/16",))
    own = Names(
        virtual_network="vnet-hpc",
        nodes_subnet="snet-nodes",
        nat_addresses=("pip-a",),
        peerings={"hub": "peer-hub", "westus3": "peer-west"},
    )
    environment = Environment(
        version=1,
        name="quick",
        subscription="00000000-0000-0000-0000-000000000001",
        network=Network(
            peering="mesh",
            peer_with={"hub": hub},
            outbound=NatOutbound(nat_gateway=NatGateway(addresses=2)),
        ),
        regions={"southcentralus": Region(names=own), "westus3": Region()},
        pools={"train": Pool(size="Standard_ND96isr_H100_v5", nodes=2, ssh_public_key_file="key.pub")},
    )

    south, west = topology(environment).regions

    assert south.network is not None
    assert south.network.nat_addresses == ("pip-a", "quick-southcentralus-nat-ip-1")
    assert south.nodes_subnet.endswith("/virtualNetworks/vnet-hpc/subnets/snet-nodes")
    assert [peering.name for peering in south.peerings] == ["peer-west", "peer-hub"]
    assert [peering.name for peering in west.peerings] == ["to-southcentralus", "to-hub"]
    assert west.peerings[0].remote.endswith("/virtualNetworks/vnet-hpc")
