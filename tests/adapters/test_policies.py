"""The policies that come with the tool are read once."""

from __future__ import annotations

from provision.adapters.policies import load_policies


def test_the_policies_of_every_type_of_the_table_are_read() -> None:
    assert sorted(load_policies().types) == [
        "microsoft.compute/capacityreservationgroups",
        "microsoft.compute/capacityreservationgroups/capacityreservations",
        "microsoft.compute/proximityplacementgroups",
        "microsoft.compute/virtualmachinescalesets",
        "microsoft.network/bastionhosts",
        "microsoft.network/natgateways",
        "microsoft.network/networksecuritygroups",
        "microsoft.network/publicipaddresses",
        "microsoft.network/virtualnetworks",
        "microsoft.network/virtualnetworks/subnets",
        "microsoft.network/virtualnetworks/virtualnetworkpeerings",
        "microsoft.resources/resourcegroups",
        "microsoft.storagecache/amlfilesystems",
    ]
    assert load_policies() is load_policies()
