"""What a front end asks: a goal, a tool, the memory; and whether a goal can be accepted.

The answer of an action's server to a goal is yes or no, without a reason. So a front end asks
here first, and its user reads the sentence that the executive's log would have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rover_common.config.settings import GoalSettings
from rover_common.incoming_text import incoming_text
from rover_common.json_text import read_arguments


@dataclass(frozen=True)
class GoalRequest:
    """Pursue this goal: the operator's words, or the name of a template.

    `goal_id`: a UUID that names it from end to end, so that a request that arrives twice is one
    goal; empty: a new one.
    """

    text: str
    goal_id: str = ''


@dataclass(frozen=True)
class ToolRequest:
    """Run this one tool under the tree's guards.

    Attributes:
        arguments: JSON object, or empty for none.
        goal_id: See `GoalRequest`.
    """

    name: str
    arguments: str = ''
    goal_id: str = ''


@dataclass(frozen=True)
class MemoryRequest:
    """Ask the memory where something is, or have it remember where the robot is now.

    Nothing moves for it, and it waits for nothing. `key`: of this wish to remember, so that it
    changes nothing if it comes twice.
    """

    kind: Literal['recall', 'remember']
    text: str = ''
    key: str = ''


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
