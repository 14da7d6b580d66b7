"""The user's folder for what is kept from one session to the next."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FOLDER = 'bt_executive'  # below XDG_STATE_HOME, as the XDG base directory specification wants it


def state_folder(environment: Mapping[str, str]) -> Path:
    """$XDG_STATE_HOME/bt_executive; relative values of the variable do not count."""
    named = Path(environment.get('XDG_STATE_HOME', ''))
    home = named if named.is_absolute() else Path.home() / '.local' / 'state'
    return home / FOLDER
