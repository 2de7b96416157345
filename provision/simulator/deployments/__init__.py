"""Templates, deployments, stacks and what-if."""
