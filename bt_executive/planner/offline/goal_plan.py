"""Makes a plan of a goal: the tools that all of it needs, or why it is declined as a whole."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from bt_executive.planner.offline.clauses import LONGEST_GOAL, GoalPart, halves, joined
from bt_executive.planner.offline.clauses_by_networks import model_input, read_by_model
from bt_executive.planner.offline.example_plan import MOST_PARTS, plan_by_examples
from bt_executive.planner.offline.example_vectors import SURE
from bt_executive.planner.offline.function_words import is_cut_off, reminds
from bt_executive.planner.offline.heard_plan import HeardPlan
from bt_executive.planner.offline.neural_networks import ToolModel, arguments_of, tool_of
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import ENDINGS, Tools, does_more_than_answer
from bt_executive.planner.offline.part_kinds import says
from bt_executive.planner.offline.planned_tasks import Search, Task, tool_name
from bt_executive.planner.offline.text_arguments import unquoted
from bt_executive.planner.offline.tool_by_examples import Meanings, meanings_of
from bt_executive.planner.offline.wishes import parts_of, without_arrivals

# How sure the model of the tools must be of a plan that the examples do not come to, and how
# likely it must find theirs (bench/wordings.py).
SURE_OF_IT, LEAST_OF_EXAMPLES = 0.65, 0.03


@dataclass(frozen=True)
class Plans:
    """What a goal comes to, each or the rest of a sentence why it is declined.

    Attributes:
        by_examples: With each part near enough to an example.
        by_model: As the model of the tools hears it; None: there is none, or it is not asked.
        likely: How likely it asks for what the model hears.
        examples_likely: How likely, says the model, it asks for what the examples come to.
    """

    by_examples: list[Task] | str
    by_model: list[Task] | str | None = None
    likely: float = 0.0
    examples_likely: float = 0.0


def make_plan(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> list[Task] | str:
    """Return the tasks of a goal in their order, or the rest of a sentence why it is declined.

    Args:
        goal: What was said.
        tools: Those that are offered.
        no_tool: Examples of what none of them covers.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if len(goal) > LONGEST_GOAL:
        return f'it reads at most {LONGEST_GOAL} characters'
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return 'no tool is offered'
    plan = agreed(plans(goal, offered, meanings_of(offered, no_tool)))
    if not isinstance(plan, str) and reminds(normalize(unquoted(goal))):
        acts = [offered[each] for each in map(tool_name, plan)]
        if any(map(does_more_than_answer, acts)):
            return f'it cannot tell what was from what is wanted (“{goal.strip():.60}”)'
    return plan


def plans(goal: str, tools: Tools, meanings: Meanings) -> Plans:
    """Return what a goal comes to by the examples, and by the model of the tools.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    whole, parts = parts_of(goal, tools, meanings)
    cut = next((each.text for each in (whole, *parts) if _is_cut_off(each)), '')
    if cut and not meanings.know([whole.text]):
        return Plans(f'“{cut[-60:]}” is cut off')
    parts_ = without_arrivals(parts)
    if not meanings.know(each.text for each in parts_):
        meanings.foresee(_looked_at(whole, parts_), model_input(whole))
    by_examples = plan_by_examples(goal, whole, parts_, tools, meanings)
    model = meanings.model
    only_examples = bool(parts) and meanings.know(each.text for each in parts)
    if model is None or only_examples or meanings.know([whole.text]):
        return Plans(by_examples)
    own_tools = tools.keys() - model.tools  # of which it knows nothing
    if own_tools and _is_perhaps_for(own_tools, by_examples, [whole, *parts], meanings):
        return Plans(by_examples)
    names = [] if isinstance(by_examples, str) else [_class(each, model) for each in by_examples]
    reading = read_by_model(whole, model, [names])
    heard = HeardPlan(tools, meanings, len(reading.wishes) == 1, goal)
    by_model = heard.tasks(reading) if reading.wishes else f'no tool covers “{whole.text:.60}”'
    return Plans(by_examples, by_model, reading.likely, reading.others[0])


def _looked_at(whole: GoalPart, parts: Sequence[GoalPart]) -> list[str]:
    """Return the texts of a goal that are compared with the examples, most of them at least."""
    if len(parts) > MOST_PARTS:
        return []
    both = [joined(a, b).text for a, b in pairwise(parts) if b.after_comma]
    two = [half.text for part in parts for pair in halves(part) for half in pair]
    return [whole.text, *(each.text for each in parts), *both, *two]


def agreed(found: Plans, sure: float = SURE_OF_IT) -> list[Task] | str:
    """Return the plan of the examples if the model is not against it, or that which it is sure of.

    Args:
        found: What the goal comes to by both.
        sure: How sure the model must be of a plan that the examples do not come to.
    """
    plan = found.by_examples
    if found.by_model is None:
        return plan
    if not isinstance(plan, str) and found.examples_likely >= LEAST_OF_EXAMPLES:
        return plan
    if found.likely >= sure and not isinstance(found.by_model, str):
        return found.by_model
    if isinstance(plan, str):
        return plan
    return f'it is not sure that this is all: {", ".join(map(tool_name, plan))}'


def _is_cut_off(part: GoalPart) -> bool:
    """Return whether a part ends where more must follow: a question may end so."""
    return is_cut_off(part.marked) and not says(part, 'question')


def _class(task: Task, model: ToolModel) -> str:
    """Return the class of a model that asks for a task."""
    name = tool_name(task)
    given = {} if isinstance(task, Search) else task.arguments
    fits = [
        each
        for each in model.labels
        if tool_of(each) == name and arguments_of(each).items() <= given.items()
    ]
    return max(fits, key=len, default=name)


def _is_perhaps_for(
    names: Set[str], plan: list[Task] | str, parts: Sequence[GoalPart], meanings: Meanings
) -> bool:
    """Return whether a goal asks for one of these tools, or a part of it is near to one."""
    if not isinstance(plan, str):
        return not names.isdisjoint(map(tool_name, plan))
    found = meanings.match([each.text for each in parts])
    near = (each for match in found for each in match.ranked[:2] if each.score >= SURE)
    return not names.isdisjoint(each.name for each in near)
