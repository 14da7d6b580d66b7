"""`bt-executive report` and `replay`: their options, for recorded runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.process.parallel_work import add_workers
from rover_common.process.process_end import DONE
from rover_common.process.user_paths import given_path

if TYPE_CHECKING:
    from bt_executive.replay.replay_options import ReplayOptions
    from bt_executive.report.report_film_or_zip import ReportKind


def add_report(commands: Commands, _: SharedOptions) -> None:
    """Adds the command to the command line."""
    report = commands.add_parser(
        'report', run=write_report, help='write run folders as one HTML page'
    )
    report.add_argument(
        'runs',
        type=given_path,
        nargs='*',
        metavar='RUN',
        help='a run folder: runs/<time>, or a zip of one; several for a goal that went on after a '
        'restart (default: the latest in runs/)',
    )
    kind = report.add_mutually_exclusive_group()
    kind.add_argument(
        '--gif', action='store_true', help='a short film of the stage instead, to share'
    )
    kind.add_argument(
        '--zip', action='store_true', help='the run as one file instead, for a report elsewhere'
    )
    report.add_argument(
        '-o',
        '--output',
        type=given_path,
        metavar='FILE',
        help='default: report.html, or film.gif, in the (last) run folder; beside a zip',
    )


def write_report(options: argparse.Namespace, _: Sequence[str]) -> int:
    """Writes the file and prints its path; returns the exit code."""
    from bt_executive.report.report_film_or_zip import run_report

    kind: ReportKind = 'film' if options.gif else 'run' if options.zip else 'report'
    print(run_report(options.runs, kind, options.output))
    return DONE


def add_replay(commands: Commands, _: SharedOptions) -> None:
    """Adds the command to the command line."""
    replay = commands.add_parser(
        'replay',
        run=run_replay_command,
        help='put a recorded run through the same tree again, without ROS',
        description='Puts what was recorded through the same tree again and compares what comes '
        'of it with what was recorded.',
        epilog='Exit codes: 0 identical, 1 different, 2 it cannot be replayed.',
    )
    replay.add_argument(
        'runs',
        nargs='+',
        type=given_path,
        metavar='RUN',
        help='a run folder: runs/<time>; several are replayed one by one',
    )
    replay.add_argument(
        '--config', type=given_path, metavar='DIR', help="another configuration than the run's own"
    )
    replay.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='KEY=VALUE',
        help='another value than in the run, for example battery.low_pct=30; repeatable',
    )
    replay.add_argument(
        '--what-if',
        action='store_true',
        help='show beside each recorded verdict what the guards of the other configuration say',
    )
    replay.add_argument(
        '--until', metavar='TICK|TIME', help='stop there, for example 12, or 3.5s after the start'
    )
    replay.add_argument(
        '--step', action='store_true', help='show each tick (with --until: from there on) and wait'
    )
    replay.add_argument('--tree', action='store_true', help='show the tree where the replay stops')
    replay.add_argument('--state', action='store_true', help='and the state')
    replay.add_argument(
        '--process', type=int, metavar='N', help='only this process of the executive, from 1'
    )
    replay.add_argument(
        '--export',
        action='store_true',
        help='only write inbox.jsonl into RUN, from the journal: RUN can then be copied away',
    )
    add_workers(replay)
    replay.add_argument('--no-color', action='store_true', help='no colours')


def run_replay_command(options: argparse.Namespace, _: list[str]) -> int:
    """Replays the runs, each with its own configuration; returns the exit code."""
    from bt_executive.replay.replay_of_runs import run_replays

    return run_replays(_replay_options(options), options.workers, options.ray)


def _replay_options(options: argparse.Namespace) -> list[ReplayOptions]:
    """Return the options of each run.

    Raises:
        UsageError: `--until` is neither a tick nor a time.
    """
    from bt_executive.replay.replay_options import ReplayOptions, Until

    until = None if options.until is None else Until.parse(options.until)
    return [
        ReplayOptions(
            run=run,
            config=options.config,
            overrides=options.set,
            what_if=options.what_if,
            until=until,
            step=options.step,
            tree=options.tree,
            state=options.state,
            process=options.process,
            export=options.export,
        )
        for run in options.runs
    ]
