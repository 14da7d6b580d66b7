"""Which run is the latest: that whose trace was written last."""

from __future__ import annotations

from pathlib import Path

from bt_executive.store.run_folder import TRACE_FILE
from rover_common.errors import RecordingError

RUNS = Path('runs')


def latest_run(runs: Path = RUNS) -> Path:
    """The latest run folder below `runs`.

    Raises:
        RecordingError: There is none.
    """
    traces = [*runs.glob(f'*/{TRACE_FILE}')]
    if not traces:
        raise RecordingError(
            f'There is no run in {str(runs)!r}: name a run folder, or start one with '
            '`bt-executive demo`.'
        )
    return max(traces, key=lambda trace: trace.stat().st_mtime).parent
