"""The reducer: applies the inputs of a tick. Pure.

`reduce(before, given, now, config)` returns the next observation, and the effects to carry out.
Every class of input has a rule; a change outside the observation (calls, approvals, goals,
settings) is an effect, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from bt_executive.core.battery_readings import battery_received
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    GoalCancelled,
    GoalReceived,
    Input,
    MemoryReceived,
    ParametersSet,
    PauseRequested,
    PoseReceived,
    ReadinessReceived,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StatusReceived,
    StopRequested,
    TopicReceived,
    ZonesReceived,
)
from bt_executive.core.observation import Observation, Reduced
from bt_executive.core.reduce_operator_inputs import (
    goal_received,
    interrupt_requested,
    reset_requested,
    safety_event,
)
from bt_executive.core.reduce_robot_inputs import (
    memory_received,
    pose_received,
    status_received,
    topic_received,
    zones_received,
)
from bt_executive.core.reducer_effects import Forward
from rover_common.clocks import Now
from rover_common.config.settings import Config

Rule: TypeAlias = Callable[[Observation, Any, Now, Config], Reduced]


def _forward(before: Observation, given: Input, _now: Now, _config: Config) -> Reduced:
    return Reduced(before, (Forward(given),))


RULES: Mapping[type[Input], Rule] = {
    GoalReceived: goal_received,
    GoalCancelled: _forward,
    StopRequested: interrupt_requested,
    PauseRequested: interrupt_requested,
    ResumeRequested: interrupt_requested,
    SafetyEvent: safety_event,
    ResetRequested: reset_requested,
    ApprovalGiven: _forward,
    ParametersSet: _forward,
    ServerCallUpdate: _forward,
    StatusReceived: status_received,
    PoseReceived: pose_received,
    BatteryReceived: battery_received,
    ZonesReceived: zones_received,
    MemoryReceived: memory_received,
    ReadinessReceived: _forward,
    TopicReceived: topic_received,
}


def reduce(before: Observation, given: Input, now: Now, config: Config) -> Reduced:
    """Apply an input."""
    return RULES[type(given)](before, given, now, config)
