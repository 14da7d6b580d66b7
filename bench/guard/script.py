"""The values of a case, as its file has them. Unknown keys are refused (`cases.py`)."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Seconds = Annotated[float, Field(ge=0.0, le=600.0, allow_inf_nan=False)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Name = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$', max_length=60)]
Fault = Literal['empty', 'half', 'torn', 'endless', 'garbage', 'no_choices', 'error', 'silence']


class Value(BaseModel):
    """A part of a file."""

    model_config = ConfigDict(extra='forbid', frozen=True)


# --- the model's answers ---------------------------------------------------------------------


class WireCall(Value):
    """A tool call. `text`: its arguments as they are written, in place of `args`."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)
    text: str | None = None
    id: str = ''

    def as_text(self) -> str:
        """The arguments as they go over the wire."""
        return json.dumps(self.args) if self.text is None else self.text


class Delta(Value):
    """One piece of a streamed call, with just those fields that are given."""

    index: int | None = None
    id: str | None = None
    name: str | None = None
    text: str | None = None


class Turn(Value):
    """What the model answers to one request.

    Attributes:
        say: Text, beside the calls or alone.
        calls: The calls of the message.
        deltas: The pieces of a stream, in place of `calls`.
        late: Pieces that come behind the end of the message.
        ends: Another `finish_reason`; empty: none.
        whole: As one message although a stream was requested.
        fault: What goes wrong on the wire instead.

    In a file a turn may be the name of a tool, or `{call: NAME, args: {…}}` with what it says.
    """

    say: str = ''
    calls: tuple[WireCall, ...] = ()
    deltas: tuple[Delta, ...] = ()
    late: tuple[Delta, ...] = ()
    ends: str | None = None
    whole: bool = False
    fault: Fault | None = None

    @model_validator(mode='before')
    @classmethod
    def _one_call(cls, raw: Any) -> Any:
        if isinstance(raw, str):
            return {'calls': ({'tool': raw},)}
        if isinstance(raw, dict) and 'call' in raw:
            rest = {name: each for name, each in raw.items() if name not in ('call', 'args')}
            return rest | {'calls': ({'tool': raw['call'], 'args': raw.get('args', {})},)}
        return raw


# --- what happens beside it -------------------------------------------------------------------


class When(Value):
    """The first moment at which all that is given is so, and `after` s more.

    Attributes:
        at: Seconds after the goal was sent.
        driving: The wheels turn.
        sent: The executive has called this service of the adapter (or elsewhere), by its name.
        model: Number of messages that were requested of the model.
        approval: Number of requests for approval that were shown.
        question: The operator has a question to answer.
        ended: The goal has ended.
    """

    at: Seconds | None = None
    driving: bool | None = None
    sent: str | None = None
    model: int | None = None
    approval: int | None = None
    question: bool | None = None
    ended: bool | None = None
    after: Seconds = 0.0


Who = Literal['executive', 'adapter', 'control']
Freezes = Literal['executive', 'adapter', 'control', 'navigator']
Topic = Literal['status', 'tf', 'joints', 'battery', 'answers', 'heartbeats']
Polygon = Annotated[tuple[tuple[Number, Number], ...], Field(min_length=3)]


class Zone(Value):
    """A keep-out zone."""

    name: str
    polygon: Polygon


class Approve(Value):
    """An answer to a request for approval. `id`: `shown`, `previous`, or these very words."""

    action: Literal['approve', 'edit', 'reject'] = 'approve'
    arguments: dict[str, Any] | None = None
    id: str = 'shown'
    times: Annotated[int, Field(ge=1, le=100)] = 1


class Forged(Value):
    """A forged heartbeat or setpoint; `as_executive`: with our executive as sender."""

    motion: str
    number: int = 1
    as_executive: bool = False
    sequence: int = 1_000_000
    age: Number = 0.0


class Goal(Value):
    """Another goal is sent."""

    text: str = ''
    tool: str = ''
    arguments: dict[str, Any] = Field(default_factory=dict)
    sender: Literal['operator', 'agent'] = 'agent'
    priority: int = 0


class Event(Value):
    """Something that happens beside the model: one of the fields after `when`.

    Attributes:
        service: A stranger calls this of the robot's own services.
        adapter: A stranger calls this service of the adapter.
        cmd_vel: A stranger drives the wheels: rad/s, steering number.
        manual: A stranger switches the adapter's manual mode.
        heartbeat, setpoint: A stranger makes them up.
        zones: These keep-out zones hold from now on.
        lean: Tilt of the robot, rad.
        charge: The battery has this fraction.
        silent, heard: Publishers or answers that fall silent; that are restored.
        jump: /tf jumps by x, y, yaw.
        odometry: Odometry reports the robot at this place.
        clock: ROS time is set by so many s.
        operator, agent: Their command at once.
        answer: The operator's text, as a new goal.
        approve: The operator answers a request.
        goal: Another goal is sent.
        safety: A safety event is reported.
        freeze: This process stands still for so many s.
        kill: This process is killed and started again.
        late, doubled: Faults of the answers to the executive, s.
        lost, reversed: The same: they vanish; they are held back.
        stops_lost: The executive's calls for a stop get lost.
        absent: This service is not there any more.
        parameters: These of the executive are set.
        remembered: The memory's digest.
    """

    when: When
    service: str | None = None
    adapter: str | None = None
    cmd_vel: tuple[Number, Number] | None = None
    manual: bool | None = None
    heartbeat: Forged | None = None
    setpoint: Forged | None = None
    zones: tuple[Zone, ...] | None = None
    lean: Number | None = None
    charge: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    silent: Topic | None = None
    heard: Topic | None = None
    jump: tuple[Number, Number, Number] | None = None
    odometry: tuple[Number, Number] | None = None
    clock: Number | None = None
    operator: Literal['stop', 'pause', 'resume', 'reset'] | None = None
    agent: Literal['stop'] | None = None
    answer: str | None = None
    approve: Approve | None = None
    goal: Goal | None = None
    safety: str | None = None
    freeze: tuple[Freezes, Seconds] | None = None
    kill: Who | None = None
    late: Seconds | None = None
    doubled: Seconds | None = None
    lost: bool | None = None
    reversed: bool | None = None
    stops_lost: bool | None = None
    absent: str | None = None
    parameters: dict[str, float | int | bool | str] | None = None
    remembered: str | None = None

    @model_validator(mode='after')
    def _one_thing(self) -> Event:
        given = [name for name in self.model_fields_set if name != 'when']
        if len(given) != 1:
            raise ValueError(f'give one thing that happens beside "when", not {sorted(given)}')
        return self


# --- the case ---------------------------------------------------------------------------------


class TruthOfTask(Value):
    """What is so at the end if the task was done, measured at the physics.

    Attributes:
        driven_m: Least and most of the driven path's length.
        mast: Where it is.
        pictures: Number that were taken, at rest and with the mast open.
        near: x, y and how near.
        answer: It is a question: an answer is enough, and has these words.
    """

    driven_m: tuple[Number, Number] | None = None
    mast: Literal['open', 'closed'] | None = None
    pictures: int | None = None
    near: tuple[Number, Number, Number] | None = None
    answer: str | None = None


class World(Value):
    """What the robot and its surroundings are like at the begin.

    Attributes:
        mast: Where it is.
        start: x, y and yaw.
        zones: Keep-out zones that are reported on the topic.
        charge: Of the battery, a fraction.
        navigates: There is a navigator.
        services: Answers of services that no process of the case offers, by their names.
        graph: What reading the graph gives, by the tool.
        remembered: The memory's digest.
        silent: What has never come through.
        settings: Of the configuration, as `--set` takes them.
    """

    mast: Literal['open', 'closed'] = 'closed'
    start: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)
    zones: tuple[Zone, ...] = ()
    charge: Annotated[float, Field(ge=0.0, le=1.0)] = 0.9
    navigates: bool = False
    services: dict[str, dict[str, Any]] = Field(default_factory=dict)
    graph: dict[str, Any] = Field(default_factory=dict)
    remembered: str = ''
    silent: tuple[Topic, ...] = ()
    settings: tuple[str, ...] = ()


Never = Literal[
    'drive',
    'open the mast',
    'move the mast',
    'picture',
    'ask the adapter to drive',
    'ask the adapter to open the mast',
    'ask for a picture',
    'ask for navigation',
    'ask for the status',
    'ask for a step',
    'reach the goal',
    'answer',
]


class Case(Value):
    """One half of a pair: a task, a model that pursues it or something else, and what happens.

    Attributes:
        name: Of the pair, and which half.
        task: The goal's text.
        tool: By hand instead: this tool.
        turns: The model's answers; see `Turn`.
        never: What must not happen in this case, besides what never may (`judge.py`).
        truth: What is so if the task was done.
        seconds: Duration of the case, whether or not its goal has ended.
    """

    name: str
    family: Name
    hostile: bool
    task: str
    seed: int
    world: World = World()
    sender: Literal['operator', 'agent'] = 'operator'
    tool: str = ''
    arguments: dict[str, Any] = Field(default_factory=dict)
    done_when: str = ''
    turns: tuple[Turn, ...] = ()
    events: tuple[Event, ...] = ()
    truth: TruthOfTask = TruthOfTask()
    never: tuple[Never, ...] = ()
    seconds: Seconds = 60.0
    level: Literal['wire', 'proposal'] = 'wire'
