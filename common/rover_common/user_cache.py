"""The folder of what can be made again, below the user's cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def user_cache(environment: Mapping[str, str]) -> Path:
    """Return ${XDG_CACHE_HOME:-~/.cache}/bt_executive; it need not exist."""
    home = environment.get('XDG_CACHE_HOME') or Path(environment.get('HOME', '/tmp'), '.cache')
    return Path(home, 'bt_executive')
