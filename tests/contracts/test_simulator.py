"""What docs/simulator.md says is what the simulator does: every switch, effect and scenario, and the example runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from provision.simulator import __main__ as program
from provision.simulator import control, scenarios, settings
from provision.simulator.clients import SimulatedAzure
from provision.simulator.state import faults
from tests.conftest import Golden
from tests.simulator.test_plugin import run

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "simulator.md"
TEXT = DOCUMENT.read_text("utf-8")
_KINDS = {bool: "true, false", int: "number", list: "list", dict: "object"}


def section(title: str) -> str:
    """Return the text under a heading, up to the next of its level."""
    level, _, _ = title.partition(" ")
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def rows(text: str) -> list[str]:
    """Return what stands in code in the first cell of each row of the tables in a text."""
    cells = re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def with_part(text: str, name: str, table: list[str]) -> str:
    """Return the document with one of its made tables as it should be."""
    found = re.search(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- /{name} -->)", text, re.DOTALL)
    assert found is not None, name
    return text[: found.start()] + found[1] + "\n".join(["", *table, "", ""]) + found[2] + text[found.end() :]


def test_its_tables_of_settings_and_scenarios_are_those_of_the_code(golden: Golden) -> None:
    switches = ["| setting | holds | what it does |", "|---|---|---|"]
    switches += [f"| `{name}` | {_KINDS[each.kind]} | {each.does} |" for name, each in settings.SETTINGS.items()]
    named = ["| scenario | what goes wrong |", "|---|---|"]
    named += [f"| `{name}` | {scenarios.named(name)['summary']} |" for name in scenarios.names()]

    golden(DOCUMENT, with_part(with_part(TEXT, "settings", switches), "scenarios", named))


def test_it_names_every_request_of_the_control_side_and_every_part_of_the_world() -> None:
    told = section("## The control side")
    answer = SimulatedAzure().simulator.handle("GET", "http://127.0.0.1/_simulator/nothing", {}).json()["error"]

    known = [f"{method} {path}" for method, path in re.findall(r"([A-Z]+) (/_simulator/\w+)(?:,|$)", answer)]
    requests = [name for name in rows(told) if re.match("[A-Z]+ /", name)]
    assert len(known) > 10
    assert sorted(requests) == sorted(known)
    assert [name for name in rows(told) if name in control.PARTS] == list(control.PARTS)


def test_its_bodies_for_the_world_are_taken() -> None:
    (example,) = re.findall(r"_simulator/world -d '(.*?)'", section("## The control side"), re.DOTALL)

    SimulatedAzure().control.set_world(**json.loads(example))


def test_it_names_every_effect_with_an_example_that_is_taken_and_every_key() -> None:
    told = section("## Faults")
    titles = re.findall(r"^### `(.*?)`$", told, re.MULTILINE)

    assert sorted(titles) == sorted(faults.EFFECTS)
    for title in titles:
        (example,) = blocks(section(f"### `{title}`"), "json")
        fault = json.loads(example)
        assert fault["effect"] == title
        SimulatedAzure().control.fault(**fault)
        for key in faults.EFFECTS[title].keys:
            assert f"`{key.rstrip('!')}`" in section(f"### `{title}`"), key
    whole = json.loads(blocks(told, "json")[0])
    SimulatedAzure().control.fault(**whole)
    assert rows(told)[: len(faults.MATCHES)] == list(faults.MATCHES)
    for key in faults.ALWAYS:
        assert f"`{key}`" in told, key


def test_its_own_scenario_is_taken(tmp_path: Path) -> None:
    (example,) = blocks(section("## Scenarios"), "yaml")
    mine = tmp_path / "mine.yaml"
    mine.write_text(example)
    azure = SimulatedAzure()

    azure.control.play(str(mine))

    assert [fault["count"] for fault in azure.control.faults] == [20]
    assert yaml.safe_load(example)["summary"].endswith(".")


def test_it_names_every_option_of_the_program() -> None:
    told = rows(section("## Starting it"))

    options = {option for action in program.parser()._actions for option in action.option_strings}
    assert options - {"-h", "--help"} == {name.split()[0] for name in told if name.startswith("--")}


def test_its_example_for_ones_own_tests_runs(tmp_path: Path) -> None:
    (example,) = blocks(section("## In your own tests"), "python")

    ran = run(tmp_path, example, "-p", "provision.testing")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "3 passed" in ran.stdout


@pytest.mark.parametrize("name", ["set_world", "set", "fault", "drop_faults", "play", "forget", "wait", "set_nodes"])
def test_it_names_what_the_control_handle_does(name: str) -> None:
    from provision.simulator.clients import Control

    told: Any = section("## In your own tests")
    assert f"`{name}(" in told
    assert callable(getattr(Control, name))
