"""Failures that people in the field reported, from reading a file to rendering it; each by its id."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provision.adapters.files import load_catalog, read_text
from provision.adapters.templates import load_templates
from provision.environment import Loaded
from provision.errors import FileError
from provision.pipeline import check, rendered
from provision.render import documents
from provision.render.errors import RenderError
from tests.environment.texts import REST, TOP, loaded, said
from tests.support.bicep import value_of
from tests.support.nasty import NASTY
from tests.support.worlds import KEY, QUICK, checked

POOL = "size: Standard_ND96isr_H100_v5, nodes: 16, ssh_public_key_file: key.pub"


def told(result: Loaded) -> list[tuple[str, str, str]]:
    """Return each finding's rule, message and fix."""
    return [(finding.rule, finding.message, finding.fix) for finding in result.findings]


def in_pool(line: str) -> Loaded:
    """Return an environment whose pool has one more key, as loaded; a key of the pool's own is given anew."""
    key = line.partition(":")[0]
    rest = ", ".join(part for part in POOL.split(", ") if not part.startswith(f"{key}:"))
    return loaded(text=TOP + f"regions: {{southcentralus: }}\npools:\n  train: {{{rest}, {line}}}\n")


def tagged(values: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the tags of a network's first resource in ARM JSON, unread by ARM, and in Bicep, read back.

    The values come from variables, so that any text can be one.
    """
    text = QUICK.replace("tags: {owner: ml}", "tags: {" + ", ".join(f'{name}: "${{{name}}}"' for name in values) + "}")
    found = check("quick.yaml", lambda path: text if path == "quick.yaml" else KEY, load_catalog(), variables=values)
    assert found.topology is not None, found.findings
    unit = rendered(found, load_catalog(), load_templates())[0]
    bicep = documents(found.topology, load_catalog(), load_templates(), ("bicep",))["southcentralus/network.bicep"]
    shown = re.search(r"\n  tags: (\{.*?\n  \})", bicep, re.DOTALL)
    assert shown is not None
    arm = {key: as_arm_reads(value) for key, value in unit.template["resources"][0]["tags"].items()}
    return _ours_left_out(arm), _ours_left_out(value_of(shown.group(1)))


def as_arm_reads(text: str) -> str:
    """Return the text that ARM deploys: `[[…]` is an escaped `[…]`; `[…]` would be an expression."""
    assert not (text.startswith("[") and text.endswith("]") and not text.startswith("[[")), text
    return text[1:] if text.startswith("[[") and text.endswith("]") else text


def _ours_left_out(tags: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tags.items() if key != "provision"}


# C33: duplicate keys


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 1\n" + TOP + REST, "version is given twice, in lines 1 and 2"),
        (TOP + "pools: {}\n" + REST, "pools is given twice, in lines 4 and 6"),
        (
            TOP + REST.replace("nodes: 16", 'nodes: 16, "nodes": 61'),
            "pools.train.nodes is given twice, in lines 5 and 5",
        ),
        (
            TOP + "suppress: [{rule: x, at: y, reason: z, at: w}]\n" + REST,
            "suppress[0].at is given twice, in lines 4 and 4",
        ),
    ],
    ids=["top", "block", "quotes", "list"],
)
def test_c33_of_two_equal_keys_neither_wins_silently(text: str, message: str) -> None:
    result = loaded(text=text)

    assert result.environment is None
    assert ("duplicate-key", message, "keep one of the two") in told(result)


def test_c33_overriding_a_merged_key_is_no_duplicate() -> None:
    text = (
        "x-pool: &pool {" + POOL + "}\n" + TOP + "regions: {southcentralus: }\npools: {train: {<<: *pool, nodes: 61}}\n"
    )
    result = loaded(text=text)

    assert result.findings == ()
    assert result.environment is not None
    assert result.environment.pools["train"].nodes == 61


# C34: no, on, off, yes


@pytest.mark.parametrize("word", ["no", "NO", "No", "yes", "on", "off", "y", "n"])
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("tags: {country: WORD}", "tags.country"),
        ("name: WORD", "name"),
        ("network: {bastion: WORD}", "network.bastion"),
    ],
)
def test_c34_a_word_that_becomes_a_truth_value_is_an_error_that_shows_it(word: str, text: str, path: str) -> None:
    top = TOP if not text.startswith("name") else TOP.replace("name: train\n", "")
    result = loaded(text=top + text.replace("WORD", word) + "\n" + REST)
    value = "true" if word[0] in "yY" or word == "on" else "false"

    assert told(result) == [
        (
            "ambiguous-scalar",
            f"{path} is {word} without quotes, which YAML takes for {value}",
            f'quote it: "{word}"; if you mean {value}, write {value}',
        )
    ]


def test_c34_such_a_word_as_a_key_or_in_quotes_is_itself() -> None:
    result = loaded('tags: {no: "no", "on": "off", y: "yes"}\n')

    assert result.environment is not None
    assert result.environment.tags == {"no": "no", "on": "off", "y": "yes"}


# C35: leading zeros


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("020222070707", "the octal number 2185785799"),
        ("0528123", "the number 528123"),
        ("0755", "the octal number 493"),
        ("09", "the number 9"),
        ("1_000", "the number 1000"),
        ("0x1F", "the hexadecimal number 31"),
        ("1e3", "the number 1000.0"),
    ],
)
def test_c35_digits_that_become_another_number_are_an_error_that_shows_both(text: str, becomes: str) -> None:
    result = loaded(f"tags: {{cost-center: {text}}}\n")

    assert [(rule, message) for rule, message, _ in told(result)] == [
        ("ambiguous-scalar", f"tags.cost-center is {text} without quotes, which YAML takes for {becomes}")
    ]
    assert result.findings[0].fix.startswith(f'quote it: "{text}"')


def test_c35_digits_in_quotes_reach_the_rendering_as_typed() -> None:
    values = {"a": "020222070707", "b": "0528123", "c": "0755", "d": "09", "e": "1_000", "f": "0x1F", "g": "1e3"}

    assert tagged(values) == (values, values)


# C38: merge keys


def test_c38_what_an_override_of_a_merged_block_drops_is_told_and_missed_at_the_override() -> None:
    text = """\
x-shared: &shared
  size: Standard_ND96isr_H100_v5
  nodes: 16
  ssh_public_key_file: key.pub
  extensions:
    monitor: {publisher: Microsoft.Azure.Monitor, type: AzureMonitorLinuxAgent, version: "1.29"}
version: 1
name: train
subscription: 00000000-0000-0000-0000-000000000001
regions: {southcentralus: }
pools:
  a: {<<: *shared}
  b:
    <<: *shared
    extensions:
      own: {publisher: me, type: Own}
"""
    result = loaded(text=text)

    assert said(result) == [
        "15:5 merge-drops-keys pools.b.extensions",
        "16:7 missing-key pools.b.extensions.own.version",
    ]
    assert result.findings[0].message == (
        "pools.b.extensions takes the place of that of the merged block &shared whole, and so drops monitor"
    )


# C40: byte-order marks and other encodings


def test_c40_one_byte_order_mark_is_read_over_and_reaches_no_output() -> None:
    plain, marked = checked(QUICK), checked("\ufeff" + QUICK)

    assert rendered(marked, load_catalog(), load_templates()) == rendered(plain, load_catalog(), load_templates())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xef\xbb\xbf\xef\xbb\xbfversion: 1\n", "byte 3: a second byte-order mark"),
        ("version: 1\n".encode("utf-16"), "byte 0: the file is UTF-16, not UTF-8"),
        ("name: größe\n".encode("latin-1"), "byte 8: 0xF6 is no UTF-8; the file may be Latin-1 or Windows-1252"),
    ],
)
def test_c40_other_encodings_are_told_with_the_byte(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "env.yaml").write_bytes(data)

    with pytest.raises(FileError) as raised:
        check(str(tmp_path / "env.yaml"), read_text, load_catalog())

    assert raised.value.message == message


# C42: truth values and numbers given as text


@pytest.mark.parametrize(
    ("line", "message", "fix"),
    [
        (
            'public_ip: "true"',
            'pools.train.public_ip is the text "true"; true or false is wanted',
            "write true, without quotes",
        ),
        (
            'protect: "false"',
            'pools.train.protect is the text "false"; true or false is wanted',
            "write false, without quotes",
        ),
        (
            'nodes: "16"',
            'pools.train.nodes is the text "16"; a whole number, or a map from region to number, is wanted',
            "write 16, without quotes",
        ),
        (
            "nodes: 16.0",
            "pools.train.nodes is the number 16.0; a whole number, or a map from region to number, is wanted",
            "write 16",
        ),
    ],
)
def test_c42_text_is_never_a_truth_value_or_a_number(line: str, message: str, fix: str) -> None:
    assert told(in_pool(line)) == [("wrong-type", message, fix)]


def test_c42_a_number_with_an_exponent_is_told_as_typed() -> None:
    assert told(in_pool("nodes: 1e1")) == [
        (
            "ambiguous-scalar",
            "pools.train.nodes is 1e1 without quotes, which YAML takes for the number 10.0",
            'quote it: "1e1"; if you mean 10, write 10',
        )
    ]


# C43: placeholders


def test_c43_six_placeholders_are_six_findings_of_one_run() -> None:
    text = """\
version: 1
name: "{{ name }}"
subscription: 00000000-0000-0000-0000-000000000000
tags: {note: "see <the wiki>"}
regions: {southcentralus: {resource_group: <NOT-SET>}}
pools:
  train: {size: TODO, nodes: 1, admin_user: changeme, ssh_public_key_file: "{{key}}"}
"""
    assert said(loaded(text=text)) == [
        "2:7 placeholder name",
        "3:15 placeholder subscription",
        "5:44 placeholder regions.southcentralus.resource_group",
        "7:17 placeholder pools.train.size",
        "7:45 placeholder pools.train.admin_user",
        "7:76 placeholder pools.train.ssh_public_key_file",
    ]


# C44: unknown keys


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Nodes", "nodes"),
        ("job-size", "job_size"),
        ("infinband", "infiniband"),
        ("placement_grop_limit", "placement_group_limit"),
        ("domainsize", "domain_size"),
        ("amdin_user", "admin_user"),
        ("os_disc", "os_disk"),
        ("priorty", "priority"),
        ("public_ips", "public_ip"),
        ("identites", "identities"),
    ],
)
def test_c44_a_misspelt_key_is_an_error_that_names_the_one_meant(typed: str, meant: str) -> None:
    rule, message, fix = told(in_pool(f"{typed}: x"))[0]

    assert (rule, message, fix) == (
        "unknown-key",
        f"pools.train has no key `{typed}`; did you mean `{meant}`?",
        f"write `{meant}`",
    )


def test_c44_a_key_at_the_wrong_level_is_told_where_it_belongs() -> None:
    result = loaded(text=TOP + REST.replace('{zone: "1"}', '{zone: "1", job_size: 4}'))

    assert told(result) == [
        (
            "unknown-key",
            "regions.southcentralus has no key `job_size`; it belongs in regions.NAME.pools.NAME or pools.NAME",
            "move it to regions.NAME.pools.NAME or pools.NAME",
        )
    ]


def test_c44_keys_of_the_users_own_may_stand_at_the_top() -> None:
    assert loaded("x-owner: {anything: [no, <b>]}\n").findings == ()


# C46: undefined variables in templates


def expressions() -> list[tuple[str, int, str]]:
    """Return each expression of the templates that are rendered for the sample: template, place, text."""
    return [
        (name, found.start(1), found.group(1))
        for name, text in load_templates().items()
        if name.startswith(("network/arm", "scale-set/arm"))
        for found in re.finditer(r"\{\{ ([a-z_]+(?:\.[a-z_]+)+) \}\}", text)
    ]


def test_c46_whatever_a_template_misses_is_an_error_with_its_place_and_never_empty_text() -> None:
    untouched = rendered(checked(), load_catalog(), load_templates())
    told: list[tuple[str, int, str]] = []
    missed: list[tuple[str, int, str]] = []
    for name, at, expression in expressions():
        templates = dict(load_templates())
        text = templates[name]
        templates[name] = text[:at] + expression + "_gone" + text[at + len(expression) :]
        try:
            assert (
                rendered(checked(), load_catalog(), templates) == untouched
            )  # a branch that this sample does not take
        except RenderError as error:
            told.append((error.file, error.line, error.message.partition(" (for ")[0].rpartition(" ")[2]))
            missed.append((name, text[:at].count("\n") + 1, f"'{expression.rpartition('.')[2]}_gone'"))

    assert told == missed
    assert len(told) > 10


# C47 and C48: values that look like code


@pytest.mark.parametrize(
    "text", ["[prod]", "[concat(parameters('adminPassword'))]", "[[x]]", "[a]b", '[{"a":1}]', "[[x", "[]"]
)
def test_c47_what_looks_like_an_expression_is_deployed_as_typed(text: str) -> None:
    assert tagged({"custom": text}) == ({"custom": text}, {"custom": text})


#: What a file may hold at all: no control characters, and nothing that breaks or turns lines.
PRINTABLE = re.compile("[\n\r\t\x20-\x7e\xa0-\u2027\u202a-\ufefe\uff00-\U0010ffff]*")


@pytest.mark.parametrize("text", [text for text in NASTY if PRINTABLE.fullmatch(text)])
def test_c48_no_text_breaks_out_of_its_place(text: str) -> None:
    assert tagged({"custom": text}) == ({"custom": text}, {"custom": text})


@given(
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0x2FFF, exclude_categories=("Cc", "Cs", "Cn")), max_size=40)
)
def test_c48_any_text_is_deployed_as_typed(text: str) -> None:
    assert tagged({"custom": text}) == ({"custom": text}, {"custom": text})
