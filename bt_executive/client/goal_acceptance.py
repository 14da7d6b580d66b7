"""Validation of a goal's texts, by the executive and, before it sends one, by a front end.

An action server accepts or rejects a goal without a reason. So a front end validates it first,
and its user reads the sentence that would otherwise stand in the executive's log only.
"""

from __future__ import annotations

from typing import Any

from rover_common.config.settings import GoalSettings
from rover_common.incoming_text import incoming_text
from rover_common.json_text import read_arguments


def goal_rejection(goal: str, tool: str, arguments: str, limits: GoalSettings) -> str:
    """Return why a goal is rejected, as the end of a sentence; empty: it is valid.

    Args:
        goal: The text; may be empty if there is a tool. Invisible characters do not count.
        tool: A tool's name, or empty.
        arguments: JSON object for the tool, or empty.
        limits: Maximum lengths in characters.
    """
    if not incoming_text(tool) and not incoming_text(goal):
        return 'it has neither words nor a tool'
    for name, text, limit in (
        ('words', goal, limits.max_chars),
        ("tool's name", tool, limits.max_tool_chars),
        ('arguments', arguments, limits.max_arguments_chars),
    ):
        if len(text) > limit:
            return f'its {name}: {len(text)} characters; at most {limit} are taken'
    try:
        goal_arguments(arguments)
    except ValueError as error:
        return f'its arguments are not a JSON object: {error}'
    return ''


def goal_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a goal's tool.

    Raises:
        ValueError: The text is not a JSON object, or a number in it is not finite.
    """
    return read_arguments(text or '{}')
