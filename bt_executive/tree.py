"""The tree: what the robot does, readable from top to bottom.

Priority is reactive: every tick starts at the top, and the first branch that has something to do
preempts those below it. Within a branch, a guard stands outside (asked at every tick) and a
pipeline with memory inside (each step once). docs/tree.txt is generated from this file.
"""

from __future__ import annotations

from collections.abc import Callable

import py_trees
from py_trees.behaviour import Behaviour

from bt_executive.behaviours.always_stop import AlwaysStop, StandsAgain
from bt_executive.behaviours.ask_planner import AskPlanner
from bt_executive.behaviours.call_service import CallService
from bt_executive.behaviours.check_proposal import CheckProposal
from bt_executive.behaviours.condition import Condition
from bt_executive.behaviours.drive_for import DriveFor
from bt_executive.behaviours.end_goals import EndGoals
from bt_executive.behaviours.give_up import GiveUp
from bt_executive.behaviours.guard import Guard
from bt_executive.behaviours.hold import HoldUntilReset
from bt_executive.behaviours.idle import Idle
from bt_executive.behaviours.leased import Leased
from bt_executive.behaviours.look import LookAtTheWorld
from bt_executive.behaviours.reap import ReapWhatWasCancelled
from bt_executive.behaviours.stop_the_base import StopTheBase
from bt_executive.behaviours.take_stock import TakeStock
from bt_executive.brain import Brain
from bt_executive.skills.registry import Tool
from bt_executive.state import UserInterruptType

ACT_BY_PRIORITY = 'Act by priority'


def build_tree(brain: Brain) -> Behaviour:
    """The whole tree of the executive."""
    return reactive(
        'Executive',
        LookAtTheWorld('Look at the world', brain),
        ReapWhatWasCancelled('Reap what was cancelled', brain),
        first_that_applies(
            ACT_BY_PRIORITY,
            reactive(
                'Stay safe',
                Condition('Safety event?', brain, lambda brain: brain.state.world.safety_reason),
                one_after_another(
                    'Make safe',
                    StopTheBase('Stop the base', brain),
                    EndGoals('Cancel everything', brain, 'failed', why_unsafe),
                    HoldUntilReset('Hold until reset', brain),
                ),
            ),
            reactive(
                'Obey the operator',
                Condition('Stop wanted?', brain, stop_wanted),
                StopTheBase('Stop for the operator', brain),
                EndGoals('End what was asked for', brain, 'interrupted', who_stopped),
            ),
            reactive(
                'Pursue the goal',
                Condition(
                    'Goal active?', brain, lambda brain: brain.task.goal if brain.task else ''
                ),
                one_after_another(
                    'One round',
                    AskPlanner('Ask for the next tool', brain),
                    regardless(
                        'Do it if it may be done',
                        one_after_another(
                            'Under guard',
                            CheckProposal('Check the proposal', brain),
                            first_that_applies(
                                'Run the tool',
                                *(run_tool(brain, tool) for tool in brain.registry.values()),
                            ),
                        ),
                    ),
                    TakeStock('Take stock', brain),
                ),
            ),
            Idle('Idle', brain),
        ),
    )


def run_tool(brain: Brain, tool: Tool) -> Behaviour:
    """One subtree per tool: its guards hold while it runs."""
    return reactive(
        tool.name,
        Condition(f'{tool.name}?', brain, proposed(tool.name)),
        *(Guard(brain, precondition) for precondition in tool.preconditions),
        Leased(f'Do {tool.name}', brain, tool, steps(brain, tool)),
    )


def steps(brain: Brain, tool: Tool) -> Behaviour:
    """What a tool does: call a service, drive for a while and stop, or end the goal."""
    if tool.endpoint is None:
        return GiveUp('Give the goal up', brain)
    call = CallService(f'Call {tool.endpoint.name}', brain, tool, tool.endpoint)
    if tool.skill.motion is None:
        return call
    motion = AlwaysStop(
        'Stop on every way out',
        brain,
        one_after_another('Drive', call, DriveFor('Until the time is over', brain, tool)),
    )
    return one_after_another('Drive and stop', motion, StandsAgain('Stands again?', brain, motion))


def reactive(name: str, *children: Behaviour) -> Behaviour:
    """All children from the first one again at every tick; the first failure ends it."""
    return py_trees.composites.Sequence(name, memory=False, children=list(children))


def one_after_another(name: str, *children: Behaviour) -> Behaviour:
    """Each child once, in order; the first failure ends it."""
    return py_trees.composites.Sequence(name, memory=True, children=list(children))


def first_that_applies(name: str, *children: Behaviour) -> Behaviour:
    """The first child that does not fail; a higher one preempts a lower one."""
    return py_trees.composites.Selector(name, memory=False, children=list(children))


def regardless(name: str, child: Behaviour) -> Behaviour:
    """The child, and success whatever came of it: stock is taken in any case."""
    return py_trees.decorators.FailureIsSuccess(name, child)


def proposed(name: str) -> Callable[[Brain], str]:
    """Asks whether this round's proposal is the named tool."""

    def ask(brain: Brain) -> str:
        proposal = brain.round.proposal
        return name if proposal is not None and proposal.tool == name else ''

    return ask


def stop_wanted(brain: Brain) -> str:
    """Who wants everything to stop."""
    wanted = brain.state.hci.user_interrupt is UserInterruptType.STOP
    return str(brain.state.hci.interrupt_payload.get('source', 'somebody')) if wanted else ''


def who_stopped(brain: Brain) -> str:
    """The sentence for goals that the operator ends."""
    return f'Stopped by {stop_wanted(brain)}'


def why_unsafe(brain: Brain) -> str:
    """The sentence for goals that a safety event ends."""
    return f'Safety event: {brain.state.world.safety_reason}'
