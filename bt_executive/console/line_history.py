"""The history of typed lines, in a file of the user."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
import os
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from rover_common.process.user_paths import state_folder


def open_history(environment: Mapping[str, str]) -> History:
    """Open the history of this user; in memory if the file cannot be written."""
    path = history_file(environment)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    except OSError:
        return InMemoryHistory()
    return _ForgivingHistory(path)


class _ForgivingHistory(FileHistory):
    """A history that drops a line that cannot be written, as on a full disk."""

    def store_string(self, string: str) -> None:
        """Appends a line to the file, if possible."""
        with suppress(OSError):
            super().store_string(string)


def history_file(environment: Mapping[str, str]) -> Path:
    """Return $XDG_STATE_HOME/bt_executive/history; a relative value of it is ignored."""
    return state_folder(environment) / 'history'
