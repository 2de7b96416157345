"""What a node does at its first boot."""

from provision.boot.custom_data import CustomData, custom_data_of

__all__ = ["CustomData", "custom_data_of"]
