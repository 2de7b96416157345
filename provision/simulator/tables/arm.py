"""The bodies of what Resource Manager keeps itself: groups, deployments, stacks, locks; and of templates."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, TAGS, Each, Needed, Object, OneOf, Shape, Text
from provision.simulator.tables.common import ENVELOPE, TRACKED, USED_IDENTITY

GROUP = Object(
    "ResourceGroupDefinition",
    **TRACKED,
    managedBy=str,
    properties=Object("ResourceGroupProperties", provisioningState=READ_ONLY),
)

LOCK = Object(
    "ManagementLock",
    **ENVELOPE,
    properties=Needed(
        Object(
            "ManagementLockProperties",
            level=Needed(OneOf("NotSpecified", "CanNotDelete", "ReadOnly", name="LockLevel")),
            notes=Text(longest=512),
            owners=[Object("ManagementLockOwner", applicationId=str)],
        )
    ),
)

_LIMITS = dict.fromkeys(("minLength", "maxLength", "minValue", "maxValue"), int)
_RULE: Shape = {"type": str, "$ref": str, "allowedValues": list, **_LIMITS}
TEMPLATE: Shape = {
    "parameters": Each(Needed(_RULE)),
    "definitions": Each(Needed(_RULE)),
    "variables": dict,
    "outputs": Each(Needed({"type": str})),
}
"""What is relied on of a template before it is read as one: it has expressions, and an error language of its own."""

# --- what deployments and stacks have in common ---

_SECRET = Object(
    "KeyVaultParameterReference",
    keyVault=Needed(Object("KeyVaultReference", id=Needed(str))),
    secretName=Needed(str),
    secretVersion=str,
)
_PARAMETER = Object("DeploymentParameter", value=object, reference=_SECRET, expression=str)
_TEMPLATE_LINK = Object("TemplateLink", uri=str, id=str, relativePath=str, contentVersion=str, queryString=str)
_PARAMETERS_LINK = Object("ParametersLink", uri=Needed(str), contentVersion=str)
_DEBUG = Object("DebugSetting", detailLevel=str)
_INPUTS = Each(Object("DeploymentExternalInput", value=Needed(object)))
_INPUT_DEFINITIONS = Each(Object("DeploymentExternalInputDefinition", kind=Needed(str), config=object))
_EXTENSION_ITEM = Object("DeploymentExtensionConfigItem", type=READ_ONLY, value=object, keyVaultReference=_SECRET)
_EXTENSIONS = Each(Each(_EXTENSION_ITEM))
_LEVEL = OneOf("Template", "Provider", "ProviderNoRbac", name="ValidationLevel")

DEPLOYMENT = Object(
    "DeploymentDefinition",
    **ENVELOPE,
    location=str,
    tags=TAGS,
    identity=Object(
        "DeploymentIdentity",
        type=Needed(OneOf("None", "UserAssigned", name="DeploymentIdentityType")),
        userAssignedIdentities=Each(USED_IDENTITY),
    ),
    properties=Needed(
        Object(
            "DeploymentProperties",
            mode=Needed(OneOf("Incremental", "Complete", name="DeploymentMode")),
            template=TEMPLATE,
            templateLink=_TEMPLATE_LINK,
            parameters=Each(_PARAMETER),
            parametersLink=_PARAMETERS_LINK,
            externalInputs=_INPUTS,
            externalInputDefinitions=_INPUT_DEFINITIONS,
            extensionConfigs=_EXTENSIONS,
            debugSetting=_DEBUG,
            onErrorDeployment=Object(
                "OnErrorDeployment",
                type=OneOf("LastSuccessful", "SpecificDeployment", name="OnErrorDeploymentType"),
                deploymentName=str,
                provisioningState=READ_ONLY,
            ),
            expressionEvaluationOptions=Object(
                "ExpressionEvaluationOptions",
                scope=OneOf("NotSpecified", "Outer", "Inner", name="ExpressionEvaluationScope"),
            ),
            validationLevel=_LEVEL,
            whatIfSettings=Object(
                "DeploymentWhatIfSettings",
                resultFormat=OneOf("ResourceIdOnly", "FullResourcePayloads", name="WhatIfResultFormat"),
            ),
            provisioningState=READ_ONLY,
            correlationId=READ_ONLY,
            timestamp=READ_ONLY,
            duration=READ_ONLY,
            outputs=READ_ONLY,
            providers=READ_ONLY,
            dependencies=READ_ONLY,
            extensions=READ_ONLY,
            templateHash=READ_ONLY,
            outputResources=READ_ONLY,
            validatedResources=READ_ONLY,
            error=READ_ONLY,
            diagnostics=READ_ONLY,
        )
    ),
)

_FATE = OneOf("delete", "detach", name="DeploymentStacksDeleteDetachEnum")

STACK = Object(
    "DeploymentStack",
    **ENVELOPE,
    location=str,
    tags=TAGS,
    properties=Needed(
        Object(
            "DeploymentStackProperties",
            actionOnUnmanage=Needed(
                Object(
                    "ActionOnUnmanage",
                    resources=Needed(_FATE),
                    resourceGroups=_FATE,
                    managementGroups=_FATE,
                    resourcesWithoutDeleteSupport=OneOf("detach", "fail", name="ResourcesWithoutDeleteSupportAction"),
                )
            ),
            denySettings=Needed(
                Object(
                    "DenySettings",
                    mode=Needed(OneOf("denyDelete", "denyWriteAndDelete", "none", name="DenySettingsMode")),
                    excludedPrincipals=[str],
                    excludedActions=[str],
                    applyToChildScopes=bool,
                )
            ),
            template=TEMPLATE,
            templateLink=_TEMPLATE_LINK,
            parameters=Each(_PARAMETER.having(type=str)),
            parametersLink=_PARAMETERS_LINK,
            externalInputs=_INPUTS,
            externalInputDefinitions=_INPUT_DEFINITIONS,
            extensionConfigs=_EXTENSIONS,
            debugSetting=_DEBUG,
            deploymentScope=str,
            description=Text(longest=4096),
            validationLevel=_LEVEL,
            bypassStackOutOfSyncError=bool,
            provisioningState=READ_ONLY,
            correlationId=READ_ONLY,
            error=READ_ONLY,
            resources=READ_ONLY,
            detachedResources=READ_ONLY,
            deletedResources=READ_ONLY,
            failedResources=READ_ONLY,
            deploymentExtensions=READ_ONLY,
            deploymentId=READ_ONLY,
            outputs=READ_ONLY,
            duration=READ_ONLY,
        )
    ),
)

ROLE_ASSIGNMENT = Object(
    "RoleAssignmentCreateParameters",
    **ENVELOPE,
    properties=Needed(
        Object(
            "RoleAssignmentProperties",
            roleDefinitionId=Needed(str),
            principalId=Needed(str),
            principalType=OneOf(
                *("User", "Group", "ServicePrincipal", "ForeignGroup", "Device", "AgentUser", "AgentServicePrincipal"),
                name="PrincipalType",
            ),
            description=str,
            condition=str,
            conditionVersion=str,
            delegatedManagedIdentityResourceId=str,
            scope=READ_ONLY,
            createdOn=READ_ONLY,
            updatedOn=READ_ONLY,
            createdBy=READ_ONLY,
            updatedBy=READ_ONLY,
        )
    ),
)

TAGS_RESOURCE = Object(
    "TagsResource",
    **ENVELOPE,
    properties=Needed(Object("Tags", tags=TAGS)),
)
TAGS_PATCH = TAGS_RESOURCE.having(
    "TagsPatchResource", operation=Needed(OneOf("Replace", "Merge", "Delete", name="TagsPatchOperation"))
)
