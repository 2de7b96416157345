"""The published shape of a plan's document, `schema/plan.schema.json`: what may stand in it, and of which type.

Strict, for what is read back is carried out: nothing is coerced, and nothing unknown is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from provision.plan.model import Action, Drift

#: What an operation can be. Nothing else is ever carried out.
Kind = Literal["put-group", "put-stack", "delete", "delete-instances", "await-empty", "delete-stack", "delete-group"]

_ACTIONS = "|".join(action.label for action in Action)
_DRIFTS = "|".join(drift.label for drift in Drift)
_ActionName = Annotated[str, Field(pattern=rf"^({_ACTIONS})$")]
_DriftName = Annotated[str, Field(pattern=rf"^({_DRIFTS})$")]
_Id = Annotated[str, Field(pattern=r"^/subscriptions/[^/]+/resource[Gg]roups/[^/]+(/.+)?$", description="An ARM id.")]
_Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
_Version = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}(-[a-z]+)?$")]
_Usd = float | None


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class EditShape(_Part):
    """A property that changes."""

    path: str = Field(description="Where it stands in the resource's body.")
    before: JsonValue = Field(description="What Azure has.")
    after: JsonValue = Field(description="What is stated.")
    action: _ActionName = Field(description="What changing it does, in Azure's terms.")
    reason: str = Field(description="Azure's rule.")
    link: str = Field(description="Where Azure says so.")
    origin: str = Field(description="The line of the environment file that caused it.")
    drift: bool = Field(description="Somebody else changed it, and applying reverts that.")


class ChangeShape(_Part):
    """What happens to one resource."""

    id: _Id
    action: _ActionName = Field(description="The worst of its edits, in Azure's terms.")
    unit: str = Field(description="The deployment unit; empty of a resource group.")
    region: str = Field(description="Empty of the home group.")
    pool: str | None
    nodes: int = Field(description="The nodes that it touches: makes, upgrades, deletes.")
    gpus: int | None = Field(description="The GPUs of these nodes; null where they are not known.")
    reason: str
    origin: str
    edits: list[EditShape]
    instances: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]] = Field(
        description="The ids, in their set, of the nodes that a set gives up when it shrinks."
    )


class DriftedShape(_Part):
    """What somebody else changed since the last apply."""

    id: _Id
    path: str = Field(description="Empty where the whole resource is gone.")
    recorded: JsonValue
    observed: JsonValue
    class_: _DriftName = Field(alias="class")
    effect: str = Field(description="What applying does to it.")


class KeptShape(_Part):
    """Something that is not ours, and stays."""

    id: _Id
    path: str = Field(description="Empty of a whole resource.")
    reason: str


class DomainShape(_Part):
    """The proof for one InfiniBand domain."""

    scale_set: str
    region: str
    pool: str
    nodes: int
    limit: int = Field(description="The most nodes that one placement group may have.")
    zone: str | None
    single_placement_group: bool
    subnet_addresses: int | None = Field(description="Null of an existing subnet.")
    subnet_needed: int
    holds: bool = Field(description="Whether jobs on these nodes can use InfiniBand throughout.")


class PoolCostShape(_Part):
    """A pool in a region before and after. Money is null where a price is not known."""

    region: str
    pool: str
    nodes_before: int
    nodes_after: int
    usd_per_hour_before: _Usd
    usd_per_hour_after: _Usd
    usd_per_month_before: _Usd
    usd_per_month_after: _Usd
    price: Literal["contract", "list", "unknown"]


class InterruptionShape(_Part):
    """Jobs that a change of a scale set stops."""

    id: _Id
    nodes: int
    jobs: int
    stalled_nodes: int
    gpu_hours: float | None
    assumed_job_size: bool
    may_not_come_back: bool


class EstimateShape(_Part):
    """How long it takes, if nothing is scarce."""

    seconds: float
    waves: list[int] = Field(description="How many operations can run side by side, wave after wave.")
    critical_path: list[str] = Field(description="The ids of the operations that take longest, one after the other.")


class SummaryShape(_Part):
    """What a plan costs and puts at risk."""

    actions: dict[_ActionName, int]
    usd_per_hour_before: _Usd
    usd_per_hour_after: _Usd
    usd_per_month_before: _Usd
    usd_per_month_after: _Usd
    known_usd_per_hour_before: float
    known_usd_per_hour_after: float
    unpriced: list[str]
    nodes_before: int
    nodes_after: int
    gpus_after: int
    nodes_deleted: int
    pools: list[PoolCostShape]
    interruptions: list[InterruptionShape]
    jobs_interrupted: int
    gpu_hours_at_risk: float | None
    estimate: EstimateShape
    consents: list[Literal["deallocate", "delete", "replace"]] = Field(description="What `--allow` has to name.")
    breaches: list[str] = Field(description="The limits of the environment that it would break.")
    refused: int


class OperationShape(_Part):
    """One request to ARM, or one wait."""

    id: str
    kind: Kind
    target: _Id
    unit: str
    region: str
    after: list[str] = Field(description="The operations that must have succeeded before.")
    body: dict[str, JsonValue] | None = Field(description="The very body that is sent.")
    mark: str
    origin: str
    api_version: _Version | Literal[""] = Field(description="Of a resource of a unit of one's own; else empty.")
    withheld: list[str] = Field(description="Paths in the template's resources where a hash stands for the value.")


class FilteredShape(_Part):
    """Which part of the environment the plan is about."""

    regions: list[str] = Field(description="The `--region` that it was made with; none is all.")
    pools: list[str] = Field(description="The `--pool` that it was made with; none is all.")
    taken_along: list[str] = Field(description="What is in it because something asked for needs it.")


class LeftOutShape(_Part):
    """A unit, or a group, that has changes and is not in the plan."""

    region: str
    pool: str | None
    unit: str = Field(description="Empty of a group.")
    changes: int
    nodes: int
    reason: str = Field(description="Why not, though it was asked for or would be needed; else empty.")


class CheckShape(_Part):
    """What a check against Azure came to."""

    check: str
    subject: str
    status: str
    message: str
    fix: str
    path: str = Field(description="The path in the environment file that is to blame or to mend.")
    numbers: dict[str, int] = Field(default_factory=dict, description="What the message counts with.")
    request: dict[str, JsonValue] | None = Field(default=None, description="A body that asks Azure for more.")
    accepted: str = Field(default="", description="Why the environment file accepts it.")


class DisagreementShape(_Part):
    """Where Azure's what-if says something else than the plan."""

    id: _Id
    unit: str
    region: str
    plan: str = Field(description="What the plan says.")
    what_if: str = Field(description="What Azure says.")
    paths: list[str] = Field(description="The properties that it is about; none where it is about the resource.")
    explained: bool
    why: str = Field(description="The known reason; empty without one.")


class UnaskedShape(_Part):
    """What Azure could not be asked about."""

    what: str
    why: str


class WhatIfShape(_Part):
    """What Azure's what-if says beside the plan."""

    agreeing: int = Field(description="The resources that both say the same of.")
    unexplained: int
    disagreements: list[DisagreementShape]
    skipped: list[UnaskedShape] = Field(description="Parts of what was asked that Azure says it did not look at.")
    not_asked: list[UnaskedShape]


class PlanShape(_Part):
    """A plan, as `plan --format json` shows it and `plan --out` saves it."""

    format_version: Literal[1]
    tool: str = Field(description="The version of provision that made it.")
    environment: str
    subscription: str
    home: _Id = Field(description="The resource group that holds the environment's lock.")
    home_location: str
    destroys: bool
    set: list[str] = Field(description="The `--set` that it was made with.")
    accepted: list[str] = Field(description="The findings that the environment file accepts, and why.")
    simulated: bool = Field(description="It is about a simulator, and never applied to Azure.")
    offline: bool = Field(description="It was made without Azure, and is never applied.")
    inputs: dict[str, _Digest] = Field(description="The files that it was made from, the environment file first.")
    data: str = Field(description="A digest of the facts and templates that come with the tool.")
    filtered: FilteredShape | None = Field(description="Null of a plan of the whole environment.")
    left_out: list[LeftOutShape] = Field(description="What else the environment would change.")
    changes: list[ChangeShape]
    drift: list[DriftedShape]
    kept: list[KeptShape]
    domains: list[DomainShape]
    summary: SummaryShape
    operations: list[OperationShape]
    read: dict[_Id, str] = Field(description="A digest of each thing in Azure that it rests on, by id in lower case.")
    own: dict[_Id, _Version] = Field(description="What units of one's own make, with the API versions.")
    digest: _Digest = Field(description="A digest of everything else in the document, as it is saved.")
    checks: list[CheckShape] | None = Field(default=None, description="The checks against Azure; shown, never saved.")
    what_if: WhatIfShape | None = Field(
        default=None, description="Of `plan --what-if`, where it is shown; never saved."
    )


class _Schema(GenerateJsonSchema):
    """Without titles, which would only say each key again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def plan_schema() -> dict[str, Any]:
    """Return the JSON Schema of a plan's document, draft 2020-12."""
    schema = PlanShape.model_json_schema(schema_generator=_Schema)
    return {**schema, "$schema": GenerateJsonSchema.schema_dialect, "title": "A plan of provision"}


def flaw_in(document: Mapping[str, Any]) -> str:
    """Return where a document has not the shape of a plan, and why; empty if it has."""
    try:
        PlanShape.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
    except RecursionError:
        return "it is nested too deeply"
    return ""
