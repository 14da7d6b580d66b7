"""The state of the executive (spec 3, BrainState): one value, immutable, with a JSON round trip.

The tick thread alone replaces it. Within one tick every guard and every behaviour sees the same
value, so a decision can be explained from it afterwards. Names follow spec 3; what is needed
beyond it stands at the end of each class.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, Literal

from pydantic import (
    ConfigDict,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
    model_validator,
)

from rover_common.call_text import call_in_words
from rover_common.config.settings import KeepOutZone, PartValue
from rover_common.geometry.pose2d import Pose2D
from rover_common.run_number import RunNumber


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
class Pose:
    """Where the robot stands, in the world frame: m, and heading and tilt in rad."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    orientation_w: float = 1.0  # real part of the rotation as a unit quaternion
    yaw: float = 0.0
    tilt: float = 0.0  # angle between the robot's up and the world's, rad

    @property
    def planar(self) -> Pose2D:
        """The pose on the ground."""
        return Pose2D(self.x, self.y, self.yaw)


@dataclass(frozen=True)
class Twist:
    """Velocity by the latest two poses: m/s along the heading, and rad/s."""

    linear_x: float = 0.0
    angular_z: float = 0.0


@dataclass(frozen=True)
class HeardBeat:
    """The latest heartbeat that the adapter had taken when it made its status."""

    sender: str
    sequence: int

    @property
    def number(self) -> RunNumber:
        """As the executive's run has counted it."""
        return RunNumber(self.sender, self.sequence)


@dataclass(frozen=True)
class MotionEnding:
    """How the adapter ended the last motion that had a permit.

    `code`: of `EndingCode`, as it was received (docs/decisions/0021-permission-is-a-level.md).
    """

    sender: str
    permit: int
    code: str
    reason: str

    @property
    def permit_id(self) -> RunNumber:
        """As the executive's run has counted it."""
        return RunNumber(self.sender, self.permit)


@dataclass(frozen=True)
class RobotState:
    """What is known of the robot. `…_at`: steady time in s at arrival; None: never seen.

    In JSON each of `parts` is a key of its own beside the others, such as `gripper`.
    """

    pose: Pose = field(default_factory=Pose)
    twist: Twist = field(default_factory=Twist)
    battery_pct: float | None = None  # None: there was no reading in this run
    # UNKNOWN, OK, LOW (latched until it has risen enough), LOST (was low, and tells no more)
    battery_state: str = 'UNKNOWN'
    resources: dict[str, bool] = field(default_factory=dict)  # '<name>_busy'
    distance_to_target: float = 0.0  # m still to drive to a tool's destination; 0: there is none

    pose_at: float | None = None
    pose_stamp: float = 0.0  # ROS time in s
    # `state` of robot.yaml: fields of the adapter's status and of topics; None: not known
    parts: dict[str, PartValue | None] = field(default_factory=dict)
    # of those that a topic has: steady time of the latest value; why there is none now
    parts_at: dict[str, float] = field(default_factory=dict)
    parts_unknown: dict[str, str] = field(default_factory=dict)
    awaited: tuple[str, ...] = ()  # parts of which `safe_when` must know, and nothing came yet
    moving: bool | None = None
    # at each gate of a robot that has some; None: not known
    moving_at: dict[str, bool | None] = field(default_factory=dict)
    at_rest: bool | None = None  # nothing is under way, and it does not roll; None: not known
    standing_unknown: str = ''  # why the adapter does not know whether it stands; empty: it does
    heard_beat: HeardBeat | None = None
    ending: MotionEnding | None = None
    stopping: bool = False  # a stop was sent and is not confirmed
    status_at: float | None = None  # latest word from the adapter
    adapter_life: str | None = None  # which run of the adapter spoke: it changes by a restart
    battery_at: float | None = None
    battery_stale: bool = False  # the reading is older than safety.battery_max_age_s
    sent_to_charge: bool = False  # by the tree, since the battery is low: it does so once
    # pose, status, battery → age in s of a reading that is old; only on ~/state (staleness.py)
    ages: dict[str, float] = field(default_factory=dict)

    @property
    def charge(self) -> str:
        """The latest reading of the battery, in words."""
        return 'not known' if self.battery_pct is None else f'{self.battery_pct:.0f} %'

    @property
    def shown_pose(self) -> Pose | None:
        """Of a state from ~/state: where the robot is; None: not known, or the reading is old."""
        return None if self.pose_at is None or 'pose' in self.ages else self.pose

    @property
    def stands(self) -> bool | None:
        """Whether the robot stands; None: not known."""
        if self.standing_unknown or self.moving is None:
            return None
        return not self.moving and self.at_rest is not False

    def stands_at(self, gate: str, moved: Collection[str]) -> bool | None:
        """Return whether what a gate moves stands; None: not known.

        `moved`: gates at which the executive itself permits a motion now. What moves at another
        one counts for the whole robot, and so does what is not known.
        """
        others = (name for name, moves in self.moving_at.items() if moves is not False)
        if self.moving_at.get(gate) is False and all(
            self._is_ours(name, moved) for name in others
        ):
            return True
        return self.stands

    def _is_ours(self, gate: str, moved: Collection[str]) -> bool:
        return self.moving_at[gate] is True and gate in moved

    @model_serializer(mode='wrap')
    def _spread_parts(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        own: dict[str, Any] = serialize(self)
        parts: dict[str, Any] = own.pop('parts')
        return parts | own

    @model_validator(mode='before')
    @classmethod
    def _gather_parts(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        parts = {key: value for key, value in raw.items() if key not in ROBOT_KEYS}
        return {key: value for key, value in raw.items() if key not in parts} | {'parts': parts}


# What no part of a robot can be called.
ROBOT_KEYS = frozenset(each.name for each in fields(RobotState))


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
        return f'{call} by hand' if self.sender == 'operator' else f'{call}, asked for by an agent'


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
