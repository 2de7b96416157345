"""The body of a scale set, but for the profile of its machines."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, REFERENCE, Fixed, Needed, Object, OneOf, Since, Whole
from provision.simulator.tables.common import EXTENDED_LOCATION, PLAN, TRACKED, identity
from provision.simulator.tables.compute_profile import PROFILE

_SWITCH = Object("RecoveryPolicy", enabled=bool)
_APPROVED = Object("UserInitiatedAction", automaticallyApprove=bool)
_PERCENT = Whole(0, 100)
_BATCH_PERCENT = Whole(5, 100)

_UPGRADE_POLICY = Object(
    "UpgradePolicy",
    mode=OneOf("Automatic", "Manual", "Rolling", name="UpgradeMode"),
    rollingUpgradePolicy=Object(
        "RollingUpgradePolicy",
        maxBatchInstancePercent=_BATCH_PERCENT,
        maxUnhealthyInstancePercent=_BATCH_PERCENT,
        maxUnhealthyUpgradedInstancePercent=_PERCENT,
        pauseTimeBetweenBatches=str,
        enableCrossZoneUpgrade=bool,
        prioritizeUnhealthyInstances=bool,
        rollbackFailedInstancesOnPolicyBreach=bool,
        maxSurge=bool,
    ),
    automaticOSUpgradePolicy=Object(
        "AutomaticOSUpgradePolicy",
        enableAutomaticOSUpgrade=bool,
        disableAutomaticRollback=bool,
        useRollingUpgradePolicy=bool,
        osRollingUpgradeDeferral=bool,
    ),
)

_SCHEDULED_EVENTS_POLICY = Object(
    "ScheduledEventsPolicy",
    userInitiatedRedeploy=_APPROVED,
    userInitiatedReboot=_APPROVED,
    allInstancesDown=_APPROVED,
    scheduledEventsAdditionalPublishingTargets=Object(
        "ScheduledEventsAdditionalPublishingTargets",
        eventGridAndResourceGraph=Object("EventGridAndResourceGraph", enable=bool, scheduledEventsApiVersion=str),
    ),
)

_RESILIENCY_POLICY = Object(
    "ResiliencyPolicy",
    resilientVMCreationPolicy=_SWITCH,
    resilientVMDeletionPolicy=_SWITCH,
    automaticZoneRebalancingPolicy=Object(
        "AutomaticZoneRebalancingPolicy",
        enabled=bool,
        rebalanceStrategy=OneOf("Recreate", name="RebalanceStrategy"),
        rebalanceBehavior=OneOf("CreateBeforeDelete", name="RebalanceBehavior"),
    ),
    zoneAllocationPolicy=Object(
        "ZoneAllocationPolicy",
        maxZoneCount=int,
        maxInstancePercentPerZonePolicy=Object("MaxInstancePercentPerZonePolicy", enabled=bool, value=_PERCENT),
    ),
    operationRecoverySettings=Object(
        "OperationRecoverySettings",
        restartRecoveryPolicy=_SWITCH,
        startRecoveryPolicy=_SWITCH,
        reimageRecoveryPolicy=_SWITCH,
    ),
)

_HOOK = Object(
    "LifecycleHook",
    type=OneOf("UpgradeAutoOSScheduling", "UpgradeAutoOSRollingBatchStarting", name="LifecycleHookType"),
    waitDuration=str,
    defaultAction=OneOf("Approve", "Reject", name="LifecycleHookAction"),
)

_PROPERTIES = Object(
    "Properties",
    provisioningState=READ_ONLY,
    uniqueId=READ_ONLY,
    timeCreated=READ_ONLY,
    virtualMachineProfile=PROFILE,
    upgradePolicy=_UPGRADE_POLICY,
    orchestrationMode=Fixed(OneOf("Uniform", "Flexible", name="OrchestrationMode")),
    singlePlacementGroup=bool,
    overprovision=bool,
    doNotRunExtensionsOnOverprovisionedVMs=bool,
    platformFaultDomainCount=Fixed(int),
    zonalPlatformFaultDomainAlignMode=OneOf("Aligned", "Unaligned", "BestEffortAligned", name="AlignMode"),
    zoneBalance=Fixed(bool),
    proximityPlacementGroup=REFERENCE,
    hostGroup=Fixed(REFERENCE),
    constrainedMaximumCapacity=bool,
    highSpeedInterconnectPlacement=Since(
        "2025-04-01", Fixed(OneOf("None", "Trunk", name="HighSpeedInterconnectPlacement"))
    ),
    additionalCapabilities=Object(
        "AdditionalCapabilities", ultraSSDEnabled=Fixed(bool), hibernationEnabled=bool, enableFips1403Encryption=bool
    ),
    automaticRepairsPolicy=Object(
        "AutomaticRepairsPolicy",
        enabled=bool,
        gracePeriod=str,
        repairAction=OneOf("Replace", "Restart", "Reimage", name="RepairAction"),
    ),
    externalHealthPolicy=Object("ExternalHealthPolicy", enabled=bool, expiryDuration=str, gracePeriod=str),
    lifecycleHooksProfile=Object("LifecycleHooksProfile", lifecycleHooks=[_HOOK]),
    resiliencyPolicy=_RESILIENCY_POLICY,
    scaleInPolicy=Object(
        "ScaleInPolicy",
        rules=[OneOf("Default", "OldestVM", "NewestVM", name="VirtualMachineScaleSetScaleInRules")],
        forceDeletion=bool,
        prioritizeUnhealthyVMs=bool,
    ),
    scheduledEventsPolicy=_SCHEDULED_EVENTS_POLICY,
    spotRestorePolicy=Fixed(Object("SpotRestorePolicy", enabled=bool, restoreTimeout=str)),
    priorityMixPolicy=Object(
        "PriorityMixPolicy", baseRegularPriorityCount=Whole(0), regularPriorityPercentageAboveBase=_PERCENT
    ),
    skuProfile=Object(
        "SkuProfile",
        vmSizes=[Object("SkuProfileVMSize", name=str, rank=int)],
        allocationStrategy=OneOf("LowestPrice", "CapacityOptimized", "Prioritized", name="AllocationStrategy"),
    ),
)

SCALE_SET = Object(
    "VirtualMachineScaleSet",
    **TRACKED,
    sku=Object("Sku", name=str, tier=str, capacity=Whole(0)),
    plan=Fixed(PLAN),
    zones=[str],
    identity=identity("SystemAssigned", "UserAssigned", "SystemAssigned, UserAssigned", "None"),
    extendedLocation=Fixed(EXTENDED_LOCATION),
    placement=Since(
        "2025-04-01",
        Object(
            "Placement",
            zonePlacementPolicy=OneOf("Any", "Auto", name="ZonePlacementPolicyType"),
            includeZones=[str],
            excludeZones=[str],
        ),
    ),
    properties=Needed(_PROPERTIES),
)
