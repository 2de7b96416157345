"""The baseline: what a stack remembers of the resources that it was last sent with, in its parameter `provision`.

Azure keeps it, anyone with Reader can list it, and so there is no state file to lose.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from provision import __version__
from provision.arm import ResourceId

FORMAT = 1
PARAMETER = "provision"


@dataclass(frozen=True, slots=True)
class Record:
    """What a unit was last sent with. A stack that failed has *attempted* it, no more (`applied` is false).

    `stated`: bodies by id as stated, write-only values as hashes. `leaving`: ids that the unit gave up and that may
    still have to be deleted. `tags`: the environment's own. `pool`: None of a network. `versions`: of a unit of one's
    own, the API version of each resource type in lower case, without which what it made could not be read or deleted.
    """

    environment: str
    unit: str
    region: str
    pool: str | None
    protect: bool
    run: str
    tags: Mapping[str, str]
    stated: Mapping[ResourceId, Mapping[str, Any]]
    leaving: tuple[ResourceId, ...]
    applied: bool = True
    versions: Mapping[str, str] = field(default_factory=dict)

    def own(self) -> dict[ResourceId, str]:
        """Return what a unit of one's own answers for, with the API version of each; nothing of other units."""
        found = {id: self.versions.get(id.type.lower(), "") for id in self.ids().values()}
        return {id: version for id, version in found.items() if version}

    def ids(self) -> dict[str, ResourceId]:
        """Return every id that the unit answers for, by id in lower case, in the order in which they were made."""
        return {id.key: id for id in (*self.stated, *self.leaving)}

    def body(self, id: ResourceId) -> Mapping[str, Any] | None:
        """Return a resource as it was stated, None if it was not."""
        return next((body for known, body in self.stated.items() if known.key == id.key), None)


def hashed(value: Any) -> str:
    """Return what stands for a value that must not be shown or never comes back from Azure."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def digest_of(value: Any) -> str:
    """Return the digest of a value's canonical JSON."""
    return "sha256:" + hashlib.sha256(_canonical(value)).hexdigest()


def parameter_of(record: Record) -> dict[str, Any]:
    """Return the value of the parameter `provision` that records `record`."""
    stated = {str(id): body for id, body in record.stated.items()}
    return {
        "format": FORMAT,
        "environment": record.environment,
        "unit": record.unit,
        "region": record.region,
        "pool": record.pool or "",
        "protect": record.protect,
        "run": record.run,
        "tool": __version__,
        "tags": dict(record.tags),
        "digest": digest_of(stated),
        "leaving": [str(id) for id in record.leaving],
        "stated": base64.b64encode(zlib.compress(_canonical(stated, sort=False), 9)).decode(),
        **({"versions": dict(record.versions)} if record.versions else {}),
    }


def record_in(stack: Mapping[str, Any]) -> Record | None:
    """Return what a stack recorded; None of a stack that is not ours, or whose record does not hold together."""
    properties = stack.get("properties", {})
    try:
        value = properties["parameters"][PARAMETER]["value"]
        if value["format"] != FORMAT:
            return None
        stated = json.loads(zlib.decompress(base64.b64decode(value["stated"])))
        return Record(
            environment=value["environment"],
            unit=value["unit"],
            region=value["region"],
            pool=value["pool"] or None,
            protect=value["protect"],
            run=value["run"],
            tags=value["tags"],
            stated={ResourceId(id): body for id, body in stated.items()},
            leaving=tuple(ResourceId(id) for id in value["leaving"]),
            applied=str(properties.get("provisioningState", "")).lower() == "succeeded",
            versions={str(type): str(version) for type, version in value.get("versions", {}).items()},
        )
    except (AttributeError, KeyError, TypeError, ValueError, zlib.error):
        return None


def is_of_own_unit(stack: Mapping[str, Any]) -> bool:
    """Return whether a stack says that it is of a unit of a user's own; what it recorded is not unpacked for that."""
    parameter = (stack.get("properties", {}).get("parameters") or {}).get(PARAMETER) or {}
    value = parameter.get("value") if isinstance(parameter, Mapping) else None
    return isinstance(value, Mapping) and bool(value.get("versions"))


def _canonical(value: Any, sort: bool = True) -> bytes:
    return json.dumps(value, sort_keys=sort, separators=(",", ":"), ensure_ascii=False).encode()
