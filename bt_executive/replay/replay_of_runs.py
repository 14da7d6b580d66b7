"""Replays one run step by step, or several in parallel; shows the first difference, or what if."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
import io
from pathlib import Path
import re
import sys

from rich.console import Console
from rich.text import Text

from bt_executive.replay import replay_display
from bt_executive.replay.recorded_run import RecordedRun, open_run
from bt_executive.replay.replay_of_process import Moment, replay
from bt_executive.replay.what_if_other_configuration import compare
from bt_executive.store.recorded_inputs import INBOX_FILE, export_inputs
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError, RecordingError, UsageError
from rover_common.process.parallel_work import check_workers, parallel_imap
from rover_common.text_sanitizing import printable

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


def run_replay(options: ReplayOptions, console: Console | None = None) -> int:
    """Replays a run and shows the result; returns the exit code: 0 identical, 1 different.

    Raises:
        RecordingError: The run cannot be replayed, or exported.
        ConfigError: The other configuration cannot be used.
        UsageError: The options do not fit the run.
    """
    console = console or replay_display.make_console()
    if options.export:
        return _export(console, options.run)
    run = open_run(options.run, options.process)
    changed = options.config is not None or bool(options.overrides)
    config = run.config
    if changed:
        load = partial(load_config, options.config) if options.config else run.configuration
        config = load(options.overrides)
    replay_display.show_notes(console, run.notes)
    if options.what_if:
        _check_what_if(options, changed)
        return _what_if(console, run, config)
    return ReplayDisplay(console, run, options).show(config)


def _export(console: Console, folder: Path) -> int:
    try:
        count = export_inputs(folder)
    except OSError as error:
        raise RecordingError(f'{error.filename} cannot be written ({error.strerror}).') from None
    console.print(Text(f'{folder / INBOX_FILE}: {count} lines'))
    return IDENTICAL


def _check_what_if(options: ReplayOptions, changed: bool) -> None:
    if not changed:
        raise UsageError('--what-if needs another configuration: --set KEY=VALUE or --config.')
    if options.until or options.step or options.tree or options.state:
        raise UsageError('--what-if shows a table of the whole run: leave out the other options.')


def _what_if(console: Console, run: RecordedRun, config: Config) -> int:
    comparison = compare(run, config)
    replay_display.show_notes(console, comparison.notes)
    replay_display.show_comparison(console, comparison)
    difference = comparison.difference
    if difference is not None:
        start_s = next(run.ticks).now.steady
        console.print(
            'The recorded run itself came out differently, so nothing after it is compared.'
        )
        process = next(each for each in run.processes if difference.tick in each.ticks)
        replay_display.show_difference(console, process, difference, start_s)
        return DIFFERENT
    return DIFFERENT if any(row.differs for row in comparison.proposals) else IDENTICAL


@dataclass
class ReplayDisplay:
    """Replays a run, shows its ticks, and stops at the requested one."""

    console: Console
    run: RecordedRun
    options: ReplayOptions
    ticks: int = 0
    decisions: int = 0
    events: int = 0
    _target: Until | None = field(init=False)  # the tick to stop at

    def __post_init__(self) -> None:
        self._target = self.options.until

    def show(self, config: Config) -> int:
        """Replays up to the end, a difference or the requested tick; returns the exit code."""
        start_s = next(self.run.ticks).now.steady
        last: Moment | None = None
        for moment in replay(self.run, config):
            self._count(moment)
            if moment.difference is not None:
                self._show_if_requested(moment)
                replay_display.show_difference(
                    self.console, moment.process, moment.difference, start_s
                )
                return DIFFERENT
            last = moment
            reached = self._target is None or self._target.reached(moment, start_s)
            if self.options.step and reached:
                replay_display.show_moment(self.console, moment, start_s)
                if not self._prompt(moment):
                    break
            elif reached and self._target is not None:
                break
        else:
            self._check_until(last)
        if last is not None and not self.options.step:
            self._show_if_requested(last)
        self._print_identical(last)
        return IDENTICAL

    def _count(self, moment: Moment) -> None:
        events = moment.replay.events
        self.ticks += 1
        self.events += len(events)
        self.decisions += sum(event.kind == 'DECIDE' for event in events)

    def _check_until(self, last: Moment | None) -> None:
        if self.options.until is not None and not self.options.step and last is not None:
            replay_display.show_notes(
                self.console, [f'The run ends before: at tick {last.tick.number}.']
            )

    def _show_if_requested(self, moment: Moment) -> None:
        """Shows the tree and the state, if requested."""
        if self.options.tree:
            replay_display.show_tree(self.console, moment)
        if self.options.state:
            replay_display.show_state(self.console, moment)

    def _print_identical(self, last: Moment | None) -> None:
        counts = f'{self.ticks} ticks, {self.events} events, {self.decisions} decisions'
        up_to = ''
        if last is not None and last.tick is not list(self.run.ticks)[-1]:
            up_to = f' up to tick {last.tick.number}'
        self.console.print(Text.assemble(f'{counts}{up_to}: ', ('identical', 'bold green')))

    def _prompt(self, moment: Moment) -> bool:
        """Prompts until the next tick is requested; returns False to quit."""
        self._show_if_requested(moment)
        while True:
            command = self._read_command()
            if command is None or command in ('q', 'quit'):
                return False
            if command == 't':
                replay_display.show_tree(self.console, moment)
            elif command == 's':
                replay_display.show_state(self.console, moment)
            elif command.isdecimal():
                self._target = Until(number=int(command))
                return True
            elif command:
                self.console.print(HELP)
            else:
                return True

    def _read_command(self) -> str | None:
        if sys.stdin.isatty():
            self.console.print('› ', end='')
        line = sys.stdin.readline()
        return line.strip() if line else None


NOT_REPLAYED = 2
RESULT_TEXTS = {IDENTICAL: 'identical', DIFFERENT: 'different', NOT_REPLAYED: 'not replayed'}


def run_replays(runs: Sequence[ReplayOptions], workers: int = 1, ray: str | None = None) -> int:
    """Replay one run or several and show them in their order; return the highest exit code.

    Raises:
        BtExecutiveError: See `run_replay`, for a single run. Of several, one that cannot be
            replayed is reported, and the others are replayed.
        UsageError: Several runs with `step`, or Ray is not available.
    """
    check_workers(workers)
    if len(runs) == 1:
        return run_replay(runs[0])
    if any(each.step for each in runs):
        raise UsageError('--step shows one run: give one RUN, or leave --step out.')
    console, codes = replay_display.make_console(), []
    for options, (code, text) in zip(
        runs, parallel_imap(_replay_one, runs, workers, ray), strict=True
    ):
        codes.append(code)
        console.print(Text(f'{options.run}:', 'bold'), soft_wrap=True)
        console.print(Text(text.rstrip('\n')), soft_wrap=True)
    counts = Counter(RESULT_TEXTS[code] for code in codes)
    results = ', '.join(f'{counts[text]} {text}' for text in RESULT_TEXTS.values() if counts[text])
    console.print(f'{len(runs)} runs: {results}')
    return max(codes)


def _replay_one(options: ReplayOptions) -> tuple[int, str]:
    """Return the exit code of a run and its output."""
    out = io.StringIO()
    try:
        code = run_replay(options, replay_display.make_console(out))
    except BtExecutiveError as error:
        return NOT_REPLAYED, f'{out.getvalue()}{printable(str(error))}'
    return code, out.getvalue()
