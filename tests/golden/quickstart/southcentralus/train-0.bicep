targetScope = 'resourceGroup'

// Recorded with the deployment: what the next plan compares with.
#disable-next-line no-unused-params
param provision object

resource scaleSet 'Microsoft.Compute/virtualMachineScaleSets@2025-11-01' = {
  name: 'quickstart-train-0'
  location: 'southcentralus'
  tags: {
    'cost-center': '4711'
    owner: 'ml-platform'
    provision: 'quickstart/train-0'
  }
  sku: {
    name: 'Standard_ND96isr_H100_v5'
    tier: 'Standard'
    capacity: 2
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
        customData: 'I2Nsb3VkLWNvbmZpZwp3cml0ZV9maWxlczoKLSBwYXRoOiAvZXRjL25jY2wuY29uZgogIHBlcm1pc3Npb25zOiAnMDY0NCcKICBjb250ZW50OiB8CiAgICBOQ0NMX0lCX1BDSV9SRUxBWEVEX09SREVSSU5HPTEKICAgIE5DQ0xfVE9QT19GSUxFPS9vcHQvbWljcm9zb2Z0L25kdjUvdG9wby54bWwKICAgIE5DQ0xfSUdOT1JFX0NQVV9BRkZJTklUWT0xCiAgICBOQ0NMX1NPQ0tFVF9JRk5BTUU9ZXRoMAogICAgTkNDTF9QWE5fRElTQUJMRT0xCiAgICBOQ0NMX01JTl9OQ0hBTk5FTFM9MzIKICAgIE5DQ0xfSUJfUVBTX1BFUl9DT05ORUNUSU9OPTQKLSBwYXRoOiAvZXRjL3NlY3VyaXR5L2xpbWl0cy5kLzkwLXByb3Zpc2lvbi5jb25mCiAgcGVybWlzc2lvbnM6ICcwNjQ0JwogIGNvbnRlbnQ6IHwKICAgICogc29mdCBtZW1sb2NrIHVubGltaXRlZAogICAgKiBoYXJkIG1lbWxvY2sgdW5saW1pdGVkCiAgICAqIHNvZnQgbm9maWxlIDEwNDg1NzYKICAgICogaGFyZCBub2ZpbGUgMTA0ODU3NgogICAgcm9vdCBzb2Z0IG1lbWxvY2sgdW5saW1pdGVkCiAgICByb290IGhhcmQgbWVtbG9jayB1bmxpbWl0ZWQKICAgIHJvb3Qgc29mdCBub2ZpbGUgMTA0ODU3NgogICAgcm9vdCBoYXJkIG5vZmlsZSAxMDQ4NTc2Ci0gcGF0aDogL2V0Yy9hcHQvYXB0LmNvbmYuZC85OS1wcm92aXNpb24KICBwZXJtaXNzaW9uczogJzA2NDQnCiAgY29udGVudDogfAogICAgQVBUOjpQZXJpb2RpYzo6VXBkYXRlLVBhY2thZ2UtTGlzdHMgIjAiOwogICAgQVBUOjpQZXJpb2RpYzo6VW5hdHRlbmRlZC1VcGdyYWRlICIwIjsKLSBwYXRoOiAvdXNyL2xvY2FsL3NiaW4vcHJvdmlzaW9uLXNjcmF0Y2gKICBwZXJtaXNzaW9uczogJzA3NTUnCiAgY29udGVudDogfAogICAgIyEvYmluL2Jhc2gKICAgICMgTW91bnRzIHRoZSBsb2NhbCBOVk1lIGRpc2tzLCBhcyBvbmUgUkFJRCAwLCBhdCAvc2NyYXRjaC4gQmxhbmsgZGlza3MgZ2V0IGEgbmV3IGFycmF5OyBhbiBhcnJheSBvZiBvdXJzIGlzIG1vdW50ZWQKICAgICMgYXMgaXQgaXM7IGRpc2tzIHRoYXQgaG9sZCBhbnl0aGluZyBlbHNlIGFyZSBsZWZ0IGFsb25lLCBhbmQgdGhlIHVuaXQgZmFpbHMgYW5kIHNheXMgc28uCiAgICAjIHVzYWdlOiBwcm92aXNpb24tc2NyYXRjaCBOVU1CRVJfT0ZfRElTS1MKICAgIHNldCAtZXVvIHBpcGVmYWlsCgogICAgZXhwZWN0ZWQ9JDEKICAgIG5hbWU9cHJvdmlzaW9uLXNjcmF0Y2gKICAgIG1vdW50X3BvaW50PS9zY3JhdGNoCgogICAgZmFpbCgpIHsKICAgICAgZWNobyAiJG5hbWU6ICQqIiA+JjIKICAgICAgZXhpdCAxCiAgICB9CgogICAgc2lnbmF0dXJlX29mKCkgeyB3aXBlZnMgLS1ub2hlYWRpbmdzIC0tb3V0cHV0IFRZUEUgIiQxIjsgfQoKICAgIGFycmF5X29mKCkgeyBsc2JsayAtLW5vaGVhZGluZ3MgLS1wYXRocyAtLWxpc3QgLS1vdXRwdXQgTkFNRSxUWVBFICIkMSIgfCBhd2sgJyQyID09ICJyYWlkMCIgeyBwcmludCAkMSB9JzsgfQoKICAgIGlmIG1vdW50cG9pbnQgLS1xdWlldCAiJG1vdW50X3BvaW50IjsgdGhlbgogICAgICBleGl0IDAKICAgIGZpCgogICAgdWRldmFkbSBzZXR0bGUKICAgIGRpc2tzPSgpCiAgICB3aGlsZSByZWFkIC1yIGRpc2sgbW9kZWw7IGRvCiAgICAgIGNhc2UgJG1vZGVsIGluCiAgICAgICAgIk1pY3Jvc29mdCBOVk1lIERpcmVjdCBEaXNrIiopIGRpc2tzKz0oIiRkaXNrIikgOzsKICAgICAgZXNhYwogICAgZG9uZSA8IDwobHNibGsgLS1ub2RlcHMgLS1ub2hlYWRpbmdzIC0tcGF0aHMgLS1vdXRwdXQgTkFNRSxNT0RFTCkKICAgIFsgIiR7I2Rpc2tzW0BdfSIgLWVxICIkZXhwZWN0ZWQiIF0gfHwgZmFpbCAiZm91bmQgJHsjZGlza3NbQF19IGxvY2FsIE5WTWUgZGlza3Mgb2YgJGV4cGVjdGVkIgoKICAgIGJsYW5rPTAKICAgIGZvciBkaXNrIGluICIke2Rpc2tzW0BdfSI7IGRvCiAgICAgIHNpZ25hdHVyZT0kKHNpZ25hdHVyZV9vZiAiJGRpc2siKQogICAgICBjYXNlICRzaWduYXR1cmUgaW4KICAgICAgICAiIikgYmxhbms9JCgoYmxhbmsgKyAxKSkgOzsKICAgICAgICBsaW51eF9yYWlkX21lbWJlcikgOzsKICAgICAgICAqKSBmYWlsICIkZGlzayBob2xkcyBzb21ldGhpbmcgZWxzZSAoJHtzaWduYXR1cmUvLyQnXG4nLyB9KTsgaXQgaXMgbGVmdCBhbG9uZSIgOzsKICAgICAgZXNhYwogICAgZG9uZQoKICAgIGlmIFsgIiRibGFuayIgLWVxICIkZXhwZWN0ZWQiIF07IHRoZW4KICAgICAgbWRhZG0gLS1jcmVhdGUgIi9kZXYvbWQvJG5hbWUiIC0tcnVuIC0tbGV2ZWw9MCAtLXJhaWQtZGV2aWNlcz0iJGV4cGVjdGVkIiAtLWhvbWVob3N0PWFueSAtLW5hbWU9IiRuYW1lIiAiJHtkaXNrc1tAXX0iCiAgICBlbGlmIFsgIiRibGFuayIgLW5lIDAgXTsgdGhlbgogICAgICBmYWlsICIkYmxhbmsgb2YgJGV4cGVjdGVkIGRpc2tzIGFyZSBibGFuayBhbmQgdGhlIG90aGVycyBiZWxvbmcgdG8gYW4gYXJyYXk7IHRoZXkgYXJlIGxlZnQgYWxvbmUiCiAgICBlbGlmIFsgLXogIiQoYXJyYXlfb2YgIiR7ZGlza3NbMF19IikiIF07IHRoZW4KICAgICAgbWRhZG0gLS1hc3NlbWJsZSAiL2Rldi9tZC8kbmFtZSIgIiR7ZGlza3NbQF19IgogICAgZmkKICAgIHVkZXZhZG0gc2V0dGxlCgogICAgYXJyYXk9JChhcnJheV9vZiAiJHtkaXNrc1swXX0iKQogICAgWyAtbiAiJGFycmF5IiBdIHx8IGZhaWwgInRoZSBkaXNrcyBhcmUgbWVtYmVycyBvZiBhbiBhcnJheSB0aGF0IGRvZXMgbm90IHN0YXJ0IgogICAgY2FzZSAkKG1kYWRtIC0tZGV0YWlsIC0tZXhwb3J0ICIkYXJyYXkiKSBpbgogICAgICAqTURfTkFNRT0qIiRuYW1lIiopIDs7CiAgICAgICopIGZhaWwgIiRhcnJheSB3YXMgbWFkZSBieSBzb21lYm9keSBlbHNlOyBpdCBpcyBsZWZ0IGFsb25lIiA7OwogICAgZXNhYwogICAgaWYgWyAteiAiJChzaWduYXR1cmVfb2YgIiRhcnJheSIpIiBdOyB0aGVuCiAgICAgIG1rZnMueGZzIC1LIC1MIHNjcmF0Y2ggIiRhcnJheSIKICAgIGZpCiAgICBta2RpciAtcCAiJG1vdW50X3BvaW50IgogICAgbW91bnQgLW8gZGVmYXVsdHMsbm9hdGltZSxub2ZhaWwgIiRhcnJheSIgIiRtb3VudF9wb2ludCIKICAgIGNobW9kIDE3NzcgIiRtb3VudF9wb2ludCIKLSBwYXRoOiAvdXNyL2xvY2FsL3NiaW4vcHJvdmlzaW9uLWNoZWNrCiAgcGVybWlzc2lvbnM6ICcwNzU1JwogIGNvbnRlbnQ6IHwKICAgICMhL2Jpbi9iYXNoCiAgICAjIFN0YXJ0cyB3aGF0IHRyYWluaW5nIG5lZWRzIG9uIHRoaXMgbm9kZSwgbG9va3Mgd2hldGhlciBhbGwgaXMgdGhlcmUsIGFuZCByZXBvcnRzIGVhY2ggdGhpbmcgb24gYSBsaW5lIG9mIGl0cyBvd24uCiAgICAjIEl0IGVuZHMgd2l0aCAxIHdoZW4gc29tZXRoaW5nIGlzIG1pc3Npbmc6IGBzeXN0ZW1jdGwgc3RhdHVzIHByb3Zpc2lvbi1jaGVja2AgdGhlbiBzaG93cyBhIGZhaWxlZCB1bml0LCBhbmQgd2hhdC4KICAgICMgdXNhZ2U6IHByb3Zpc2lvbi1jaGVjayBbLS1ncHVzIE5dIFstLXNlcnZpY2UgTkFNRV0gWy0tbW9kdWxlIE5BTUVdIFstLWZpbGUgUEFUSF0gWy0taW5maW5pYmFuZCBOXSAuLi4KICAgIHNldCAtdW8gcGlwZWZhaWwKCiAgICBmYWlsZWQ9MAogICAgcmVwb3J0KCkgewogICAgICBpZiBbICIkMSIgLWVxIDAgXTsgdGhlbgogICAgICAgIGVjaG8gIm9rOiAkMiIKICAgICAgZWxzZQogICAgICAgIGVjaG8gIkZBSUxFRDogJDIiID4mMgogICAgICAgIGZhaWxlZD0xCiAgICAgIGZpCiAgICB9CgogICAgaW5maW5pYmFuZF9wb3J0cygpIHsKICAgICAgbG9jYWwgcG9ydCBmb3VuZD0wCiAgICAgIGZvciBwb3J0IGluIC9zeXMvY2xhc3MvaW5maW5pYmFuZC8qL3BvcnRzLyo7IGRvCiAgICAgICAgaWYgZ3JlcCAtcXMgSW5maW5pQmFuZCAiJHBvcnQvbGlua19sYXllciIgJiYgZ3JlcCAtcXMgQUNUSVZFICIkcG9ydC9zdGF0ZSI7IHRoZW4KICAgICAgICAgIGZvdW5kPSQoKGZvdW5kICsgMSkpCiAgICAgICAgZmkKICAgICAgZG9uZQogICAgICBlY2hvICIkZm91bmQiCiAgICB9CgogICAgd2hpbGUgWyAiJCMiIC1nZSAyIF07IGRvCiAgICAgIHdoYXQ9JDEgdmFsdWU9JDIKICAgICAgc2hpZnQgMgogICAgICBjYXNlICR3aGF0IGluCiAgICAgICAgLS1ncHVzKQogICAgICAgICAgbnZpZGlhLXNtaSAtLXBlcnNpc3RlbmNlLW1vZGU9MSA+L2Rldi9udWxsIDI+JjEKICAgICAgICAgIHJlcG9ydCAiJD8iICJwZXJzaXN0ZW5jZSBtb2RlIG9mIHRoZSBHUFVzIgogICAgICAgICAgZm91bmQ9JChudmlkaWEtc21pIC0tbGlzdC1ncHVzIDI+L2Rldi9udWxsIHwgZ3JlcCAtYyAnXkdQVScpCiAgICAgICAgICBbICIkZm91bmQiIC1lcSAiJHZhbHVlIiBdCiAgICAgICAgICByZXBvcnQgIiQ/IiAiJGZvdW5kIG9mICR2YWx1ZSBHUFVzIgogICAgICAgICAgOzsKICAgICAgICAtLXNlcnZpY2UpCiAgICAgICAgICBzeXN0ZW1jdGwgc3RhcnQgIiR2YWx1ZSIgPi9kZXYvbnVsbCAyPiYxCiAgICAgICAgICByZXBvcnQgIiQ/IiAic2VydmljZSAkdmFsdWUiCiAgICAgICAgICA7OwogICAgICAgIC0tbW9kdWxlKQogICAgICAgICAgbW9kcHJvYmUgIiR2YWx1ZSIgPi9kZXYvbnVsbCAyPiYxCiAgICAgICAgICByZXBvcnQgIiQ/IiAia2VybmVsIG1vZHVsZSAkdmFsdWUiCiAgICAgICAgICA7OwogICAgICAgIC0tZmlsZSkKICAgICAgICAgIFsgLWUgIiR2YWx1ZSIgXQogICAgICAgICAgcmVwb3J0ICIkPyIgImZpbGUgJHZhbHVlIgogICAgICAgICAgOzsKICAgICAgICAtLWluZmluaWJhbmQpCiAgICAgICAgICBmb3VuZD0kKGluZmluaWJhbmRfcG9ydHMpCiAgICAgICAgICBbICIkZm91bmQiIC1lcSAiJHZhbHVlIiBdCiAgICAgICAgICByZXBvcnQgIiQ/IiAiJGZvdW5kIG9mICR2YWx1ZSBJbmZpbmlCYW5kIHBvcnRzIGFjdGl2ZSIKICAgICAgICAgIDs7CiAgICAgICAgKikKICAgICAgICAgIHJlcG9ydCAxICIkd2hhdCBpcyBub3RoaW5nIHRoYXQgdGhpcyBzY3JpcHQgbG9va3MgYXQiCiAgICAgICAgICA7OwogICAgICBlc2FjCiAgICBkb25lCiAgICBleGl0ICIkZmFpbGVkIgotIHBhdGg6IC9ldGMvc3lzdGVtZC9zeXN0ZW0vcHJvdmlzaW9uLXNjcmF0Y2guc2VydmljZQogIHBlcm1pc3Npb25zOiAnMDY0NCcKICBjb250ZW50OiB8CiAgICBbVW5pdF0KICAgIERlc2NyaXB0aW9uPUxvY2FsIE5WTWUgZGlza3MgYXMgc2NyYXRjaCBzcGFjZSBhdCAvc2NyYXRjaAogICAgQWZ0ZXI9bG9jYWwtZnMudGFyZ2V0CgogICAgW1NlcnZpY2VdCiAgICBUeXBlPW9uZXNob3QKICAgIFJlbWFpbkFmdGVyRXhpdD15ZXMKICAgIEV4ZWNTdGFydD0vdXNyL2xvY2FsL3NiaW4vcHJvdmlzaW9uLXNjcmF0Y2ggOAoKICAgIFtJbnN0YWxsXQogICAgV2FudGVkQnk9bXVsdGktdXNlci50YXJnZXQKLSBwYXRoOiAvZXRjL3N5c3RlbWQvc3lzdGVtL3Byb3Zpc2lvbi1jaGVjay5zZXJ2aWNlCiAgcGVybWlzc2lvbnM6ICcwNjQ0JwogIGNvbnRlbnQ6IHwKICAgIFtVbml0XQogICAgRGVzY3JpcHRpb249V2hldGhlciB0aGlzIG5vZGUgaXMgcmVhZHkgZm9yIHRyYWluaW5nCiAgICBBZnRlcj1uZXR3b3JrLW9ubGluZS50YXJnZXQKCiAgICBbU2VydmljZV0KICAgIFR5cGU9b25lc2hvdAogICAgUmVtYWluQWZ0ZXJFeGl0PXllcwogICAgRXhlY1N0YXJ0PS91c3IvbG9jYWwvc2Jpbi9wcm92aXNpb24tY2hlY2sgLS1ncHVzIDggLS1zZXJ2aWNlIG52aWRpYS1mYWJyaWNtYW5hZ2VyIC0tbW9kdWxlIG52aWRpYV9wZWVybWVtIC0tZmlsZSAvb3B0L21pY3Jvc29mdC9uZHY1L3RvcG8ueG1sIC0taW5maW5pYmFuZCA4CgogICAgW0luc3RhbGxdCiAgICBXYW50ZWRCeT1tdWx0aS11c2VyLnRhcmdldApydW5jbWQ6Ci0gLSBzeXN0ZW1jdGwKICAtIGRhZW1vbi1yZWxvYWQKLSAtIHN5c3RlbWN0bAogIC0gZW5hYmxlCiAgLSAtLW5vdwogIC0gcHJvdmlzaW9uLXNjcmF0Y2guc2VydmljZQotIC0gc3lzdGVtY3RsCiAgLSBlbmFibGUKICAtIC0tbm93CiAgLSAtLW5vLWJsb2NrCiAgLSBwcm92aXNpb24tY2hlY2suc2VydmljZQo='
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
                id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quickstart-southcentralus/providers/Microsoft.Network/networkSecurityGroups/quickstart-southcentralus-nodes-nsg'
              }
              ipConfigurations: [
                {
                  name: 'nodes'
                  properties: {
                    primary: true
                    subnet: {
                      id: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quickstart-southcentralus/providers/Microsoft.Network/virtualNetworks/quickstart-southcentralus-vnet/subnets/nodes'
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
