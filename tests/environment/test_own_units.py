"""Units of one's own: what in them must hold together, and the folder that their templates are in."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from provision.adapters.files import load_catalog
from provision.environment import OwnTemplates, own_templates_of
from provision.errors import FileError
from provision.pipeline import check
from tests.support.topologies import an_environment
from tests.support.worlds import HOMES, KEY

ACCOUNT = '{type: Microsoft.NetApp/netAppAccounts, api_version: "2025-06-01", name: homes}'


def messages(before: str, after: str) -> list[tuple[str, str, str]]:
    """Return (path, message, fix) of each error of the environment with something replaced in it."""
    assert before in HOMES
    text = HOMES.replace(before, after)
    found = check(
        "env.yaml",
        lambda path: text if path == "env.yaml" else KEY,
        load_catalog(),
        read_folder=lambda folder: dict.fromkeys(("netapp-volume/arm.json.j2", "netapp-volume/bicep.j2"), ""),
    )
    return [(each.path, each.message, each.fix) for each in found.findings if each.severity == "error"]


RESOURCES = "units.home.resources"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "name: homes/fast}",
            "name: homes-fast}",
            [
                (
                    f"{RESOURCES}.pool.name",
                    "the name homes-fast has 1 parts; one of the type Microsoft.NetApp/netAppAccounts/capacityPools "
                    "has 2",
                    "write <netAppAccounts>/<capacityPools>, each with its own name",
                ),
                (
                    f"{RESOURCES}.volume",
                    "its parent, Microsoft.NetApp/netAppAccounts/capacityPools homes/fast, does not stand above it",
                    "state the parent above it in the same unit",
                ),
            ],
        ),
        (
            f"      account: {ACCOUNT}\n",
            "",
            [
                (
                    f"{RESOURCES}.pool",
                    "its parent, Microsoft.NetApp/netAppAccounts homes, does not stand above it",
                    "state the parent above it in the same unit",
                )
            ],
        ),
        (
            f"account: {ACCOUNT}",
            f"account: {ACCOUNT}\n      in: {ACCOUNT.replace('homes', 'more')}",
            [(f"{RESOURCES}.in", "in is a word of Bicep's own", "name it otherwise, such as in_1")],
        ),
        (
            f"account: {ACCOUNT}",
            f"account: {ACCOUNT}\n      more: {ACCOUNT.replace('homes', 'more').replace('06-01', '07-01')}",
            [
                (
                    f"{RESOURCES}.more.api_version",
                    "Microsoft.NetApp/netAppAccounts stands in this unit by the API versions 2025-06-01 and 2025-07-01",
                    "write the same for both",
                )
            ],
        ),
        (
            "name: homes/fast/home}",
            "name: homes/fast/home, after: [account, volume, other]}",
            [
                (
                    f"{RESOURCES}.volume.after[1]",
                    "volume comes after volume, which does not stand above it",
                    "write one of account, pool",
                ),
                (
                    f"{RESOURCES}.volume.after[2]",
                    "volume comes after other, which is none of this unit's resources",
                    "write one of account, pool",
                ),
            ],
        ),
        (
            "name: homes/fast/home}",
            "name: homes/fast/Providers}",
            [
                (
                    f"{RESOURCES}.volume",
                    "`providers` is a word of resource ids, and no type or name here",
                    "write another",
                )
            ],
        ),
        (
            "    template: netapp-volume\n",
            "    template: netapp-volume\n    regions: [southcentralus, westus, southcentralus]\n",
            [
                (
                    "units.home.regions[1]",
                    "unit home is deployed in westus, which is none of this environment's regions (southcentralus)",
                    "add westus to `regions`",
                ),
                ("units.home.regions[2]", "southcentralus stands here twice", "take one out"),
            ],
        ),
        (
            "      volume:\n",
            "      the-volume:\n",
            [
                (
                    f"{RESOURCES}.the-volume",
                    "the name the-volume can't be used; it must be small letters, digits and underscores, beginning "
                    "with a letter",
                    "write something like volume",
                )
            ],
        ),
        (
            "name: homes}",
            "name: ../homes}",
            [
                (
                    f"{RESOURCES}.account.name",
                    'units.home.resources.account.name is the text "../homes"; it must be a name, with its parents\' '
                    "names and a slash in front where it is a child",
                    "write something like account/pool",
                ),
                (  # what cannot be read is not there for the others
                    f"{RESOURCES}.pool",
                    "its parent, Microsoft.NetApp/netAppAccounts homes, does not stand above it",
                    "state the parent above it in the same unit",
                ),
            ],
        ),
        (
            "[properties.usageThreshold]",
            "[properties..a]",
            [
                (
                    "units.home.in_place[0]",
                    'units.home.in_place[0] is the text "properties..a"; it must be the path of a property, with dots',
                    "write something like properties.usageThreshold",
                )
            ],
        ),
    ],
)
def test_what_does_not_hold_together_in_a_unit_is_told_with_its_place(
    before: str, after: str, expected: list[tuple[str, str, str]]
) -> None:
    assert messages(before, after) == expected


def test_a_unit_as_it_should_be_has_no_error() -> None:
    assert messages("home", "home") == []


def own_of(templates: str | None, texts: Mapping[str, str] | None, file: str = "dir/env.yaml") -> OwnTemplates:
    def read(folder: str) -> Mapping[str, str]:
        assert folder == "dir/own"
        if texts is None:
            raise FileError(folder, "there is no such folder", fix="make it")
        return texts

    return own_templates_of(an_environment(templates=templates), file, read)


def test_the_folder_stands_beside_the_file_that_names_it() -> None:
    own = own_of("own", {"b/arm.json.j2": "", "a/arm.json.j2": "", "a/bicep.j2": ""})

    assert (own.refused, own.folders) == (None, ("a", "b"))
    assert (own.lacks("a"), own.lacks("b")) == ((), ("bicep.j2",))
    assert own.templates.file_of("b/arm.json.j2") == "dir/own/b/arm.json.j2"
    assert own.templates.file_of("network/arm.json.j2") == "network/arm.json.j2"


def test_without_a_folder_nothing_is_read() -> None:
    assert own_of(None, None).refused is None


def test_a_folder_that_cannot_be_used_is_refused_with_the_reason() -> None:
    assert own_of("own", None).refused == ("dir/own: there is no such folder", "make it")
    assert own_of("own", {}).refused == (
        "dir/own holds no template",
        "put a folder a template into it, with arm.json.j2 and bicep.j2",
    )


def test_a_base_s_folder_is_found_from_the_file_that_extends_it() -> None:
    files = {
        "env.yaml": "extends: base/homes.yaml\n",
        "base/homes.yaml": HOMES,
    }
    asked = []

    def read_folder(folder: str) -> Mapping[str, str]:
        asked.append(folder)
        return {"netapp-volume/arm.json.j2": "", "netapp-volume/bicep.j2": ""}

    found = check("env.yaml", lambda path: files.get(path, KEY), load_catalog(), read_folder=read_folder)

    assert (asked, found.own.folder) == (["base/own-templates"], "base/own-templates")
