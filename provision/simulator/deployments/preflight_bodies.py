"""Bodies that a deployment's providers would refuse whatever else there is: they say so before anything starts."""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.compute import scale_set_machines, scale_sets
from provision.simulator.network import inline_children, names, network
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.ids import ResourceId, parse
from provision.simulator.state.world import World
from provision.simulator.tables import RESOURCES
from provision.simulator.wire.messages import Json


def misfit(world: World, step: Json) -> Json | None:
    """Return what is wrong with the body of a resource by itself; None where nothing is, or it is not known yet."""
    rid = parse(step["id"])
    if rid is None or step["late"] or rid.type.lower() not in RESOURCES:
        return None
    onto = rid.key in world.resources
    try:
        if not onto:
            names.check(rid)
        _look(rid, step["body"], str(step["api_version"]), merges=onto and rid.type.lower() == scale_sets.TYPE)
    except Refusal as refusal:
        return {"target": rid.text, **refusal.error}
    return None


def _look(rid: ResourceId, body: Json, version: str, *, merges: bool) -> None:
    given = bodies.read(rid.type, body, how=How(version, partial=merges, nulls=merges))
    if rid.type.lower() == scale_sets.TYPE:
        scale_set_machines.check_sent(given)
    elif rid.type.lower() in network.TYPES:
        given.setdefault("properties", {})
        nowhere = World()  # what follows looks at the body alone
        network.stored_body(nowhere, rid, given, None)
        inline_children.look(nowhere, rid, given["properties"])
