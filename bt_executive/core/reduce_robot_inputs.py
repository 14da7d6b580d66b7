"""The reducers of inputs from the robot and its surroundings. Pure, one function per class."""

from __future__ import annotations

from collections.abc import Mapping

from bt_executive.core.causes_of_safe import not_yet_received
from bt_executive.core.inputs import (
    MemoryReceived,
    PoseReceived,
    StatusReceived,
    TopicReceived,
    ZonesReceived,
)
from bt_executive.core.motion_shown_by_poses import TRACK_GAP_S, shows_motion, velocity, with_pose
from bt_executive.core.observation_and_effects import Forward, Observation, Reduced
from bt_executive.core.robot_state import (
    MotionEnding,
    Pose,
    ReceivedHeartbeat,
    RobotState,
    read_parts,
)
from bt_executive.core.state import BrainState
from bt_executive.core.surroundings_state import with_changes, with_memory
from rover_common.adapter_status import MOVING_AT, AdapterStatus
from rover_common.clocks import Now
from rover_common.config.settings import (
    Config,
    ExecutiveSettings,
    KeepOutZone,
    PartType,
    Robot,
    VelocityGateSettings,
)
from rover_common.config.settings.state_and_guards import TopicField
from rover_common.dataclass_replace import replace

STANDING_UNKNOWN = 'It is not known whether the robot stands'  # of an adapter that gives no reason
POSE_DIFFERS = f'{STANDING_UNKNOWN}: by its pose it moves, by its adapter it stands'


def pose_received(before: Observation, given: PoseReceived, now: Now, config: Config) -> Reduced:
    """Apply a pose; the distance driven is counted by `DriveAccount`."""
    pose = Pose(given.x, given.y, given.z, given.orientation_w, given.yaw, given.tilt)
    robot = replace(
        before.state.robot,
        pose=pose,
        twist=velocity(before.state.robot, given),
        pose_at=given.at,
        pose_stamp=given.stamp,
    )
    after = before.changed(robot=robot)._replace(track=with_pose(before.track, given))
    return Reduced(_compared(after, now, config), (Forward(given),))


def status_received(
    before: Observation, given: StatusReceived, now: Now, config: Config
) -> Reduced:
    """Apply a status of the adapter."""
    state = with_status(before.state, given, config.robot.from_adapter)
    return Reduced(_compared(before._replace(state=state), now, config))


def _compared(seen: Observation, now: Now, config: Config) -> Observation:
    """Mark the standstill as unknown if poses show motion and the adapter reports none."""
    robot = seen.state.robot
    is_recent = robot.pose_at is not None and now.steady - robot.pose_at <= TRACK_GAP_S
    if not is_recent or not shows_motion(seen.track):
        return seen
    gates = config.robot.gates.items()
    drives = {name for name, gate in gates if isinstance(gate, VelocityGateSettings)}
    if robot.at_rest is True:
        robot = replace(robot, at_rest=None, standing_unknown=POSE_DIFFERS)
    moving_at = {
        name: None if name in drives and not moves else moves
        for name, moves in robot.moving_at.items()
    }
    return seen.changed(robot=replace(robot, moving_at=moving_at))


def topic_received(
    before: Observation, given: TopicReceived, _now: Now, config: Config
) -> Reduced:
    """Apply the values of a topic."""
    robot = with_topic(before.state.robot, given, config.robot.from_topics)
    return Reduced(before.changed(robot=robot))


def zones_received(
    before: Observation, given: ZonesReceived, _now: Now, config: Config
) -> Reduced:
    """Apply the reported keep-out zones."""
    return Reduced(before._replace(state=with_zones(before.state, config.executive, given.zones)))


def memory_received(
    before: Observation, given: MemoryReceived, _now: Now, _config: Config
) -> Reduced:
    """Apply the content of the spatial memory near the robot."""
    world = with_memory(before.state.world, given.summary, given.places)
    return Reduced(before.changed(world=world))


def with_zones(
    state: BrainState, settings: ExecutiveSettings, reported: tuple[KeepOutZone, ...]
) -> BrainState:
    """Return the state with the configured and the reported zones."""
    names = tuple(zone.name for zone in (*settings.keep_out, *reported))
    return replace(state, world=with_changes(state.world, zones=names, keep_out=reported))


def with_unknown_parts(state: BrainState, robot: Robot) -> BrainState:
    """Return the state before the first status: it has every part, and none is known."""
    parts, why = read_parts({}, robot.types), dict.fromkeys(robot.from_topics, NEVER)
    return replace(state, robot=replace(state.robot, parts=parts, parts_unknown=why))


def with_status(
    state: BrainState, given: StatusReceived, types: Mapping[str, PartType]
) -> BrainState:
    """Return the state after a status of the adapter. `types`: of what it reports."""
    status, end = given.status, given.status.ending
    rest_unknown = status.at_rest is None
    own = {'moving': status.moving, 'at_rest': status.at_rest, 'manual_mode': status.manual_mode}
    robot = replace(
        state.robot,
        parts={**state.robot.parts, **read_parts({**status.details, **own}, types)},
        moving=status.moving,
        moving_at=_moving_at(status),
        at_rest=status.at_rest,
        standing_unknown=(status.standing_unknown or STANDING_UNKNOWN) if rest_unknown else '',
        heard_beat=ReceivedHeartbeat(*status.heartbeat) if status.heartbeat.run else None,
        ending=MotionEnding(*end.permit, end.code, end.reason) if end else None,
        status_at=given.at,
        adapter_life=status.sender or None,
    )
    return replace(state, robot=robot)


def _moving_at(status: AdapterStatus) -> dict[str, bool | None]:
    """Return gate → whether it moves something, from the adapter of gates."""
    reported = status.details.get(MOVING_AT)
    gates = reported if isinstance(reported, Mapping) else {}
    return {str(gate): moves if isinstance(moves, bool) else None for gate, moves in gates.items()}


NEVER = 'nothing was received yet'


def with_topic(
    robot: RobotState, given: TopicReceived, fields: Mapping[str, TopicField]
) -> RobotState:
    """Return the robot's state after a message, or after a fault of the topic."""
    named = [name for name, each in fields.items() if each.topic == given.topic]
    values = {name: given.values.get(name) for name in named}
    unknown = {name: given.unknown.get(name, NEVER) for name in named if values[name] is None}
    kept = {name: why for name, why in robot.parts_unknown.items() if name not in values}
    return replace(
        robot,
        parts={**robot.parts, **values},
        parts_at={**robot.parts_at, **{name: given.at for name in named if name not in unknown}},
        parts_unknown={**kept, **unknown},
    )


def without_old_values(
    robot: RobotState, now: Now, fields: Mapping[str, TopicField]
) -> RobotState:
    """Return the robot's state without the values of topics that are too old at `now`.

    Silence counts only while the executive itself was awake.
    """
    old = {
        name: now.steady - at
        for name, at in robot.parts_at.items()
        if name in fields
        and robot.parts.get(name) is not None
        and not now.silent_for(at) <= fields[name].max_age_s
    }
    if not old:
        return robot
    reasons = {
        name: f'the latest is {age:.1f} s old, over {fields[name].max_age_s:g} s'
        for name, age in old.items()
    }
    parts = {**robot.parts, **dict.fromkeys(old)}
    return replace(robot, parts=parts, parts_unknown={**robot.parts_unknown, **reasons})


def with_young_values(robot: RobotState, now: Now, fields: Mapping[str, TopicField]) -> RobotState:
    """Return the robot's state without values that a standstill of the executive has made old.

    No tool begins on them, and nothing is confirmed by them.
    """
    return without_old_values(robot, replace(now, standstills=()), fields)


def expire_topic_values(before: Observation, now: Now, config: Config) -> Reduced:
    """Remove the values of topics that are too old."""
    robot = without_old_values(before.state.robot, now, config.robot.from_topics)
    awaited = not_yet_received(robot, config.robot)
    if awaited != robot.awaited:
        robot = replace(robot, awaited=awaited)
    if robot is before.state.robot:
        return Reduced(before)
    return Reduced(before.changed(robot=robot))
