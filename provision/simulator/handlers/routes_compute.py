"""Which handler answers which path of Compute: `(part of Azure, method, path, handler)`."""

from __future__ import annotations

from provision.simulator.compute import rolling_upgrades
from provision.simulator.handlers import commands, compute, extensions, images, instances, offers, placement, upgrades
from provision.simulator.handlers.paths import IN_COMPUTE, INSTANCE, REGION, SET, SETS, SUBSCRIPTION, Handler
from provision.simulator.state.versions import COMPUTE, MARKETPLACE, SKUS

PUBLISHER = f"{REGION}/publishers/{{publisher}}/artifacttypes/vmimage"
OFFER = f"{PUBLISHER}/offers/{{offer}}"
IMAGE = f"{OFFER}/skus/{{sku}}/versions"
TERMS = (
    f"{SUBSCRIPTION}/providers/Microsoft.MarketplaceOrdering/offerTypes/{{offerType}}/publishers/{{publisher}}"
    "/offers/{offer}/plans/{plan}/agreements/current"
)


def rows() -> list[tuple[str, str, str, Handler]]:
    return [
        *((COMPUTE, *row) for row in (*_sets(), *_instances(), *_region(), *_placement(), *_images())),
        (SKUS, "GET", f"{SUBSCRIPTION}/providers/Microsoft.Compute/skus", offers.skus),
        (MARKETPLACE, "GET", TERMS, images.terms),
        (MARKETPLACE, "PUT", TERMS, images.accept_terms),
    ]


def _sets() -> list[tuple[str, str, Handler]]:
    return [
        ("PUT", SET, compute.put),
        ("PATCH", SET, compute.patch),
        ("GET", SET, compute.get),
        ("DELETE", SET, compute.delete),
        ("GET", SETS, compute.list_group),
        ("GET", f"{SUBSCRIPTION}/providers/Microsoft.Compute/virtualMachineScaleSets", compute.list_subscription),
        ("GET", f"{SET}/instanceView", compute.view),
        ("POST", f"{SET}/convertToSinglePlacementGroup", compute.convert),
        ("POST", f"{SET}/setOrchestrationServiceState", compute.set_service),
        ("GET", f"{SET}/skus", compute.skus),
        ("GET", f"{SET}/extensions", extensions.list_set),
        ("PUT", f"{SET}/extensions/{{extension}}", extensions.put),
        ("PATCH", f"{SET}/extensions/{{extension}}", extensions.patch),
        ("GET", f"{SET}/extensions/{{extension}}", extensions.get),
        ("DELETE", f"{SET}/extensions/{{extension}}", extensions.delete),
        ("GET", f"{REGION}/virtualMachineScaleSets", compute.list_region),
        ("POST", f"{SET}/osRollingUpgrade", upgrades.start(rolling_upgrades.IMAGE)),
        ("POST", f"{SET}/extensionRollingUpgrade", upgrades.start(rolling_upgrades.EXTENSIONS)),
        ("POST", f"{SET}/rollingUpgrades/cancel", upgrades.cancel),
        ("GET", f"{SET}/rollingUpgrades/latest", upgrades.latest),
        ("GET", f"{SET}/osUpgradeHistory", upgrades.history),
        ("POST", f"{SET}/{{action}}", compute.act),
    ]


def _instances() -> list[tuple[str, str, Handler]]:
    return [
        ("GET", f"{SET}/virtualMachines", instances.list_instances),
        ("GET", INSTANCE, instances.get_instance),
        ("PUT", INSTANCE, instances.put_instance),
        ("POST", f"{INSTANCE}/runCommand", commands.run),
        ("GET", f"{INSTANCE}/runCommands", commands.list_instance),
        ("PUT", f"{INSTANCE}/runCommands/{{command}}", commands.put),
        ("PATCH", f"{INSTANCE}/runCommands/{{command}}", commands.patch),
        ("GET", f"{INSTANCE}/runCommands/{{command}}", commands.get),
        ("DELETE", f"{INSTANCE}/runCommands/{{command}}", commands.delete),
        ("POST", f"{INSTANCE}/simulateEviction", instances.simulate_eviction),
        ("DELETE", INSTANCE, instances.delete_instance),
        ("GET", f"{INSTANCE}/instanceView", instances.view_instance),
        ("POST", f"{INSTANCE}/{{action}}", instances.act_on_instance),
    ]


def _region() -> list[tuple[str, str, Handler]]:
    return [
        ("GET", f"{REGION}/operations/{{operation}}", compute.poll),
        ("GET", f"{REGION}/usages", offers.usages),
        ("GET", f"{REGION}/vmSizes", offers.vm_sizes),
        ("GET", f"{REGION}/runCommands", commands.list_region),
        ("GET", f"{REGION}/runCommands/{{command}}", commands.get_region),
    ]


def _placement() -> list[tuple[str, str, Handler]]:
    rows: list[tuple[str, str, Handler]] = []
    for kind in ("proximityPlacementGroups", "capacityReservationGroups"):
        rows += [
            ("GET", f"{IN_COMPUTE}/{kind}", placement.list_group),
            ("GET", f"{SUBSCRIPTION}/providers/Microsoft.Compute/{kind}", placement.list_subscription),
        ]
    inside = f"{IN_COMPUTE}/capacityReservationGroups/{{parent}}/capacityReservations"
    rows.append(("GET", inside, placement.list_inside))
    for one in (
        f"{IN_COMPUTE}/proximityPlacementGroups/{{name}}",
        f"{IN_COMPUTE}/capacityReservationGroups/{{name}}",
        f"{inside}/{{name}}",
    ):
        rows += [
            ("PUT", one, placement.put),
            ("PATCH", one, placement.patch),
            ("GET", one, placement.get),
            ("DELETE", one, placement.delete),
        ]
    return rows


def _images() -> list[tuple[str, str, Handler]]:
    return [
        ("GET", f"{REGION}/publishers", images.publishers),
        ("GET", f"{PUBLISHER}/offers", images.offers),
        ("GET", f"{OFFER}/skus", images.skus),
        ("GET", IMAGE, images.versions),
        ("GET", f"{IMAGE}/{{version}}", images.version),
    ]
