"""Whether a process runs that is perhaps no child of this one."""

from __future__ import annotations

import psutil


def runs(pid: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
