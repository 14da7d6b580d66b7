"""The page: one HTML file that asks the network for nothing and runs nothing but its own script.

What goals, models and robots wrote is escaped by jinja2. The security policy in the page's head
lets only the style sheet and the script through whose hashes it names, and pictures from the page.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from bt_executive.report import wording
from bt_executive.report.chart import Chart, draw_chart
from bt_executive.report.figures import Figure, goal_figures, run_facts
from bt_executive.report.goals import tell_goals
from bt_executive.report.map import Map, draw_map
from bt_executive.report.model import GoalReport, RecordedStep, Recording, Remark
from bt_executive.report.pictures import (
    MOST_PICTURES,
    Shown,
    count_of,
    fair_shares,
    show_pictures,
)
from bt_executive.report.reading import read_recording
from bt_executive.report.tree import view_trees
from rover_common.errors import RecordingError

PACKAGE = 'bt_executive.report'
MOST_ROWS = 3000  # of the tables of the whole page
REPORT_FILE = 'report.html'


@dataclass(frozen=True)
class GoalSection:
    """Everything that a goal's section shows. `left_out`: rows that the page has no room for."""

    goal: GoalReport
    figures: Sequence[Figure]
    chart: Chart
    map: Map | None
    pictures: Sequence[Shown]
    rows: Sequence[RecordedStep | Remark]
    left_out: int


def write_report(run: Path, output: Path | None = None) -> Path:
    """Writes the page about a run folder; returns where it is.

    Raises:
        RecordingError: The folder cannot be read as a run, or the page cannot be written.
    """
    page = make_page(read_recording(run))
    path = output or run / REPORT_FILE
    try:
        path.write_text(page, encoding='utf-8', errors='replace')
    except OSError as error:
        raise RecordingError(
            f'{path} cannot be written ({error.strerror}): name another file with -o FILE.'
        ) from None
    return path


def make_page(recording: Recording) -> str:
    """The page as text."""
    goals, between = tell_goals(recording)
    environment = _environment()
    style, script = _asset('style.css'), _asset('script.js')
    return environment.get_template('report.html').render(
        name=recording.folder.resolve().name,
        facts=run_facts(recording, goals),
        sections=_sections(goals, recording),
        between=between[:MOST_ROWS],
        trees=view_trees(recording),
        errors=_errors(recording),
        notes=recording.notes,
        versions=_mapping(recording.facts.get('versions')),
        overrides=_texts(recording.facts.get('overrides')),
        files=recording.files,
        logs={name: text for name, text in recording.logs.items() if text.strip()},
        began=recording.events[0].ts,
        style=style,
        script=script,
        policy=_policy(style, script),
    )


def _sections(goals: Sequence[GoalReport], recording: Recording) -> list[GoalSection]:
    shares = fair_shares(count_of(goals, recording), MOST_PICTURES)
    rows = fair_shares([len(goal.rows) for goal in goals], MOST_ROWS)
    return [
        _section(goal, recording, most_pictures, most_rows)
        for goal, most_pictures, most_rows in zip(goals, shares, rows, strict=True)
    ]


def _section(
    goal: GoalReport, recording: Recording, most_pictures: int, most_rows: int
) -> GoalSection:
    pictures = show_pictures(goal, recording, most_pictures)
    return GoalSection(
        goal=goal,
        figures=goal_figures(goal, recording),
        chart=draw_chart(goal, recording),
        map=draw_map(goal, recording, pictures),
        pictures=pictures,
        rows=goal.rows[:most_rows],
        left_out=len(goal.rows) - most_rows,
    )


def _errors(recording: Recording) -> list[tuple[float, str]]:
    errors = [event for event in recording.events if event.kind == 'ERROR']
    return [(event.ts, event.message) for event in errors[:MOST_ROWS]]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> Sequence[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        duration=wording.duration,
        moment=wording.moment,
        outcome=wording.outcome,
        shortened=wording.shortened,
    )
    environment.globals['call'] = wording.call
    environment.tests['step'] = lambda row: isinstance(row, RecordedStep)
    return environment


def _asset(name: str) -> str:
    """One of our own files, which the template puts into the page as it is."""
    return (files(PACKAGE) / 'templates' / name).read_text('utf-8')


def _policy(style: str, script: str) -> str:
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'"
    )
