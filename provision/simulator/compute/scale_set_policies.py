"""What Compute refuses of a set's policies: of upgrades and repairs without a sign of health, among others."""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals import errors
from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import seconds_in


def check(row: ScaleSet) -> None:
    properties = row.properties
    if str(properties["orchestrationMode"]).lower() != "uniform":
        raise refused.not_simulated("scale sets whose orchestrationMode is Flexible; Uniform is simulated")
    _check_scale_in(properties.get("scaleInPolicy"))
    _check_rolling(properties["upgradePolicy"].get("rollingUpgradePolicy", {}))
    if has_health(row):
        return
    if properties["upgradePolicy"]["mode"] == "Rolling":
        raise refused.health_needed("Rolling Upgrade mode is")
    if bodies.at_path(properties, "upgradePolicy.automaticOSUpgradePolicy.enableAutomaticOSUpgrade"):
        raise refused.health_needed("Automatic OS Upgrade is")
    if bodies.at_path(properties, "automaticRepairsPolicy.enabled"):
        raise refused.health_needed("Automatic repairs")


def has_health(row: ScaleSet) -> bool:
    """Return whether something tells how the instances are: the health extension, or a load balancer's probe."""
    profile = row.properties["virtualMachineProfile"]
    extensions = profile.get("extensionProfile", {}).get("extensions", [])
    kinds = {str(each["properties"].get("type", "")).lower() for each in extensions}
    return any(kind.startswith("applicationhealth") for kind in kinds) or bool(
        bodies.at_path(profile, "networkProfile.healthProbe.id")
    )


def _check_scale_in(policy: Json | None) -> None:
    if policy is not None and policy.get("rules") == []:
        raise refused.bad_request("Virtual Machine Scale Sets scale in policy must contain at least one rule.")


def _check_rolling(policy: Json) -> None:
    if policy.get("maxSurge"):
        raise refused.not_simulated("rolling upgrades with maxSurge")
    pause = policy.get("pauseTimeBetweenBatches", "PT0S")
    if seconds_in(pause) is None:
        path = "upgradePolicy.rollingUpgradePolicy.pauseTimeBetweenBatches"
        raise errors.bad_parameter(path, f"The value '{pause}' of parameter '{path}' is invalid.")
