"""`bt-executive report`: its options, and the report, film or zip of runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bt_executive.commands.shared_options import Commands, SharedOptions
from rover_common.process.process_end import DONE
from rover_common.process.user_paths import given_path

if TYPE_CHECKING:
    from bt_executive.report.report_film_or_zip import ReportKind


def add_report(commands: Commands, _: SharedOptions) -> None:
    """Adds the command to the command line."""
    report = commands.add_parser(
        'report', help='write run folders as one HTML page', allow_abbrev=False
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
    report.set_defaults(run=write_report)


def write_report(options: argparse.Namespace, _: Sequence[str]) -> int:
    """Writes the file and prints its path; returns the exit code."""
    from bt_executive.report.report_film_or_zip import run_report

    kind: ReportKind = 'film' if options.gif else 'run' if options.zip else 'report'
    print(run_report(options.runs, kind, options.output))
    return DONE
