"""Faults of an operator's keywords for driving by hand: two tools have one, or a call misfits."""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.skills.composite_validation import fixed_call_faults
from rover_common.config.settings import Config, Skill
from rover_common.config.settings.composites import Plan


def by_hand_faults(config: Config, name: str, skill: Skill) -> Iterator[str]:
    """An operator's words for driving by hand, which one tool has, and whose calls fit it."""
    others = {
        word: other
        for other, tool in config.robot.tools.items()
        if other != name and {*tool.variants} & {*skill.variants}
        for word in tool.by_hand
    }
    for word, arguments in skill.by_hand.items():
        if word in others:
            yield f'by_hand.{word} is of {others[word]}, too: give one of them another word.'
        call = Plan(kind='tool', tool=name, args=arguments)
        yield from (f'by_hand.{word}: {fault}' for fault in fixed_call_faults(call, skill))
