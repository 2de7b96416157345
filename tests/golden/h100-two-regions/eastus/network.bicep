targetScope = 'resourceGroup'

// Recorded with the deployment: what the next plan compares with.
#disable-next-line no-unused-params
param provision object

resource securityGroup 'Microsoft.Network/networkSecurityGroups@2025-05-01' = {
  name: 'h100-train-eastus-nodes-nsg'
  location: 'eastus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/network'
  }
  properties: {
    securityRules: [
      {
        name: 'allow-ssh'
        properties: {
          priority: 1000
          direction: 'Inbound'
          access: 'Allow'
          protocol: 'Tcp'
          sourceAddressPrefixes: [
            '203.0.113.0/24'
          ]
          sourcePortRange: '*'
          destinationAddressPrefix: '*'
          destinationPortRange: '22'
        }
      }
    ]
  }
}

resource natAddress0 'Microsoft.Network/publicIPAddresses@2025-05-01' = {
  name: 'h100-train-eastus-nat-ip-0'
  location: 'eastus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/network'
  }
  sku: {
    name: 'Standard'
    tier: 'Regional'
  }
  properties: {
    publicIPAddressVersion: 'IPv4'
    publicIPAllocationMethod: 'Static'
  }
}

resource natAddress1 'Microsoft.Network/publicIPAddresses@2025-05-01' = {
  name: 'h100-train-eastus-nat-ip-1'
  location: 'eastus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/network'
  }
  sku: {
    name: 'Standard'
    tier: 'Regional'
  }
  properties: {
    publicIPAddressVersion: 'IPv4'
    publicIPAllocationMethod: 'Static'
  }
}

resource bastionAddress 'Microsoft.Network/publicIPAddresses@2025-05-01' = {
  name: 'h100-train-eastus-bastion-ip'
  location: 'eastus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/network'
  }
  sku: {
    name: 'Standard'
    tier: 'Regional'
  }
  properties: {
    publicIPAddressVersion: 'IPv4'
    publicIPAllocationMethod: 'Static'
  }
}

resource natGateway 'Microsoft.Network/natGateways@2025-05-01' = {
  name: 'h100-train-eastus-nat'
  location: 'eastus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/network'
  }
  sku: {
    name: 'Standard'
  }
  properties: {
    idleTimeoutInMinutes: 4
    publicIpAddresses: [
      {
        id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-eastus/providers/Microsoft.Network/publicIPAddresses/h100-train-eastus-nat-ip-0'
      }
      {
        id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-eastus/providers/Microsoft.Network/publicIPAddresses/h100-train-eastus-nat-ip-1'
      }
    ]
  }
  dependsOn: [
    natAddress0
    natAddress1
  ]
}

resource virtualNetwork 'Microsoft.Network/virtualNetworks@2025-05-01' = {
  name: 'h100-train-eastus-vnet'
  location: 'eastus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/network'
  }
  properties: {
    addressSpace: {
      addressPrefixes: [
        '10.32.0.0/15'
      ]
    }
  }
}

resource nodesSubnet 'Microsoft.Network/virtualNetworks/subnets@2025-05-01' = {
  parent: virtualNetwork
  name: 'nodes'
  properties: {
    addressPrefix: '10.32.0.0/16'
    networkSecurityGroup: {
      id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-eastus/providers/Microsoft.Network/networkSecurityGroups/h100-train-eastus-nodes-nsg'
    }
    natGateway: {
      id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-eastus/providers/Microsoft.Network/natGateways/h100-train-eastus-nat'
    }
    defaultOutboundAccess: false
  }
  dependsOn: [
    securityGroup
    natGateway
  ]
}

resource bastionSubnet 'Microsoft.Network/virtualNetworks/subnets@2025-05-01' = {
  parent: virtualNetwork
  name: 'AzureBastionSubnet'
  properties: {
    addressPrefix: '10.33.128.0/26'
    defaultOutboundAccess: false
  }
  dependsOn: [
    nodesSubnet
  ]
}

// Standard, the cheapest that people reach nodes through with their own ssh.
resource bastion 'Microsoft.Network/bastionHosts@2025-05-01' = {
  name: 'h100-train-eastus-bastion'
  location: 'eastus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/network'
  }
  sku: {
    name: 'Standard'
  }
  properties: {
    enableTunneling: true
    ipConfigurations: [
      {
        name: 'bastion'
        properties: {
          subnet: {
            id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-eastus/providers/Microsoft.Network/virtualNetworks/h100-train-eastus-vnet/subnets/AzureBastionSubnet'
          }
          publicIPAddress: {
            id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-eastus/providers/Microsoft.Network/publicIPAddresses/h100-train-eastus-bastion-ip'
          }
          privateIPAllocationMethod: 'Dynamic'
        }
      }
    ]
  }
  dependsOn: [
    bastionSubnet
    bastionAddress
  ]
}
