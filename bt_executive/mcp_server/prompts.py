"""The templates of goals as MCP prompts."""

from __future__ import annotations

from mcp_types import GetPromptResult, Prompt, PromptMessage, TextContent

from bt_executive.mcp_server.tools import GOAL
from rover_common.config.settings import Config


def prompts_of(config: Config) -> list[Prompt]:
    """One for each template of prompts.yaml."""
    templates = config.prompts.templates
    return [
        Prompt(name=name, title=template.label, description=template.text)
        for name, template in templates.items()
    ]


def prompt(config: Config, name: str) -> GetPromptResult | None:
    """What a user says to pursue that goal; None if there is no such template."""
    template = config.prompts.templates.get(name)
    if template is None:
        return None
    text = (
        f'{template.text}\n\nUse the tools of the robot, or hand the whole goal to its own '
        f'planner with the tool {GOAL!r}.'
    )
    message = PromptMessage(role='user', content=TextContent(type='text', text=text))
    return GetPromptResult(description=template.label, messages=[message])
