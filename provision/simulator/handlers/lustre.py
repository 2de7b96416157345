"""Questions that Managed Lustre answers beforehand: how large a subnet has to be, and whether one would do."""

from __future__ import annotations

from provision.simulator.bodies import bodies, manners
from provision.simulator.bodies.shapes import Needed
from provision.simulator.handlers.calls import Call
from provision.simulator.network.lustre_sizes import addresses_needed
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.facts import location_name
from provision.simulator.storage import lustre
from provision.simulator.tables.storage import SUBNET_INFO
from provision.simulator.wire.messages import Json, Reply


def subnet_size(call: Call) -> Reply:
    return Reply(200, {"filesystemSubnetSize": addresses_needed(_asked(call))})


def check_subnet(call: Call) -> Reply:
    """Answer with nothing where the subnet would do; what is wrong with it is no error of the usual form."""
    wanted = _asked(call)
    try:
        lustre.check_subnet(call.world, call.subscription, wanted)
    except Refusal as refusal:
        return Reply(400, {"filesystemSubnet": {"status": "Invalid", "message": refusal.error["message"]}})
    return Reply(200)


def _asked(call: Call) -> Json:
    """Return what is asked about in the shape of a file system's body; a tier that does not exist is refused."""
    asked = bodies.fit(Needed(SUBNET_INFO), call.body, call.text, manner=manners.compute)
    lustre.check_tier(str(asked["sku"]["name"]))
    properties = {key: asked[key] for key in ("storageCapacityTiB", "filesystemSubnet") if key in asked}
    return {"sku": asked["sku"], "location": location_name(asked.get("location", "")), "properties": properties}
