"""The state of the executive (spec 3, BrainState): one value, immutable, with a JSON round trip.

The tick thread alone replaces it. Within one tick every guard and every behaviour sees the same
value, so a decision can be explained from it afterwards. Names follow spec 3; fields
beyond it are at the end of each class.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
import json
from operator import getitem
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import RobotState
from bt_executive.core.surroundings_state import WorldState


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
    """A running server call."""

    goal_id: str
    skill_name: str
    start_time: float
    timeout_s: float
    resources_occupied: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillResult:
    """The result of a call."""

    status: Literal['SUCCESS', 'FAILED', 'CANCELLED']
    error_code: str = ''
    error_msg: str = ''
    # robot_s and wall_s, by the robot's time and by steady time, and distance_m driven meanwhile
    metrics: dict[str, Any] = field(default_factory=dict)
    guard: str = ''  # that refused it; empty: none


@dataclass(frozen=True)
class SkillsState:
    """The offered and running tools, and the last result."""

    registry: dict[str, SkillDef] = field(default_factory=dict)
    running: tuple[RunningSkill, ...] = ()
    last_result: SkillResult | None = None


class Mode(Enum):
    """The mode of the executive, highest priority first."""

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
    """The kind of the operator's interrupt."""

    NONE = 'NONE'
    PAUSE = 'PAUSE'
    STOP = 'STOP'
    NEW_GOAL = 'NEW_GOAL'


@dataclass(frozen=True)
class HCIState:
    """The operator's latest inputs."""

    user_utterance: str = ''  # text of a goal, an answer or an interrupt
    user_interrupt: UserInterruptType = UserInterruptType.NONE
    interrupt_payload: dict[str, Any] = field(default_factory=dict)
    approval_response: dict[str, Any] | None = None

    question: str = ''  # to the operator, without an answer yet
    answer: str | None = None  # of the operator to the latest question


@dataclass(frozen=True)
class TasksState:
    """The goals: the queue and the active one."""

    inbox: tuple[dict[str, Any], ...] = ()
    queue: tuple[Task, ...] = ()
    active_task_id: str | None = None
    mode: Mode = Mode.IDLE
    preempt_flag: bool = False
    preempt_reason: str = ''

    held_since: float = 0.0  # ROS time in s since when the mode holds goals back; 0: it does not

    @property
    def active(self) -> Task | None:
        """Returns the active task."""
        for task in self.queue:
            if task.task_id == self.active_task_id:
                return task
        return None

    def with_task(self, task: Task) -> TasksState:
        """Returns the tasks with `task` in the place of the one with its id."""
        queue = tuple(task if each.task_id == task.task_id else each for each in self.queue)
        return replace(self, queue=queue)


@dataclass(frozen=True)
class Decision:
    """The decision on the latest round, with its reason."""

    type: DecisionType = DecisionType.CONTINUE
    reason: str = ''
    ops: tuple[dict[str, Any], ...] = ()  # the tool calls that follow from it


@dataclass(frozen=True)
class ProposedOps:
    """The model's proposals of this round."""

    to_cancel: tuple[str, ...] = ()
    to_dispatch: tuple[dict[str, Any], ...] = ()
    to_speak: tuple[str, ...] = ()
    need_approval: bool = False
    approval_payload: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReactState:
    """The rounds of the active goal."""

    iter: int = 0  # proposed tool calls, refused ones included
    observation: dict[str, Any] = field(default_factory=dict)
    decision: Decision | None = None
    proposed_ops: ProposedOps | None = None
    stop_reason: str = ''


@dataclass(frozen=True)
class TraceState:
    """The latest events of the trace."""

    log: tuple[str, ...] = ()  # latest events as sentences, oldest first
    metrics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BrainState:
    """All that the executive knows and decides on."""

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
        """Returns whether nothing runs or waits, and the robot is known to stand."""
        idle = self.tasks.mode is Mode.IDLE and not self.tasks.queue and not self.skills.running
        return idle and self.robot.at_rest is True


_ADAPTER: TypeAdapter[BrainState] = TypeAdapter(BrainState)
UNKNOWN_FIELD = 'unexpected_keyword_argument'  # as pydantic names it


def state_to_json(state: BrainState) -> str:
    """Return the state as one JSON object."""
    return _ADAPTER.dump_json(state).decode()


def known_part_from_json(text: str) -> BrainState:
    """Parse a state, perhaps of a later version: fields that this one does not know are left out.

    Raises:
        ValueError: The text is not a state; the message names the part.
    """
    try:
        return state_from_json(text)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        places = dict.fromkeys(_unknown_field(each['type'], each['loc']) for each in faults)
        if None in places:
            raise
        state = json.loads(text)
        for *path, name in filter(None, places):
            del reduce(getitem, path, state)[name]
        return state_from_json(json.dumps(state))


def _unknown_field(fault: str, place: tuple[int | str, ...]) -> tuple[int | str, ...] | None:
    """Return which field a fault calls unknown; None: it is another fault."""
    match place:
        case ('robot', 'parts', name, *_):  # what is no field of the robot is read as a part of it
            return 'robot', name
    return place if fault == UNKNOWN_FIELD else None


def state_from_json(text: str) -> BrainState:
    """Parse a state.

    Raises:
        ValueError: The text is not a state; the message names the part.
    """
    return _ADAPTER.validate_json(text)
