"""Security rules: what one may say, and rules as resources of their own inside their group."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, Json, a_stack, group_id, network_id, network_path, refusal

GROUP = network_id("networkSecurityGroups/nsg")


def a_rule(name: str = "ssh", **changes: Any) -> Json:
    properties = {
        "priority": 100,
        "direction": "Inbound",
        "access": "Allow",
        "protocol": "Tcp",
        "sourcePortRange": "*",
        "sourceAddressPrefix": "203.0.113.0/24",
        "destinationPortRange": "22",
        "destinationAddressPrefix": "*",
    }
    stated = {key: value for key, value in {**properties, **changes}.items() if value is not None}
    return {"name": name, "properties": stated}


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def put_group(azure: Azure, *rules: Json) -> Any:
    answer = azure.ask(
        "PUT",
        network_path("networkSecurityGroups/nsg"),
        {"location": "eastus", "properties": {"securityRules": list(rules)}},
    )
    azure.wait(30)
    return answer


def put_rule(azure: Azure, name: str, wait: float = 30, **changes: Any) -> Any:
    answer = azure.ask("PUT", network_path(f"networkSecurityGroups/nsg/securityRules/{name}"), a_rule(name, **changes))
    azure.wait(wait)
    return answer


def rules(azure: Azure) -> list[str | None]:
    return [rule.name for rule in azure.network.security_rules.list("rg", "nsg")]


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        (
            {"priority": 99},
            "SecurityRuleInvalidPriority",
            "Security rule has invalid Priority. Value provided: 99. Allowed range 100-4096. Rule ssh.",
        ),
        (
            {"destinationPortRange": "22-"},
            "SecurityRuleInvalidPortRange",
            "Security rule has invalid Port range. Value provided: 22-. Value should be an integer OR integer range "
            "with '-' delimiter. Valid range 0-65535.",
        ),
        (
            {"destinationPortRange": "22-21"},
            "SecurityRuleInvalidPortRange",
            "Security rule has invalid Port range. Value provided: 22-21. Value should be an integer OR integer range "
            "with '-' delimiter. Valid range 0-65535.",
        ),
        (
            {"sourceAddressPrefix": "any"},
            "SecurityRuleInvalidAddressPrefix",
            f"Security rule {GROUP}/securityRules/ssh has invalid Address prefix. Value provided: any",
        ),
        (
            {"sourceAddressPrefix": "203.0.113.1/24"},
            "SecurityRuleInvalidAddressPrefix",
            f"Security rule {GROUP}/securityRules/ssh has invalid Address prefix. Value provided: 203.0.113.1/24",
        ),
        (
            {"destinationAddressPrefix": None},
            "SecurityRuleParameterMissing",
            'Required security rule parameters are missing for security rule with name "ssh". Security rule must '
            "specify DestinationAddressPrefixes, DestinationAddressPrefix, or DestinationApplicationSecurityGroups.",
        ),
        (
            {"destinationAddressPrefix": None, "destinationAddressPrefixes": ["Internet"]},
            "SecurityRuleParameterContainsUnsupportedValue",
            f"Security rule parameter DestinationAddressPrefix for rule with Id {GROUP}/securityRules/ssh cannot "
            "specify existing VIRTUALNETWORK, INTERNET, AZURELOADBALANCER, '*' or system tags. "
            "Unsupported value used: Internet.",
        ),
        (
            {"destinationPortRange": None, "destinationPortRanges": ["22", "*"]},
            "SecurityRuleParameterContainsInvalidPortRanges",
            f"Security rule {GROUP}/securityRules/ssh cannot have '*' among its DestinationPortRanges.",
        ),
    ],
)
def test_a_rule_that_azure_would_not_take_is_refused(azure: Azure, changes: Json, code: str, message: str) -> None:
    begin = azure.network.network_security_groups.begin_create_or_update
    body = {"location": "eastus", "properties": {"securityRules": [a_rule(**changes)]}}

    assert refusal(begin, "rg", "nsg", body) == (400, code, message)


@pytest.mark.parametrize(
    "changes",
    [
        {"sourceAddressPrefix": "Storage.EastUS"},
        {"sourceAddressPrefix": "azurecloud"},
        {"sourceAddressPrefix": "2001:db8::/32"},
        {"sourceAddressPrefix": None, "sourceAddressPrefixes": ["10.0.0.0/24", "10.1.0.4"]},
        {"destinationPortRange": None, "destinationPortRanges": ["22", "8000-8999"]},
        {"protocol": "*", "priority": 4096},
    ],
)
def test_a_rule_as_azure_wants_it_is_taken(azure: Azure, changes: Json) -> None:
    assert put_group(azure, a_rule(**changes)).status == 201


def test_two_rules_of_one_name_are_refused(azure: Azure) -> None:
    answer = put_group(azure, a_rule("ssh"), a_rule("SSH", priority=200))

    assert answer.json()["error"] == {
        "code": "InvalidRequestFormat",
        "message": "Cannot parse the request.",
        "details": [
            {
                "code": "DuplicateResourceName",
                "message": f"Resource {GROUP} has two child resources with the same name (SSH).",
            }
        ],
    }


def test_a_group_holds_so_many_rules_and_no_more(azure: Azure) -> None:
    many = [a_rule(f"r{number}", priority=100 + number) for number in range(1000)]

    assert put_group(azure, *many).status == 201
    assert put_rule(azure, "one-more", priority=4000).status == 400


def test_rules_are_written_read_and_deleted_alone(azure: Azure) -> None:
    put_group(azure, a_rule("ssh"))

    made = azure.start(
        azure.network.security_rules.begin_create_or_update, "rg", "nsg", "https", a_rule("https", priority=110)
    )
    azure.wait(30)
    found = azure.network.security_rules.get("rg", "nsg", "https").as_dict()
    listed = rules(azure)
    azure.start(azure.network.security_rules.begin_delete, "rg", "nsg", "ssh")
    azure.wait(30)

    assert (made.status, made.body["properties"]["provisioningState"]) == (201, "Updating")
    assert found["id"] == f"{GROUP}/securityRules/https"
    assert found["properties"]["priority"] == 110
    assert listed == ["https", "ssh"]
    assert rules(azure) == ["https"]
    group = azure.get(GROUP)["properties"]
    assert [rule["name"] for rule in group["securityRules"]] == ["https"]


def test_a_group_shows_its_rules_in_the_order_in_which_they_were_stated(azure: Azure) -> None:
    put_group(azure, a_rule("z", priority=300), a_rule("a", priority=200))
    put_rule(azure, "m", priority=250)
    put_rule(azure, "z", priority=301)

    assert [rule["name"] for rule in azure.get(GROUP)["properties"]["securityRules"]] == ["z", "a", "m"]


def test_a_group_written_without_rules_has_none(azure: Azure) -> None:
    put_group(azure, a_rule("ssh"))

    azure.put(GROUP, {"location": "eastus", "properties": {}})

    assert rules(azure) == []


def test_a_rule_alone_meets_those_that_are_there(azure: Azure) -> None:
    put_group(azure, a_rule("ssh"))

    answer = put_rule(azure, "other")

    assert answer.json()["error"]["code"] == "SecurityRuleConflict"
    assert put_rule(azure, "out", direction="Outbound").status == 201


def test_rules_of_one_group_are_written_one_at_a_time(azure: Azure) -> None:
    put_group(azure)

    first, second = put_rule(azure, "ssh", wait=0), put_rule(azure, "https", wait=0, priority=110)

    assert (first.status, second.status) == (201, 409)
    assert second.json()["error"]["code"] == "AnotherOperationInProgress"


def test_the_default_rules_can_be_read_and_not_written(azure: Azure) -> None:
    put_group(azure)
    client = azure.network.default_security_rules

    found = [(rule.name, rule.as_dict()["properties"]["access"]) for rule in client.list("rg", "nsg")]

    assert found == [
        ("AllowVnetInBound", "Allow"),
        ("AllowAzureLoadBalancerInBound", "Allow"),
        ("DenyAllInBound", "Deny"),
        ("AllowVnetOutBound", "Allow"),
        ("AllowInternetOutBound", "Allow"),
        ("DenyAllOutBound", "Deny"),
    ]
    assert client.get("rg", "nsg", "DenyAllInBound").name == "DenyAllInBound"
    assert refusal(client.get, "rg", "nsg", "none")[:2] == (404, "NotFound")


def test_a_stack_may_write_a_rule_of_a_group_and_take_it_away_again(azure: Azure) -> None:
    put_group(azure, a_rule("ssh"))
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    kind = "Microsoft.Network/networkSecurityGroups/securityRules"
    rule = {
        "type": kind,
        "apiVersion": "2025-05-01",
        "name": "nsg/https",
        "properties": a_rule(priority=110)["properties"],
    }

    azure.ask("PUT", path, a_stack(rule, unmanaged="delete"))
    azure.wait(60)
    made = rules(azure)
    azure.ask("PUT", path, a_stack(unmanaged="delete"))
    azure.wait(120)

    assert (made, rules(azure)) == (["https", "ssh"], ["ssh"])


def test_the_world_shows_rules_inside_their_group_and_takes_them_back(azure: Azure) -> None:
    put_group(azure, a_rule("b", priority=200), a_rule("a"))
    before = azure.world["resources"]

    azure.set_world(resources=before)

    assert [row["name"] for row in before] == ["nsg"]
    assert [rule["name"] for rule in azure.get(GROUP)["properties"]["securityRules"]] == ["b", "a"]
