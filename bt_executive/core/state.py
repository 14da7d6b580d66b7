"""The state of the executive (spec 3, BrainState): one value, immutable, with a JSON round trip.

The tick thread alone replaces it. Within one tick every guard and every behaviour sees the same
value, so a decision can be explained from it afterwards. Names follow spec 3; what is needed
beyond it stands at the end of each class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

from pydantic import (
    ConfigDict,
    TypeAdapter,
)

from bt_executive.core.robot_state import RobotState
from rover_common.call_text import call_in_words
from rover_common.config.settings import KeepOutZone


class Mode(Enum):
    """What the executive is doing as a whole, highest priority first."""

    SAFE = 'SAFE'
    CHARGE = 'CHARGE'
    EXEC = 'EXEC'
    IDLE = 'IDLE'


class DecisionType(Enum):
    """How a round ends."""

    CONTINUE = 'CONTINUE'
    REPLAN = 'REPLAN'
    RETRY = 'RETRY'
    SWITCH_TASK = 'SWITCH_TASK'
    ASK_HUMAN = 'ASK_HUMAN'
    FINISH = 'FINISH'
    ABORT = 'ABORT'


class UserInterruptType(Enum):
    """What the operator wants at once."""

    NONE = 'NONE'
    PAUSE = 'PAUSE'
    STOP = 'STOP'
    NEW_GOAL = 'NEW_GOAL'


Sender = Literal['operator', 'agent']  # of goals that come from outside


@dataclass(frozen=True)
class HCIState:
    """What the operator said last."""

    user_utterance: str = ''  # words of a goal, of an answer, or of an interrupt
    user_interrupt: UserInterruptType = UserInterruptType.NONE
    interrupt_payload: dict[str, Any] = field(default_factory=dict)
    approval_response: dict[str, Any] | None = None

    question: str = ''  # what the operator is asked and has not answered
    answer: str | None = None  # the operator's words to the latest question


@dataclass(frozen=True)
class WorldState:
    """What is known of the surroundings."""

    summary: str = ''  # of all this, in sentences
    zones: tuple[str, ...] = ()  # names of all keep-out zones, configured and told
    # where drives were blocked, oldest first: x and y of the robot in m, ts in ROS s, tool and
    # reason; then remembered rocks near the robot: x, y, radius_m and name
    obstacles: tuple[dict[str, Any], ...] = ()
    safety_reason: str = ''  # why SAFE is latched; empty: it is not
    # what the spatial memory has near the robot: id, name, kind, x and y in m, radius_m, state
    places: tuple[dict[str, Any], ...] = ()
    remembered: str = ''  # the memory's own words of it: data, as everything in them was seen
    last_score: float | None = None  # brightness of the latest picture, 0 to 1
    last_is_good: bool | None = None
    last_score_ts: float | None = None  # ROS time in s at which it was told
    keep_out: tuple[KeepOutZone, ...] = ()  # that somebody told, besides the configured ones


@dataclass(frozen=True)
class Task:
    """A goal in the queue. With `tool` set it is that one call, whoever its sender is."""

    task_id: str
    goal: str
    priority: int = 0
    deadline: float | None = None
    resources_required: tuple[str, ...] = ()  # by its tool, or by those that it has used so far
    preemptible: bool = True
    status: str = 'PENDING'  # PENDING, ACTIVE, PARKED

    tool: str = ''
    arguments: dict[str, Any] = field(default_factory=dict)
    approve_all: bool = False  # the operator is asked before every tool
    done_when: str = ''  # JSON text of what must be measured; see core/done_when.py
    received_at: float = 0.0
    # who asks; whoever does not say it is not the operator. The tree asks to be charged
    sender: Sender | Literal['tree'] = 'agent'
    lease_s: float = 0.0  # cancelled after so long without a keepalive; 0: it needs none
    charges: bool = False  # it is the call of `charge.by`, and goes on in CHARGE

    @property
    def title(self) -> str:
        """What it is after, in short."""
        if self.sender == 'tree':
            return f'{self.tool} to charge'
        if not self.tool:
            return self.goal
        call = call_in_words(self.tool, self.arguments) if self.arguments else self.tool
        who = 'the operator' if self.sender == 'operator' else 'an agent'
        return f'{call}, asked for by {who}'


@dataclass(frozen=True)
class TasksState:
    """The goals: what waits, what is active."""

    inbox: tuple[dict[str, Any], ...] = ()
    queue: tuple[Task, ...] = ()
    active_task_id: str | None = None
    mode: Mode = Mode.IDLE
    preempt_flag: bool = False
    preempt_reason: str = ''

    held_since: float = 0.0  # ROS time in s since when the mode holds goals back; 0: it does not

    @property
    def active(self) -> Task | None:
        """The task that is being pursued."""
        for task in self.queue:
            if task.task_id == self.active_task_id:
                return task
        return None


@dataclass(frozen=True)
class SkillDef:
    """A tool that this run offers, as robot.yaml describes it."""

    name: str
    interface_type: str
    args_schema: dict[str, Any] = field(default_factory=dict)
    resources_required: tuple[str, ...] = ()
    preemptible: bool = True
    cancel_supported: bool = True
    timeout_s: float = 60.0
    error_map: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunningSkill:
    """A call that has been sent and not ended."""

    goal_id: str
    skill_name: str
    start_time: float
    timeout_s: float
    resources_occupied: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillResult:
    """How a call ended."""

    status: Literal['SUCCESS', 'FAILED', 'CANCELLED']
    error_code: str = ''
    error_msg: str = ''
    # robot_s and wall_s, by the robot's time and by steady time, and distance_m driven meanwhile
    metrics: dict[str, Any] = field(default_factory=dict)
    guard: str = ''  # that refused it; empty: none did


@dataclass(frozen=True)
class SkillsState:
    """What is offered, what runs and what ended last."""

    registry: dict[str, SkillDef] = field(default_factory=dict)
    running: tuple[RunningSkill, ...] = ()
    last_result: SkillResult | None = None


@dataclass(frozen=True)
class Decision:
    """How the latest round ended, and why."""

    type: DecisionType = DecisionType.CONTINUE
    reason: str = ''
    ops: tuple[dict[str, Any], ...] = ()  # the tool calls that follow from it


@dataclass(frozen=True)
class ProposedOps:
    """What the model asked for in this round."""

    to_cancel: tuple[str, ...] = ()
    to_dispatch: tuple[dict[str, Any], ...] = ()
    to_speak: tuple[str, ...] = ()
    need_approval: bool = False
    approval_payload: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReactState:
    """The rounds of the active goal."""

    iter: int = 0  # tool calls asked for, refused ones included
    observation: dict[str, Any] = field(default_factory=dict)
    decision: Decision | None = None
    proposed_ops: ProposedOps | None = None
    stop_reason: str = ''


@dataclass(frozen=True)
class TraceState:
    """Where the trace stands."""

    log: tuple[str, ...] = ()  # latest events as sentences, oldest first
    metrics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BrainState:
    """Everything the executive knows and decides on."""

    __pydantic_config__ = ConfigDict(extra='forbid')

    messages: tuple[dict[str, Any], ...] = ()
    hci: HCIState = field(default_factory=HCIState)
    world: WorldState = field(default_factory=WorldState)
    robot: RobotState = field(default_factory=RobotState)
    tasks: TasksState = field(default_factory=TasksState)
    skills: SkillsState = field(default_factory=SkillsState)
    react: ReactState = field(default_factory=ReactState)
    trace: TraceState = field(default_factory=TraceState)

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is under way or waits, and the robot is known to stand."""
        idle = self.tasks.mode is Mode.IDLE and not self.tasks.queue and not self.skills.running
        return idle and self.robot.at_rest is True


_ADAPTER: TypeAdapter[BrainState] = TypeAdapter(BrainState)


def state_to_json(state: BrainState) -> str:
    """The state as one JSON object."""
    return _ADAPTER.dump_json(state).decode()


def state_from_json(text: str) -> BrainState:
    """Reads a state back.

    Raises:
        ValueError: The text is not a state; the message names the part.
    """
    return _ADAPTER.validate_json(text)
