"""What a stack remembers of the resources that it was sent with."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provision.adapters.policies import load_policies
from provision.arm import SCALE_SETS, ResourceId
from provision.plan.record import Record, digest_of, hashed, parameter_of, record_in
from provision.plan.stated import Stated, recordable

SET = ResourceId("/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/Train-0")
OLD = ResourceId("/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/natGateways/nat")
RECORD = Record(
    environment="quick",
    unit="train-0",
    region="southcentralus",
    pool="train",
    protect=True,
    run="0123",
    tags={"owner": "ml"},
    stated={SET: {"sku": {"capacity": 2}, "tags": {"ö": "ü"}}},
    leaving=(OLD,),
)


def a_stack(value: Any, state: str = "succeeded") -> dict[str, Any]:
    return {"properties": {"provisioningState": state, "parameters": {"provision": {"type": "object", "value": value}}}}


@pytest.mark.parametrize("record", [RECORD, replace(RECORD, pool=None, protect=False, leaving=(), tags={}, stated={})])
def test_a_record_comes_back_as_it_was(record: Record) -> None:
    through_azure = json.loads(json.dumps(a_stack(parameter_of(record))))

    assert record_in(through_azure) == record


@pytest.mark.parametrize(
    ("state", "applied"), [("succeeded", True), ("Succeeded", True), ("failed", False), ("", False)]
)
def test_a_stack_that_has_not_succeeded_has_only_attempted_its_record(state: str, applied: bool) -> None:
    assert record_in(a_stack(parameter_of(RECORD), state)) == replace(RECORD, applied=applied)


def test_a_record_answers_for_what_it_states_and_what_it_gave_up() -> None:
    assert RECORD.ids() == {SET.key: SET, OLD.key: OLD}
    assert RECORD.body(ResourceId(SET.upper())) == RECORD.stated[SET]
    assert RECORD.body(OLD) is None


def test_a_record_without_api_versions_is_one_of_a_unit_of_ours_whoever_wrote_it() -> None:
    value = parameter_of(RECORD)
    assert "versions" not in value

    found = record_in(a_stack(value))

    assert found is not None
    assert (found.versions, found.own()) == ({}, {})


def test_a_record_of_a_unit_of_one_s_own_tells_by_which_api_versions_it_is_read() -> None:
    versions = {"microsoft.compute/virtualmachinescalesets": "2025-11-01"}
    record = replace(RECORD, versions=versions)

    assert record_in(a_stack(parameter_of(record))) == record
    assert record.own() == {SET: "2025-11-01"}


def packed(value: Any) -> str:
    return base64.b64encode(zlib.compress(json.dumps(value).encode())).decode()


@pytest.mark.parametrize(
    "stack",
    [
        {},
        {"properties": None},
        {"properties": {}},
        {"properties": {"parameters": None}},
        {"properties": {"parameters": {}}},
        {"properties": {"parameters": {"provision": None}}},
        {"properties": {"parameters": {"provision": {}}}},
        {"properties": {"parameters": {"provision": "text"}}},
        a_stack(None),
        a_stack("text"),
        a_stack([]),
        a_stack({}),
        *(
            a_stack({**parameter_of(RECORD), key: value})
            for key, value in [
                ("format", 2),
                ("stated", None),
                ("stated", 7),
                ("stated", "not base64!"),
                ("stated", parameter_of(RECORD)["stated"][:-8]),
                ("stated", base64.b64encode(b"not zlib").decode()),
                ("stated", base64.b64encode(zlib.compress(b"not JSON")).decode()),
                ("stated", base64.b64encode(zlib.compress(b"\xff\xfe")).decode()),
                ("stated", packed([1])),
                ("stated", packed(None)),
                ("leaving", None),
                ("leaving", 7),
            ]
        ),
        *(a_stack({k: v for k, v in parameter_of(RECORD).items() if k != key}) for key in ("unit", "tags", "stated")),
    ],
)
def test_a_record_that_does_not_hold_together_is_none(stack: dict[str, Any]) -> None:
    assert record_in(stack) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(sorted(parameter_of(RECORD))), JSON)
def test_whatever_somebody_makes_of_a_record_reading_it_never_fails(key: str, value: Any) -> None:
    record_in(a_stack({**parameter_of(RECORD), key: value}))


def test_what_is_write_only_is_recorded_as_a_hash() -> None:
    profile = {"osProfile": {"customData": "c2VjcmV0", "adminUsername": "azureuser"}}
    body = {"properties": {"virtualMachineProfile": profile}}
    stated = Stated(SET, {"type": SCALE_SETS, "name": "h100-train-0", **body})

    assert stated.id.type == SCALE_SETS
    assert recordable(stated, load_policies()) == {
        "properties": {
            "virtualMachineProfile": {
                "osProfile": {"customData": hashed("c2VjcmV0"), "adminUsername": "azureuser"},
            }
        }
    }
    assert profile["osProfile"]["customData"] == "c2VjcmV0"


def test_a_digest_does_not_depend_on_the_order_of_keys_and_a_hash_of_a_map_neither() -> None:
    assert digest_of({"a": 1, "b": [1, 2]}) == digest_of({"b": [1, 2], "a": 1})
    assert digest_of([1, 2]) != digest_of([2, 1])
    assert hashed({"a": 1, "b": 2}) == hashed({"b": 2, "a": 1})
    assert hashed("x") == "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
