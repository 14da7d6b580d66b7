"""Which version this is."""

from __future__ import annotations

from importlib import metadata

PACKAGE = 'bt_executive'


def version() -> str:
    """The version of the installed package; without one, as in a copied folder, `unknown`."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return 'unknown'
