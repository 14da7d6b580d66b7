"""The folder of what can be made again, below the user's cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
import sys

from rover_common.errors import UsageError
from rover_common.process.state_folder import FOLDER, home_folder


def user_cache(environment: Mapping[str, str]) -> Path:
    """Return $XDG_CACHE_HOME/bt_executive, or ~/.cache/bt_executive; it need not exist.

    Relative values of the variable do not count, as in `state_folder`. A user without a home
    folder has it in the environment that Python runs in: in /tmp it could be anybody's.
    """
    named = Path(environment.get('XDG_CACHE_HOME', ''))
    if named.is_absolute():
        return named / FOLDER
    try:
        return home_folder(environment) / '.cache' / FOLDER
    except UsageError:
        return Path(sys.prefix) / 'cache' / FOLDER
