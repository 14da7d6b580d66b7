"""Plans a goal: the tasks for all of it, or why it is declined as a whole."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from bt_executive.planner.offline.clause_parsing import (
    LONGEST_GOAL,
    Clause,
    halves,
    joined,
    without_reason,
)
from bt_executive.planner.offline.confidence_despite_objections import Objection
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    correction,
    is_cut_off,
    lacks_a_verb,
    unquoted,
)
from bt_executive.planner.offline.example_vectors import SURE
from bt_executive.planner.offline.intents_by_networks import model_input, parse_by_model
from bt_executive.planner.offline.modifiers import is_no_command
from bt_executive.planner.offline.neural_networks import ToolModel, arguments_of, tool_of
from bt_executive.planner.offline.offered_tools import ENDINGS, Tools, does_more_than_answer
from bt_executive.planner.offline.one_intent_per_clause import read_clauses, without_arrivals
from bt_executive.planner.offline.plan_by_examples import MOST_CLAUSES, plan_by_examples
from bt_executive.planner.offline.plan_by_networks import IntentPlanner
from bt_executive.planner.offline.planned_tasks import Search, Task, tool_name
from bt_executive.planner.offline.text_normalization import normalize
from bt_executive.planner.offline.tool_classifier import ToolClassifier, classifier_for

# Least confidence of the networks in a plan of their own, and in a plan by examples
# (bench/wordings.py).
LEAST_CONFIDENCE, LEAST_OF_EXAMPLES = 0.75, 0.08
# Confidence from which a plan by examples is contradicted that is as many times less likely.
LEAST_OF_CONTRADICTION, TIMES_LESS = 0.65, 4.0
LEAST_OF_A_DECLINE = 0.8  # the same, where the networks hear no wish
# Least confidence in a plan by examples where they hear none and are not sure of that.
LEAST_BESIDE_UNSURE, UNSURE = 0.015, 0.6


@dataclass(frozen=True)
class CandidatePlans:
    """The plans of a goal by both methods; a text is the rest of a sentence why it is declined.

    Attributes:
        by_examples: With each clause near enough to an example.
        by_model: By the networks' labels; None: there are no networks, or they are not needed.
        confidence: Probability of the labels that the model predicts.
        examples_confidence: Probability of the labels of the plan by examples.
        objections: To the plan by the networks.
    """

    by_examples: list[Task] | str
    by_model: list[Task] | str | None = None
    confidence: float = 0.0
    examples_confidence: float = 0.0
    objections: tuple[Objection, ...] = ()


def make_plan(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> list[Task] | str:
    """Return the tasks of a goal in their order, or the rest of a sentence why it is declined.

    `no_tool`: examples of what none of the tools covers.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if len(goal) > LONGEST_GOAL:
        return f'it reads at most {LONGEST_GOAL} characters'
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return 'no tool is offered'
    plans = candidate_plans(goal, offered, classifier_for(offered, no_tool))
    return checked_plan(goal, choose_plan(plans), offered)


def checked_plan(goal: str, plan: list[Task] | str, tools: Tools) -> list[Task] | str:
    """Return a plan, or why the goal as a whole is against it."""
    if isinstance(plan, str):
        return plan
    acts = any(does_more_than_answer(tools[each]) for each in map(tool_name, plan))
    if acts and is_no_command(normalize(unquoted(goal))):
        return f'it is not sure that “{goal.strip():.60}” is a command'
    if _names_what_was_corrected(goal, plan, tools):
        return f'it is not sure which name holds (“{goal.strip():.60}”): name only that one'
    return plan


def _names_what_was_corrected(goal: str, plan: list[Task], tools: Tools) -> bool:
    """Return whether a name in a plan does not stand behind the correction in its goal."""
    before, after = correction(normalize(unquoted(goal)))
    tasks = [each for each in plan if not isinstance(each, Search) and tools[each.tool].has_slots]
    names = [str(each.arguments.get(tools[each.tool].text_argument, '')) for each in tasks]
    return bool(before) and any(normalize(each) not in after for each in names)


def candidate_plans(goal: str, tools: Tools, classifier: ToolClassifier) -> CandidatePlans:
    """Return the plans of a goal by the examples and by the networks.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    whole, clauses = read_clauses(goal, tools, classifier)
    fragment = next((each.text for each in (whole, *clauses) if _is_cut_off(each)), '')
    if fragment and not classifier.are_examples([whole.text]):
        return CandidatePlans(f'“{fragment[-60:]}” is cut off')
    commands = without_arrivals(clauses)
    if not classifier.are_examples(each.text for each in commands):
        classifier.prefetch(_compared_texts(whole, commands), model_input(whole))
    by_examples = plan_by_examples(goal, whole, commands, tools, classifier)
    model = classifier.model
    only_examples = bool(clauses) and classifier.are_examples(each.text for each in clauses)
    if model is None or only_examples or classifier.are_examples([whole.text]):
        return CandidatePlans(by_examples)
    unlabelled = tools.keys() - model.tools
    is_of_those = _is_perhaps_for(unlabelled, by_examples, [whole, *clauses], classifier)
    if is_of_those and not isinstance(by_examples, str):
        return CandidatePlans(by_examples)
    labels = [] if isinstance(by_examples, str) else [_label(each, model) for each in by_examples]
    parse = parse_by_model(whole, classifier, [labels])
    wish = without_reason(whole, moves=True)
    if not parse.intents and wish is not whole:
        parse = parse_by_model(wish, classifier, [labels])
    planner = IntentPlanner(tools, classifier, len(parse.intents) == 1, goal)
    by_model = planner.tasks(parse) if parse.intents else f'no tool covers “{whole.text:.60}”'
    if is_of_those and isinstance(by_examples, str):
        planner.objections.append(Objection('unlabelled', by_examples))
    return CandidatePlans(
        by_examples,
        by_model,
        parse.confidence,
        parse.candidate_scores[0],
        tuple(planner.objections),
    )


def _compared_texts(whole: Clause, clauses: Sequence[Clause]) -> list[str]:
    """Return most of the texts of a goal that are compared with the examples."""
    if len(clauses) > MOST_CLAUSES:
        return []
    pairs = [joined(a, b).text for a, b in pairwise(clauses) if b.after_comma]
    parts = [half.text for clause in clauses for pair in halves(clause) for half in pair]
    return [whole.text, *(each.text for each in clauses), *pairs, *parts]


def choose_plan(
    plans: CandidatePlans, least_confidence: float = LEAST_CONFIDENCE
) -> list[Task] | str:
    """Return the plan by examples if the networks do not contradict it, else theirs if confident.

    `least_confidence`: of the networks in a plan that the examples do not yield.
    """
    plan = plans.by_examples
    if plans.by_model is None:
        return plan
    least_confidence = max(least_confidence, *(each.least for each in plans.objections), 0.0)
    is_sure = not isinstance(plans.by_model, str) and plans.confidence >= least_confidence
    is_none = isinstance(plans.by_model, str)
    is_declined = is_none and plans.confidence >= LEAST_OF_A_DECLINE
    is_unsure = is_none and plans.confidence < UNSURE
    least_of_examples = LEAST_BESIDE_UNSURE if is_unsure else LEAST_OF_EXAMPLES
    if is_declined or (is_sure and plans.confidence >= LEAST_OF_CONTRADICTION):
        least_of_examples = plans.confidence / TIMES_LESS
    if not isinstance(plan, str) and plans.examples_confidence >= least_of_examples:
        return plan
    if is_sure:
        return plans.by_model
    if isinstance(plan, str):
        return plan
    return f'it is not sure that this is all: {", ".join(map(tool_name, plan))}'


def _is_cut_off(clause: Clause) -> bool:
    """Return whether a clause ends where more must follow; a question may end so."""
    return lacks_a_verb(clause.masked) or (
        is_cut_off(clause.masked) and not clause.has('question')
    )


def _label(task: Task, model: ToolModel) -> str:
    """Return the label of a model for a task: the most specific one."""
    name = tool_name(task)
    given = {} if isinstance(task, Search) else task.arguments
    fitting = [
        each
        for each in model.labels
        if tool_of(each) == name and arguments_of(each).items() <= given.items()
    ]
    return max(fitting, key=len, default=name)


def _is_perhaps_for(
    names: Set[str], plan: list[Task] | str, clauses: Sequence[Clause], classifier: ToolClassifier
) -> bool:
    """Return whether a goal asks for one of these tools, or a clause of it is near to one."""
    if not isinstance(plan, str):
        return not names.isdisjoint(map(tool_name, plan))
    matches = classifier.match([each.text for each in clauses])
    near = (each for match in matches for each in match.ranked[:2] if each.score >= SURE)
    return not names.isdisjoint(each.name for each in near)
