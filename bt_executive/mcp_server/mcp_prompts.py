"""The prompts of the MCP server: one for each goal template."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from bt_executive.mcp_server.mcp_tools import GOAL, ROBOT
from bt_executive.mcp_server.robot_choice import Robots


class UnknownPromptError(Exception):
    """There is no prompt of that name."""


def prompts_of(robots: Robots) -> list[Prompt]:
    """Return a prompt for each name of a template in prompts.yaml."""
    several = len(robots.all) > 1
    argument = PromptArgument(name=ROBOT, description=f'One of: {robots.names}', required=several)
    return [
        Prompt(
            name=name,
            title=template.label,
            description=template.text,
            arguments=[argument] if robots.named else None,
        )
        for name, template in {
            name: template
            for robot in reversed(robots.all.values())
            for name, template in robot.config.prompts.templates.items()
        }.items()
    ]


def prompt(robots: Robots, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return the prompt for a goal.

    Raises:
        UnknownPromptError: There is no such template.
        NoRobotError: None of several robots is named, or there is none of that name.
    """
    robot = robots.choose(GOAL, arguments)[0]
    template = robot.config.prompts.templates.get(name)
    if template is None:
        raise UnknownPromptError(f'There is no prompt {name!r:.80}.')
    hint = f', with {ROBOT!r} set to {robot.name!r}' if robots.named else ''
    text = (
        f'{template.text}\n\nUse the tools of the robot{hint}, or hand the whole goal to its own '
        f'planner with the tool {GOAL!r}.'
    )
    message = PromptMessage(role='user', content=TextContent(type='text', text=text))
    return GetPromptResult(description=template.label, messages=[message])
