"""One subtree per tool: its question, its guards that hold while it runs, and what it does."""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour

from bt_executive.skills.policy import resolvers_of
from bt_executive.skills.registry import Tool
from bt_executive.tree import conditions as ask
from bt_executive.tree.behaviours.condition import Condition
from bt_executive.tree.behaviours.safety.guard import Guard
from bt_executive.tree.behaviours.safety.stop_on_exit import AlwaysStop, StandsAgain
from bt_executive.tree.behaviours.tools.call_server import CallServer
from bt_executive.tree.behaviours.tools.drive_for import DriveFor
from bt_executive.tree.behaviours.tools.hold_resources import Leased
from bt_executive.tree.behaviours.tools.resolve_precondition import SeeToIt
from bt_executive.tree.builtin_tools import internal_tool
from bt_executive.tree.composites import first_that_applies, one_after_another, reactive
from bt_executive.tree.context import Brain


def run_tool(brain: Brain, tool: Tool) -> Behaviour:
    """The tool's subtree."""
    return reactive(
        tool.name,
        Condition(f'{tool.name}?', brain, ask.proposed(tool.name)),
        *_guards(brain, tool),
        Leased(f'Do {tool.name}', brain, tool, _steps(brain, tool)),
    )


def _guards(brain: Brain, tool: Tool) -> Iterator[Behaviour]:
    """A guard per precondition; under policy `resolve` with the tool that makes it true."""
    resolvers = resolvers_of(tool, brain.registry, brain.config.executive.guards)
    for precondition in tool.preconditions:
        if precondition.name in resolvers:
            resolver = resolvers[precondition.name]
            helper = SeeToIt(f'{resolver.name} first', brain, resolver)
            yield first_that_applies(
                f'{precondition.question.rstrip("?")}, or see to it',
                Guard(brain, precondition, helper),
                helper,
            )
        else:
            yield Guard(brain, precondition)


def _steps(brain: Brain, tool: Tool) -> Behaviour:
    """What a tool does: call a server, drive for a while and stop, or something of our own."""
    if tool.endpoint is None:
        return internal_tool(brain, tool)
    call = CallServer(f'Call {tool.endpoint.name}', brain, tool, tool.endpoint)
    if tool.skill.motion is None:
        return call
    motion = AlwaysStop(
        'Stop on every way out',
        brain,
        tool,
        one_after_another('Drive', call, DriveFor('Until the time is over', brain, tool)),
    )
    return one_after_another('Drive and stop', motion, StandsAgain('Stands again?', brain, motion))
