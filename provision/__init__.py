"""Declare, check, plan and apply GPU supercomputers on Azure."""

__version__ = "0.1.0"
