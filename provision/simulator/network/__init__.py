"""Microsoft.Network: networks, subnets, addresses, security groups, peerings, gateways, bastions."""
