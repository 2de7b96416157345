"""How long things take, in virtual seconds. Data: none of it is promised by Azure, all of it is of Azure's order."""

from __future__ import annotations

PUT_S = {
    "microsoft.network/networksecuritygroups": 3.0,
    "microsoft.network/publicipaddresses": 3.0,
    "microsoft.network/natgateways": 5.0,
    "microsoft.network/virtualnetworks": 5.0,
    "microsoft.network/virtualnetworks/subnets": 5.0,
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": 5.0,
    "microsoft.network/bastionhosts": 300.0,
}
DELETE_S = {
    "microsoft.network/networksecuritygroups": 5.0,
    "microsoft.network/publicipaddresses": 10.0,
    "microsoft.network/natgateways": 10.0,
    "microsoft.network/virtualnetworks": 10.0,
    "microsoft.network/virtualnetworks/subnets": 10.0,
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": 5.0,
    "microsoft.network/bastionhosts": 240.0,
}

LUSTRE_CREATE_S = 720.0
LUSTRE_UPDATE_S = 60.0
LUSTRE_DELETE_S = 300.0

SCALE_SET_CREATE_S = 180.0
SCALE_OUT_S = 120.0
EACH_NEW_NODE_S = 0.5
FIRST_NODE_AFTER = 0.4
"""The share of an allocation that passes before its first node is up."""
SCALE_IN_S = 60.0
SCALE_SET_UPDATE_S = 20.0
MODEL_TO_INSTANCES_S = 120.0
SCALE_SET_DELETE_S = 90.0
INTERFACES_LINGER_S = 30.0
EVICTION_NOTICE_S = 30.0

INSTANCE_ACTION_S = {
    "start": 60.0,
    "restart": 45.0,
    "deallocate": 60.0,
    "poweroff": 30.0,
    "reimage": 120.0,
    "redeploy": 120.0,
    "delete": 60.0,
    "manualupgrade": 120.0,
}

GROUP_DELETE_S = 60.0
GROUP_WITH_SCALE_SETS_DELETE_S = 120.0

DEPLOYMENT_START_S = 2.0
DEPLOYMENT_END_S = 1.0
DEPLOYMENT_DELETE_S = 5.0
STACK_START_S = 5.0
STACK_END_S = 5.0
STACK_VALIDATE_S = 5.0
REMOVAL_RETRY_S = 10.0
REMOVAL_TRIES = 30
"""How often a refused deletion is tried again before a stack or a Complete deployment gives up."""

WHAT_IF_S = 10.0
HISTORY_DELETE_S = 60.0
"""From a deployment that fills its scope's history until the oldest records are gone."""
PROVIDER_REGISTER_S = 90.0
FEATURE_REGISTER_S = 300.0
PRINCIPAL_REPLICATES_S = 60.0
"""How long an identity stays unknown to role assignments that do not say of what type it is; a world may change it."""
