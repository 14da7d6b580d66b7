"""Few-shot examples of prompts.yaml, as the model reads them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
import json

from rover_common.config.settings import Config, Example, Prompts

_TITLE = 'Examples:'


def example_lines(
    examples: Sequence[Example], offered: Collection[str], room: int
) -> tuple[str, ...]:
    """One line per example that fits into `room` characters together, their title included.

    Those with a tool that is not offered are left out: a model would ask for it.
    """
    lines: list[str] = []
    for example in examples:
        line = _line(example)
        cost = len(line) + 1 + (0 if lines else len(_TITLE) + 1)
        if all(step.tool in offered for step in example.steps) and cost <= room:
            lines.append(line)
            room -= cost
    return (_TITLE, *lines) if lines else ()


def prompts_of(config: Config) -> Prompts:
    """The prompts, with the examples of the configured variant."""
    variant = config.executive.variant
    examples = tuple(each for each in config.prompts.few_shot if variant in each.variants)
    return config.prompts.model_copy(update={'few_shot': examples})


def _line(example: Example) -> str:
    steps = '; '.join(
        f'{step.tool}{_arguments(step.arguments)} → {step.result}' for step in example.steps
    )
    answer = f'; answer: {example.answer}' if example.answer else ''
    return ' '.join(f'"{example.goal}": {steps}{answer}'.split())


def _arguments(arguments: dict[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False) if arguments else ''
