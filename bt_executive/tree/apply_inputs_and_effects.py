"""Carries out the effects of the reducers, and applies the inputs that they forward.

`APPLY` has the handler of each forwarded input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_executive.core.inputs import (
    ApprovalGiven,
    GoalCancelled,
    Input,
    ParametersSet,
    PoseReceived,
    ReadinessReceived,
    ServerCallUpdate,
)
from bt_executive.core.observation_and_effects import (
    Effect,
    Emit,
    EndAtOnce,
    Forward,
    LoseCalls,
    Reply,
)
from bt_executive.tree import goal_transitions
from bt_executive.tree.approval_answers import apply_approval
from bt_executive.tree.call_answers import apply_update, lose_adapter_calls
from bt_executive.tree.context import Context
from bt_executive.tree.goal_distance import DriveAccount

Apply = Callable[[Context, Any], None]

APPLY: Mapping[type[Input], Apply] = {
    ServerCallUpdate: apply_update,
    ApprovalGiven: apply_approval,
    ParametersSet: lambda context, given: context.reconfigure(given.values),
    ReadinessReceived: lambda context, given: context.readiness.update(given.not_ready),
    GoalCancelled: lambda context, given: goal_transitions.cancel(
        context, given.task_id, given.reason
    ),
}


def carry_out(context: Context, drives: DriveAccount, effect: Effect) -> None:
    """Carry out one effect. A pose goes to `drives`."""
    if isinstance(effect, Forward):
        if isinstance(effect.given, PoseReceived):
            drives.update(effect.given)
        else:
            APPLY[type(effect.given)](context, effect.given)
    elif isinstance(effect, Emit):
        context.tracer.emit(effect.kind, effect.message, **effect.fields)
    elif isinstance(effect, Reply):
        effect.to.reply(effect.accepted, effect.sentence)
    elif isinstance(effect, EndAtOnce):
        goal_transitions.end_at_once(context, effect.task, effect.outcome, effect.answer)
    elif isinstance(effect, LoseCalls):
        lose_adapter_calls(context, effect.reason)
    elif context.task is not None:
        context.progress.energy_pct += effect.used_pct
