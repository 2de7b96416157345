"""How nodes are, as text and as JSON."""

from __future__ import annotations

from provision.observe.status import PoolStatus, ScaleSetStatus
from provision.report.status import status_as_dict, status_as_text


def a_set(name: str = "quick-train-0", nodes: int = 2, **settings: object) -> ScaleSetStatus:
    """Return a set in which all is well, with `settings` on top."""
    plain = {"state": "present", "running": nodes, "healthy": nodes, "behind_model": 0, "placement_groups": ("g1",)}
    plain |= {"zones": ("1",), "limit": 100}
    return ScaleSetStatus(name=name, nodes=nodes, **{**plain, **settings})  # type: ignore[arg-type] # a test's own


def a_pool(*sets: ScaleSetStatus, stated: int = 2, infiniband: bool = True) -> PoolStatus:
    return PoolStatus("train", "southcentralus", stated, infiniband, sets, stated)


def test_a_pool_that_is_as_stated() -> None:
    assert status_as_text("quick", [a_pool(a_set())]) == (
        """\
quick: 2 of 2 nodes run and are healthy
  ok train                southcentralus         2 of     2 healthy, 2 running
       quick-train-0: 2 nodes, 1 placement group, zone 1
"""
    )


def test_a_pool_that_is_not_as_stated_says_where_and_how() -> None:
    sets = (
        a_set("quick-train-0", 4, running=3, healthy=2, behind_model=1),
        a_set("quick-train-1", 1, placement_groups=("g1", "g2")),
        a_set("quick-train-2", 0, state="missing", placement_groups=()),
        a_set("quick-train-3", 0, placement_groups=()),
        a_set("quick-train-4", 101, running=0, healthy=0, zones=("1", "2")),
    )

    assert status_as_text("quick", [a_pool(*sets, stated=8)]) == (
        """\
quick: 3 of 8 nodes run and are healthy
  NO train                southcentralus         3 of     8 healthy, 4 running
       quick-train-0: 4 nodes, 1 placement group, zone 1, 1 behind the model: upgrade them when their jobs are done
       quick-train-1: 1 node, 2 PLACEMENT GROUPS, INFINIBAND IS SPLIT, zone 1
       quick-train-2: is not there
       quick-train-3: 0 nodes
       quick-train-4: 101 nodes, 1 placement group, SEVERAL ZONES: 1, 2, MORE THAN THE 100 OF A PLACEMENT GROUP
"""
    )


def test_split_placement_groups_are_no_fault_without_infiniband() -> None:
    pool = a_pool(a_set(placement_groups=("g1", "g2")), infiniband=False)

    assert pool.complete
    assert "       quick-train-0: 2 nodes\n" in status_as_text("quick", [pool])


def test_colour_says_nothing_that_the_text_does_not() -> None:
    pools = [a_pool(a_set()), a_pool(a_set(healthy=1))]
    coloured = status_as_text("quick", pools, colour=True)

    for code in ("0", "32", "31;1"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == status_as_text("quick", pools)


def test_the_status_as_json() -> None:
    assert status_as_dict("quick", [a_pool(a_set(healthy=1, behind_model=1))]) == {
        "format_version": 1,
        "environment": "quick",
        "regions": [
            {
                "region": "southcentralus",
                "pools": [
                    {
                        "pool": "train",
                        "stated": 2,
                        "running": 2,
                        "healthy": 1,
                        "scale_sets": [
                            {
                                "name": "quick-train-0",
                                "state": "present",
                                "nodes": 2,
                                "running": 2,
                                "healthy": 1,
                                "behind_model": 1,
                                "placement_groups": ["g1"],
                                "zones": ["1"],
                                "limit": 100,
                                "one_domain": True,
                            }
                        ],
                    }
                ],
            }
        ],
        "summary": {"stated": 2, "running": 2, "healthy": 1, "behind_model": 1, "complete": False},
    }
