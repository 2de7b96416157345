"""The catalog: what it makes of its files."""

from __future__ import annotations

import dataclasses

from provision.adapters.files import load_catalog


def test_the_size_that_this_tool_is_for_is_known_in_full() -> None:
    size = load_catalog().sizes["Standard_ND96isr_H100_v5"]

    assert (size.rdma, size.gpus, size.vcpus, size.memory_gib, size.nvme_disks) == (True, 8, 96, 1900, 8)
    assert size.quota_family == "standardNDSH100v5Family"
    assert size.unsupported == ""
    assert size.node is not None
    assert size.node.nccl["NCCL_TOPO_FILE"] == "/opt/microsoft/ndv5/topo.xml"


def test_a_rack_scale_size_is_known_and_not_supported() -> None:
    assert load_catalog().sizes["Standard_ND128isr_NDR_GB200_v6"].unsupported == (
        "a rack-scale size: its scale sets need singlePlacementGroup false and 18 nodes a rack"
    )


def test_where_a_size_is_offered_is_told_from_its_prices() -> None:
    catalog = load_catalog()

    assert len(catalog.offered_in("Standard_ND96isr_H100_v5") or ()) == 23
    assert catalog.offered_in("Standard_ND128isr_GB300_v6") is None


def test_a_size_without_prices_is_offered_where_nobody_knows() -> None:
    assert load_catalog().offered_in("Standard_D8s_v5") is None


def test_an_image_is_known_by_its_name_in_any_case_and_its_end_told_by_the_day() -> None:
    catalog = load_catalog()
    old, new = (
        catalog.image_of(f"{name}:1.2.3") for name in ("openlogic:centos-hpc:7_9", "microsoft-dsvm:ubuntu-hpc:2404")
    )

    assert old is not None
    assert new is not None
    assert (catalog.has_ended(old), catalog.has_ended(new)) == (True, False)
    later = dataclasses.replace(catalog, today="2099-01-01")
    assert later.has_ended(new) is (new.end_of_life is not None)
    assert catalog.image_of("a:b:c:1.2.3") is None
    assert catalog.image_of("/subscriptions/x/images/hpc/versions/1.0.0") is None


def test_regions_without_zones_have_none() -> None:
    zones = load_catalog().zones

    assert (zones["northcentralus"], zones["southcentralus"]) == ((), ("1", "2", "3"))
