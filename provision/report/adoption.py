"""What adopting comes to, as text and as JSON: what is marked, what stands in the way, the plan that follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from provision.arm import GROUPS, ResourceId
from provision.plan.adopt import Adoption, Block, Found
from provision.plan.document import document_of
from provision.report.excerpt import Paint, printable
from provision.report.plan import kind_of, plan_as_text, value_as_text
from provision.topology.names import MARK

FORMAT_VERSION = 1
#: What of a plan carrying it out needs: the plan that follows is told, and is no plan file.
_SENT = frozenset(("operations", "read", "own", "digest", "simulated", "data"))


def adoption_as_text(adoption: Adoption, colour: bool = False) -> str:
    """Return an adoption for people."""
    text = "".join(f"{line}\n" for line in _lines(adoption, Paint(colour)))
    if not adoption.found:
        return text
    return f"{text}\nThe plan that follows, which adopting does not carry out:\n{plan_as_text(adoption.after, colour)}"


def adoption_as_dict(adoption: Adoption) -> dict[str, Any]:
    """Return an adoption in the published shape. `next` is the plan that follows."""
    following = document_of(adoption.after)
    return {
        "format_version": FORMAT_VERSION,
        "environment": adoption.plan.environment,
        "subscription": adoption.plan.subscription,
        "adopt": [
            {**asdict(each), "id": str(each.id), "blocks": [asdict(block) for block in each.blocks]}
            for each in adoption.found
        ],
        "given": [str(id) for id in adoption.given],
        "missing": [str(id) for id in adoption.missing],
        "unnamed": [str(id) for id in adoption.unnamed],
        "next": {key: value for key, value in following.items() if key not in _SENT},
        "summary": {
            "adopt": len(adoption.found) - len(adoption.blocked),
            "blocked": len(adoption.blocked),
            "nodes": sum(each.nodes for each in adoption.found),
        },
    }


def verdict(adoption: Adoption) -> str:
    """Return in one line what an adoption comes to."""
    if adoption.blocked:
        return f"{len(adoption.blocked)} of {len(adoption.found)} resources can't be adopted, so none is"
    if not adoption.found:
        return "nothing to do"
    nodes = sum(each.nodes for each in adoption.found)
    return f"{len(adoption.found)} to mark, with {nodes} nodes; nothing else of them is written"


def _lines(adoption: Adoption, paint: Paint) -> Iterator[str]:
    plan = adoption.plan
    head = f"Adopting {plan.environment} in subscription {plan.subscription}: {verdict(adoption)}"
    yield paint(printable(head), "1")
    regions: dict[str, list[Found]] = {}
    for each in adoption.found:
        regions.setdefault(each.region, []).append(each)
    for region, found in regions.items():
        yield ""
        yield paint(region or "outside the regions", "1")
        for each in found:
            yield from _found(each, paint)
    yield from _others("Used as they are, never marked or deleted", adoption.given, paint)
    yield from _others("Named in the file, and not there: the next apply makes them", adoption.missing, paint)
    yield from _others("In these groups, nobody's, and not named in the file", adoption.unnamed, paint)


def _found(found: Found, paint: Paint) -> Iterator[str]:
    sign, label, colour = ("x", "blocked", "31;1") if found.blocks else ("=", "adopt", "32")
    gpus = "" if found.gpus is None else f", {found.gpus} GPUs"
    size = f"  {found.nodes} nodes{gpus}" if found.nodes else ""
    head = paint(printable(f"{sign} {label:<8} {kind_of(found.id.type):<16} {found.id.name}"), colour)
    yield f"  {head}{printable(f'{size}  {MARK}: {found.mark}')}"
    for block in found.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    if block.path:
        before, after = value_as_text(block.before), value_as_text(block.after)
        yield printable(f"      {block.path}: {before}; the file comes to {after}")
    yield printable(f"      {'  ' if block.path else ''}{block.reason}")
    yield printable(f"        fix: {block.fix}")


def _others(title: str, ids: tuple[ResourceId, ...], paint: Paint) -> Iterator[str]:
    if ids:
        yield ""
        yield paint(title, "1")
        for id in ids:
            place = f"  in {id.group}" if id.type != GROUPS else ""
            yield printable(f"  {kind_of(id.type):<16} {id.name}{place}")
