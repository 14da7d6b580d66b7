"""The options of a replay, where it pauses, and its exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
import re

from bt_executive.replay.replay_of_process import Moment
from rover_common.errors import UsageError

IDENTICAL, DIFFERENT = 0, 1
MOMENT = re.compile(r'(\d+)|(\d+(?:\.\d+)?)\s?s|(\d+\.\d+)')
HELP = 'Enter: next tick, a number: on to that tick, t: the tree, s: the state, q: end'


@dataclass(frozen=True)
class Until:
    """The last tick to replay, by number, or by s after the first tick."""

    number: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Until:
        """Parse the option: `12` is a tick; `12.5` and `12s` are times.

        Raises:
            UsageError: It is neither.
        """
        match = MOMENT.fullmatch(text.strip())
        if match is None:
            raise UsageError(
                f'--until {text!r}: give a tick, such as 12, or a time, such as 3.5s.'
            )
        if match[1]:
            return cls(number=int(match[1]))
        return cls(seconds=float(match[2] or match[3]))

    def reached(self, moment: Moment, start_s: float) -> bool:
        """Return whether this tick is the target or later."""
        if self.number is not None:
            return moment.tick.number >= self.number
        return self.seconds is not None and moment.tick.now.steady - start_s >= self.seconds


@dataclass(frozen=True)
class ReplayOptions:
    """Options of a replay. `config`, `overrides`: replace the configuration of the run."""

    run: Path
    config: Path | None = None
    overrides: Sequence[str] = ()
    what_if: bool = False
    until: Until | None = None
    step: bool = False
    tree: bool = False
    state: bool = False
    process: int | None = None
    export: bool = False
