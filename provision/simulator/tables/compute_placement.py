"""The bodies of proximity placement groups, and of capacity reservations and their groups."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, REFERENCE, Ignored, Needed, Object, OneOf, Since, Whole
from provision.simulator.tables.common import TRACKED

PROXIMITY_GROUP = Object(
    "ProximityPlacementGroup",
    **TRACKED,
    zones=[str],
    properties=Object(
        "ProximityPlacementGroupProperties",
        proximityPlacementGroupType=OneOf("Standard", "Ultra", name="ProximityPlacementGroupType"),
        virtualMachines=READ_ONLY,
        virtualMachineScaleSets=READ_ONLY,
        availabilitySets=READ_ONLY,
        colocationStatus=Ignored(
            Object(
                "InstanceViewStatus",
                code=str,
                level=OneOf("Info", "Warning", "Error", name="StatusLevelTypes"),
                displayStatus=str,
                message=str,
                time=str,
            )
        ),
        intent=Object("ProximityPlacementGroupPropertiesIntent", vmSizes=[str]),
    ),
)

RESERVATION_GROUP = Object(
    "CapacityReservationGroup",
    **TRACKED,
    zones=[str],
    properties=Object(
        "CapacityReservationGroupProperties",
        capacityReservations=READ_ONLY,
        virtualMachinesAssociated=READ_ONLY,
        instanceView=READ_ONLY,
        sharingProfile=Object("ResourceSharingProfile", subscriptionIds=[REFERENCE]),
        reservationType=Since("2025-04-01", OneOf("Targeted", "Block", name="ReservationType")),
    ),
)

RESERVATION = Object(
    "CapacityReservation",
    **TRACKED,
    zones=[str],
    sku=Needed(Object("Sku", name=Needed(str), tier=str, capacity=Whole(0))),
    properties=Object(
        "CapacityReservationProperties",
        reservationId=READ_ONLY,
        platformFaultDomainCount=READ_ONLY,
        virtualMachinesAssociated=READ_ONLY,
        provisioningTime=READ_ONLY,
        provisioningState=READ_ONLY,
        instanceView=READ_ONLY,
        timeCreated=READ_ONLY,
        scheduleProfile=Since("2025-04-01", Object("ScheduleProfile", start=str, end=str)),
    ),
)
