"""A topology as ARM JSON and Bicep."""

from provision.render.documents import documents, manifest
from provision.render.errors import RenderError
from provision.render.unit import Unit
from provision.render.units import arm_units, bicep_texts

__all__ = ["RenderError", "Unit", "arm_units", "bicep_texts", "documents", "manifest"]
