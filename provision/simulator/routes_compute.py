"""Which handler answers which path of Compute: `(part of Azure, method, path, handler)`."""

from __future__ import annotations

from provision.simulator import handlers_compute as compute
from provision.simulator import handlers_instances as instances
from provision.simulator import handlers_offers as offers
from provision.simulator.paths import INSTANCE, REGION, SET, SETS, SUBSCRIPTION, Handler
from provision.simulator.versions import COMPUTE, SKUS

IMAGES = f"{REGION}/publishers/{{publisher}}/artifacttypes/vmimage/offers/{{offer}}/skus/{{sku}}/versions"


def rows() -> list[tuple[str, str, str, Handler]]:
    return [
        *((COMPUTE, *row) for row in (*_sets(), *_instances(), *_region())),
        (SKUS, "GET", f"{SUBSCRIPTION}/providers/Microsoft.Compute/skus", offers.skus),
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
        ("POST", f"{SET}/{{action}}", compute.act),
    ]


def _instances() -> list[tuple[str, str, Handler]]:
    return [
        ("GET", f"{SET}/virtualMachines", instances.list_instances),
        ("GET", INSTANCE, instances.get_instance),
        ("DELETE", INSTANCE, instances.delete_instance),
        ("GET", f"{INSTANCE}/instanceView", instances.view_instance),
        ("POST", f"{INSTANCE}/{{action}}", instances.act_on_instance),
    ]


def _region() -> list[tuple[str, str, Handler]]:
    return [
        ("GET", f"{REGION}/operations/{{operation}}", compute.poll),
        ("GET", f"{REGION}/usages", offers.usages),
        ("GET", IMAGES, offers.image_versions),
        ("GET", f"{IMAGES}/{{version}}", offers.image_version),
    ]
