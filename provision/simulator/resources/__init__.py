"""Resource groups, and what is the same for a resource of any provider."""
