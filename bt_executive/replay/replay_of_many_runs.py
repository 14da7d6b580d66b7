"""Replays several runs independently: one after the other, in processes, or on a Ray cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
import io

from rich.text import Text

from bt_executive.replay import replay_display
from bt_executive.replay.replay_of_run import (
    DIFFERENT,
    IDENTICAL,
    ReplayOptions,
    run_replay,
)
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.parallel_work import check_workers, parallel_imap
from rover_common.text_sanitizing import printable

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
