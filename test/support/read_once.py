"""What no test changes is read once by each process.

That is a configuration of shipped files alone, and the certificates of all authorities: each HTTP
client reads 140 of them, for 25 ms, and no server of the tests has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
import ssl

from papers import ROOT

from rover_common.config import load
from rover_common.config.settings import Config

SHIPPED = ROOT / 'config'
KEPT = 100  # configurations
_read = load._read
_read_once = lru_cache(KEPT)(_read)


def keep_what_is_shipped() -> None:
    """From now on the same frozen configuration is returned again, and the same certificates."""
    load._read = _read_if_new
    ssl.create_default_context = cache(ssl.create_default_context)  # type: ignore[assignment]


def _read_if_new(robot: Path | None, overrides: Sequence[str]) -> Config:
    is_shipped = robot is None or (robot.is_absolute() and robot.is_relative_to(SHIPPED))
    names_file = any('.yaml' in each for each in overrides)
    read = _read_once if is_shipped and not names_file else _read
    return read(robot, tuple(overrides))
