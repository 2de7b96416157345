"""What Compute refuses of the parts of a model that refer to each other or to what is elsewhere: disks, image,
extensions, public addresses."""

from __future__ import annotations

from provision.simulator.compute import marketplace
from provision.simulator.refusals import errors
from provision.simulator.state.facts import sizes
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json

_MOST_LUN = 63


def check(world: World, row: ScaleSet) -> None:
    profile = row.properties["virtualMachineProfile"]
    storage = profile.get("storageProfile", {})
    _check_disks(row, storage.get("dataDisks", []))
    marketplace.check(world, row)
    _check_extensions(profile.get("extensionProfile", {}).get("extensions", []))


def _check_disks(row: ScaleSet, disks: list[Json]) -> None:
    size = sizes().get(str(row.body["sku"]["name"]).lower())
    most = size.facts.get("max_data_disks") if size is not None else None
    if most is not None and len(disks) > most:
        text = f"The maximum number of data disks allowed to be attached to a VM of this size is {most}."
        raise errors.not_allowed(text, target="dataDisks")
    seen: set[int] = set()
    for disk in disks:
        lun = disk["lun"]
        if lun in seen or not 0 <= lun <= _MOST_LUN:
            raise errors.bad_parameter("dataDisk.lun", f"The value '{lun}' of parameter 'dataDisk.lun' is invalid.")
        seen.add(lun)
        if disk["createOption"].lower() == "empty" and not disk.get("diskSizeGB"):
            raise errors.missing_parameter("dataDisk.diskSizeGB")


def _check_extensions(extensions: list[Json]) -> None:
    names = [extension["name"] for extension in extensions]
    handlers: set[str] = set()
    for extension in extensions:
        name, properties = extension["name"], extension["properties"]
        if names.count(name) > 1:
            text = f"The extension '{name}' is specified more than once."
            raise errors.bad_parameter("extensionProfile.extensions", text)
        if properties.get("publisher") and properties.get("type"):
            handler = f"{properties['publisher']}.{properties['type']}"
            if handler.lower() in handlers:
                raise errors.handler_twice(name, handler)
            handlers.add(handler.lower())
        for needed in properties.get("provisionAfterExtensions") or []:
            if needed not in names or needed == name:
                text = f"The extension '{name}' is to be provisioned after '{needed}', which the model does not have."
                raise errors.bad_parameter("provisionAfterExtensions", text)
    _refuse_circle(extensions)


def _refuse_circle(extensions: list[Json]) -> None:
    left = {each["name"]: set(each["properties"].get("provisionAfterExtensions") or []) for each in extensions}
    while left:
        free = [name for name, needs in left.items() if not needs & left.keys()]
        if not free:
            text = f"The extensions '{', '.join(sorted(left))}' are to be provisioned after one another in a circle."
            raise errors.bad_parameter("provisionAfterExtensions", text)
        for name in free:
            del left[name]
