"""What several processes of one suite need is made by the first of them."""

from __future__ import annotations

from collections.abc import Callable
import fcntl
import os
from pathlib import Path
import shutil

import pytest


def made_once(
    name: str, make: Callable[[Path], None], factory: pytest.TempPathFactory, run: str
) -> Path:
    """The folder `name` of this run of the suite, which `make` has filled; others wait meanwhile.

    Args:
        name: Of the folder.
        make: Gets a folder that does not exist yet. If it fails, the next one tries again.
        factory: pytest's.
        run: pytest-xdist's `testrun_uid`, the same in all processes.
    """
    base = factory.getbasetemp()
    folder = (base.parent if 'PYTEST_XDIST_WORKER' in os.environ else base) / f'{name}-{run}'
    with folder.with_suffix('.lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            begun = folder.with_suffix('.begun')
            shutil.rmtree(begun, ignore_errors=True)  # of one that failed
            make(begun)
            begun.rename(folder)
    return folder
