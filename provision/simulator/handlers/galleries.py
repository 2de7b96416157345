"""Versions of gallery images, as far as whoever uses one looks at it: that it is there, and in which regions.

Every version exists, in whatever group its id names, unless the setting `missingImages` names it. The setting
`imageRegions`, regions by id, states where one has been replicated to; otherwise that is everywhere.
"""

from __future__ import annotations

from provision.simulator.compute import marketplace
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors
from provision.simulator.state.facts import regions
from provision.simulator.wire.messages import Json, Reply

TYPE = "Microsoft.Compute/galleries/images/versions"


def get_version(call: Call) -> Reply:
    """Answer with a version; with `$expand=ReplicationStatus` its replication too."""
    names = (call.params["gallery"], call.params["image"], call.params["version"])
    rid = call.rid(TYPE, *names)
    missing = {str(each).lower() for each in call.world.setting(marketplace.MISSING_IMAGES, [])}
    if rid.key in missing:
        raise errors.no_resource(TYPE, "/".join(names), call.params["group"])
    known = regions()
    stated = marketplace.replicated_to(call.world, rid.text)
    names_of = sorted(known) if stated is None else stated
    places = [known[name].display_name or name for name in names_of if name in known]
    properties: Json = {
        "publishingProfile": {
            "targetRegions": [{"name": name, "regionalReplicaCount": 1} for name in places],
            "excludeFromLatest": False,
            "storageAccountType": "Standard_LRS",
        },
        "provisioningState": "Succeeded",
    }
    if call.request.query.get("$expand", "").lower() == "replicationstatus":
        summary = [{"region": name, "state": "Completed", "details": "", "progress": 100} for name in places]
        properties["replicationStatus"] = {"aggregatedState": "Completed", "summary": summary}
    location = places[0] if places else "East US"
    body = {"id": rid.text, "name": names[-1], "type": TYPE, "location": location, "properties": properties}
    return Reply(200, body)
