"""The prompts of the MCP server: one for each template of a goal."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from bt_executive.mcp_server.mcp_tools import GOAL, ROBOT
from bt_executive.mcp_server.robot_choice import Robots


class UnknownPromptError(Exception):
    """There is no such prompt; the text says so."""


def prompts_of(robots: Robots) -> list[Prompt]:
    """One for each template of prompts.yaml; those of one name count as one."""
    several = len(robots.all) > 1
    which = PromptArgument(name=ROBOT, description=f'One of: {robots.names}', required=several)
    return [
        Prompt(
            name=name,
            title=template.label,
            description=template.text,
            arguments=[which] if robots.named else None,
        )
        for name, template in {
            name: template
            for robot in reversed(robots.all.values())
            for name, template in robot.config.prompts.templates.items()
        }.items()
    ]


def prompt(robots: Robots, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """What a user says to pursue that goal.

    Raises:
        UnknownPromptError: There is no such template.
        NoRobotError: It is not said for which of several robots, or there is none of that name.
    """
    robot = robots.chosen(GOAL, arguments)[0]
    template = robot.config.prompts.templates.get(name)
    if template is None:
        raise UnknownPromptError(f'There is no prompt {name!r:.80}.')
    which = f', with {ROBOT!r} set to {robot.name!r}' if robots.named else ''
    text = (
        f'{template.text}\n\nUse the tools of the robot{which}, or hand the whole goal to its own '
        f'planner with the tool {GOAL!r}.'
    )
    message = PromptMessage(role='user', content=TextContent(type='text', text=text))
    return GetPromptResult(description=template.label, messages=[message])
