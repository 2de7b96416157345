"""A plan as text: the verdict first, what is dangerous before the rest, then region by region."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from provision.arm import GROUPS
from provision.plan.costs import MONTH_H
from provision.plan.model import CONSENT, Action, Change, Drift, Edit, Operation, Plan
from provision.report.excerpt import Paint, printable

_SIGNS = {
    Action.RECORD: ("·", "0"),
    Action.CREATE: ("+", "32"),
    Action.UPDATE: ("~", "33"),
    Action.UPDATE_MODEL: ("~", "33"),
    Action.ROLL: ("~", "33;1"),
    Action.REIMAGE: ("!", "31"),
    Action.DEALLOCATE: ("!", "31"),
    Action.SCALE_IN: ("-", "31"),
    Action.DELETE: ("-", "31"),
    Action.REPLACE: ("±", "31;1"),
    Action.REFUSED: ("x", "31;1"),
}
_DRIFT_SIGNS = {
    Drift.BENIGN: ("·", "0"),
    Drift.OWNED_ELSEWHERE: ("=", "0"),
    Drift.RISKY: ("~", "33"),
    Drift.DANGEROUS: ("!", "31;1"),
}
_KINDS = {
    "resourcegroups": "resource group",
    "deploymentstacks": "deployment stack",
    "virtualmachinescalesets": "scale set",
    "virtualnetworks": "virtual network",
    "virtualnetworks/subnets": "subnet",
    "virtualnetworks/virtualnetworkpeerings": "peering",
    "bastionhosts": "bastion",
    "amlfilesystems": "file system",
    "networksecuritygroups": "security group",
    "natgateways": "NAT gateway",
    "publicipaddresses": "public address",
}


def plan_as_text(plan: Plan, colour: bool = False) -> str:
    """Return a plan for people."""
    paint = Paint(colour)
    return "".join(f"{line}\n" for line in _lines(plan, paint))


def _lines(plan: Plan, paint: Paint) -> Iterator[str]:
    what = "Destroying" if plan.destroys else "Plan for"
    yield paint(printable(f"{what} {plan.environment} in subscription {plan.subscription}: {verdict(plan)}"), "1")
    for setting in plan.settings:
        yield printable(f"  with --set {setting}")
    for accepted in plan.accepted:
        yield printable(f"  accepted: {accepted}")
    for breach in plan.breaches:
        yield f"  {paint('refused', '31;1')}: {printable(breach)}"
    dangers = [change for change in plan.changes if change.action >= Action.ROLL]
    if dangers and not plan.destroys:
        yield ""
        yield paint("Dangers", "31;1")
        for change in dangers:
            yield from _change(change, paint, edits=False)
    yield from _drift(plan, paint)
    for region, changes in _by_region(plan.changes):
        yield ""
        yield paint(region or "outside the regions", "1")
        for change in changes:
            yield from _change(change, paint, edits=True)
    if plan.domains and not plan.empty:
        yield ""
        yield paint("InfiniBand domains", "1")
        for domain in plan.domains:
            zone = f"zone {domain.zone}" if domain.zone else "no zone"
            subnet = (
                "an existing subnet"
                if domain.subnet_addresses is None
                else f"subnet {domain.subnet_needed} of {domain.subnet_addresses} addresses"
            )
            groups = "one placement group" if domain.single_placement_group else "MORE THAN ONE PLACEMENT GROUP"
            yield printable(
                f"  {'ok' if domain.holds else 'NO':2} {domain.scale_set}  {domain.region}: {domain.nodes} of at most "
                f"{domain.limit} nodes, {groups}, {zone}, {subnet}"
            )
    yield from _kept(plan, paint)
    if not plan.empty:
        yield ""
        yield from _at_risk(plan, paint)
        yield from _cost(plan, paint)
        yield from _time(plan, paint)
    if plan.consents and not plan.destroys:
        yield f"{paint('Needs your consent', '1')}: --allow {','.join(plan.consents)}"


def verdict(plan: Plan) -> str:
    """Return in one line what a plan comes to."""
    if plan.empty:
        return "nothing to do"
    if plan.refused:
        return f"{len(plan.refused)} of {len(plan.changes)} changes cannot be made"
    counts: dict[str, int] = {}
    for change in plan.changes:
        counts[change.action.label] = counts.get(change.action.label, 0) + 1
    text = ", ".join(f"{count} to {label}" for label, count in counts.items())
    before, after = plan.assessment.nodes_before, plan.assessment.nodes_after
    text += f"; nodes {before} → {after}" if before != after else f"; nodes stay {after}"
    deleted = plan.assessment.nodes_deleted
    return f"{text}, {deleted} running {_nodes(deleted)} deleted" if deleted and not plan.destroys else text


def _by_region(changes: Iterable[Change]) -> list[tuple[str, list[Change]]]:
    regions: dict[str, list[Change]] = {}
    for change in changes:
        regions.setdefault(change.region, []).append(change)
    return list(regions.items())


def _change(change: Change, paint: Paint, *, edits: bool) -> Iterator[str]:
    sign, colour = _SIGNS[change.action]
    size = ""
    if change.nodes:
        gpus = "" if change.gpus is None else f", {change.gpus} GPUs"
        size = f"  {change.nodes} {_nodes(change.nodes)}{gpus}"
    place = "" if edits or not change.region else f"{change.region} "
    head = f"{sign} {change.action.label:<12} {kind_of(change.id.type):<16} {place}{change.id.name}"
    reason = f"  ({change.reason})" if change.reason and change.action is not Action.CREATE else ""
    origin = f"  [{change.origin}]" if change.origin and not change.edits else ""
    yield f"  {paint(printable(head), colour)}{size}{printable(reason)}{printable(origin)}"
    if change.action in CONSENT and change.nodes and not edits:
        yield "      may not come back, for others can take freed capacity"
    if edits and change.instances:
        yield printable(f"      deletes {', '.join(f'{change.id.name}_{number}' for number in change.instances)}")
    if edits:
        for edit in change.edits:
            yield from _edit(edit)
        for link in dict.fromkeys(edit.link for edit in change.edits if edit.link and edit.action > Action.UPDATE):
            yield f"        see {link}"


def _nodes(count: int) -> str:
    return "node" if count == 1 else "nodes"


def _edit(edit: Edit) -> Iterator[str]:
    yield printable(f"      {edit.path}: {_value(edit.before)} → {_value(edit.after)}")
    yield printable(f"        {edit.action.label}: {edit.reason}  [{edit.origin}]")


def _value(value: Any) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 90 else f"{text[:87]}…"


def _drift(plan: Plan, paint: Paint) -> Iterator[str]:
    if plan.drift:
        yield ""
        yield paint("Drift: what others have changed since the last apply", "1")
    for drifted in sorted(plan.drift, key=lambda each: -each.kind):
        sign, colour = _DRIFT_SIGNS[drifted.kind]
        path = f" {drifted.path}" if drifted.path else ""
        head = f"{sign} {drifted.kind.label:<15} {kind_of(drifted.id.type):<16} {drifted.id.name}{path}"
        yield f"  {paint(printable(head), colour)}"
        yield printable(f"      {_value(drifted.recorded)} → {_value(drifted.observed)}; {drifted.effect}")


def _kept(plan: Plan, paint: Paint) -> Iterator[str]:
    if plan.kept:
        yield ""
        yield paint("Kept", "1")
        for kept in plan.kept:
            path = f" {kept.path}" if kept.path else ""
            place = f"  in {kept.id.group}" if kept.id.type != GROUPS else ""
            yield printable(f"  = {kind_of(kept.id.type):<16} {kept.id.name}{path}{place}  ({kept.reason})")


def _at_risk(plan: Plan, paint: Paint) -> Iterator[str]:
    stopped = plan.assessment.interruptions
    if not stopped:
        return
    jobs, nodes = plan.assessment.jobs_interrupted, sum(each.stalled_nodes for each in stopped)
    hours = plan.assessment.gpu_hours_at_risk
    at_risk = "GPU-hours not known" if hours is None else f"about {hours:,.0f} GPU-hours"
    text = f"At risk: up to {jobs} {'job' if jobs == 1 else 'jobs'} on {nodes} {_nodes(nodes)}, {at_risk}"
    assumed = "work since the last checkpoint, if there is one an hour, and the time until nodes are back"
    if any(each.assumed_job_size for each in stopped):
        assumed += "; a job spans a whole set where no job_size is stated"
    yield printable(text).replace("At risk", paint("At risk", "31;1"), 1)
    yield f"  reckoned as {assumed}"


def _cost(plan: Plan, paint: Paint) -> Iterator[str]:
    known = plan.assessment
    total = _money(known.known_usd_per_hour_before, known.known_usd_per_hour_after)
    without = ""
    if known.unpriced:
        without = f", without {', '.join(known.unpriced)}, whose price is not known: state it in prices"
    yield printable(f"Cost: {total} (nodes only){without}").replace("Cost", paint("Cost", "1"), 1)
    for each in known.pools:
        nodes = f"{each.nodes_before} → {each.nodes_after} {_nodes(each.nodes_after)}"
        money = _money(each.usd_per_hour_before, each.usd_per_hour_after)
        price = "" if each.price == "unknown" else f" ({each.price} price)"
        yield printable(f"  {each.region:<18} {each.pool or 'no pool'}: {nodes}, {money}{price}")


def _money(before: float | None, after: float | None) -> str:
    hour = [_usd(usd) for usd in (before, after)]
    month = [_usd(usd, MONTH_H) for usd in (before, after)]
    return f"{' → '.join(hour)} USD an hour, {' → '.join(month)} USD a month"


def _usd(usd: float | None, hours: int = 1) -> str:
    if usd is None:
        return "unknown"
    return f"{usd:,.2f}" if hours == 1 else f"{usd * hours:,.0f}"


def _time(plan: Plan, paint: Paint) -> Iterator[str]:
    estimate = plan.assessment.estimate
    waves = len(estimate.waves)
    steps = f"{sum(estimate.waves)} {'step' if sum(estimate.waves) == 1 else 'steps'}"
    text = f"Time: about {_duration(estimate.seconds)}, {steps} in {waves} {'wave' if waves == 1 else 'waves'}"
    yield printable(f"{text} (if nothing is scarce)").replace("Time", paint("Time", "1"), 1)
    steps_by_id = {operation.id: operation for operation in plan.operations}
    chain = " → ".join(_step(steps_by_id[id]) for id in estimate.critical_path)
    yield printable(f"  longest chain: {chain}")


def _step(operation: Operation) -> str:
    """Return an operation in few words: its id is long where it is a resource's."""
    if operation.kind.startswith("put-"):
        return operation.id
    if operation.kind == "delete-instances":
        return operation.id
    if operation.kind == "await-empty":
        return f"wait until subnet {operation.target.name} is empty"
    return f"delete {kind_of(operation.target.type)} {operation.target.name}"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def kind_of(type: str) -> str:
    """Return a resource type as people call it."""
    kind = type.partition("/")[2]
    return _KINDS.get(kind.lower(), kind.rpartition("/")[2])
