"""Replays one run step by step, or several in parallel; shows the first difference, or what if."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
import io
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bt_executive.replay import replay_display
from bt_executive.replay.recorded_run import RecordedRun, open_run
from bt_executive.replay.replay_display import ReplayDisplay
from bt_executive.replay.replay_options import DIFFERENT, IDENTICAL, ReplayOptions
from bt_executive.replay.what_if_other_configuration import compare
from bt_executive.store.inputs_from_journal_or_export import INBOX_FILE, export_inputs
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError, RecordingError, UsageError
from rover_common.process.parallel_work import check_workers, parallel_imap
from rover_common.text_sanitizing import printable


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
