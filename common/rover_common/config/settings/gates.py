"""`gates` of a robot's file: what may move only while the executive permits it.

A gate is of one kind, which its keys tell: `velocity` passes velocities on to a base, `action`
watches over the executive's goals at one action's server. Each has a permit of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from rover_common.config.settings.section import Positive, Seconds, Section, by_mapping
from rover_common.config.settings.state_and_guards import (
    BUILT_IN_REDUCERS,
    FieldPath,
    MessageType,
    PartName,
    TopicField,
)
from rover_common.config.settings.topics import RosName

VELOCITY, ACTION = 'velocity', 'action'  # the key that shows the kind
STOPS_WITHIN_S = 0.5  # from the last heartbeat to the stop command
WATCH_S = 0.05  # period in which a gate checks its limits
MOST_GATES = 16
GateName = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$', max_length=40)]


class VelocityTopics(Section):
    """Where velocities come from and where they go to.

    `stamped`: geometry_msgs/msg/TwistStamped on both topics, not Twist.
    """

    model_config = ConfigDict(populate_by_name=True)

    wanted: RosName = Field(alias='in')
    passed: RosName = Field(alias='out')
    stamped: bool = False

    @model_validator(mode='after')
    def _leads_somewhere(self) -> VelocityTopics:
        if self.wanted.lstrip('/') == self.passed.lstrip('/'):
            raise ValueError(
                f'in and out are both {self.wanted!r}, so the gate would pass on its own '
                'velocities: let those who drive publish on another topic'
            )
        return self


class MotionSpeeds(Section):
    """How fast the gate's own motions straight, turn and arc are driven."""

    linear_m_s: Annotated[Positive, Field(le=10.0)] = 0.2
    angular_rad_s: Annotated[Positive, Field(le=10.0)] = 0.5


class PoseFields(Section):
    """Odometry in messages of another type: where in them the pose is.

    Attributes:
        type: Of its messages; left out: the one that the graph has.
        pose: The field with a geometry_msgs/msg/Pose.
        x, y, yaw: Instead of it, the fields with m, m and rad.
    """

    topic: RosName
    type: MessageType | None = None
    pose: FieldPath | None = None
    x: FieldPath | None = None
    y: FieldPath | None = None
    yaw: FieldPath | None = None

    @model_validator(mode='after')
    def _is_a_pose(self) -> PoseFields:
        numbers = [self.x, self.y, self.yaw]
        if (self.pose is None) == (None in numbers) or (self.pose and any(numbers)):
            raise ValueError('name the field `pose`, or the three fields x, y and yaw')
        return self


Odometry = Annotated[
    Annotated[RosName, Tag('a topic')] | Annotated[PoseFields, Tag('fields')],
    by_mapping(PoseFields, 'fields', 'a topic'),
]


Moving = Annotated[
    Annotated[TopicField, Tag('a field')] | Annotated[PartName | Literal[''], Tag('a name')],
    by_mapping(TopicField, 'a field', 'a name'),
]


class _Gate(Section):
    """What every gate has.

    `deadman_s`: a motion ends when the latest heartbeat of the executive is older.
    """

    deadman_s: Seconds = 0.3

    @model_validator(mode='after')
    def _stops_in_time(self) -> _Gate:
        longest = STOPS_WITHIN_S - 2.0 * WATCH_S
        if self.deadman_s > longest:
            raise ValueError(
                f'deadman_s is {self.deadman_s:g}: write at most {longest:g}, or the base is not '
                f'stopped {STOPS_WITHIN_S:g} s after the end of the executive'
            )
        return self


class VelocityGateSettings(_Gate):
    """A base that is driven by velocities.

    Attributes:
        velocity: The topics in and out.
        odom: Shows that the base stands and how far it has come: a topic of
            nav_msgs/msg/Odometry, or the pose in messages of another type.
        odom_max_age_s: Older odometry does not count.
        still_below: With speeds in m/s and rad/s up to this, the base stands.
        silence_s: A motion ends when no velocity is received for this long.
        speeds: Of the gate's own motions.
    """

    velocity: VelocityTopics
    odom: Odometry
    odom_max_age_s: Annotated[Seconds, Field(le=10.0)] = 1.0
    still_below: Annotated[Positive, Field(le=0.2)] = 0.01
    silence_s: Annotated[Seconds, Field(le=10.0)] = 0.5
    speeds: MotionSpeeds = MotionSpeeds()

    @property
    def odom_topic(self) -> str:
        """Where the odometry comes from."""
        return self.odom.topic if isinstance(self.odom, PoseFields) else self.odom

    @model_validator(mode='before')
    @classmethod
    def _is_of_one_kind(cls, raw: Any) -> Any:
        if isinstance(raw, Mapping) and ACTION in raw:
            raise ValueError('it has a velocity and an action: write two gates')
        return raw

    @model_validator(mode='after')
    def _odometry_is_no_velocity(self) -> VelocityGateSettings:
        topics = self.velocity.wanted, self.velocity.passed
        if self.odom_topic.lstrip('/') in (topic.lstrip('/') for topic in topics):
            raise ValueError(f'odom is {self.odom_topic!r}, which is a topic of velocities, too')
        return self


class ActionGateSettings(_Gate):
    """An arm, or anything else that moves while an action's goal is executing.

    Attributes:
        action: The action's name; its type is that of the tools that use it.
        moving: What shows that the robot moves, by a value that is true, or not 0: the name of an
            entry of `state`, or a field of a topic, written as there. Empty: it moves while the
            server reports a goal of the executive as not ended.
        stop: How it is stopped: only the executive's own goals are cancelled.
    """

    action: RosName
    moving: Moving = ''
    stop: Literal['cancel_own'] = 'cancel_own'


def _kind(raw: Any) -> str:
    if isinstance(raw, ActionGateSettings):
        return 'a gate of an action'
    keys = raw.keys() if isinstance(raw, Mapping) else ()
    is_action = ACTION in keys and VELOCITY not in keys
    return 'a gate of an action' if is_action else 'a gate of velocities'


GateSettings = Annotated[
    Annotated[VelocityGateSettings, Tag('a gate of velocities')]
    | Annotated[ActionGateSettings, Tag('a gate of an action')],
    Discriminator(_kind),
]


def _outputs_differ(gates: dict[str, VelocityGateSettings | ActionGateSettings]) -> Any:
    """Two gates of one output would each let pass what the other one holds back."""
    if len(gates) > MOST_GATES:
        raise ValueError(f'there are {len(gates)} gates: write {MOST_GATES} at most')
    gates_by_topic: dict[str, str] = {}
    for name, gate in gates.items():
        before = gate.action if isinstance(gate, ActionGateSettings) else gate.velocity.passed
        other = gates_by_topic.setdefault(before.lstrip('/'), name)
        if other != name:
            raise ValueError(f'{other} and {name} are both gates of {before!r}: write one gate')
    return gates


def field_that_shows_motion(
    name: str,
    gate: VelocityGateSettings | ActionGateSettings,
    from_topics: Mapping[str, TopicField],
) -> TopicField | None:
    """Return what shows that something moves at a gate of an action; None: its goals alone.

    `from_topics`: the entries of `state` that topics have.

    Raises:
        ValueError: It names no entry of `state` that a topic has.
    """
    moving = gate.moving if isinstance(gate, ActionGateSettings) else ''
    if not moving:
        return None
    if isinstance(moving, str) and moving not in from_topics:
        names = ', '.join(from_topics) or 'none'
        raise ValueError(
            f'gates.{name}.moving is {moving!r}: name an entry of state that has a topic '
            f'({names:.200}), or write {{ topic, field }}'
        )
    field = from_topics[moving] if isinstance(moving, str) else moving
    if field.reduce is not None and field.reduce not in BUILT_IN_REDUCERS:
        names = ', '.join(BUILT_IN_REDUCERS)
        raise ValueError(
            f'gates.{name}.moving is reduced by {field.reduce!r}, a plug-in, which gates do '
            f'not load: write one of {names}'
        )
    return field


Gates: TypeAlias = Annotated[
    dict[GateName, GateSettings],
    AfterValidator(_outputs_differ),
]


BASE = 'base'  # the resource that counts as driving
MOVES = ('adapter_alive',)
DRIVE_MOTION = 'bt_executive_interfaces/action/DriveMotion'
_AHEAD = {'exclusiveMinimum': 0, 'maximum': 10}  # m
# motion → argument → the bounds that a tool need not give
OWN_MOTIONS: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    'straight': {'distance_m': _AHEAD},
    'turn': {'angle_rad': {'minimum': -6.3, 'maximum': 6.3}},
    'arc': {'distance_m': _AHEAD, 'radius_m': {'minimum': -10, 'maximum': 10}},
}
GOES_TO_A_PLACE = (*MOVES, 'outside_keep_out')  # by an action, such as a drone
DRIVES = (*MOVES, 'standing_still', 'outside_keep_out')


def with_gates(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of robot.yaml with tools of a gate completed."""
    tools, gates = raw.get('tools'), raw.get('gates', {})
    if not isinstance(tools, dict) or not isinstance(gates, dict):
        return dict(raw)
    whole = {}
    for name, tool in tools.items():
        try:
            whole[name] = _with_gate(tool, gates)
        except ValueError as error:
            raise ValueError(f'tools.{name!s:.60}: {error}') from None
    return {**raw, 'tools': whole}


def _with_gate(tool: Any, gates: Mapping[Any, Any]) -> Any:
    name = tool.get('gate') if isinstance(tool, dict) else None
    gate = gates.get(name) if isinstance(name, str) else None
    if isinstance(name, str) and name and gate is None:
        names = ', '.join(str(each) for each in gates)[:200] or 'none'
        raise ValueError(f'it has the gate {name!a:.60}, which is not among gates: {names}')
    if isinstance(tool, dict) and not name and isinstance(tool.get('motion'), str):
        raise ValueError(f'motion {tool["motion"]!r:.60} is one of a gate: name it, `gate: …`')
    if not isinstance(gate, dict):
        return tool
    drives = ACTION not in gate or VELOCITY in gate
    resources = _list(tool.get('resources_required', [] if drives else [name]))
    guards = _list(tool.get('guards', []))
    if resources is None or guards is None:
        return tool  # its type reports the fault
    motion = tool.get('motion')
    if drives and isinstance(motion, str):
        tool = _own_motion(tool, str(name), motion)
    moves = GOES_TO_A_PLACE if tool.get('destination') else MOVES
    own = [each for each in (DRIVES if drives else moves) if each not in guards]
    base = [BASE] if drives and BASE not in resources else []
    return {**tool, 'resources_required': [*resources, *base], 'guards': [*own, *guards]}


def _own_motion(tool: dict[str, Any], gate: str, motion: str) -> dict[str, Any]:
    """A motion of the gate's own is an action of the process `gates`."""
    if motion not in OWN_MOTIONS:
        names = ', '.join(OWN_MOTIONS)
        raise ValueError(f'motion is {motion!r}: the motions of a gate are {names}')
    if 'action' in tool or 'service' in tool:
        raise ValueError(f'motion {motion!r} is driven by the gate: name no service or action')
    given = {} if tool.get('args') is None else tool['args']
    results = {} if tool.get('result') is None else tool['result']
    if not isinstance(given, dict) or not isinstance(results, dict):
        return tool  # its type reports the fault
    args = {
        name: _bounded(bounds, given.get(name)) for name, bounds in OWN_MOTIONS[motion].items()
    }
    result = {'code': 'error_code', 'reason': 'message', **results}
    whole = {
        'action': {'name': f'/gates/{gate}/{motion}', 'type': DRIVE_MOTION, 'own': True},
        'args': {**given, **args},
        'result': result,
    }
    return {key: each for key, each in tool.items() if key != 'motion'} | whole


def _bounded(bounds: Mapping[str, Any], given: Any) -> Any:
    """An argument with the bounds that its tool does not give."""
    if given is None or isinstance(given, str):
        given = {'field': given} if given else {}
    if not isinstance(given, dict):
        return given
    if 'minimum' in given or 'exclusiveMinimum' in given:
        bounds = {key: each for key, each in bounds.items() if key != 'exclusiveMinimum'}
    if bounds.get('minimum') is not None and 'maximum' in given and 'minimum' not in given:
        most = given['maximum']
        bounds = {**bounds, 'minimum': -most} if isinstance(most, (int, float)) else bounds
    return {'type': 'number', **bounds, **given}


def _list(given: Any) -> list[Any] | None:
    return list(given) if isinstance(given, (list, tuple)) else None
