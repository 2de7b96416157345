"""The catalog: what it makes of its files."""

from __future__ import annotations

from provision.adapters.files import load_catalog


def test_the_size_that_this_tool_is_for_is_known_in_full() -> None:
    size = load_catalog().sizes["Standard_ND96isr_H100_v5"]

    assert (size.rdma, size.gpus, size.vcpus, size.memory_gib, size.nvme_disks) == (True, 8, 96, 1900, 8)
    assert size.quota_family == "standardNDSH100v5Family"
    assert size.unsupported == ""
    assert size.nccl["NCCL_TOPO_FILE"] == "/opt/microsoft/ndv5/topo.xml"


def test_a_rack_scale_size_is_known_and_not_supported() -> None:
    assert load_catalog().sizes["Standard_ND128isr_NDR_GB200_v6"].unsupported == (
        "a rack-scale size: its scale sets need singlePlacementGroup false and 18 nodes a rack"
    )


def test_where_a_size_is_offered_is_told_from_its_prices() -> None:
    catalog = load_catalog()

    assert len(catalog.offered_in("Standard_ND96isr_H100_v5") or ()) == 23
    assert catalog.offered_in("Standard_ND128isr_GB300_v6") is None


def test_regions_without_zones_have_none() -> None:
    zones = load_catalog().zones

    assert (zones["northcentralus"], zones["southcentralus"]) == ((), ("1", "2", "3"))
