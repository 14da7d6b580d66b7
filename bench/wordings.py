"""How the offline model understands wordings of authors it has not seen.

Those of bench/models/unseen_wordings_*.yaml, to which neither its networks nor its examples were
fitted. Right is a wording whose calls and arguments are those that its author wrote down, or of
which nothing is carried out where there are none; wrong is one of which something else is carried
out that does not only read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
import time
from typing import Any

import numpy as np

from bench._figures import report
from bench.models.fit import is_fresh, tools_and_examples
from bench.models.fitting import Utterance, read_utterances
from bt_executive.planner.offline.goal_plan import (
    LEAST_CONFIDENCE,
    CandidatePlans,
    candidate_plans,
    checked_plan,
    choose_plan,
)
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.planned_tasks import Search, Task, tool_name
from bt_executive.planner.offline.tool_classifier import classifier_for
from rover_common.config.load import load_config

CURVE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
RIGHT, WRONG = 0.9, 0.01  # the target of issue 45 for 200 unseen wordings
ANSWER_S = 0.06
_FREE = frozenset({'question', 'caption'})  # in the model's own words
_READS = frozenset({'look', 'look_at_screen'})
RIGHTLY, DECLINED, WRONGLY = 'right', 'declined', 'wrong'


def run() -> bool:
    """Judge each author."""
    if not is_fresh():
        raise SystemExit('the networks are stale: run `python -m bench.models.fit`')
    tools, examples = tools_and_examples()
    classifier = classifier_for(tools, examples.no_tool)
    found: list[tuple[Utterance, CandidatePlans]] = []
    times: list[float] = []
    candidate_plans('a goal for which all is loaded', tools, classifier)
    for each in read_utterances(pattern='unseen_*.yaml'):
        begin = time.process_time()
        found.append((each, candidate_plans(each.text, tools, classifier)))
        times.append(time.process_time() - begin)
    judge = Judge()
    for by in ('author', 'lang'):
        for name in sorted({getattr(each, by) for each, _ in found}):
            own = [(each, made) for each, made in found if getattr(each, by) == name]
            _print(name, judge.counts(own, LEAST_CONFIDENCE, tools))
    print('how sure the model must be → answered, wrong of all')
    for sure in CURVE:
        counts = judge.counts(found, sure, tools)
        answered = 1.0 - counts[DECLINED] / len(found)
        print(f'  {sure:4.2f}  {answered:.3f}  {counts[WRONGLY] / len(found):.4f}')
    counts = judge.counts(found, LEAST_CONFIDENCE, tools)
    right, wrong = counts[RIGHTLY] / len(found), counts[WRONGLY] / len(found)
    met = [
        report('right, of wordings by authors it has not seen', right, at_least=RIGHT),
        report('carried out wrongly', wrong, at_most=WRONG),
        report(
            'processor time of an answer, 95 of 100', float(np.quantile(times, 0.95)), 's',
            at_most=ANSWER_S,
        ),
    ]  # fmt: skip
    return all(met)


class Judge:
    """Compares plans with what authors wrote down."""

    def __init__(self) -> None:
        self._tools = load_config().robot.tools

    def counts(
        self, found: Iterable[tuple[Utterance, CandidatePlans]], sure: float, tools: Tools
    ) -> Counter[str]:
        """Return how many plans are right, declined and wrong; `tools` are offered."""
        plans = (
            (checked_plan(each.text, choose_plan(made, sure), tools), each.calls)
            for each, made in found
        )
        return Counter(self.outcome(*each) for each in plans)

    def outcome(self, plan: list[Task] | str, calls: Iterable[Mapping[str, Any]]) -> str:
        """Return whether a plan is right, declined or wrong."""
        wanted = list(calls)
        if isinstance(plan, str):
            return DECLINED if wanted else RIGHTLY
        reads = all(map(self._only_reads, plan))
        if not wanted:
            return RIGHTLY if reads else WRONGLY
        if len(plan) == len(wanted) and all(map(is_wanted, plan, wanted)):
            return RIGHTLY
        return DECLINED if reads else WRONGLY

    def _only_reads(self, task: Task) -> bool:
        name = tool_name(task)
        return not isinstance(task, Search) and (self._tools[name].reads_only or name in _READS)


def is_wanted(task: Task, wanted: Mapping[str, Any]) -> bool:
    """Return whether a task is a call that an author wrote down."""
    given = wanted.get('arguments') or {}
    if tool_name(task) != wanted['tool']:
        return False
    own = {} if isinstance(task, Search) else task.arguments
    return all(_is_same(own.get(name), each) for name, each in given.items() if name not in _FREE)


def _is_same(value: object, wanted: object) -> bool:
    if isinstance(wanted, str):
        actual = str(value).lower()
        return value is not None and (wanted.lower() in actual or actual in wanted.lower())
    if isinstance(wanted, bool) or not isinstance(value, (int, float)):
        return value == wanted
    return isinstance(wanted, (int, float)) and abs(value - wanted) <= 0.01


def _print(name: str, counts: Counter[str]) -> None:
    total = sum(counts.values())
    shares = ', '.join(
        f'{each} {counts[each] / total:.3f}' for each in (RIGHTLY, DECLINED, WRONGLY)
    )
    print(f'{name} ({total}): {shares}')
