"""The tools that need no server: name in robot.yaml → the leaf that carries it out.

The smallest of the leaves are here, too; the others have files of their own in `behaviours/`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from py_trees.behaviour import Behaviour

from bt_executive.core.decisions import PlannerEnd
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.behaviours.tools.internal_tools import (
    AskOperator,
    InternalTool,
    ReadGraph,
    Wait,
)
from bt_executive.tree.behaviours.tools.plugged_behaviour import PluggedBehaviour
from bt_executive.tree.context import Context
from bt_executive.tree.go_to_remembered import go_to_remembered
from rover_common.reason import Reason


class Finish(InternalTool):
    """The goal is done, with an answer. SUCCESS; the goal ends at the end of the round."""

    def update(self) -> Status:
        """Notes the answer."""
        answer = str(self.argument('answer'))
        self.context.round = replace(
            self.context.round, ended_by_tool=Reason(PlannerEnd.FINISHED, answer)
        )
        return self.done(answer)


class AbortGoal(InternalTool):
    """The planner gives the goal up, with a reason. SUCCESS; it ends at the end of the round."""

    def update(self) -> Status:
        """Notes the reason."""
        reason = str(self.argument('reason'))
        self.context.round = replace(
            self.context.round, ended_by_tool=Reason(PlannerEnd.ABORTED, reason)
        )
        return self.done(reason)


class Speak(InternalTool):
    """A text for the operator: in the trace, which the console shows. SUCCESS at once."""

    def update(self) -> Status:
        """Says it."""
        text = str(self.argument('text'))
        self.context.tracer.emit('ACT', text, tool_name=self.tool.name, data={'spoken': text})
        return self.done('said')


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
    """The leaf that carries the tool out; the registry has seen that there is one."""
    if tool.skill.steps:
        return IN_STEPS[tool.name](context, tool)
    if tool.skill.behaviour:
        return PluggedBehaviour(f'Let {tool.skill.behaviour} do it', context, tool)
    title, leaf = INTERNAL[tool.name]
    return leaf(title, context, tool)
