"""Azure facts and our policies as one value, loaded once and passed on."""

from provision.catalog.model import Catalog, Image, Node, Size
from provision.catalog.read import catalog_from

__all__ = ["Catalog", "Image", "Node", "Size", "catalog_from"]
