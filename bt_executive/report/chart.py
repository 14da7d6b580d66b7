"""A goal over time: mode, tools, score and battery above one axis, as places in an SVG drawing.

Drawn by templates/drawings.html. No chart library that we know draws without colours of its own
(dark mode), without inline styles (the page's security policy) and with a cursor that follows the
tree's slider; what is left to compute is a straight line and round numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bt_executive.report.model import Charge, GoalReport, RecordedStep, Recording
from bt_executive.report.scale import Scale, number

WIDTH, LEFT, RIGHT = 960, 170, 940
TOP, LANE, BAR = 14, 22, 14
PANEL, GAP, FOOT = 90, 26, 44
LONGEST_LABEL = 22
LABELLED = 60  # pixels of a bar that has room for a word
MOST_TOOLS = 14  # lanes; tools beyond it share the last one
MOST_POINTS = 600  # of the battery's line
SHORTEST_S = 1.0
MINUTES_FROM_S = 600.0


@dataclass(frozen=True)
class Bar:
    """A stretch of time in a lane. `tone`: its class in the style sheet."""

    x: float
    width: float
    y: float
    tone: str
    title: str
    label: str = ''


@dataclass(frozen=True)
class Mark:
    """A moment: a refusal, or a scored picture."""

    x: float
    y: float
    tone: str
    title: str


@dataclass(frozen=True)
class Panel:
    """A curve with its own vertical axis, in the unit of `label`."""

    label: str
    top: float
    bottom: float
    ticks: Sequence[tuple[float, str]]
    points: Sequence[tuple[float, float]]
    marks: Sequence[Mark] = ()
    line: tuple[float, str] | None = None  # a level that matters, and its name


@dataclass(frozen=True)
class Chart:
    """Everything that the template draws. `began` and `ended` in ROS seconds."""

    began: float
    ended: float
    height: float
    ticks: Sequence[tuple[float, str]]
    unit: str
    lanes: Sequence[tuple[float, str]]
    bars: Sequence[Bar]
    marks: Sequence[Mark]
    panels: Sequence[Panel]
    width: int = WIDTH
    left: int = LEFT
    right: int = RIGHT
    lane_height: int = LANE
    bar_height: int = BAR


def draw_chart(goal: GoalReport, recording: Recording) -> Chart:
    """The chart of one goal."""
    ended = max(goal.ended, goal.began + SHORTEST_S)
    x_of = Scale(goal.began, ended, LEFT, RIGHT)
    per_unit, unit = (60.0, 'min') if ended - goal.began > MINUTES_FROM_S else (1.0, 's')
    axis = Scale(0.0, (ended - goal.began) / per_unit, LEFT, RIGHT)
    lanes = _lanes(goal.steps)
    top = TOP + LANE * (len(lanes) + 1) + GAP
    panels = _panels(goal, recording, x_of, top)
    return Chart(
        began=goal.began,
        ended=ended,
        height=panels[-1].bottom + FOOT,
        ticks=[(axis(value), number(value)) for value in axis.ticks(8)],
        unit=unit,
        lanes=[(TOP, 'mode'), *((y, tool) for tool, y in lanes.items())],
        bars=[*_modes(goal, recording, x_of), *_tools(goal, lanes, x_of)],
        marks=[
            Mark(x_of(step.asked), _lane(lanes, step) + LANE / 2, 'refused', _title(step))
            for step in goal.steps
            if step.verdict == 'refused'
        ],
        panels=panels,
    )


def _lanes(steps: Sequence[RecordedStep]) -> dict[str, float]:
    """Tool → top of its lane, in order of first use."""
    tools = dict.fromkeys(step.tool[:LONGEST_LABEL] for step in steps)
    shown = list(tools)[:MOST_TOOLS]
    if len(tools) > MOST_TOOLS:
        shown[-1] = 'other tools'
    return {tool: TOP + LANE * (index + 1.0) for index, tool in enumerate(shown)}


def _lane(lanes: dict[str, float], step: RecordedStep) -> float:
    return lanes.get(step.tool[:LONGEST_LABEL], max(lanes.values()))


def _tools(goal: GoalReport, lanes: dict[str, float], x_of: Scale) -> Iterable[Bar]:
    for step in goal.steps:
        if step.began is not None:
            until = goal.ended if step.ended is None else step.ended
            tone = {True: 'ok', False: 'failed', None: 'open'}[step.ok]
            yield _bar(x_of, step.began, until, _lane(lanes, step), tone, _title(step))


def _modes(goal: GoalReport, recording: Recording, x_of: Scale) -> Iterable[Bar]:
    changes: list[tuple[float, str]] = []
    for tick in (tick for tree in recording.trees for tick in tree.ticks):
        if tick.ts <= goal.began:
            changes = [(goal.began, tick.mode)]
        elif tick.ts <= goal.ended and (not changes or changes[-1][1] != tick.mode):
            changes.append((tick.ts, tick.mode))
    ends = [*(ts for ts, _ in changes[1:]), goal.ended]
    for (begin, mode), end in zip(changes, ends, strict=bool(changes)):
        label = mode if x_of(end) - x_of(begin) > LABELLED else ''
        yield _bar(x_of, begin, end, TOP, f'mode-{mode.lower()}', mode, label)


def _bar(
    x_of: Scale, begin: float, end: float, y: float, tone: str, title: str, label: str = ''
) -> Bar:
    x = x_of(begin)
    return Bar(x, max(round(x_of(end) - x, 1), 1.5), y + (LANE - BAR) / 2, tone, title, label)


def _title(step: RecordedStep) -> str:
    return f'{step.tool}: {step.reason if step.verdict == "refused" else step.result or "runs"}'


def _panels(goal: GoalReport, recording: Recording, x_of: Scale, top: float) -> list[Panel]:
    panels = []
    scored = [step for step in goal.steps if step.score is not None and step.ended is not None]
    if scored:
        panels.append(_score(scored, recording, x_of, top))
        top += PANEL + GAP
    charges = [each for each in recording.charges if goal.covers(each.ts)]
    if len(charges) > 1:
        panels.append(_battery(charges, x_of, top))
    return panels or [Panel('', top - GAP, top - GAP, (), ())]


def _score(scored: Sequence[RecordedStep], recording: Recording, x_of: Scale, top: float) -> Panel:
    height = Scale(0.0, 1.0, top + PANEL, top)
    points = [(x_of(step.ended or 0.0), height(step.score or 0.0)) for step in scored]
    marks = [
        Mark(x, y, 'scored', f'{step.result}') for (x, y), step in zip(points, scored, strict=True)
    ]
    line = None
    if recording.config is not None:
        good = recording.config.thresholds.quality.score_threshold
        line = height(good), f'good from {number(good)}'
    ticks = [(height(value), number(value)) for value in (0.0, 0.5, 1.0)]
    return Panel('score (0 to 1)', top, top + PANEL, ticks, points, marks, line)


def _battery(charges: Sequence[Charge], x_of: Scale, top: float) -> Panel:
    thinned = [*charges[:: len(charges) // MOST_POINTS + 1], charges[-1]]
    low = min(each.percent for each in thinned)
    high = max(each.percent for each in thinned)
    height = Scale(max(low - 1.0, 0.0), min(high + 1.0, 100.0), top + PANEL, top)
    points = [(x_of(each.ts), height(each.percent)) for each in thinned]
    ticks = [(height(value), number(value)) for value in height.ticks(3)]
    return Panel('battery (%)', top, top + PANEL, ticks, points)
