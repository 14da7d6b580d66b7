"""The tools that need no server: name in skills.yaml → what it does."""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from bt_executive.skills.registry import Tool
from bt_executive.tree.behaviours.operator.ask_operator import AskOperator
from bt_executive.tree.behaviours.planning.abort_goal import GiveUp
from bt_executive.tree.behaviours.planning.finish import Finish
from bt_executive.tree.behaviours.planning.speak import Speak
from bt_executive.tree.behaviours.tools.internal import InternalTool
from bt_executive.tree.behaviours.tools.read_graph import ReadGraph
from bt_executive.tree.behaviours.tools.wait import Wait
from bt_executive.tree.context import Brain

INTERNAL: dict[str, tuple[str, type[InternalTool]]] = {
    'abort': ('Give the goal up', GiveUp),
    'ask_operator': ('Ask and wait for an answer', AskOperator),
    'finish': ('End the goal with an answer', Finish),
    'list_nodes': ('List the nodes', ReadGraph),
    'list_services': ('List the services', ReadGraph),
    'list_topics': ('List the topics', ReadGraph),
    'read_topic': ('Read one message', ReadGraph),
    'speak': ('Say it', Speak),
    'wait': ('Let time pass', Wait),
}


def internal_tool(brain: Brain, tool: Tool) -> Behaviour:
    """The leaf that carries the tool out; the registry has seen that there is one."""
    title, leaf = INTERNAL[tool.name]
    return leaf(title, brain, tool)
