"""Managed Lustre, and resources of types that are only stored."""
