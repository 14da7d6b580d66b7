"""Few-shot examples of prompts.yaml in the prompt."""

from __future__ import annotations

from collections.abc import Callable
import json
from typing import Any

from langchain_core.messages import AIMessage
import pytest

from bt_executive.core.executive_ports import Answer, PlannerContext, ToolOffer
from bt_executive.planner.few_shot_examples import example_lines, prompts_of
from bt_executive.planner.prompts import PROMPT_BUDGET, system_prompt, toolset_size
from bt_executive.planner.rosa_planner import RosaPlanner
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.settings import Example
from rover_common.errors import ConfigError

LOOK = {'tool': 'capture_and_score', 'result': 'dark'}
GO = {'tool': 'navigate_to', 'arguments': {'x': 5.0, 'y': 0.0}, 'result': 'arrived'}
BRACES = {'goal': '{goal} {{x}} %s {', 'steps': [{**LOOK, 'result': '{"ok": {0}}'}]}


def examples(*given: dict[str, Any]) -> tuple[Example, ...]:
    return tuple(Example.model_validate(each) for each in given)


@pytest.mark.parametrize('variant', ['A', 'B'])
def test_the_shipped_example_of_the_variant_is_in_the_prompt_and_leaves_room(variant: str) -> None:
    config = load_config(overrides=[f'executive.variant={variant}'])
    toolset = Registry(config).toolset()
    text = system_prompt(prompts_of(config), toolset)
    (line,) = (line for line in text.splitlines() if line.startswith('"bright spot"'))
    assert ('mast_close' in line) == (variant == 'B')
    assert len(text) + toolset_size(toolset) <= PROMPT_BUDGET - 200


def test_an_example_is_one_line_with_its_arguments() -> None:
    given = examples({'goal': 'go\nthere', 'steps': [GO, LOOK], 'answer': 'It is\ndark.'})
    assert example_lines(given, {'navigate_to', 'capture_and_score'}, 1000) == (
        'Examples:',
        '"go there": navigate_to{"x": 5.0, "y": 0.0} → arrived; capture_and_score → dark; '
        'answer: It is dark.',
    )


def test_what_does_not_fit_or_is_not_offered_is_left_out() -> None:
    long = {'goal': 'x' * 100, 'steps': [LOOK]}
    given = examples(long, {'goal': 'go', 'steps': [GO]}, {'goal': 'look', 'steps': [LOOK]})
    assert example_lines(given, {'capture_and_score'}, 60) == (
        'Examples:',
        '"look": capture_and_score → dark',
    )
    assert example_lines(given, {'capture_and_score'}, 20) == ()


def test_many_examples_stay_within_the_budget() -> None:
    many = json.dumps([{'goal': f'look {number}', 'steps': [LOOK]} for number in range(500)])
    config = load_config(overrides=[f'prompts.few_shot={many}'])
    toolset = Registry(config).toolset()
    text = system_prompt(config.prompts, toolset, ['event ' * 20] * 10)
    assert 'look 0' in text
    assert 'event' in text
    assert len(text) + toolset_size(toolset) <= PROMPT_BUDGET


def test_braces_in_an_example_reach_the_model_as_they_are(
    planner_of: Callable[..., RosaPlanner],
    toolsets: dict[str, tuple[ToolOffer, ...]],
    model_that_says: Any,
    message: Callable[..., AIMessage],
    output_of: Callable[..., Any],
) -> None:
    model = model_that_says(message('Done.'))
    planner = planner_of(model, overrides=[f'prompts.few_shot={json.dumps([BRACES])}'])
    planner.start('look', PlannerContext(toolsets['A']))
    assert output_of(planner) == Answer('Done.')
    (system, *_) = model.seen[0]
    assert '"{goal} {{x}} %s {": capture_and_score → {"ok": {0}}' in system.content


def test_an_example_with_an_unknown_tool_is_named() -> None:
    wrong = json.dumps([{'goal': 'look', 'steps': [{**LOOK, 'tool': 'mast_opn'}]}])
    with pytest.raises(ConfigError, match=r"few_shot\.0: tool 'mast_opn' is not known"):
        Registry(load_config(overrides=[f'prompts.few_shot={wrong}']))


def test_examples_may_be_left_out_of_the_file() -> None:
    assert system_prompt(load_config(overrides=['prompts.few_shot=[]']).prompts)
