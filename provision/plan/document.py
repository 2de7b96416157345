"""A plan as a JSON document and back: canonical, without secrets, and refused when it is not what was saved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from provision import __version__
from provision.arm import ResourceId
from provision.errors import Refused
from provision.plan.costs import MONTH_H
from provision.plan.model import (
    Action,
    Assessment,
    Change,
    Domain,
    Drift,
    Drifted,
    Edit,
    Estimate,
    Interruption,
    Kept,
    Operation,
    Plan,
    PoolCost,
)
from provision.plan.record import digest_of

FORMAT_VERSION = 1


def document_of(plan: Plan) -> dict[str, Any]:
    """Return the plan in the published shape; `digest` covers everything else in it."""
    document: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "tool": __version__,
        "environment": plan.environment,
        "subscription": plan.subscription,
        "home": str(plan.home),
        "home_location": plan.home_location,
        "destroys": plan.destroys,
        "set": list(plan.settings),
        "accepted": list(plan.accepted),
        "simulated": plan.simulated,
        "changes": [_change(change) for change in plan.changes],
        "drift": [_drifted(each) for each in plan.drift],
        "kept": [{**asdict(kept), "id": str(kept.id)} for kept in plan.kept],
        "domains": [{**asdict(domain), "holds": domain.holds} for domain in plan.domains],
        "summary": {
            "actions": actions(plan),
            **_assessed(plan.assessment),
            "consents": list(plan.consents),
            "breaches": list(plan.breaches),
            "refused": len(plan.refused),
        },
        "operations": [_operation(operation) for operation in plan.operations],
        "read": dict(plan.read),
        "own": {str(id): version for id, version in plan.own.items()},
    }
    return {**document, "digest": digest_of(document)}


def actions(plan: Plan) -> dict[str, int]:
    """Return how many changes there are of each action, the mildest first."""
    found = [change.action for change in plan.changes]
    return {action.label: found.count(action) for action in Action if action in found}


def text_of(plan: Plan) -> str:
    """Return the plan as its file holds it."""
    return json.dumps(document_of(plan), indent=1, ensure_ascii=False) + "\n"


def plan_in(text: str) -> Plan | None:
    """Return the plan that a file's text holds; None of a text that is no plan file.

    Raises Refused of one that was cut off, altered, or made by another version of the tool.
    """
    text = text.removeprefix("\ufeff")
    if not text.lstrip().startswith("{"):
        return None
    try:
        document = json.loads(text)
    except ValueError as error:
        if '"format_version"' in text and '"operations"' in text:
            raise Refused(f"the plan file is no whole JSON: {error}", fix="make the plan again") from None
        return None
    if not isinstance(document, dict) or "operations" not in document:
        return None
    if document.get("format_version") != FORMAT_VERSION or document.get("tool") != __version__:
        made = f"provision {document.get('tool')}, format {document.get('format_version')}"
        raise Refused(f"the plan was made by {made}; this is provision {__version__}", fix="make the plan again")
    digest = document.pop("digest", None)
    if digest != digest_of(document):
        raise Refused("the plan file is not what was saved: its digest does not match", fix="make the plan again")
    try:
        return _plan(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused(f"the plan file has not the shape of a plan: {error}", fix="make the plan again") from None


def _change(change: Change) -> dict[str, Any]:
    return {
        "id": str(change.id),
        "action": change.action.label,
        "unit": change.unit,
        "region": change.region,
        "pool": change.pool,
        "nodes": change.nodes,
        "gpus": change.gpus,
        "reason": change.reason,
        "origin": change.origin,
        "edits": [{**asdict(edit), "action": edit.action.label} for edit in change.edits],
        "instances": list(change.instances),
    }


def _drifted(drifted: Drifted) -> dict[str, Any]:
    return {
        "id": str(drifted.id),
        "path": drifted.path,
        "recorded": drifted.recorded,
        "observed": drifted.observed,
        "class": drifted.kind.label,
        "effect": drifted.effect,
    }


def _drifted_in(row: Mapping[str, Any]) -> Drifted:
    kind = Drift[row["class"].upper().replace(" ", "_")]
    return Drifted(ResourceId(row["id"]), row["path"], row["recorded"], row["observed"], kind, row["effect"])


def _operation(operation: Operation) -> dict[str, Any]:
    return {
        "id": operation.id,
        "kind": operation.kind,
        "target": str(operation.target),
        "unit": operation.unit,
        "region": operation.region,
        "after": list(operation.after),
        "body": operation.body,
        "mark": operation.mark,
        "origin": operation.origin,
        "api_version": operation.api_version,
    }


def _operation_in(row: Mapping[str, Any]) -> Operation:
    known = {key: value for key, value in row.items() if key != "body"}
    return Operation(
        **{**known, "target": ResourceId(row["target"]), "after": tuple(row["after"]), "sends": row["body"]}
    )


def _plan(document: Mapping[str, Any]) -> Plan:
    summary = document["summary"]
    return Plan(
        environment=document["environment"],
        subscription=document["subscription"],
        home=ResourceId(document["home"]),
        home_location=document["home_location"],
        destroys=document["destroys"],
        settings=tuple(document["set"]),
        accepted=tuple(document["accepted"]),
        simulated=document["simulated"],
        changes=tuple(_change_in(change) for change in document["changes"]),
        operations=tuple(_operation_in(row) for row in document["operations"]),
        kept=tuple(Kept(ResourceId(row["id"]), row["path"], row["reason"]) for row in document["kept"]),
        drift=tuple(_drifted_in(row) for row in document["drift"]),
        domains=tuple(
            Domain(**{key: value for key, value in row.items() if key != "holds"}) for row in document["domains"]
        ),
        assessment=_assessment(summary),
        consents=tuple(summary["consents"]),
        breaches=tuple(summary["breaches"]),
        read=document["read"],
        own={ResourceId(id): version for id, version in document["own"].items()},
    )


def _assessed(assessment: Assessment) -> dict[str, Any]:
    """Return an assessment as JSON: money by the month too, which is told of what is reckoned."""
    pools = [{**asdict(each), **_a_month(asdict(each))} for each in assessment.pools]
    stopped = [{**asdict(each), "id": str(each.id)} for each in assessment.interruptions]
    values: dict[str, Any] = asdict(replace(assessment, interruptions=()))
    return {
        **values,
        **_a_month(values),
        "unpriced": list(assessment.unpriced),
        "pools": pools,
        "interruptions": stopped,
        "jobs_interrupted": assessment.jobs_interrupted,
        "gpu_hours_at_risk": assessment.gpu_hours_at_risk,
        "estimate": {
            "seconds": assessment.estimate.seconds,
            "waves": list(assessment.estimate.waves),
            "critical_path": list(assessment.estimate.critical_path),
        },
    }


def _a_month(values: Mapping[str, Any]) -> dict[str, float | None]:
    hours = {when: values[f"usd_per_hour_{when}"] for when in ("before", "after")}
    return {f"usd_per_month_{when}": None if usd is None else round(usd * MONTH_H, 2) for when, usd in hours.items()}


def _assessment(summary: Mapping[str, Any]) -> Assessment:
    values = {key: summary[key] for key in Assessment.__dataclass_fields__}
    estimate = summary["estimate"]
    parts = {
        "unpriced": tuple(values["unpriced"]),
        "pools": tuple(PoolCost(**_fields(PoolCost, row)) for row in values["pools"]),
        "interruptions": tuple(
            Interruption(**{**_fields(Interruption, row), "id": ResourceId(row["id"])})
            for row in values["interruptions"]
        ),
        "estimate": Estimate(estimate["seconds"], tuple(estimate["waves"]), tuple(estimate["critical_path"])),
    }
    return Assessment(**{**values, **parts})


def _fields(kind: type, row: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: row[field.name] for field in fields(kind)}


def _change_in(row: Mapping[str, Any]) -> Change:
    edits = tuple(Edit(**{**edit, "action": _action(edit["action"])}) for edit in row["edits"])
    return Change(
        **{
            **row,
            "id": ResourceId(row["id"]),
            "action": _action(row["action"]),
            "edits": edits,
            "instances": tuple(row["instances"]),
        }
    )


def _action(label: str) -> Action:
    return Action[label.upper().replace("-", "_")]
