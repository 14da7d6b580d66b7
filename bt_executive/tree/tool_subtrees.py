"""Builds the subtrees of tools: guards, the tool itself, and when they are planted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from py_trees.behaviour import Behaviour

from bt_executive.skills.tool_registry import Tool, resolvers_of
from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.behaviours.safety.stop_motion import StandsAgain, StopOnExit
from bt_executive.tree.behaviours.tools.call_server import CallServer
from bt_executive.tree.behaviours.tools.confirm_postcondition_and_drive import (
    AwaitPostcondition,
    ConfirmDrive,
)
from bt_executive.tree.behaviours.tools.drive_for import DriveFor
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import Guard, HoldResources
from bt_executive.tree.behaviours.tools.plugged_behaviour import PluggedBehaviour
from bt_executive.tree.behaviours.tools.satisfy_precondition import ResolvePrecondition
from bt_executive.tree.behaviours.tools.tools_without_server import (
    AbortGoal,
    AskOperator,
    Finish,
    InternalTool,
    ReadGraph,
    Speak,
    Wait,
)
from bt_executive.tree.composite_tool_subtree import composite_tool
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ReadAccess
from bt_executive.tree.go_to_remembered import go_to_remembered
from bt_executive.tree.subtrees_on_demand import OnDemand
from bt_executive.tree.ticking import TickedSelector, tick_into
from bt_executive.tree.tree_shapes import (
    reactive_fallback,
    reactive_sequence,
    sequence_with_memory,
)


def run_tool(context: Context, tool: Tool) -> Behaviour:
    """Build the subtree of a tool."""
    if tool.skill.plan is not None:
        do = composite_tool(context, tool, tool.skill.plan, run_tool)
    else:
        do = HoldResources(f'Do {tool.name}', context, tool, _steps(context, tool))
    return reactive_sequence(tool.name, *_guards(context, tool), do)


def _guards(context: Context, tool: Tool) -> Iterator[Behaviour]:
    """Build a guard per precondition; under policy `resolve` with the tool that satisfies it."""
    resolvers = resolvers_of(tool, context.registry, context.config.executive.guards)
    for precondition in tool.preconditions:
        if precondition.name in resolvers:
            resolver = resolvers[precondition.name]
            helper = ResolvePrecondition(
                f'{resolver.name} first', context, resolver, precondition.name
            )
            yield reactive_fallback(
                f'{precondition.question.rstrip("?")}, or see to it',
                Guard(context, precondition, helper),
                helper,
            )
        else:
            yield Guard(context, precondition)


def _steps(context: Context, tool: Tool) -> Behaviour:
    """Build what a tool does: call a server, drive for a time and stop, or an internal tool."""
    if tool.endpoint is None:
        return internal_tool(context, tool)
    verb = 'Publish on' if tool.endpoint.kind == 'topic' else 'Call'
    call = CallServer(f'{verb} {tool.endpoint.name}', context, tool, tool.endpoint)
    if tool.waits_for_postcondition:
        seen = AwaitPostcondition('Seen to be done?', context, tool)
        return sequence_with_memory('Publish and see', call, seen)
    if tool.skill.motion is None:
        return call
    drive = DriveFor('Until the time is over', context, tool)
    motion = StopOnExit(
        'Stop on every way out', context, tool, sequence_with_memory('Drive', call, drive)
    )
    return sequence_with_memory(
        'Drive and stop',
        motion,
        StandsAgain('Stands again?', context, motion),
        ConfirmDrive('Moved as asked?', context, drive),
    )


class SelectedTool(OnDemand, TickedSelector):
    """Plants the proposed tool's subtree and adopts its status; FAILURE without a proposal."""

    always = 0

    def __init__(self, name: str, context: ReadAccess, tools: Mapping[str, Behaviour]) -> None:
        super().__init__(name, memory=False)
        self._context = context
        self._tools = dict(tools)
        self.subtrees = tuple(self._tools.values())

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks the one child; a remaining one of another tool is interrupted and removed."""
        chosen = self._tools.get(self._context.round.tool)
        for child in [each for each in self.children if each is not chosen]:
            self.remove_subtree(child)
        status = Status.FAILURE
        if chosen is not None:
            self.plant(chosen)
            self.current_child = chosen
            status = tick_into(chosen, visited)
        self.end_tick(status, visited)


INTERNAL: dict[str, tuple[str, Callable[[str, Context, Tool], InternalTool]]] = {
    'abort': ('Give the goal up', AbortGoal),
    'ask_operator': ('Ask and wait for an answer', AskOperator),
    'finish': ('End the goal with an answer', Finish),
    'list_nodes': ('List the nodes', ReadGraph),
    'list_services': ('List the services', ReadGraph),
    'list_topics': ('List the topics', ReadGraph),
    'read_topic': ('Read one message', ReadGraph),
    'speak': ('Say it', Speak),
    'wait': ('Let time pass', Wait),
}


# The tools that are carried out in steps: name in robot.yaml → their subtree.
IN_STEPS: dict[str, Callable[[Context, Tool], Behaviour]] = {'go_to_remembered': go_to_remembered}


def internal_tool(context: Context, tool: Tool) -> Behaviour:
    """Return the class of an internal tool's leaf; the registry has checked that there is one."""
    if tool.skill.steps:
        return IN_STEPS[tool.name](context, tool)
    if tool.skill.behaviour:
        return PluggedBehaviour(f'Let {tool.skill.behaviour} do it', context, tool)
    title, leaf = INTERNAL[tool.name]
    return leaf(title, context, tool)
