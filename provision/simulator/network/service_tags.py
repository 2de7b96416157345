"""Names for ranges of addresses that security rules may use in the place of a prefix.

Names that Microsoft documents (virtual-network, service-tags-overview), 2026-11-30. The list is meant to be whole for
what rules about clusters name, not for every service of Azure.
"""

from __future__ import annotations

SERVICE_TAGS = frozenset(
    name.lower()
    for name in (
        *("VirtualNetwork", "AzureLoadBalancer", "Internet", "ActionGroup", "ApiManagement"),
        *("ApplicationInsightsAvailability", "AppConfiguration", "AppService", "AppServiceManagement"),
        *("AutonomousDevelopmentPlatform", "AzureActiveDirectory", "AzureActiveDirectoryDomainServices"),
        *("AzureAdvancedThreatProtection", "AzureArcInfrastructure", "AzureAttestation", "AzureBackup"),
        *("AzureBotService", "AzureCloud", "AzureCognitiveSearch", "AzureConnectors", "AzureContainerAppsService"),
        *("AzureContainerRegistry", "AzureCosmosDB", "AzureDatabricks", "AzureDataExplorerManagement"),
        *("AzureDataLake", "AzureDeviceUpdate", "AzureDevOps", "AzureDigitalTwins", "AzureEventGrid"),
        *("AzureFrontDoor", "AzureHealthcareAPIs", "AzureInformationProtection", "AzureIoTHub", "AzureKeyVault"),
        *("AzureMachineLearning", "AzureManagedGrafana", "AzureMonitor", "AzureOpenDatasets"),
        *("AzurePlatformDNS", "AzurePlatformIMDS", "AzurePlatformLKM", "AzureResourceManager", "AzureSentinel"),
        *("AzureSignalR", "AzureSiteRecovery", "AzureSphere", "AzureSpringCloud", "AzureStack"),
        *("AzureTrafficManager", "AzureUpdateDelivery", "AzureVideoAnalyzerForMedia", "AzureWebPubSub"),
        *("BatchNodeManagement", "ChaosStudio", "CognitiveServicesFrontend", "CognitiveServicesManagement"),
        *("DataFactory", "DataFactoryManagement", "Dynamics365ForMarketingEmail", "EOPExternalPublishedIPs"),
        *("EventHub", "GatewayManager", "GuestAndHybridManagement", "HDInsight", "LogicApps"),
        *("LogicAppsManagement", "M365ManagementActivityApi", "MicrosoftAzureFluidRelay"),
        *("MicrosoftCloudAppSecurity", "MicrosoftContainerRegistry", "MicrosoftDefenderForEndpoint", "OneDsCollector"),
        *("PowerBI", "PowerPlatformInfra", "PowerQueryOnline", "Scuba", "SerialConsole", "ServiceBus"),
        *("ServiceFabric", "Sql", "SqlManagement", "Storage", "StorageMover", "StorageSyncService"),
        *("WindowsAdminCenter", "WindowsVirtualDesktop"),
    )
)
