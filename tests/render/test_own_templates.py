"""Templates of one's own: what they see, what they may come to, and where a mistake in one is told to be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from provision.adapters.files import environments_root, load_catalog
from provision.adapters.templates import load_templates, read_templates
from provision.arm import SECURITY_GROUPS
from provision.pipeline import rendered
from provision.render import RenderError, Unit, bicep_texts
from provision.render.arm_json import unescaped
from tests.support.bicep import resources_in
from tests.support.topologies import SUBNET
from tests.support.worlds import HOMES, QUICK, SUBSCRIPTION, checked

SAMPLE = read_templates(str(environments_root() / "own-templates"))
ARM, BICEP = "netapp-volume/arm.json.j2", "netapp-volume/bicep.j2"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/quick-southcentralus"
NETWORK = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/quick-southcentralus-vnet"
HEAD = '{"$schema": "s", "contentVersion": "1.0.0.0", "parameters": {"provision": {"type": "object"}}, '
VAULT = """\
templates: own-templates
units:
  keys:
    resources:
      vault: {type: Microsoft.KeyVault/vaults, api_version: "2024-11-01", name: quick-keys}
      rules: {type: Microsoft.Insights/dataCollectionRules, api_version: "2023-03-11", name: r, after: [vault]}
    values: {items: {get: 1, values: [true, null]}, note: "[not] an 'expression]", keys: 2}
"""


def units(text: str, templates: Mapping[str, str] | None = None) -> dict[str, Unit]:
    each = checked(text, templates=templates)
    return {unit.name: unit for unit in rendered(each, load_catalog(), load_templates())}


def resources_of(text: str, templates: Mapping[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = unescaped(units(text, templates)["keys"].template["resources"])
    return found


def a_vault(properties: str = "{}", **parts: str) -> str:
    """Return a resource of a template, with the JSON of some of its parts."""
    resource = {
        "type": "{{ unit.resources.vault.type }}",
        "apiVersion": "{{ unit.resources.vault.api_version }}",
        "name": "{{ unit.resources.vault.name }}",
        "properties": properties,
        **parts,
    }
    return "{" + ", ".join(f'"{key}": {value}' for key, value in resource.items() if value) + "}"


def rules(**parts: str) -> str:
    return a_vault(**parts).replace("resources.vault", "resources.rules")


def a_template(*resources: str, **parts: str) -> dict[str, str]:
    """Return the templates of the unit `keys`: an ARM template of some resources, and a Bicep one that is empty."""
    more = "".join(f', "{key}": {value}' for key, value in parts.items())
    listed = ",\n".join(resources)
    text = HEAD + f'"resources": [\n{listed}\n]{more}' + "}"
    return {"keys/arm.json.j2": text, "keys/bicep.j2": ""}


def refusal(templates: Mapping[str, str], text: str = QUICK + VAULT) -> str:
    with pytest.raises(RenderError) as raised:
        units(text, templates)
    return f"{raised.value.file}:{raised.value.line}: {raised.value.message}"


def test_a_unit_waits_for_its_region_s_network_and_is_a_stack_of_its_own() -> None:
    found = units(HOMES)

    assert list(found) == ["network", "train-0", "home"]
    home = found["home"]
    assert (home.stack, home.group, home.after) == (
        "quick.home",
        "quick-southcentralus",
        (("southcentralus", "network"),),
    )
    assert found["train-0"].after == (("southcentralus", "network"),)


def test_bicep_states_what_arm_json_states() -> None:
    each = checked(HOMES)
    assert each.topology is not None
    texts = bicep_texts(each.topology, load_catalog(), load_templates(), each.own)

    stated = unescaped(units(HOMES)["home"].template["resources"])
    assert len(stated) == 3
    assert resources_in(texts["southcentralus", "home"], SUBSCRIPTION, "quick-southcentralus") == stated


def test_a_template_sees_its_unit_the_file_s_values_and_the_ids_of_its_region() -> None:
    seen = (
        "name location zone tags group group_id virtual_network_id nodes_subnet_id security_group_id values "
        "values.items values.items.get values.items.values values.note values.keys "
        "resources.rules.id resources.rules.own_name resources.rules.declaration resources.rules.depends_on"
    )
    body = ", ".join(f'"{path}": {{{{ unit.{path} }}}}' for path in seen.split())
    properties = resources_of(QUICK + VAULT, a_template(a_vault("{" + body + "}"), rules()))[0]["properties"]

    vault = f"{GROUP}/providers/Microsoft.KeyVault/vaults/quick-keys"
    items = {"get": 1, "values": [True, None]}
    assert properties == {
        "name": "keys",
        "location": "southcentralus",
        "zone": "1",
        "tags": {"owner": "ml", "provision": "quick/keys"},
        "group": "quick-southcentralus",
        "group_id": GROUP,
        "virtual_network_id": NETWORK,
        "nodes_subnet_id": f"{NETWORK}/subnets/nodes",
        "security_group_id": f"{GROUP}/providers/{SECURITY_GROUPS}/quick-southcentralus-nodes-nsg",
        "values": {"items": items, "note": "[not] an 'expression]", "keys": 2},
        "values.items": items,
        "values.items.get": 1,
        "values.items.values": [True, None],
        "values.note": "[not] an 'expression]",
        "values.keys": 2,
        "resources.rules.id": f"{GROUP}/providers/Microsoft.Insights/dataCollectionRules/r",
        "resources.rules.own_name": "r",
        "resources.rules.declaration": "Microsoft.Insights/dataCollectionRules@2023-03-11",
        "resources.rules.depends_on": [vault],
    }


def test_in_an_existing_subnet_there_is_its_network_and_no_security_group_of_ours() -> None:
    text = QUICK.replace('{zone: "1"}', f"{{subnets: {{nodes: {SUBNET}}}}}") + VAULT
    body = ", ".join(
        f'"{name}": {{{{ unit.{name} }}}}' for name in ("virtual_network_id", "nodes_subnet_id", "security_group_id")
    )

    found = units(text, a_template(a_vault("{" + body + "}"), rules()))["keys"]

    assert found.after == ()
    assert found.template["resources"][0]["properties"] == {
        "virtual_network_id": SUBNET.partition("/subnets/")[0],
        "nodes_subnet_id": SUBNET,
        "security_group_id": None,
    }


def test_resources_stand_in_the_order_of_making_whatever_the_template_s() -> None:
    found = resources_of(QUICK + VAULT, a_template(rules(), a_vault()))

    assert [each["name"] for each in found] == ["quick-keys", "r"]


@pytest.mark.parametrize("path", ["unit.values.items.pop", "unit.values.copy", "unit.resources.items", "unit.tags.get"])
def test_what_a_map_does_not_hold_is_not_there_though_python_has_it(path: str) -> None:
    name = path.rpartition(".")[2]

    assert refusal(a_template(a_vault("{{ " + path + " }}"), rules())) == (
        f"own-templates/keys/arm.json.j2:2: 'dict object' has no attribute '{name}' (for units.keys in southcentralus)"
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("{\n{{ unit.tags|length }}", 2, "a filter is not allowed in a template"),
        ("{\n\n{{ unit.name + 1 }}", 3, "arithmetic is not allowed in a template"),
        ("{{ unit.tags.items() }}", 1, "a call of anything but a macro is not allowed in a template"),
        ('{"a": "[resourceGroup().id]"}', 1, "[resourceGroup().id] is an ARM expression"),
        ("{% if %}", 1, "Expected an expression, got 'end of statement block'"),
        ("{\n{% include 'no/arm.json.j2' %}", 2, "there is no template 'no/arm.json.j2'"),
        ("{}\n{{ unit.no }}", 2, "has no attribute 'no' (for units.keys in southcentralus)"),
        ('{"a": {{ unit }}}', 1, "a value of type OwnUnitLayout has no literal in ARM JSON (for units.keys in"),
        ("{\n  oops\n}", 0, "what it makes of units.keys in southcentralus is no JSON: Expecting property name"),
        ("[" * 100_000, 0, "what it makes of units.keys in southcentralus is no JSON"),
        ('{"a": 1, "a": 2}', 0, 'the key "a" stands twice in one object'),
    ],
)
def test_a_mistake_is_told_at_its_line_of_the_user_s_own_file(text: str, line: int, message: str) -> None:
    found = refusal({"keys/arm.json.j2": text, "keys/bicep.j2": ""})

    assert found.startswith(f"own-templates/keys/arm.json.j2:{line}: ")
    assert message in found


def test_a_mistake_in_bicep_is_told_in_bicep_s_file() -> None:
    each = checked(
        QUICK + VAULT, templates=a_template(a_vault(), rules()) | {"keys/bicep.j2": "\nname: '{{ unit.name }}"}
    )
    assert each.topology is not None

    with pytest.raises(RenderError) as raised:
        bicep_texts(each.topology, load_catalog(), load_templates(), each.own)

    assert (raised.value.file, raised.value.line) == ("own-templates/keys/bicep.j2", 2)


_TWO = (a_vault(), rules())
_TOLD = "Microsoft.KeyVault/vaults quick-keys"


@pytest.mark.parametrize(
    ("templates", "message"),
    [
        (a_template(*_TWO, variables="{}"), "the template has `variables`; it may have $schema, contentVersion,"),
        (
            {"keys/arm.json.j2": '{"resources": []}', "keys/bicep.j2": ""},
            'the template must declare `"parameters": {"provision": {"type": "object"}}`, the record of the unit',
        ),
        ({"keys/arm.json.j2": HEAD + '"resources": {}}', "keys/bicep.j2": ""}, "`resources` is no list of resources"),
        (a_template("1"), "`resources` is no list of resources"),
        (a_template(a_vault(name="")), "a resource has no text as its `name`"),
        (a_template(a_vault(type="7")), "a resource has no text as its `type`"),
        (a_template(a_vault(condition="false"), rules()), f"{_TOLD} has `condition`, which has no place here"),
        (a_template(a_vault(copy="{}"), rules()), f"{_TOLD} has `copy`, which has no place here"),
        (a_template(a_vault(scope='"/"'), rules()), f"{_TOLD} has `scope`, which has no place here"),
        (a_template(a_vault(resources="[]"), rules()), f"{_TOLD} has `resources`, which has no place here"),
        (a_template(a_vault(resourceGroup='"a"'), rules()), f"{_TOLD} has `resourceGroup`, which has no place here"),
        (a_template(a_vault(name='"a/b"')), "Microsoft.KeyVault/vaults a/b has not as many parts in its name as in"),
        (a_template(a_vault(tags="[]"), rules()), f"the `tags` of {_TOLD} are no map"),
        (a_template(a_vault(dependsOn='"a"'), rules()), f"`dependsOn` of {_TOLD} is no list of ids"),
        (a_template(a_vault('{"a": [1.5]}'), rules()), f"{_TOLD} holds 1.5, a number with a fraction, for which Bicep"),
        (
            a_template(a_vault(tags='{"owner": "ml"}'), rules()),
            f"{_TOLD} has not our mark, the tag provision: quick/keys; give it the tags that the template gets",
        ),
        (
            a_template(a_vault(tags='{"Provision": "quick/other"}'), rules()),
            f"{_TOLD} has not our mark, the tag provision: quick/keys; give it the tags that the template gets",
        ),
        (a_template(a_vault(), a_vault(), rules()), f"{_TOLD} is stated twice"),
        (
            a_template(a_vault()),
            "Microsoft.Insights/dataCollectionRules r is declared in the environment file, and not",
        ),
        (
            a_template(*_TWO, a_vault(name='"other"')),
            "Microsoft.KeyVault/vaults other is none of the resources that the environment file declares",
        ),
        (
            a_template(*_TWO, a_vault(type='"Microsoft.Resources/deployments"', name='"more"')),
            "Microsoft.Resources/deployments more is none of the resources that the environment file declares",
        ),
        (
            a_template(a_vault(apiVersion='"2023-07-01"'), rules()),
            f"{_TOLD} has the API version 2023-07-01; 2024-11-01 is declared",
        ),
        (
            a_template(a_vault(dependsOn='["quick-keys"]'), rules()),
            f"{_TOLD} depends on quick-keys, which this unit does not state",
        ),
        (
            a_template(a_vault(dependsOn="[{{ unit.virtual_network_id }}]"), rules()),
            f"{_TOLD} depends on {NETWORK}, which this unit does not state",
        ),
    ],
)
def test_what_could_not_be_compared_or_deleted_is_refused(templates: Mapping[str, str], message: str) -> None:
    found = refusal(templates)

    assert found.startswith("own-templates/keys/arm.json.j2:0: " + message), found
    assert found.endswith("(for units.keys in southcentralus)")


def test_templates_may_include_each_other() -> None:
    shared = a_vault("{% include 'shared/arm.json.j2' %}")
    templates = a_template(shared, rules()) | {
        "shared/arm.json.j2": '{"a": {{ unit.values.keys }}}',
        "shared/bicep.j2": "",
    }

    assert resources_of(QUICK + VAULT, templates)[0]["properties"] == {"a": 2}


# --- in front of the built-in ones ---

BUILT_IN = {name: text for name, text in load_templates().items() if name.startswith("network/")}
OWN = "templates: own-templates\n"


def network_with(before: str, after: str) -> dict[str, str]:
    text = BUILT_IN["network/arm.json.j2"]
    assert before in text
    return {**BUILT_IN, "network/arm.json.j2": text.replace(before, after, 1)}


def test_a_template_of_a_built_in_name_takes_its_place_and_the_others_stay() -> None:
    plain = units(QUICK)
    found = units(QUICK + OWN, network_with('"allow-ssh"', '"let-ssh-in"'))

    assert "let-ssh-in" in found["network"].text
    assert found["network"].text == plain["network"].text.replace("allow-ssh", "let-ssh-in")
    assert found["train-0"] == plain["train-0"]


_GROUP_HEAD = '"tags": {{ network.tags }},\n      "properties": {\n        "securityRules"'


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            _GROUP_HEAD,
            '"properties": {"securityRules"',
            f"{SECURITY_GROUPS} quick-southcentralus-nodes-nsg has not our mark, the tag provision: quick/network",
        ),
        (
            "{{ network.security_group.type }}",
            '"Microsoft.Network/routeTables"',
            "Microsoft.Network/routeTables quick-southcentralus-nodes-nsg is of a type that we do not make ourselves; "
            "state it in a unit under `units`",
        ),
        (
            "{{ network.nat_gateway.depends_on }}",
            '["other"]',
            "Microsoft.Network/natGateways quick-southcentralus-nat depends on other, which this unit does not state",
        ),
    ],
)
def test_what_takes_a_built_in_one_s_place_keeps_to_its_rules(before: str, after: str, message: str) -> None:
    found = refusal(network_with(before, after), QUICK + OWN)

    assert found.startswith(f"own-templates/network/arm.json.j2:0: {message}"), found


def test_a_resource_that_two_units_state_is_refused() -> None:
    network = units(QUICK)["network"].template["resources"][0]
    scale_set = {name: text for name, text in load_templates().items() if name.startswith("scale-set/")}
    group = (
        f'{{"type": "{network["type"]}", "apiVersion": "{network["apiVersion"]}", "name": "{network["name"]}", '
        '"location": {{ scale_set.location }}, "tags": {{ scale_set.tags }}, "properties": {}},'
    )
    text = re.sub(r'("resources": \[)', r"\1" + group.replace("\\", ""), scale_set["scale-set/arm.json.j2"], count=1)

    found = refusal({**scale_set, "scale-set/arm.json.j2": text}, QUICK + OWN)

    assert found == (
        "own-templates/scale-set/arm.json.j2:0: Microsoft.Network/networkSecurityGroups "
        "quick-southcentralus-nodes-nsg is stated by unit network and by unit train-0"
    )


def test_a_unit_that_is_larger_than_azure_takes_is_told_before_anything_is_sent() -> None:
    note = "x" * 4_200_000
    made = a_vault(properties=f'{{"note": "{note}"}}') + ", " + rules()
    with pytest.raises(
        RenderError, match=r"unit keys in southcentralus comes to 4,2\d\d,\d{3} bytes, as compact JSON; "
    ):
        units(QUICK + VAULT, {"keys/arm.json.j2": f'{HEAD}"resources": [{made}]}}', "keys/bicep.j2": ""})
