"""Failures that people in the field reported and that can be told from the file alone; each by its id."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.arm import SCALE_SETS
from provision.pipeline import Checked, check, rendered
from provision.render import Unit
from tests.clusters.clusters import NAMES
from tests.clusters.clusters import units as units_of_cluster
from tests.support.worlds import KEY

BASE = """\
version: 1
name: case
subscription: 00000000-0000-0000-0000-000000000001
network: {bastion: true, outbound: {nat_gateway: {addresses: 4}}}
regions:
  southcentralus: {zone: "1"}
pools:
  train:
    size: Standard_ND96isr_H100_v5
    nodes: 8
    spares: 1
    ssh_public_key_file: key.pub
"""
SECRET = "correct-horse-battery-staple"


def checked(text: str = BASE, boot: str = "#cloud-config\n") -> Checked:
    files = {"case.yaml": text, "boot.yaml": boot}
    return check("case.yaml", lambda path: files.get(path, KEY), load_catalog())


def pool(**keys: Any) -> str:
    """Return the environment with other or more keys of its pool."""
    text = BASE
    for key, value in keys.items():
        line = f"    {key}: {json.dumps(value)}\n"
        text = re.sub(rf"    {key}: .*\n", line, text) if f"    {key}: " in text else text + line
    return text


def errors(text: str, boot: str = "#cloud-config\n") -> list[tuple[str, str]]:
    return [(each.rule, each.message) for each in checked(text, boot).findings if each.severity == "error"]


def rules(text: str, boot: str = "#cloud-config\n") -> dict[str, str]:
    return {each.rule: each.severity.value for each in checked(text, boot).findings}


def units(text: str) -> tuple[Unit, ...]:
    return rendered(checked(text), load_catalog(), load_templates())


def sets(text: str) -> list[dict[str, Any]]:
    return [each for unit in units(text) for each in unit.template["resources"] if each["type"] == SCALE_SETS]


def test_c01_one_placement_group_follows_from_the_size_and_can_not_be_turned_off() -> None:
    (message,) = (message for _, message in errors(pool(single_placement_group=False)))
    assert message == "`single_placement_group` can't be chosen: it follows from `infiniband`"
    assert [each["properties"]["singlePlacementGroup"] for each in sets(BASE)] == [True]
    assert [each["properties"]["singlePlacementGroup"] for each in sets(pool(size="Standard_D8s_v5"))] == [False]


@pytest.mark.parametrize(
    ("nodes", "raised", "fits"),
    [(100, False, True), (101, False, False), (300, True, True), (301, True, False), (400, True, False)],
)
def test_c03_a_domain_is_never_larger_than_a_placement_group(nodes: int, raised: bool, fits: bool) -> None:
    limit = {"placement_group_limit": 300} if raised else {}
    text = pool(nodes=nodes, domain_size=nodes, **limit)

    found = dict(errors(text))

    assert ("domain-exceeds-placement-group" in found) is not fits
    if fits:
        assert all(each["properties"]["singlePlacementGroup"] for each in sets(text))
    else:
        assert re.search(r"\(\d+ scale sets of \d+ would fit\)", found["domain-exceeds-placement-group"])


def test_c04_the_recommended_three_are_rendered_and_found_no_fault_with() -> None:
    assert rules(BASE) == {}
    ((properties,),) = ([each["properties"] for each in sets(BASE)],)
    assert (
        properties["platformFaultDomainCount"],
        properties["singlePlacementGroup"],
        properties["overprovision"],
    ) == (
        1,
        True,
        False,
    )


@pytest.mark.parametrize("key", ["capacity_reservation", "proximity_placement_group", "orchestration_mode"])
def test_c05_what_infiniband_excludes_is_answered_with_the_reason(key: str) -> None:
    ((rule, message),) = errors(pool(**{key: "x"}))

    assert rule == "unknown-key"
    assert message.startswith(f"`{key}` can't be chosen: ")


def in_region(*lines: str) -> str:
    return BASE.replace('{zone: "1"}', '{zone: "1", ' + ", ".join(lines) + "}")


def test_c20_a_subnet_outside_its_network_is_one_error_and_no_more() -> None:
    ((rule, message),) = errors(in_region("address_space: 10.0.0.0/24", "subnets: {nodes: 10.0.2.0/24}"))

    assert rule == "subnet-outside-network"
    assert "10.0.2.0/24, which is not contained in its network 10.0.0.0/24" in message


@pytest.mark.parametrize(
    ("subnets", "pairs"),
    [
        ("{nodes: 10.0.0.0/27, bastion: 10.0.0.0/26}", 1),
        ("{nodes: 10.0.0.0/26, bastion: 10.0.0.0/26}", 1),
        ("{nodes: 10.0.0.0/26, bastion: 10.0.0.64/26}", 0),
    ],
)
def test_c21_overlapping_subnets_are_told_by_pairs(subnets: str, pairs: int) -> None:
    found = errors(in_region("address_space: 10.0.0.0/24", f"subnets: {subnets}"))

    assert [rule for rule, _ in found if rule == "subnets-overlap"] == ["subnets-overlap"] * pairs


@pytest.mark.parametrize(
    ("range", "nodes", "fits"),
    [
        ("/24", 251, True),
        ("/24", 252, False),
        ("/25", 123, True),
        ("/25", 124, False),
        ("/28", 11, True),
        ("/28", 12, False),
    ],
)
def test_c23_azure_keeps_five_addresses_of_each_subnet(range: str, nodes: int, fits: bool) -> None:
    text = in_region("address_space: 10.0.0.0/22", f"subnets: {{nodes: 10.0.0.0{range}}}")
    text = text.replace("nodes: 8", f"nodes: {nodes}")

    assert ("subnet-too-small" in dict(errors(text))) is not fits


def test_c23_what_pools_may_grow_to_counts_together() -> None:
    text = in_region("address_space: 10.0.0.0/22", "subnets: {nodes: 10.0.0.0/25}")
    grown = [
        f"  p{most}: {{size: Standard_D8s_v5, nodes: 1, max_nodes: {most}, ssh_public_key_file: key.pub}}\n"
        for most in (100, 16)
    ]

    ((rule, message),) = errors(text + "".join(grown))

    assert rule == "subnet-too-small"
    assert "124 addresses" in message


@pytest.mark.parametrize(("range", "size_tib", "fits"), [("/28", 4, False), ("/24", 256, True), ("/25", 2048, False)])
def test_c25_lustre_takes_addresses_by_its_size(range: str, size_tib: int, fits: bool) -> None:
    text = in_region("address_space: 10.0.0.0/20", f"subnets: {{lustre: 10.0.8.0{range}}}")
    text += (
        f'storage: {{a: {{kind: managed-lustre, region: southcentralus, tier: 500, size_tib: {size_tib}, zone: "1", '
    )
    text += "mount: /a}}\n"

    assert ("lustre-subnet-too-small" in dict(errors(text))) is not fits


DOWNLOADS = "#cloud-config\nruncmd: [[curl, -sSLO, 'https://example.com/x']]\n"


@pytest.mark.parametrize(
    ("outbound", "public", "boot", "expected"),
    [
        ("{nat_gateway: {addresses: 1}}", False, DOWNLOADS, {}),
        ("none", True, DOWNLOADS, {}),
        ("none", False, "#cloud-config\n", {"no-way-out": "warning"}),
        ("none", False, DOWNLOADS, {"no-way-out": "warning", "boot-needs-internet": "error"}),
    ],
)
def test_c31_nodes_need_a_way_out(outbound: str, public: bool, boot: str, expected: dict[str, str]) -> None:
    text = pool(cloud_init_file="boot.yaml", public_ip=public)
    text = text.replace("{nat_gateway: {addresses: 4}}", f"{outbound}, ssh_from: [203.0.113.0/24]")

    found = rules(text, boot)

    assert {rule: found[rule] for rule in found if rule in ("no-way-out", "boot-needs-internet")} == expected


def test_c31_every_subnet_states_its_outbound_access() -> None:
    subnets = [
        each["properties"]
        for unit in units(BASE)
        for each in unit.template["resources"]
        if each["type"].endswith("/subnets")
    ]

    assert subnets
    assert all(each["defaultOutboundAccess"] is False for each in subnets if "natGateway" in each)


@pytest.mark.parametrize(
    ("subnets", "rule"),
    [
        ("{bastion: 10.0.0.128/26}", None),
        ("{bastion: 10.0.0.128/27}", "bastion-subnet-too-small"),
        (
            "{nodes: /subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h/providers/Microsoft.Network"
            "/virtualNetworks/v/subnets/GatewaySubnet}",
            "subnet-not-usable",
        ),
        (
            "{nodes: /subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h/providers/Microsoft.Network"
            "/virtualNetworks/v/subnets/azurebastionsubnet}",
            "subnet-not-usable",
        ),
    ],
)
def test_c32_reserved_subnets_have_their_names_and_sizes(subnets: str, rule: str | None) -> None:
    space = [] if "/subscriptions/" in subnets else ["address_space: 10.0.0.0/24"]

    found = [found for found, _ in errors(in_region(*space, f"subnets: {subnets}"))]

    assert found == ([rule] if rule else [])


NAMES_OF = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def test_c51_names_of_sets_and_hosts_obey_their_own_rules_and_stay_unique_when_shortened() -> None:
    text = BASE.replace("name: case", "name: " + "e" * 24)
    both = [f"training-{'p' * 10}{end}" for end in "ab"]
    text += "".join(
        f"  {name}: {{size: Standard_ND96isr_H100_v5, nodes: 8, spares: 1, ssh_public_key_file: key.pub}}\n"
        for name in both
    )
    found = sets(text)
    names = [each["name"] for each in found]
    hosts = [each["properties"]["virtualMachineProfile"]["osProfile"]["computerNamePrefix"] for each in found]

    assert all(NAMES_OF.fullmatch(name) and len(name) <= 64 for name in names)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]{0,57}", host) for host in hosts)
    assert len({*names}) == len({*hosts}) == 3
    alone = sets(text.replace(both[1], "other"))
    assert [each["name"] for each in alone][:2] == names[:2] or {*names} & {each["name"] for each in alone}


def test_c52_names_of_deployments_are_legal_and_unique_whatever_they_are_made_of() -> None:
    text = BASE.replace("name: case", "name: " + "e" * 24).replace("southcentralus", "southafricanorth")
    text += "".join(
        f"  {'p' * 18}{number:02}: {{size: Standard_ND96isr_H100_v5, nodes: 1, ssh_public_key_file: key.pub}}\n"
        for number in range(50)
    )
    stacks = [unit.stack for unit in units(text)]

    assert len({*stacks}) == len(stacks) == 52
    assert all(len(stack) <= 64 and re.fullmatch(r"[-\w.()]+", stack) for stack in stacks)


def test_c54_custom_data_is_measured_as_it_is_sent() -> None:
    filler = "#cloud-config\nwrite_files: [{path: /x, content: '" + "é" * 20_000 + "'}]\n"
    small = filler.replace("é" * 20_000, "é" * 100)

    assert "custom-data-too-large" not in dict(errors(pool(cloud_init_file="boot.yaml"), small))
    assert "custom-data-too-large" in dict(errors(pool(cloud_init_file="boot.yaml"), filler.replace("é", "名前")))


@pytest.mark.parametrize("name", NAMES)
def test_c55_no_unit_comes_near_the_limits_of_a_template(name: str) -> None:
    limits = load_catalog().limits

    for unit in units_of_cluster(name):
        compact = len(json.dumps(unit.template, separators=(",", ":")).encode())
        assert compact < limits["template_bytes"] * 8 // 10
        assert len(unit.template["resources"]) < limits["template_resources"] * 8 // 10


@pytest.mark.parametrize(
    "line",
    [
        f"tags: {{password: {SECRET}1}}",
        f"x-notes: {{db_password: {SECRET}1}}",
        f"x-notes: ['password={SECRET}1']",
    ],
)
def test_c94_a_secret_in_the_file_is_an_error_and_shown_nowhere(line: str) -> None:
    found = checked(BASE + line + "\n")

    assert next(each.rule for each in found.findings if each.severity == "error").startswith("secret-in-")
    assert SECRET not in "".join(f"{each.message}{each.fix}{each.source_line}" for each in found.findings)


def test_c95_the_security_type_is_always_stated_and_never_trusted_launch() -> None:
    for each in sets(BASE):
        profile = each["properties"]["virtualMachineProfile"]["securityProfile"]
        assert profile["securityType"] == "Standard"
    ((_, message),) = errors(pool(secure_boot=True))
    assert message == (
        "`secure_boot` can't be chosen: it is Standard: with Secure Boot the drivers of GPUs and InfiniBand don't load"
    )


def test_c62_nothing_is_ever_sent_in_complete_mode_and_nobody_can_ask_for_it() -> None:
    assert errors(f"{BASE}mode: Complete\n") == [
        (
            "unknown-key",
            "`mode` can't be chosen: units are deployed as stacks that detach: nothing is deleted that was not planned",
        )
    ]
    assert "Complete" not in json.dumps([unit.template for unit in units(BASE)])


def test_c71_an_image_that_changes_by_itself_is_warned_of() -> None:
    latest = pool(image="microsoft-dsvm:ubuntu-hpc:2204:latest")

    assert rules(latest) == {"image-version-latest": "warning"}


SCOPE = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/g/providers"
IDS = {
    "identities": [f"{SCOPE}/Microsoft.ManagedIdentity/userAssignedIdentities/train"],
    "image": f"{SCOPE}/Microsoft.Compute/galleries/g/images/hpc/versions/1.2.3",
}


@pytest.mark.parametrize("key", IDS)
@pytest.mark.parametrize("root", ["C:/Program Files/Git", "D:\\git"])
def test_c87_an_id_that_a_shell_has_rewritten_is_told_as_such(key: str, root: str) -> None:
    assert rules(pool(**{key: IDS[key]})) == {}
    rewritten = json.loads(json.dumps(IDS[key]).replace("/subscriptions", json.dumps(root)[1:-1] + "/subscriptions"))

    (found,) = checked(pool(**{key: rewritten})).findings

    assert found.rule == "invalid-value"
    assert root in found.message
    assert found.fix == (
        "this looks like a resource id that Git Bash has rewritten as a path of Windows: begin it with two slashes "
        "where it is typed, or set MSYS_NO_PATHCONV=1"
    )


def test_c91_six_mistakes_are_six_findings_of_one_run_by_line() -> None:
    text = (
        pool(size="Standard_ND96isr_H100_v6", image="one:two", min_nodes=9, nonsense=1)
        .replace('{zone: "1"}', '{zone: "7"}')
        .replace("name: case", "name: ca.se")
    )

    found = [(each.line, each.rule) for each in checked(text).findings if each.severity == "error"]

    assert found == sorted(found, key=lambda each: each[0])
    assert sorted(rule for _, rule in found) == [
        "invalid-value",
        "invalid-value",
        "invalid-value",
        "min-max-nodes",
        "size-unknown",
        "unknown-key",
    ]
