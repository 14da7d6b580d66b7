"""The tree: what the robot does, readable from top to bottom.

Priority is reactive: every tick starts at the top, and the first branch that has something to do
preempts those below it. Within a branch, a guard stands outside (asked at every tick) and a
pipeline with memory inside (each step once). docs/tree.txt is generated from this file.
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.tree import conditions as ask
from bt_executive.tree.behaviours.condition import Condition
from bt_executive.tree.behaviours.operator.end_goals import EndGoals
from bt_executive.tree.behaviours.operator.switch_task import SwitchTask
from bt_executive.tree.behaviours.operator.wait_for_approval import HumanAgrees
from bt_executive.tree.behaviours.operator.wait_while import StandBy
from bt_executive.tree.behaviours.planning.ask_planner import AskPlanner
from bt_executive.tree.behaviours.planning.check_proposal import CheckProposal
from bt_executive.tree.behaviours.planning.evaluate_round import TakeStock
from bt_executive.tree.behaviours.planning.idle import Idle
from bt_executive.tree.behaviours.safety.clean_up_cancelled_calls import ReapWhatWasCancelled
from bt_executive.tree.behaviours.safety.confirm_stop import ConfirmStop
from bt_executive.tree.behaviours.safety.guard import Guard
from bt_executive.tree.behaviours.safety.hold_until_reset import HoldUntilReset
from bt_executive.tree.behaviours.safety.stop_the_base import StopTheBase
from bt_executive.tree.behaviours.sense import LookAtTheWorld
from bt_executive.tree.behaviours.tools.satisfy_precondition import BringAbout
from bt_executive.tree.behaviours.tools.selected_tool import SelectedTool
from bt_executive.tree.composites import (
    first_that_applies,
    one_after_another,
    reactive,
    regardless,
)
from bt_executive.tree.context import Brain
from bt_executive.tree.tool_subtrees import run_tool

ACT_BY_PRIORITY = 'Act by priority'


def build_tree(brain: Brain) -> Behaviour:
    """The whole tree of the executive."""
    return reactive(
        'Executive',
        LookAtTheWorld('Look at the world', brain),
        ReapWhatWasCancelled('Reap what was cancelled', brain),
        ConfirmStop('Confirm the stop', brain),
        first_that_applies(
            ACT_BY_PRIORITY,
            reactive(
                'Stay safe',
                Condition('Safety event?', brain, ask.why_unsafe),
                regardless('Obey a stop all the same', obey_stop(brain)),
                one_after_another(
                    'Make safe',
                    StopTheBase('Stop the base', brain),
                    EndGoals('Cancel everything', brain, 'failed', ask.why_unsafe),
                    HoldUntilReset('Hold until reset', brain),
                ),
            ),
            reactive(
                'Keep charged',
                Condition('Battery low?', brain, ask.why_charging),
                regardless('Obey a stop meanwhile', obey_stop(brain)),
                one_after_another(
                    'Rest and charge',
                    StopTheBase('Stop to charge', brain),
                    *before_rest(brain),
                    StandBy('Wait for charge', brain, ask.why_charging),
                ),
            ),
            first_that_applies(
                'Obey the operator',
                obey_stop(brain),
                reactive(
                    'Pause',
                    Condition('Pause wanted?', brain, ask.who_pauses),
                    one_after_another(
                        'Stand and wait',
                        StopTheBase('Stop to pause', brain),
                        StandBy('Wait for resume', brain, ask.who_pauses),
                    ),
                ),
            ),
            reactive(
                'Switch to a better goal',
                Condition('Better goal waiting?', brain, ask.better_goal),
                SwitchTask('Park the goal', brain),
            ),
            reactive(
                'Pursue the goal',
                Condition('Goal active?', brain, ask.active_goal),
                one_after_another(
                    'One round',
                    AskPlanner('Ask for the next tool', brain),
                    regardless('Do it if it may be done', under_guard(brain)),
                    TakeStock('Take stock', brain),
                ),
            ),
            Idle('Idle', brain),
        ),
    )


def obey_stop(brain: Brain) -> Behaviour:
    """The operator's stop: at once, and for everything that was asked for."""
    return reactive(
        'Stop',
        Condition('Stop wanted?', brain, ask.who_stops),
        StopTheBase('Stop for the operator', brain),
        EndGoals('End what was asked for', brain, 'interrupted', ask.who_stops),
    )


def under_guard(brain: Brain) -> Behaviour:
    """From the proposal to the tool's end: nothing runs that was not checked."""
    return one_after_another(
        'Under guard',
        CheckProposal('Check the proposal', brain, human_next=True),
        human_agrees(brain),
        reactive(
            'While it is allowed',
            *(Guard(brain, precondition) for precondition in ALWAYS_ASKED),
            SelectedTool(
                'Run the tool',
                brain,
                {name: run_tool(brain, tool) for name, tool in brain.registry.items()},
            ),
        ),
    )


def human_agrees(brain: Brain) -> Behaviour:
    """Nobody needs to be asked; or a human agrees, and the call is still allowed after that."""
    return first_that_applies(
        'Human agrees?',
        Condition('Needs nobody?', brain, ask.who_need_not_agree),
        one_after_another(
            'Ask, then check again',
            HumanAgrees('Wait for the operator', brain),
            CheckProposal('Check what was agreed', brain),
        ),
    )


def before_rest(brain: Brain) -> list[Behaviour]:
    """The tool that is run before a long rest, if one is configured for this robot."""
    tool = brain.registry.get(brain.config.executive.battery.before_rest)
    return (
        []
        if tool is None
        else [BringAbout(f'{tool.name} before the rest', brain, tool, again=True)]
    )
