"""Whether a goal can be accepted, by its texts.

The answer of an action's server to a goal is yes or no, without a reason. So a front end asks
here first, and its user reads the sentence that the executive's log would have.
"""

from __future__ import annotations

from typing import Any

from rover_common.config.settings import GoalSettings
from rover_common.incoming_text import incoming_text
from rover_common.json_text import read_arguments


def why_not_accepted(words: str, tool: str, arguments: str, bounds: GoalSettings) -> str:
    """Return what is wrong with the texts of a goal, as the end of a sentence; empty if nothing.

    Args:
        words: The goal; may be empty if there is a tool. Characters that nobody sees are none.
        tool: A tool's name, or empty.
        arguments: JSON object for the tool, or empty.
        bounds: Longest texts, in characters.
    """
    if not incoming_text(tool) and not incoming_text(words):
        return 'it has neither words nor a tool'
    for what, text, most in (
        ('words', words, bounds.max_chars),
        ("tool's name", tool, bounds.max_tool_chars),
        ('arguments', arguments, bounds.max_arguments_chars),
    ):
        if len(text) > most:
            return f'its {what}: {len(text)} characters; at most {most} are taken'
    try:
        goal_arguments(arguments)
    except ValueError as error:
        return f'its arguments are not a JSON object: {error}'
    return ''


def goal_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a goal's tool.

    Raises:
        ValueError: They are no JSON object of finite numbers.
    """
    return read_arguments(text or '{}')
