"""Types of which nothing is simulated but that they exist: what is sent is stored. Data, none of it from Azure.

A tester adds more with the setting `plainTypes`.
"""

from __future__ import annotations

STORED_S: dict[str, tuple[float, float]] = {
    "Microsoft.Authorization/roleAssignments": (0.0, 0.0),
    "Microsoft.ContainerRegistry/registries": (20.0, 20.0),
    "Microsoft.Insights/dataCollectionRules": (0.0, 0.0),
    "Microsoft.KeyVault/vaults": (0.0, 0.0),
    "Microsoft.NetApp/netAppAccounts": (15.0, 15.0),
    "Microsoft.NetApp/netAppAccounts/capacityPools": (30.0, 30.0),
    "Microsoft.NetApp/netAppAccounts/capacityPools/volumes": (240.0, 60.0),
    "Microsoft.Network/privateDnsZones": (30.0, 30.0),
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks": (30.0, 30.0),
    "Microsoft.Network/privateEndpoints": (60.0, 30.0),
    "Microsoft.Network/routeTables": (3.0, 5.0),
    "Microsoft.OperationalInsights/workspaces": (20.0, 0.0),
    "Microsoft.Storage/storageAccounts": (20.0, 0.0),
}
"""Seconds that writing and deleting one takes, by type; nothing: it is done at once."""

OTHERS_S = (10.0, 10.0)
"""The same for types that a tester adds."""
