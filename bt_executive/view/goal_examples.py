"""What people can ask of a robot, from its own file, by the language of the page. Pure."""

from __future__ import annotations

from bt_executive.client.offered import offered_to_agents
from rover_common.config.settings import Config, Skill

MOST = 8


def goal_examples(config: Config) -> dict[str, list[str]]:
    """Return examples of tools that use different parts or arguments, in the file's order."""
    kinds: dict[tuple[tuple[str, ...], tuple[str, ...]], Skill] = {}
    for skill in offered_to_agents(config).values():
        if skill.endpoint and skill.examples and skill.resources_required:
            kinds.setdefault((skill.resources_required, tuple(skill.args)), skill)
    found: dict[str, list[str]] = {'en': [], 'ja': []}
    for skill in kinds.values():
        texts = [each.say.replace('{', '').replace('}', '') for each in skill.examples]
        for language, fits in (('en', str.isascii), ('ja', _is_japanese)):
            first = next(filter(fits, texts), None)
            if first is not None and len(found[language]) < MOST:
                found[language].append(first)
    return found


def _is_japanese(text: str) -> bool:
    """Whether a text has a kana."""
    return any('\u3041' <= sign <= '\u30ff' for sign in text)
