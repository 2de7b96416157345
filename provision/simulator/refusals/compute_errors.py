"""Compute's refusals about what goes with a scale set: images, plans, upgrades, protection, commands, reservations.

Wordings are Azure's where they are known from public material; the others say so.
"""

from __future__ import annotations

import json

from provision.simulator.refusals import errors
from provision.simulator.refusals.errors import Refusal, not_allowed, service
from provision.simulator.wire.messages import Json

UPGRADE_HELP = "For details on rolling upgrades, use http://aka.ms/AzureVMSSRollingUpgrade"
UNHEALTHY = "The most impactful error is:  Instance found to be unhealthy or unreachable."


def not_simulated(what: str) -> Refusal:
    """Return the refusal of something that Azure has and the simulator does not; the code is the simulator's own."""
    return service(400, "NotSimulated", f"The simulator does not simulate {what}.")


def bad_request(message: str, target: str | None = None) -> Refusal:
    return service(400, "BadRequest", message, target=target)


# --- images ---


def no_image() -> Refusal:
    return service(404, "NotFound", "Artifact: VMImage was not found.")


def no_platform_image(image: str) -> Refusal:
    message = (
        f"The platform image '{image}' is not available. Verify that all fields in the storage profile are correct. "
        "For more details about storage profile information, please refer to https://aka.ms/storageprofile"
    )
    return service(404, "PlatformImageNotFound", message, target="imageReference")


def wrong_generation(size: str, generation: str) -> Refusal:
    message = (
        f"The selected VM size '{size}' cannot boot Hypervisor Generation '{generation}'. If this was a Create "
        "operation please check that the Hypervisor Generation of the Image matches the Hypervisor Generation of the "
        f"selected VM Size. If this was an Update operation please select a Hypervisor Generation '{generation}' VM "
        "Size. For more information, see https://aka.ms/azuregen2vm"
    )
    return bad_request(message)


def wrong_architecture(size: str, wanted: str, given: str) -> Refusal:
    message = (
        f"Cannot create a VM of size '{size}' because this VM size only supports a CPU Architecture of '{wanted}', but "
        f"an image or disk with CPU Architecture '{given}' was given. Please check that the CPU Architecture of the "
        "image or disk is compatible with that of the VM size."
    )
    return bad_request(message)


def plan_needed(resource_id: str) -> Refusal:
    message = (
        "Creating a virtual machine from Marketplace image or a custom image sourced from a Marketplace image requires "
        f"Plan information in the request. VM: '{resource_id}'."
    )
    return service(400, "VMMarketplaceInvalidInput", message)


def plan_not_needed(resource_id: str) -> Refusal:
    message = (
        "Creating a virtual machine from a non Marketplace image does not need Plan information, please remove the "
        f"Plan information in the request. VM: '{resource_id}'."
    )
    return service(400, "VMMarketplaceInvalidInput", message)


def plan_mismatch(resource_id: str) -> Refusal:
    message = (
        f"The purchase information does not match. Unable to deploy from the Marketplace image. VM: '{resource_id}'."
    )
    return service(400, "VMMarketplaceInvalidInput", message)


def terms_not_accepted(publisher: str, offer: str, plan: str) -> Refusal:
    terms = json.dumps(
        {
            "Legal terms have not been accepted for this item on this subscription. To accept legal terms, please go "
            f"to the Azure portal and configure programmatic deployment for the Marketplace item '{plan}' or create it "
            "there for the first time.": "StoreApi"
        }
    )
    inner = (
        f"Offer with PublisherId: '{publisher}', OfferId: '{offer}' cannot be purchased due to validation errors. For "
        f"more information see details. Details: '[{terms}]'."
    )
    return Refusal(
        400,
        "MarketplacePurchaseEligibilityFailed",
        "Marketplace purchase eligibilty check returned errors. See inner errors for details. ",
        details=[{"code": "BadRequest", "message": inner}],
    )


# --- upgrades ---


def health_needed(what: str) -> Refusal:
    message = (
        f"{what} not supported for this Virtual Machine Scale Set because a health probe or health extension was not "
        "provided."
    )
    return bad_request(message)


def upgrade_faulted(code: str, percent: int, allowed: int, cause: str) -> Json:
    """Return the error of a rolling upgrade whose policy was broken; `cause` is the first instance's own error."""
    impact = f"The most impactful error is:  {cause}" if cause else UNHEALTHY
    if code.endswith("BeforeRollingUpgrade"):
        message = (
            "Rolling Upgrade failed due to exceeding the MaxUnhealthyInstancePercent value (defined in the "
            f"RollingUpgradePolicy) before any batch was attempted. {percent}% of instances are in an unhealthy state, "
            f"more than the threshold of {allowed}% configured in the RollingUpgradePolicy. {impact} {UPGRADE_HELP}"
        )
    else:
        upgraded = "Upgraded" in code
        value = "MaxUnhealthyUpgradedInstancePercent" if upgraded else "MaxUnhealthyInstancePercent"
        after = " after being upgraded" if upgraded else ""
        message = (
            f"Rolling Upgrade failed after exceeding the {value} value defined in the RollingUpgradePolicy. {percent}% "
            f"of instances are in an unhealthy state{after} - more than the threshold of {allowed}% configured in the "
            f"RollingUpgradePolicy. {impact} {UPGRADE_HELP}"
        )
    return {"code": code, "message": message}


def no_platform_image_to_roll() -> Refusal:
    message = (
        "The OS Rolling Upgrade API cannot be used on a VM Scale Set unless the VM Scale Set is using a Platform Image "
        "select the OS by setting imageReference."
    )
    return not_allowed(message)


def no_upgrade_to_cancel() -> Refusal:
    return not_allowed("There is no ongoing Rolling Upgrade to cancel.")


def repairs_off(name: str) -> Refusal:
    """Return the refusal to suspend repairs that are not on; Azure's wording is not known."""
    return not_allowed(f"Automatic repairs are not enabled on Virtual Machine Scale Set '{name}'.")


# --- instances ---


def scale_in_protected(name: str, wanted: int, free: int) -> Refusal:
    """Return the refusal of a scale-in that would have to take protected instances; Azure's wording is not known."""
    message = (
        f"Unable to scale in VirtualMachineScaleSet '{name}' by {wanted} Virtual Machine instances: only {free} of "
        "them are not protected from scale-in."
    )
    return not_allowed(message, target="sku.capacity")


def protection_without_scale_in() -> Refusal:
    """Return the refusal of a policy that Azure does not take; its wording is not known."""
    message = "'protectFromScaleIn' cannot be false when 'protectFromScaleSetActions' is true."
    return service(400, "InvalidParameter", message, target="protectionPolicy.protectFromScaleIn")


def not_running() -> Refusal:
    return not_allowed("The operation requires the VM to be running (or set to run).")


def deallocated(action: str, name: str) -> Refusal:
    message = (
        f"Operation '{action}' is not allowed on VM '{name}' since the VM is either deallocated or marked to be "
        "deallocated."
    )
    return not_allowed(message)


def spot_only(action: str) -> Refusal:
    return not_allowed(f"Operation '{action}' is allowed only for Spot Virtual Machines")


def command_running() -> Refusal:
    message = (
        "Run command extension execution is in progress. Please wait for completion before invoking a run command."
    )
    return service(409, "Conflict", message)


# --- placement and reservations ---


def in_use(kind: str, name: str, members: str) -> Refusal:
    """Return the refusal to delete what others use, worded as Azure words it for availability sets."""
    message = (
        f"{kind} '{name}' cannot be deleted. Before deleting a {kind} please ensure that it does not contain any "
        f"{members}."
    )
    return not_allowed(message)


def overconstrained(zone: str, constraint: str) -> Refusal:
    error = errors.overconstrained(zone, [constraint])
    return service(409, str(error["code"]), str(error["message"]))


def no_zone(zone: str, location: str) -> Refusal:
    text = f"Zone '{zone}' is not available in location '{location}'."
    return service(400, "InvalidAvailabilityZone", text, target="zones")


def nested_resources(first: str) -> Refusal:
    """Return the gateway's refusal to delete a parent."""
    message = (
        f"Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '{first}'. "
        "Please delete all nested resources before deleting this resource."
    )
    return Refusal(409, "CannotDeleteResource", message)


def no_reservation_for(size: str) -> Refusal:
    return service(400, "NotSupported", f"Capacity Reservation is not supported for VM size {size}.")


def reservation_misfit(why: str) -> Refusal:
    """Return the refusal of a scale set that cannot draw on a reservation; Azure's wording is not known."""
    message = f"Capacity reservation cannot be used with this Virtual Machine Scale Set: {why}."
    return bad_request(message, "virtualMachineProfile.capacityReservation")
