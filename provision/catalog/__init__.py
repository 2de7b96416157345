"""Azure facts and our policies as one value, loaded once and passed on."""

from provision.catalog.model import Catalog, Size
from provision.catalog.read import catalog_from

__all__ = ["Catalog", "Size", "catalog_from"]
