"""Example goals for a page: such as the planner can carry out."""

from __future__ import annotations

from bt_executive.client.callable_tools import tools_offered_to_agents
from rover_common.config.robot_examples import MOST_SHOWN, first_of_each_kind
from rover_common.config.settings import Config


def goal_examples(config: Config) -> dict[str, list[str]]:
    """Return examples of tools with different resources or arguments, in the file's order.

    The offline model answers with the same examples when it is asked what it can do.
    """
    skills = {
        name: skill
        for name, skill in tools_offered_to_agents(config).items()
        if skill.endpoint and skill.examples and skill.resources_required
    }
    kinds = {name: (skill.resources_required, tuple(skill.args)) for name, skill in skills.items()}
    found: dict[str, list[str]] = {'en': [], 'ja': []}
    for name in first_of_each_kind(kinds):
        texts = [each.say.replace('{', '').replace('}', '') for each in skills[name].examples]
        for language, fits in (('en', str.isascii), ('ja', _is_japanese)):
            first = next(filter(fits, texts), None)
            if first is not None and len(found[language]) < MOST_SHOWN:
                found[language].append(first)
    return found


def _is_japanese(text: str) -> bool:
    """Return whether a text contains kana."""
    return any('\u3041' <= sign <= '\u30ff' for sign in text)
