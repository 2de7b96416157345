targetScope = 'resourceGroup'

// Recorded with the deployment: what the next plan compares with.
#disable-next-line no-unused-params
param provision object

resource securityGroup 'Microsoft.Network/networkSecurityGroups@2025-05-01' = {
  name: 'quickstart-southcentralus-nodes-nsg'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'quickstart/network'
  }
  properties: {
    securityRules: []
  }
}

resource natAddress0 'Microsoft.Network/publicIPAddresses@2025-05-01' = {
  name: 'quickstart-southcentralus-nat-ip-0'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'quickstart/network'
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
  name: 'quickstart-southcentralus-bastion-ip'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'quickstart/network'
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
  name: 'quickstart-southcentralus-nat'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'quickstart/network'
  }
  sku: {
    name: 'Standard'
  }
  properties: {
    idleTimeoutInMinutes: 4
    publicIpAddresses: [
      {
        id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quickstart-southcentralus/providers/Microsoft.Network/publicIPAddresses/quickstart-southcentralus-nat-ip-0'
      }
    ]
  }
  dependsOn: [
    natAddress0
  ]
}

resource virtualNetwork 'Microsoft.Network/virtualNetworks@2025-05-01' = {
  name: 'quickstart-southcentralus-vnet'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'quickstart/network'
  }
  properties: {
    addressSpace: {
      addressPrefixes: [
        '10.86.0.0/15'
      ]
    }
  }
}

resource nodesSubnet 'Microsoft.Network/virtualNetworks/subnets@2025-05-01' = {
  parent: virtualNetwork
  name: 'nodes'
  properties: {
    addressPrefix: '10.86.0.0/16'
    networkSecurityGroup: {
      id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quickstart-southcentralus/providers/Microsoft.Network/networkSecurityGroups/quickstart-southcentralus-nodes-nsg'
    }
    natGateway: {
      id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quickstart-southcentralus/providers/Microsoft.Network/natGateways/quickstart-southcentralus-nat'
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
    addressPrefix: '10.87.128.0/26'
    defaultOutboundAccess: false
  }
  dependsOn: [
    nodesSubnet
  ]
}

// Standard, the cheapest that people reach nodes through with their own ssh.
resource bastion 'Microsoft.Network/bastionHosts@2025-05-01' = {
  name: 'quickstart-southcentralus-bastion'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'quickstart/network'
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
            id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quickstart-southcentralus/providers/Microsoft.Network/virtualNetworks/quickstart-southcentralus-vnet/subnets/AzureBastionSubnet'
          }
          publicIPAddress: {
            id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quickstart-southcentralus/providers/Microsoft.Network/publicIPAddresses/quickstart-southcentralus-bastion-ip'
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
