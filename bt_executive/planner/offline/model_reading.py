"""Reads a goal by a model of its tools: which runs of its parts ask for which tool.

The parts are those that marks and words make (`goal_parts`). Of all ways to join neighbours, to
give each run a tool and to leave runs out as said only around a wish, the likeliest is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import math
import re
from typing import TypeAlias

import numpy as np

from bt_executive.planner.offline.function_words import MARK
from bt_executive.planner.offline.goal_parts import GoalPart, joined, pieces_of_part
from bt_executive.planner.offline.text_arguments import with_one_name
from bt_executive.planner.offline.tool_model import NO_TOOL, Row, ToolModel, tool_of
from bt_executive.planner.offline.wishes import may_be_aside

MOST_PARTS = 10  # of a goal that is read so: this bounds the time that it takes
_MOST_JOINED = 3
_CANDIDATES = 3  # likeliest classes of a run that are looked at
_LEAST = 1e-4  # likelihood
# What it costs to join two parts by what stands between them: a comma, a mark, “and”, “then”.
_JOINING = (0.2, 0.6, 1.5, 4.0)
_OTHERS, _NO_TOOL, _ASIDE = 1.0, 0.5, 0.3  # weights of what a run may be besides
_OF_THE_WHOLE = 0.5
_ALONE, _IDLE = 0.7, 0.3  # of a wish within a run, and of what is said around it
# Two wishes that nothing joins: least likelihood of the second, and of both halves; places that
# are looked at by their letters, and those that are tried.
_SECOND, _HALVES, _PLACES, _TRIED, _MOST_CUTS = 0.25, 0.6, 60, 3, 2
_CUT = re.compile(
    '(?<=\\S) (?=\\S)|(?<=[\u3040-\u30ff\u4e00-\u9fff])(?=[\u3040-\u30ff\u4e00-\u9fff])'
)
Run: TypeAlias = tuple[int, int]  # first part, and the one behind the last
Runs: TypeAlias = Mapping[Run, GoalPart]


@dataclass(frozen=True)
class Wish:
    """A run of parts that asks for one class of the model.

    Attributes:
        part: The run as one part.
        name: The class.
        likely: How likely it asks for it.
    """

    part: GoalPart
    name: str
    likely: float


@dataclass(frozen=True)
class Reading:
    """What a goal asks for.

    Attributes:
        wishes: In their order.
        whole: How likely the goal as a whole asks for each class.
        likely: How likely all of it is so: the least of what speaks for it.
    """

    wishes: tuple[Wish, ...]
    whole: Mapping[str, float]
    likely: float


def runs_of_parts(parts: Sequence[GoalPart]) -> Runs:
    """Return each run of at most `_MOST_JOINED` parts as one part."""
    found: dict[Run, GoalPart] = {}
    for begin, part in enumerate(parts):
        run = part
        for end in range(begin + 1, min(len(parts), begin + _MOST_JOINED) + 1):
            run = joined(run, parts[end - 1]) if end > begin + 1 else run
            found[begin, end] = run
    return found


def read_by_model(whole: GoalPart, parts: Sequence[GoalPart], model: ToolModel) -> Reading | None:
    """Return what a goal asks for by its model; None: it has too many parts, or none fit.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if not 0 < len(parts) <= MOST_PARTS:
        return None
    parts = [each for part in parts for each in _cut(part, model)][:MOST_PARTS]
    runs = runs_of_parts(parts)
    texts = [with_one_name(each.text) for each in (*runs.values(), whole)]
    *rows, of_whole = model.likely(texts)
    likely = dict(zip(runs, rows, strict=True))
    path = _without_asides(best_path(parts, likely, model, of_whole), runs, likely, model)
    wishes = tuple(
        Wish(runs[run], model.classes[at], float(likely[run][at])) for run, at in path if at >= 0
    )
    names = {each.name for each in wishes}
    by_class = dict(zip(model.classes, map(float, of_whole), strict=True))
    left_out = [run for run, at in path if at < 0]
    if not all(_is_idle(runs[run]) for run in left_out):
        return Reading(wishes, by_class, 0.0) if wishes else None
    for_it = [
        *(1.0 - _most(likely[run], model) for run in left_out),
        *(1.0 - _other(run, at, likely, model) for run, at in path if at >= 0),
        *(each.likely for each in wishes),
        *(by_class[each] for each in names),
        *(1.0 - by_class[each] for each in model.tool_classes if each not in names),
        1.0 - by_class[NO_TOOL],
    ]
    return Reading(wishes, by_class, min(for_it)) if wishes else None


def _without_asides(
    path: Sequence[tuple[Run, int]], runs: Runs, likely: Mapping[Run, Row], model: ToolModel
) -> list[tuple[Run, int]]:
    """Return a path that leaves out of each run what is only said around its wish.

    One of its parts must ask for the same alone, and the others for nothing.
    """
    found: list[tuple[Run, int]] = []
    for run, at in path:
        alone = [(each, each + 1) for each in range(*run)]
        clear = [each for each in alone if likely[each][at] >= _ALONE * likely[run][at]]
        rest = [each for each in alone if each not in clear]
        idle = all(_is_idle(runs[each]) and _most(likely[each], model) < _IDLE for each in rest)
        if at < 0 or len(alone) == 1 or len(clear) != 1 or not idle:
            found.append((run, at))
        else:
            found += [(each, at if each in clear else -1) for each in alone]
    return found


def _is_idle(part: GoalPart) -> bool:
    """Return whether a part may be said only around a wish: it asks and measures nothing."""
    return may_be_aside(part) and not part.amounts and 'question' not in part.kinds


def _most(row: Row, model: ToolModel) -> float:
    return float(row[: len(model.tool_classes)].max())


def _other(run: Run, at: int, likely: Mapping[Run, Row], model: ToolModel) -> float:
    """Return how likely one of several joined parts asks for another tool than all of them."""
    if run[1] - run[0] == 1:
        return 0.0
    tool = tool_of(model.classes[at])
    others = [each for each, name in enumerate(model.tool_classes) if tool_of(name) != tool]
    return max(float(likely[part, part + 1][others].max()) for part in range(*run))


def _cut(part: GoalPart, model: ToolModel, depth: int = 0) -> list[GoalPart]:
    """Return a part as those wishes that nothing joins, where each is clearer than both are."""
    (row,) = model.likely([with_one_name(part.text)])
    tools: dict[str, float] = {}
    for name, likely in zip(model.tool_classes, map(float, row), strict=False):
        tools[tool_of(name)] = max(tools.get(tool_of(name), 0.0), likely)
    says_how = any(each.startswith('manner') for each in part.kinds)  # of all of it
    if says_how or sorted(tools.values())[-2] < _SECOND or depth >= _MOST_CUTS:
        return [part]
    pairs = [pieces_of_part(part, found.start()) for found in _CUT.finditer(part.marked)]
    pairs = [
        each for each in pairs if each[0].text and each[1].text and each[1].marked[:1] != MARK
    ][:_PLACES]
    letters = model.by_letters([with_one_name(half.text) for pair in pairs for half in pair])
    order = sorted(range(len(pairs)), key=lambda at: -_two_tops(letters, at, model)[0])
    pairs = [pairs[at] for at in order[:_TRIED]]
    if not pairs:
        return [part]
    rows = model.likely([with_one_name(half.text) for pair in pairs for half in pair])
    best, cut = max((_two_tops(rows, at, model)[1], at) for at in range(len(pairs)))
    if best < _HALVES:
        return [part]
    return [each for half in pairs[cut] for each in _cut(half, model, depth + 1)]


def _two_tops(rows: Row, at: int, model: ToolModel) -> tuple[float, float]:
    """Return the sum and the product of what both halves say most of different tools."""
    first, second = rows[2 * at : 2 * at + 2, : len(model.tool_classes)]
    if tool_of(model.classes[first.argmax()]) == tool_of(model.classes[second.argmax()]):
        return -math.inf, 0.0
    return float(first.max() + second.max()), float(first.max() * second.max())


def best_path(
    parts: Sequence[GoalPart],
    likely: Mapping[Run, Row],
    model: ToolModel,
    of_whole: Row | None = None,
    wanted: Sequence[int] | None = None,
) -> list[tuple[Run, int]]:
    """Return the likeliest runs with their classes, -1 for what is said only around a wish.

    Args:
        parts: Of the goal.
        likely: Of each run, how likely it asks for each class.
        model: Whose classes these are.
        of_whole: How likely the goal as a whole asks for each class.
        wanted: The classes that the goal asks for, in their order, where that is known.
    """
    count = len(parts)
    prior = np.zeros(len(model.tool_classes))
    if of_whole is not None:
        both = [_OF_THE_WHOLE * (_log(each) - _log(1.0 - each)) for each in of_whole]
        prior = np.clip(both[: len(prior)], -3.0, 0.0)
    most = len(wanted or ())
    best: dict[Run, tuple[float, Run | None, Run, int]] = {(0, 0): (0.0, None, (0, 0), -1)}
    for begin in range(count):
        for done in range(most + 1):
            if (begin, done) not in best:
                continue
            for end in range(begin + 1, min(count, begin + _MOST_JOINED) + 1):
                scores, aside = _scores(likely[begin, end], model)
                joining = sum(_JOINING[parts[at].joint] for at in range(begin + 1, end))
                if wanted is None:
                    order = np.argsort(-(scores + prior))[:_CANDIDATES]
                    ways = [(int(at), float(scores[at] + prior[at]), 0) for at in order]
                else:
                    ways = [(at, float(scores[at]), done + 1) for at in wanted[done : done + 1]]
                if end == begin + 1:
                    ways.append((-1, aside, done))
                for at, score, then in ways:
                    total = best[begin, done][0] + score - joining
                    if (end, then) not in best or total > best[end, then][0]:
                        best[end, then] = (total, (begin, done), (begin, end), at)
    path: list[tuple[Run, int]] = []
    state: Run | None = (count, most)
    while state is not None and state in best:
        _, state, run, at = best[state]
        if state is not None:
            path.append((run, at))
    return path[::-1]


def _scores(row: Row, model: ToolModel) -> tuple[Row, float]:
    """Return how well a run fits each tool's class, and what is said only around a wish."""
    tools = row[: len(model.tool_classes)]
    none, aside = float(row[-2]), float(row[-1])
    first, second = np.argsort(-tools)[:2]
    others = np.where(np.arange(len(tools)) == first, tools[second], tools[first])
    besides = _NO_TOOL * _log(1.0 - none) + _ASIDE * _log(1.0 - aside)
    fits = [
        _log(each) + _OTHERS * _log(1.0 - other) + besides
        for each, other in zip(tools, others, strict=True)
    ]
    return np.array(fits, np.float32), _log(aside) + _log(1.0 - float(tools[first]))


def _log(likely: float) -> float:
    return math.log(min(max(likely, _LEAST), 1.0 - _LEAST))
