"""A run folder that is to be replayed: its lives, its configuration, and what is to be noted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
import json
from pathlib import Path
from typing import Any

from bt_executive.core.state import BrainState
from bt_executive.replay.recorded_ticks import RecordedLife, RecordedTick, read_lives
from bt_executive.replay.replay import Difference, Replay
from bt_executive.store.run_configuration import FOLDER, RUN_FILE, saved_digest
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError, RecordingError, UsageError

PACKAGE = 'bt_executive'
DECIDE = 'DECIDE'


@dataclass(frozen=True)
class RecordedRun:
    """What was read of a run folder.

    `first_life`: the number of the first of `lives`. `notes`: sentences about what differs.
    """

    folder: Path
    lives: Sequence[RecordedLife]
    config: Config
    notes: Sequence[str]
    first_life: int = 1

    @property
    def ticks(self) -> Iterator[RecordedTick]:
        """The ticks of all lives that can be compared."""
        return (tick for life in self.lives for tick in life.ticks)


@dataclass(frozen=True)
class Moment:
    """A replayed tick. The tree and the state after it are those of `replay`."""

    life: RecordedLife
    tick: RecordedTick
    replay: Replay
    before: BrainState
    difference: Difference | None


def open_run(folder: Path, life: int | None = None) -> RecordedRun:
    """Reads a run folder; `life`: only that one, from 1.

    Raises:
        RecordingError: It cannot be replayed; the text says which file and why.
        UsageError: There is no such life.
    """
    lives, notes = read_lives(folder)
    config = _configuration(folder)
    first = 1
    if life is not None:
        if not 1 <= life <= len(lives):
            raise UsageError(f'--life {life}: the run has {len(lives)}, counted from 1.')
        lives, first = [lives[life - 1]], life
    for number, each in enumerate(lives, first):
        _check(folder, number, each)
    notes += _how_they_end(folder, lives)
    return RecordedRun(folder, lives, config, [*_other_version(folder), *notes], first)


def replay(run: RecordedRun, config: Config) -> Iterator[Moment]:
    """Replays tick by tick, up to the first difference.

    Raises:
        RecordingError: A line is damaged.
        ConfigError: The tools of the configuration cannot be used.
    """
    for life in run.lives:
        player = Replay(life, config)
        for tick in life.ticks:
            before = player.context.state
            found = player.step(tick)
            if found is not None and life.cut and tick is life.ticks[-1]:
                found = None  # the recording ends somewhere in this tick
            yield Moment(life, tick, player, before, found)
            if found is not None:
                return


def _configuration(folder: Path) -> Config:
    try:
        return load_config(folder / FOLDER)
    except ConfigError as error:
        raise RecordingError(
            f'The configuration of the run cannot be used, so it cannot be replayed: {error}'
        ) from None


def _check(folder: Path, number: int, life: RecordedLife) -> None:
    if life.configuration != saved_digest(folder):
        raise RecordingError(
            f'Life {number} of the run cannot be replayed: {folder / FOLDER} is not what it ran '
            'with. A later life has written its own there, or somebody has changed it. '
            '--life N replays another life.'
        )


def _how_they_end(folder: Path, lives: Sequence[RecordedLife]) -> Iterator[str]:
    """At most two sentences, however often the executive was killed in the run."""
    cut = [life for life in lives if life.cut and life.left_out is None]
    if cut:
        which = cut[0].run_id if len(cut) == 1 else f'{len(cut)} of {len(lives)} processes'
        ends = [f'tick {life.ticks[-1].number}' if life.ticks else 'its start' for life in cut]
        yield (
            f'The recording of {which} ends at {", ".join(ends)} without an end of its own: the '
            'executive was killed, still runs, or a file was full. Such a tick may not be whole; '
            'it is replayed, not compared.'
        )
    for life in lives:
        if life.left_out is not None:
            end = f'tick {life.ticks[-1].number}' if life.ticks else 'its start'
            yield (
                f'The recording of {life.run_id} is not complete from {end} on: {life.left_out} '
                'inputs are left out, because the disk did not take them. It is replayed up to '
                'there.'
            )
    left_over = sum(len(life.left_over) for life in lives)
    if left_over:
        yield (
            f'{left_over} events of {folder / "trace.jsonl"} belong to no recorded tick and are '
            'not compared.'
        )


def _other_version(folder: Path) -> Iterator[str]:
    try:
        facts: Any = json.loads((folder / RUN_FILE).read_text(encoding='utf-8'))
        recorded = str(facts['versions'][PACKAGE])
    except (OSError, ValueError, KeyError, TypeError):
        yield f'{RUN_FILE} does not say which version of {PACKAGE} made the run.'
        return
    try:
        own = version(PACKAGE)
    except PackageNotFoundError:
        return
    if recorded != own:
        yield (
            f'The run was made with {PACKAGE} {recorded}, this is {own}: a difference may be '
            'one of the versions.'
        )
