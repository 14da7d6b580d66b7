"""Temporary files of the suite in memory, where there is room: a slow disk makes no test wait.

Every run of a system writes journals that wait for the disk, a gigabyte in all. On a machine whose
disk is shared, all of them stood still for half a minute at a time.
"""

from __future__ import annotations

import os
from pathlib import Path
import tempfile

FOLDER = Path('/dev/shm')  # on Linux; in a container often of 64 MB only
ROOM = 2_000_000_000  # bytes


def keep_temporary_files_in_memory() -> None:
    """Also those of processes to come; leaves a TMPDIR that is set as it is."""
    if 'TMPDIR' in os.environ or not FOLDER.is_dir():
        return
    found = os.statvfs(FOLDER)
    if found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC:
        os.environ['TMPDIR'] = str(FOLDER)
        tempfile.tempdir = None  # is looked up anew
