"""ARM's vocabulary: ids, errors within errors, and what may be tried again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provision.arm import (
    SCALE_SETS,
    SUBNETS,
    ArmError,
    ResourceId,
    group_id,
    innermost,
    outermost,
    resource_id,
)

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
SET = resource_id(SUBSCRIPTION, "rg", SCALE_SETS, "train-0")
SUBNET = resource_id(SUBSCRIPTION, "rg", SUBNETS, "vnet", "nodes")


def test_an_id_tells_its_parts() -> None:
    assert (
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet/subnets/nodes"
    ) == SUBNET
    assert (SUBNET.type, SUBNET.name, SUBNET.full_name, SUBNET.group) == (SUBNETS, "nodes", "vnet/nodes", "rg")
    assert SUBNET.parent == resource_id(SUBSCRIPTION, "rg", "Microsoft.Network/virtualNetworks", "vnet")
    assert (SET.type, SET.name, SET.full_name) == (SCALE_SETS, "train-0", "train-0")
    group = group_id(SUBSCRIPTION, "rg")
    assert (group.type, group.name, group.full_name, group.group) == (
        "Microsoft.Resources/resourceGroups",
        "rg",
        "rg",
        "rg",
    )


def test_ids_compare_without_case_by_key() -> None:
    assert ResourceId(SET.upper()).key == SET.key


def test_a_childs_id_takes_a_name_for_each_segment_of_its_type() -> None:
    with pytest.raises(ValueError, match="zip"):
        resource_id(SUBSCRIPTION, "rg", SUBNETS, "vnet")


QUOTA = {
    "code": "QuotaExceeded",
    "message": "Operation could not be completed as it results in exceeding approved NDSH100v5Family Cores quota.",
}


@pytest.mark.parametrize(
    ("error", "causes"),
    [
        pytest.param(
            {"error": {"code": "ResourceGroupNotFound", "message": "Resource group 'X' could not be found."}},
            [("ResourceGroupNotFound", "Resource group 'X' could not be found.", "")],
            id="gateway",
        ),
        pytest.param(
            {"error": {"code": "NotFound", "message": "Resource /x not found.", "details": []}},
            [("NotFound", "Resource /x not found.", "")],
            id="empty details",
        ),
        pytest.param(
            {"error": {"code": "InvalidTemplateDeployment", "message": "See inner errors.", "details": [QUOTA]}},
            [("QuotaExceeded", QUOTA["message"], "")],
            id="preflight",
        ),
        pytest.param(
            {
                "code": "DeploymentFailed",
                "message": "At least one resource deployment operation failed.",
                "details": [{"code": "Conflict", "message": json.dumps({"status": "Failed", "error": QUOTA})}],
            },
            [("QuotaExceeded", QUOTA["message"], "")],
            id="JSON in a string",
        ),
        pytest.param(
            {
                "code": "ResourceDeploymentFailure",
                "message": json.dumps({"error": {"code": "Conflict", "message": json.dumps({"error": QUOTA})}}),
            },
            [("QuotaExceeded", QUOTA["message"], "")],
            id="JSON in a string in a string",
        ),
        pytest.param(
            {
                "Error": {
                    "Code": "ResourceGroupDeletionBlocked",
                    "Target": None,
                    "Message": "Deletion of resource group 'rg' failed.",
                    "Details": [
                        {
                            "Code": None,
                            "Target": "/x/vnet",
                            "Message": json.dumps({"error": {"code": "InUse", "message": "held", "target": "/x/nic"}}),
                        }
                    ],
                }
            },
            [("InUse", "held", "/x/nic")],
            id="capitals",
        ),
        pytest.param(
            {"code": "A", "message": "{not JSON"}, [("A", "{not JSON", "")], id="text that only looks like JSON"
        ),
        pytest.param({"code": "A", "message": '{"n": 1}'}, [("A", '{"n": 1}', "")], id="JSON that is no error"),
        pytest.param({"error": "no"}, [], id="no object"),
        pytest.param({"code": "A", "details": {"x": 1}}, [("A", "", "")], id="details that are no list"),
        pytest.param({}, [], id="nothing"),
        pytest.param(None, [], id="null"),
        pytest.param([1], [], id="a list"),
    ],
)
def test_an_error_is_unwrapped_to_its_innermost_causes(error: Any, causes: list[tuple[str, str, str]]) -> None:
    assert list(innermost(error)) == causes


def test_of_several_causes_each_is_told() -> None:
    details = [{"code": "A", "message": "a"}, {"code": "B", "message": "b", "target": "x"}]

    assert list(innermost({"code": "DeploymentFailed", "message": "m", "details": details})) == [
        ("A", "a", ""),
        ("B", "b", "x"),
    ]


def test_the_outermost_error_is_the_one_that_arm_names() -> None:
    assert outermost({"error": {"code": "A", "message": "a", "details": [QUOTA]}}) == ("A", "a")
    assert outermost({"Error": {"Code": "A", "Message": "a"}}) == ("A", "a")
    odd: list[Any] = [{}, None, [], "text", {"error": "text"}]
    for nothing in odd:
        assert outermost(nothing) == ("", "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "Error", "code", "message", "details", "target"]), inner, max_size=4
        )
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(JSON)
def test_no_answer_is_too_odd_to_be_unwrapped(error: Any) -> None:
    for cause in innermost(error):
        assert [type(part) for part in cause] == [str, str, str]
    assert [type(part) for part in outermost(error)] == [str, str]


def test_an_error_reads_as_azure_wrote_it() -> None:
    error = ArmError(403, "AuthorizationFailed", "The client 'x' is not allowed.")

    assert str(error) == error.message == "AuthorizationFailed: The client 'x' is not allowed."
