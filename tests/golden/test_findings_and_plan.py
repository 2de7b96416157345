"""The last stages of the samples, whole: what is found in them, and the plan against an Azure that has none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from provision.adapters.files import environments_root, load_catalog, read_text
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates, read_templates
from provision.arm import group_id
from provision.pipeline import Checked, check, planned, rendered
from provision.plan import Observed
from provision.report.findings import as_text
from provision.report.plan import plan_as_text
from tests.conftest import Golden
from tests.support.topologies import EXAMPLES, MORE_EXAMPLES

HERE = Path(__file__).parent


@pytest.fixture
def checked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Checked:
    """Return a sample, checked; its file is named as somebody in the checkout would name it."""
    monkeypatch.chdir(environments_root().parent)
    return check(f"environments/{request.param}.yaml", read_text, load_catalog(), read_folder=read_templates)


@pytest.mark.parametrize(("checked", "name"), [(name, name) for name in EXAMPLES], indirect=["checked"])
def test_the_findings_of_a_sample_are_as_reviewed(checked: Checked, name: str, golden: Golden) -> None:
    golden(HERE / name / "findings.txt", as_text(checked.findings, files=1))


@pytest.mark.parametrize(
    ("checked", "name"), [(name, name) for name in (*EXAMPLES, *MORE_EXAMPLES)], indirect=["checked"]
)
def test_the_first_plan_of_a_sample_is_as_reviewed(checked: Checked, name: str, golden: Golden) -> None:
    units = rendered(checked, load_catalog(), load_templates())
    plan = planned(checked, units, Observed(given_groups(checked), {}, {}, ()), load_catalog(), load_policies())

    golden(HERE / name / "plan.txt", plan_as_text(plan))


def given_groups(checked: Checked) -> dict[str, dict[str, str]]:
    """Return the resource groups that a sample takes for given, as Azure has them."""
    assert checked.topology is not None
    given = [region for region in checked.topology.regions if region.group_is_given]
    ids = {region.name: group_id(checked.topology.subscription, region.group) for region in given}
    return {id.key: {"id": id, "name": id.name, "location": region} for region, id in ids.items()}
