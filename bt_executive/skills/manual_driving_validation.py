"""Validation of the keywords for manual driving: their uniqueness and their calls."""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.skills.composite_validation import fixed_call_faults
from rover_common.config.settings import Config, Skill
from rover_common.config.settings.composites import Plan


def by_hand_faults(config: Config, name: str, skill: Skill) -> Iterator[str]:
    """Yield faults of `by_hand`: keywords of two tools, and calls with invalid arguments."""
    others = {
        keyword: other
        for other, tool in config.robot.tools.items()
        if other != name and {*tool.variants} & {*skill.variants}
        for keyword in tool.by_hand
    }
    for keyword, arguments in skill.by_hand.items():
        if keyword in others:
            yield f'by_hand.{keyword} is of {others[keyword]}, too: give one of them another word.'
        call = Plan(kind='tool', tool=name, args=arguments)
        yield from (f'by_hand.{keyword}: {fault}' for fault in fixed_call_faults(call, skill))
