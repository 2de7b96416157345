"""The expression language of templates: `[format('{0}-nsg', parameters('name'))]`."""
