"""How long things take, in virtual seconds. Azure promises none of it; where a figure was seen, it says where.

"Recorded" are the operations of recorded traffic, 2020 to 2026, all of small sets of small sizes; "logs" the times that
Terraform printed in public logs and issues, read 2026-11-30. What says neither is assumed, of Azure's order.
"""

from __future__ import annotations

PUT_S = {
    "microsoft.network/networksecuritygroups": 3.0,
    "microsoft.network/networksecuritygroups/securityrules": 3.0,
    "microsoft.network/publicipaddresses": 4.0,  # logs
    "microsoft.network/natgateways": 10.0,
    "microsoft.network/virtualnetworks": 5.0,  # logs: 4 to 18, mostly 5
    "microsoft.network/virtualnetworks/subnets": 5.0,
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": 12.0,  # logs
    "microsoft.network/bastionhosts": 600.0,  # Microsoft's own pages: about ten minutes; logs: 5 to 35 minutes
}
DELETE_S = {
    "microsoft.network/networksecuritygroups": 10.0,
    "microsoft.network/networksecuritygroups/securityrules": 5.0,
    "microsoft.network/publicipaddresses": 10.0,
    "microsoft.network/natgateways": 10.0,
    "microsoft.network/virtualnetworks": 10.0,
    "microsoft.network/virtualnetworks/subnets": 11.0,  # logs
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": 10.0,
    "microsoft.network/bastionhosts": 300.0,
}

LUSTRE_CREATE_S = 720.0
LUSTRE_UPDATE_S = 60.0
LUSTRE_DELETE_S = 300.0

# Recorded: sets of 2 to 5 nodes in 43 to 223. Nodes with GPUs take longer: 5 to 10 minutes until they are of use, says
# a Microsoft answer of 2026-05 (learn.microsoft.com/answers/a/12767836).
SCALE_SET_CREATE_S = 240.0
SCALE_OUT_S = 180.0
EACH_NEW_NODE_S = 1.0
FIRST_NODE_AFTER = 0.4
"""The share of an allocation that passes before its first node is up."""
SCALE_IN_S = 60.0  # recorded: 30 to 52
SCALE_SET_UPDATE_S = 20.0
MODEL_TO_INSTANCES_S = 120.0
SCALE_SET_DELETE_S = 90.0  # recorded: 11
INTERFACES_LINGER_S = 30.0
EVICTION_NOTICE_S = 30.0  # learn.microsoft.com/azure/virtual-machines/spot-vms

# How long Compute waits for a node's system, without and with extensions: MicrosoftDocs/SupportArticles-docs#1787.
OS_TIMEOUT_S = 2400.0
OS_TIMEOUT_WITH_EXTENSIONS_S = 5400.0
EXTENSIONS_BUDGET_S = 5400.0  # the documented default of `extensionsTimeBudget`, PT90M

INSTANCE_ACTION_S = {
    "start": 60.0,  # recorded: 3, of a node that was off, not deallocated
    "restart": 45.0,  # recorded: 1
    "deallocate": 60.0,  # recorded: 30
    "poweroff": 30.0,  # recorded: 6
    "reimage": 120.0,
    "redeploy": 120.0,
    "delete": 60.0,  # recorded: 30
    "manualupgrade": 120.0,  # recorded: 30 to 40, without a reimage
    "reapply": 30.0,
    "update": 10.0,
}

ROLLING_START_S = 5.0
ROLLING_BATCH_S = 120.0
ROLLING_CANCEL_S = 5.0
SERVICE_STATE_S = 10.0
RESERVATION_S = 30.0
RUN_COMMAND_S = 30.0
"""How long a script runs of which the tester says nothing else."""
MANAGED_COMMAND_S = 10.0
"""What a managed run command takes besides the script itself, or its deletion."""

GROUP_DELETE_S = 60.0
"""Beside the longest deletion of a member. Logs: 15 to 80 in all, of groups with a network and a machine or two."""

DEPLOYMENT_START_S = 2.0
DEPLOYMENT_END_S = 1.0
DEPLOYMENT_DELETE_S = 5.0
# Recorded: 29 for a stack with one storage account.
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
