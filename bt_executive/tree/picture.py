"""Builds the tree, readable from top to bottom.

Priority is reactive: every tick starts at the top, and the first branch that has something to do
preempts those below it. Within a branch, a guard stands outside (asked at every tick) and a
pipeline with memory inside (each step once). What a branch does, and the subtree of a tool, are in
the tree only while they are needed (`subtrees_on_demand.py`); docs/tree.txt shows all of it,
generated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from py_trees.behaviour import Behaviour

from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.core.modes import (
    KEEP_CHARGED,
    MODES,
    PAUSE,
    PURSUE_GOALS,
    REST,
    STAY_SAFE,
    STOP,
    ModeRow,
)
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree import branch_conditions as ask
from bt_executive.tree.behaviours.base_behaviours import (
    force_success,
    reactive_fallback,
    reactive_sequence,
    sequence_with_memory,
    until_interrupted,
)
from bt_executive.tree.behaviours.memory.go_to_remembered import FindTarget, nothing_to_find
from bt_executive.tree.behaviours.operator.charge_hold_park_or_end_goals import (
    AskToCharge,
    CancelEverything,
    EndGoals,
    HoldUntilReset,
    Idle,
    SwitchTask,
    WaitUntilReady,
    WaitWhile,
    why_to_charge,
)
from bt_executive.tree.behaviours.operator.wait_for_approval_and_answers import (
    WaitForApproval,
)
from bt_executive.tree.behaviours.planning.ask_planner_and_check_proposal import (
    AskPlanner,
    CheckProposal,
)
from bt_executive.tree.behaviours.planning.evaluate_round import EvaluateRound
from bt_executive.tree.behaviours.safety.answered_lost_and_cancelled_calls import (
    CleanUpCancelledCalls,
)
from bt_executive.tree.behaviours.safety.send_and_confirm_stop import ConfirmStop, StopTheBase
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import Guard
from bt_executive.tree.behaviours.tools.recover_interrupted_tool import RecoverCall
from bt_executive.tree.behaviours.tools.satisfy_precondition import SatisfyPrecondition
from bt_executive.tree.branch_conditions import Condition
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ReadAccess
from bt_executive.tree.subtrees_of_tools_and_composites import run_tool
from bt_executive.tree.subtrees_on_demand import Branch, Otherwise, SelectedTool

Ask = Callable[[ReadAccess], str | None]
ACT_BY_PRIORITY = 'Act by priority'


def build_tree(context: Context) -> Behaviour:
    """The whole tree of the executive. Its branches stand in the order of the table of modes."""
    return reactive_sequence(
        'Executive',
        Sense('Look at the world', context),
        CleanUpCancelledCalls('Clean up cancelled calls', context),
        ConfirmStop('Confirm the stop', context),
        reactive_fallback(
            ACT_BY_PRIORITY, *(branch(context) for row in MODES for branch in BRANCHES[row])
        ),
    )


def stay_safe(context: Context) -> Behaviour:
    """SAFE: the base stands and every goal ends, until the operator resets."""
    return Branch(
        'Stay safe',
        Condition('Safety event?', context, ask.why_unsafe),
        force_success('Obey a stop all the same', obey_stop(context)),
        sequence_with_memory(
            'Make safe',
            StopTheBase('Stop the base', context),
            CancelEverything('Cancel everything', context),
            HoldUntilReset('Hold until reset', context),
        ),
    )


def keep_charged(context: Context) -> Behaviour:
    """CHARGE: the base stands and goals wait, save the one that drives to the charger."""
    return Branch(
        'Keep charged',
        Condition('Battery low?', context, ask.why_charging),
        force_success('Obey a stop meanwhile', obey_stop(context)),
        sequence_with_memory(
            'Rest and charge',
            StopTheBase('Stop to charge', context),
            *before_rest(context),
            charge(context),
        ),
    )


def charge(context: Context) -> Behaviour:
    """The one tool that may drive in CHARGE, if the robot has one; else it waits for its charge.

    It is a goal with this tool, under all that a goal is under, save the mode.
    """
    wait = WaitWhile('Wait for charge', context, ask.why_charging)
    charge = context.config.robot.charge
    if charge is None:
        return wait
    tools = {charge.by: context.registry[charge.by]}
    return until_interrupted(
        'Until it is charged',
        reactive_fallback(
            'Charge',
            Branch(
                'Switch to charging',
                Condition('Charging waits?', context, ask.goal_that_charges),
                SwitchTask('Park the goal to charge', context),
            ),
            recover(context, ask.interrupted_charging_tool),
            pursue_goal(context, ask.charging_goal, tools),
            Branch(
                'Send to charge',
                Condition('To be sent?', context, why_to_charge),
                AskToCharge(f'Ask for {charge.by}', context, charge),
            ),
            wait,
        ),
    )


def obey_stop(context: Context) -> Behaviour:
    """The operator's stop: at once, and for all goals."""
    return Branch(
        'Stop',
        Condition('Stop wanted?', context, ask.stop_source),
        StopTheBase('Stop for the operator', context),
        EndGoals('End what was asked for', context),
    )


def pause(context: Context) -> Behaviour:
    """The operator's pause: the base stands and the goal waits, until it is resumed."""
    return Branch(
        'Pause',
        Condition('Pause wanted?', context, ask.pause_source),
        sequence_with_memory(
            'Stand and wait',
            StopTheBase('Stop to pause', context),
            WaitWhile('Wait for resume', context, ask.pause_source),
        ),
    )


def switch_goals(context: Context) -> Behaviour:
    """EXEC: a better goal that waits parks the active one."""
    return Branch(
        'Switch to a better goal',
        Condition('Better goal waiting?', context, ask.better_goal),
        SwitchTask('Park the goal', context),
    )


def recover(context: Context, because: Ask = ask.interrupted_tool) -> Behaviour:
    """An interrupted tool of the previous run is recovered before anything new begins."""
    return Branch(
        'Recover after a restart',
        Condition('Tool was under way?', context, because),
        sequence_with_memory(
            'Find out',
            RecoverCall('Find out what became of it', context),
            EvaluateRound('Take stock of it', context),
        ),
    )


def pursue_goal(
    context: Context, because: Ask = ask.active_goal, tools: Mapping[str, Tool] | None = None
) -> Behaviour:
    """One round after the other. `tools`: those that may run; None: all."""
    return Branch(
        'Pursue the goal',
        Condition('Goal active?', context, because),
        sequence_with_memory(
            'One round',
            WaitUntilReady('Ready again after a restart?', context),
            AskPlanner('Ask for the next tool', context),
            force_success(
                'Do it if it may be done',
                under_guard(context, context.registry if tools is None else tools),
            ),
            EvaluateRound('Take stock', context),
        ),
    )


def idle(context: Context) -> Behaviour:
    """IDLE: there is no goal."""
    return Idle('Idle', context)


BRANCHES: Mapping[ModeRow, tuple[Callable[[Context], Behaviour], ...]] = {
    STAY_SAFE: (stay_safe,),
    KEEP_CHARGED: (keep_charged,),
    STOP: (obey_stop,),
    PAUSE: (pause,),
    PURSUE_GOALS: (switch_goals, recover, pursue_goal),
    REST: (idle,),
}


def under_guard(context: Context, tools: Mapping[str, Tool]) -> Behaviour:
    """From the proposal to the tool's end: nothing runs that was not checked."""
    return sequence_with_memory(
        'Under guard',
        *target_known(context, tools),
        CheckProposal('Check the proposal', context, human_next=True),
        human_agrees(context),
        reactive_sequence(
            'While it is allowed',
            *(Guard(context, precondition) for precondition in ALWAYS_ASKED),
            SelectedTool(
                'Run the tool',
                context,
                {name: run_tool(context, tool) for name, tool in tools.items()},
            ),
        ),
    )


def target_known(context: Context, tools: Mapping[str, Tool]) -> list[Behaviour]:
    """For tools whose target the memory finds: nothing acts for an unknown target."""
    registry = context.registry
    steps = {tool.name: tool.skill.steps.get('recall', '') for tool in tools.values()}
    recalls = {name: registry[step] for name, step in steps.items() if step in registry}
    if not recalls:
        return []
    return [
        Otherwise(
            'Target known?',
            Condition('Nothing to find?', context, partial(nothing_to_find, recalls=recalls)),
            FindTarget('Ask where it is', context, recalls),
        )
    ]


def human_agrees(context: Context) -> Behaviour:
    """No approval is needed; or a human approves, and the call is still allowed after that."""
    return Otherwise(
        'Human agrees?',
        Condition('Needs nobody?', context, ask.why_no_approval),
        sequence_with_memory(
            'Ask, then check again',
            WaitForApproval('Wait for the operator', context),
            CheckProposal('Check what was agreed', context),
        ),
    )


def before_rest(context: Context) -> list[Behaviour]:
    """The tool that is run before a long rest, if one is configured for this robot."""
    tool = context.registry.get(context.config.executive.battery.before_rest)
    return (
        []
        if tool is None
        else [SatisfyPrecondition(f'{tool.name} before the rest', context, tool, again=True)]
    )
