targetScope = 'resourceGroup'

// Recorded with the deployment: what the next plan compares with.
#disable-next-line no-unused-params
param provision object

resource scaleSet 'Microsoft.Compute/virtualMachineScaleSets@2025-11-01' = {
  name: 'h100-train-train-0'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'h100-train/train-0'
  }
  sku: {
    name: 'Standard_ND96isr_H100_v5'
    tier: 'Standard'
    capacity: 64
  }
  zones: [
    '1'
  ]
  properties: {
    orchestrationMode: 'Uniform'
    singlePlacementGroup: true
    overprovision: false
    platformFaultDomainCount: 1
    upgradePolicy: {
      mode: 'Manual'
    }
    automaticRepairsPolicy: {
      enabled: false
    }
    scaleInPolicy: {
      rules: [
        'NewestVM'
      ]
      forceDeletion: false
    }
    virtualMachineProfile: {
      priority: 'Regular'
      osProfile: {
        computerNamePrefix: 'train-0-'
        adminUsername: 'azureuser'
        customData: 'I2Nsb3VkLWNvbmZpZwp3cml0ZV9maWxlczoKLSBwYXRoOiAvZXRjL25jY2wuY29uZgogIHBlcm1pc3Npb25zOiAnMDY0NCcKICBjb250ZW50OiB8CiAgICBOQ0NMX0lCX1BDSV9SRUxBWEVEX09SREVSSU5HPTEKICAgIE5DQ0xfVE9QT19GSUxFPS9vcHQvbWljcm9zb2Z0L25kdjUvdG9wby54bWwKICAgIE5DQ0xfSUdOT1JFX0NQVV9BRkZJTklUWT0xCi0gcGF0aDogL2V0Yy9zZWN1cml0eS9saW1pdHMuZC85MC1wcm92aXNpb24uY29uZgogIHBlcm1pc3Npb25zOiAnMDY0NCcKICBjb250ZW50OiB8CiAgICAqIHNvZnQgbWVtbG9jayB1bmxpbWl0ZWQKICAgICogaGFyZCBtZW1sb2NrIHVubGltaXRlZAogICAgKiBzb2Z0IG5vZmlsZSAxMDQ4NTc2CiAgICAqIGhhcmQgbm9maWxlIDEwNDg1NzYKICAgIHJvb3Qgc29mdCBtZW1sb2NrIHVubGltaXRlZAogICAgcm9vdCBoYXJkIG1lbWxvY2sgdW5saW1pdGVkCiAgICByb290IHNvZnQgbm9maWxlIDEwNDg1NzYKICAgIHJvb3QgaGFyZCBub2ZpbGUgMTA0ODU3NgotIHBhdGg6IC91c3IvbG9jYWwvc2Jpbi9wcm92aXNpb24tc2NyYXRjaAogIHBlcm1pc3Npb25zOiAnMDc1NScKICBjb250ZW50OiB8CiAgICAjIS9iaW4vYmFzaAogICAgIyBNb3VudHMgdGhlIGxvY2FsIE5WTWUgZGlza3MsIGFzIG9uZSBSQUlEIDAsIGF0IC9zY3JhdGNoLiBCbGFuayBkaXNrcyBnZXQgYSBuZXcgYXJyYXk7IGFuIGFycmF5IG9mIG91cnMgaXMgbW91bnRlZAogICAgIyBhcyBpdCBpczsgZGlza3MgdGhhdCBob2xkIGFueXRoaW5nIGVsc2UgYXJlIGxlZnQgYWxvbmUsIGFuZCB0aGUgdW5pdCBmYWlscyBhbmQgc2F5cyBzby4KICAgICMgdXNhZ2U6IHByb3Zpc2lvbi1zY3JhdGNoIE5VTUJFUl9PRl9ESVNLUwogICAgc2V0IC1ldW8gcGlwZWZhaWwKCiAgICBleHBlY3RlZD0kMQogICAgbmFtZT1wcm92aXNpb24tc2NyYXRjaAogICAgbW91bnRfcG9pbnQ9L3NjcmF0Y2gKCiAgICBmYWlsKCkgewogICAgICBlY2hvICIkbmFtZTogJCoiID4mMgogICAgICBleGl0IDEKICAgIH0KCiAgICBzaWduYXR1cmVfb2YoKSB7IHdpcGVmcyAtLW5vaGVhZGluZ3MgLS1vdXRwdXQgVFlQRSAiJDEiOyB9CgogICAgYXJyYXlfb2YoKSB7IGxzYmxrIC0tbm9oZWFkaW5ncyAtLXBhdGhzIC0tbGlzdCAtLW91dHB1dCBOQU1FLFRZUEUgIiQxIiB8IGF3ayAnJDIgPT0gInJhaWQwIiB7IHByaW50ICQxIH0nOyB9CgogICAgaWYgbW91bnRwb2ludCAtLXF1aWV0ICIkbW91bnRfcG9pbnQiOyB0aGVuCiAgICAgIGV4aXQgMAogICAgZmkKCiAgICB1ZGV2YWRtIHNldHRsZQogICAgZGlza3M9KCkKICAgIHdoaWxlIHJlYWQgLXIgZGlzayBtb2RlbDsgZG8KICAgICAgY2FzZSAkbW9kZWwgaW4KICAgICAgICAiTWljcm9zb2Z0IE5WTWUgRGlyZWN0IERpc2siKikgZGlza3MrPSgiJGRpc2siKSA7OwogICAgICBlc2FjCiAgICBkb25lIDwgPChsc2JsayAtLW5vZGVwcyAtLW5vaGVhZGluZ3MgLS1wYXRocyAtLW91dHB1dCBOQU1FLE1PREVMKQogICAgWyAiJHsjZGlza3NbQF19IiAtZXEgIiRleHBlY3RlZCIgXSB8fCBmYWlsICJmb3VuZCAkeyNkaXNrc1tAXX0gbG9jYWwgTlZNZSBkaXNrcyBvZiAkZXhwZWN0ZWQiCgogICAgYmxhbms9MAogICAgZm9yIGRpc2sgaW4gIiR7ZGlza3NbQF19IjsgZG8KICAgICAgc2lnbmF0dXJlPSQoc2lnbmF0dXJlX29mICIkZGlzayIpCiAgICAgIGNhc2UgJHNpZ25hdHVyZSBpbgogICAgICAgICIiKSBibGFuaz0kKChibGFuayArIDEpKSA7OwogICAgICAgIGxpbnV4X3JhaWRfbWVtYmVyKSA7OwogICAgICAgICopIGZhaWwgIiRkaXNrIGhvbGRzIHNvbWV0aGluZyBlbHNlICgkKGVjaG8gJHNpZ25hdHVyZSkpOyBpdCBpcyBsZWZ0IGFsb25lIiA7OwogICAgICBlc2FjCiAgICBkb25lCgogICAgaWYgWyAiJGJsYW5rIiAtZXEgIiRleHBlY3RlZCIgXTsgdGhlbgogICAgICBtZGFkbSAtLWNyZWF0ZSAiL2Rldi9tZC8kbmFtZSIgLS1ydW4gLS1sZXZlbD0wIC0tcmFpZC1kZXZpY2VzPSIkZXhwZWN0ZWQiIC0taG9tZWhvc3Q9YW55IC0tbmFtZT0iJG5hbWUiICIke2Rpc2tzW0BdfSIKICAgIGVsaWYgWyAiJGJsYW5rIiAtbmUgMCBdOyB0aGVuCiAgICAgIGZhaWwgIiRibGFuayBvZiAkZXhwZWN0ZWQgZGlza3MgYXJlIGJsYW5rIGFuZCB0aGUgb3RoZXJzIGJlbG9uZyB0byBhbiBhcnJheTsgdGhleSBhcmUgbGVmdCBhbG9uZSIKICAgIGVsaWYgWyAteiAiJChhcnJheV9vZiAiJHtkaXNrc1swXX0iKSIgXTsgdGhlbgogICAgICBtZGFkbSAtLWFzc2VtYmxlICIvZGV2L21kLyRuYW1lIiAiJHtkaXNrc1tAXX0iCiAgICBmaQogICAgdWRldmFkbSBzZXR0bGUKCiAgICBhcnJheT0kKGFycmF5X29mICIke2Rpc2tzWzBdfSIpCiAgICBbIC1uICIkYXJyYXkiIF0gfHwgZmFpbCAidGhlIGRpc2tzIGFyZSBtZW1iZXJzIG9mIGFuIGFycmF5IHRoYXQgZG9lcyBub3Qgc3RhcnQiCiAgICBjYXNlICQobWRhZG0gLS1kZXRhaWwgLS1leHBvcnQgIiRhcnJheSIpIGluCiAgICAgICpNRF9OQU1FPSoiJG5hbWUiKikgOzsKICAgICAgKikgZmFpbCAiJGFycmF5IHdhcyBtYWRlIGJ5IHNvbWVib2R5IGVsc2U7IGl0IGlzIGxlZnQgYWxvbmUiIDs7CiAgICBlc2FjCiAgICBpZiBbIC16ICIkKHNpZ25hdHVyZV9vZiAiJGFycmF5IikiIF07IHRoZW4KICAgICAgbWtmcy54ZnMgLUsgLUwgc2NyYXRjaCAiJGFycmF5IgogICAgZmkKICAgIG1rZGlyIC1wICIkbW91bnRfcG9pbnQiCiAgICBtb3VudCAtbyBkZWZhdWx0cyxub2F0aW1lLG5vZmFpbCAiJGFycmF5IiAiJG1vdW50X3BvaW50IgogICAgY2htb2QgMTc3NyAiJG1vdW50X3BvaW50IgotIHBhdGg6IC9ldGMvc3lzdGVtZC9zeXN0ZW0vcHJvdmlzaW9uLXNjcmF0Y2guc2VydmljZQogIHBlcm1pc3Npb25zOiAnMDY0NCcKICBjb250ZW50OiB8CiAgICBbVW5pdF0KICAgIERlc2NyaXB0aW9uPUxvY2FsIE5WTWUgZGlza3MgYXMgc2NyYXRjaCBzcGFjZSBhdCAvc2NyYXRjaAogICAgQWZ0ZXI9bG9jYWwtZnMudGFyZ2V0CgogICAgW1NlcnZpY2VdCiAgICBUeXBlPW9uZXNob3QKICAgIFJlbWFpbkFmdGVyRXhpdD15ZXMKICAgIEV4ZWNTdGFydD0vdXNyL2xvY2FsL3NiaW4vcHJvdmlzaW9uLXNjcmF0Y2ggOAoKICAgIFtJbnN0YWxsXQogICAgV2FudGVkQnk9bXVsdGktdXNlci50YXJnZXQKcnVuY21kOgotIC0gc3lzdGVtY3RsCiAgLSBkYWVtb24tcmVsb2FkCi0gLSBzeXN0ZW1jdGwKICAtIGVuYWJsZQogIC0gLS1ub3cKICAtIHByb3Zpc2lvbi1zY3JhdGNoLnNlcnZpY2UK'
        linuxConfiguration: {
          disablePasswordAuthentication: true
          provisionVMAgent: true
          ssh: {
            publicKeys: [
              {
                path: '/home/azureuser/.ssh/authorized_keys'
                keyData: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICMqAdgA1K88GBKLQkALJd7dMOYVRQhmGf0YpDJ3KmvI example@provision'
              }
            ]
          }
        }
        allowExtensionOperations: true
      }
      storageProfile: {
        imageReference: {
          publisher: 'microsoft-dsvm'
          offer: 'ubuntu-hpc'
          sku: '2204'
          version: '22.04.2026071501'
        }
        osDisk: {
          createOption: 'FromImage'
          caching: 'ReadOnly'
          diskSizeGB: 256
          managedDisk: {
            storageAccountType: 'Premium_LRS'
          }
        }
      }
      securityProfile: {
        securityType: 'Standard'
      }
      networkProfile: {
        networkInterfaceConfigurations: [
          {
            name: 'nic'
            properties: {
              primary: true
              enableAcceleratedNetworking: true
              enableIPForwarding: false
              networkSecurityGroup: {
                id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-southcentralus/providers/Microsoft.Network/networkSecurityGroups/h100-train-southcentralus-nodes-nsg'
              }
              ipConfigurations: [
                {
                  name: 'nodes'
                  properties: {
                    primary: true
                    subnet: {
                      id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/h100-train-southcentralus/providers/Microsoft.Network/virtualNetworks/h100-train-southcentralus-vnet/subnets/nodes'
                    }
                  }
                }
              ]
            }
          }
        ]
      }
      diagnosticsProfile: {
        bootDiagnostics: {
          enabled: true
        }
      }
    }
  }
}
