"""`gates` of a robot's file: what may move only while the executive permits it.

A gate is of one kind, which its keys tell: `velocity` passes velocities on to a base, `action`
watches over the executive's goals at one action's server. Each has a permit of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from rover_common.config.settings.section import Positive, Seconds, Section
from rover_common.config.settings.state_entries import FieldPath, MessageType, TopicField
from rover_common.config.settings.state_types_and_guards import PartName
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
        topic: Its name.
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


def _kind_of_odometry(raw: Any) -> str:
    return 'fields' if isinstance(raw, (dict, PoseFields)) else 'a topic'


Odometry = Annotated[
    Annotated[RosName, Tag('a topic')] | Annotated[PoseFields, Tag('fields')],
    Discriminator(_kind_of_odometry),
]


def _kind_of_moving(raw: Any) -> str:
    return 'a field' if isinstance(raw, (dict, TopicField)) else 'a name'


Moving = Annotated[
    Annotated[TopicField, Tag('a field')] | Annotated[PartName | Literal[''], Tag('a name')],
    Discriminator(_kind_of_moving),
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


Gates: TypeAlias = Annotated[
    dict[GateName, GateSettings],
    AfterValidator(_outputs_differ),
]
