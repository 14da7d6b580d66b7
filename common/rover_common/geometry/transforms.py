"""Rigid transforms between named frames: what the executive needs of tf2, without ROS.

A stand-in for machines without tf2: it keeps the transforms of the last seconds and interpolates
between their stamps where a time is asked for. Lengths in m, stamps in s of ROS time, rotations
as unit quaternions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
import math

from rover_common.errors import BtExecutiveError

# tf2 refuses the same quaternions (buffer_core.cpp, QUATERNION_NORMALIZATION_TOLERANCE).
NORM_TOLERANCE = 0.01
# How far back moving transforms are remembered, s; the default of tf2's buffer.
HISTORY_S = 10.0
# A transform that is older than the latest one of its frame by more than this, s, is not late:
# the clock was set back.
SET_BACK_S = 1.0
# Maximum number of moving frames, and of static ones: a robot has tens of them.
MOST_FRAMES = 1000


class TransformError(BtExecutiveError):
    """A transform cannot be had or cannot be used. The text names the frames and the cause."""


@dataclass(frozen=True)
class Transform:
    """Where a frame is in another one: position in m, rotation as a unit quaternion, ROS time."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    qx: float = 0.0
    qy: float = 0.0
    qz: float = 0.0
    qw: float = 1.0
    stamp: float = 0.0

    @classmethod
    def planar(cls, x: float, y: float, yaw: float, stamp: float = 0.0) -> Transform:
        """A pose on the ground; `yaw` in rad, counterclockwise from the x axis."""
        return cls(x=x, y=y, qz=math.sin(yaw / 2.0), qw=math.cos(yaw / 2.0), stamp=stamp)

    @property
    def yaw(self) -> float:
        """Heading in rad, within [-pi, pi], counterclockwise from the x axis."""
        return math.atan2(
            2.0 * (self.qw * self.qz + self.qx * self.qy),
            1.0 - 2.0 * (self.qy * self.qy + self.qz * self.qz),
        )

    @property
    def tilt(self) -> float:
        """Angle between this frame's z axis and the parent's, in rad, within [0, pi]."""
        up = 1.0 - 2.0 * (self.qx * self.qx + self.qy * self.qy)
        return math.acos(max(-1.0, min(1.0, up)))

    def rotated(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """A vector of the child frame, in m, along the axes of the parent frame."""
        # v + 2 q x (q x v + w v): half the products of a rotation matrix.
        cx = self.qy * z - self.qz * y + self.qw * x
        cy = self.qz * x - self.qx * z + self.qw * y
        cz = self.qx * y - self.qy * x + self.qw * z
        return (
            x + 2.0 * (self.qy * cz - self.qz * cy),
            y + 2.0 * (self.qz * cx - self.qx * cz),
            z + 2.0 * (self.qx * cy - self.qy * cx),
        )

    def compose(self, inner: Transform) -> Transform:
        """`inner`, given in this pose's child frame, as seen from this pose's parent frame.

        The stamp stays this pose's.
        """
        x, y, z = self.rotated(inner.x, inner.y, inner.z)
        a, b = self, inner
        return replace(
            self,
            x=self.x + x,
            y=self.y + y,
            z=self.z + z,
            qx=a.qw * b.qx + a.qx * b.qw + a.qy * b.qz - a.qz * b.qy,
            qy=a.qw * b.qy - a.qx * b.qz + a.qy * b.qw + a.qz * b.qx,
            qz=a.qw * b.qz + a.qx * b.qy - a.qy * b.qx + a.qz * b.qw,
            qw=a.qw * b.qw - a.qx * b.qx - a.qy * b.qy - a.qz * b.qz,
        )

    def inverse(self) -> Transform:
        """The parent frame as seen from the child frame, with the same stamp."""
        turned_back = replace(self, qx=-self.qx, qy=-self.qy, qz=-self.qz)
        x, y, z = turned_back.rotated(self.x, self.y, self.z)
        return replace(turned_back, x=-x, y=-y, z=-z)

    def towards(self, other: Transform, part: float) -> Transform:
        """Between this pose (`part` 0) and another one (1): straight, and by the shorter turn."""
        own = (self.qx, self.qy, self.qz, self.qw)
        target = (other.qx, other.qy, other.qz, other.qw)
        cosine = sum(a * b for a, b in zip(own, target, strict=True))
        sign = math.copysign(1.0, cosine)  # q and -q are the same rotation
        angle = math.acos(min(abs(cosine), 1.0))
        if angle > 1e-6:
            first = math.sin((1.0 - part) * angle) / math.sin(angle)
            second = sign * math.sin(part * angle) / math.sin(angle)
        else:
            first, second = 1.0 - part, sign * part
        qx, qy, qz, qw = (first * a + second * b for a, b in zip(own, target, strict=True))
        return Transform(
            self.x + (other.x - self.x) * part,
            self.y + (other.y - self.y) * part,
            self.z + (other.z - self.z) * part,
            qx,
            qy,
            qz,
            qw,
            stamp=self.stamp + (other.stamp - self.stamp) * part,
        )


@dataclass(frozen=True)
class _Edge:
    """A frame in its parent; `poses` by rising stamp, the latest one last."""

    parent: str
    poses: tuple[Transform, ...]
    static: bool

    def followed_by(self, pose: Transform) -> _Edge:
        """With one more pose. If the clock was set back, what was known is another time's."""
        latest = self.poses[-1].stamp
        if self.static or pose.stamp < latest - SET_BACK_S:
            return replace(self, poses=(pose,))
        oldest = max(latest, pose.stamp) - HISTORY_S
        first = bisect_left(self.poses, oldest, key=_stamp)
        place = bisect_left(self.poses, pose.stamp, key=_stamp)
        known = place < len(self.poses) and self.poses[place].stamp == pose.stamp
        return replace(self, poses=(*self.poses[first:place], pose, *self.poses[place + known :]))

    def at(self, time: float, child: str) -> Transform:
        """The pose at a time.

        Raises:
            TransformError: Nothing is known of that time.
        """
        latest, earliest = self.poses[-1], self.poses[0]
        if self.static:
            return latest
        if not earliest.stamp <= time <= latest.stamp:
            raise TransformError(
                f'Transform {self.parent!r} -> {child!r} is asked for {time:.3f} s and known from '
                f'{earliest.stamp:.3f} s to {latest.stamp:.3f} s.'
            )
        after = bisect_left(self.poses, time, key=_stamp)
        if self.poses[after].stamp == time:
            return self.poses[after]
        before, later = self.poses[after - 1], self.poses[after]
        return before.towards(later, (time - before.stamp) / (later.stamp - before.stamp))


class TransformTree:
    """The transforms of every frame to its parent. One writer, any number of readers.

    Frame names lose their leading slashes, as in tf2. A simulation that starts again at time zero
    is followed at once; what was known of the later times is forgotten then. Of more than
    `MOST_FRAMES` moving frames, the one that was set longest ago is forgotten. A static one is set
    only once, so it stays, and no more are taken.
    """

    def __init__(self) -> None:
        self._edges: dict[str, _Edge] = {}  # moving and static; ordered by the latest update
        # Chains of these edges: looked up repeatedly between two messages.
        self._found: tuple[dict[str, _Edge], dict[tuple[str, str], Transform]] = self._edges, {}

    def set(self, parent: str, child: str, pose: Transform, *, static: bool = False) -> None:
        """Set the pose of `child` in `parent`.

        `static`: it is valid for ever, whatever its stamp.

        Raises:
            TransformError: A name is empty, both are the same, a number is not finite, or the
                quaternion is not of unit length, or there are too many static frames. Nothing has
                changed then.
        """
        parent, child = normalized_frame(parent), normalized_frame(child)
        check_transform(parent, child, pose)
        pose, known = _normalized(pose), self._edges.get(child)
        if known is None or known.parent != parent or known.static != static:
            edge = _Edge(parent, (pose,), static)
        else:
            edge = known.followed_by(pose)
        self._keep(child, edge)

    def lookup(self, parent: str, child: str, at: float | None = None) -> Transform:
        """Where `child` is in `parent`, over any chain of frames.

        Without `at`, it is the latest time that all moving transforms of the chain are known of,
        as in tf2; with `at`, a time in s. All of them are interpolated at that time, which is the
        stamp of the answer. The stamp is 0.0 if all are static.

        Raises:
            TransformError: A frame is unknown, the frames are not connected or form a loop, the
                time lies outside of what is remembered, or the place is out of all numbers.
        """
        edges = self._edges
        of, found = self._found
        if of is not edges:
            found = {}
            self._found = edges, found
        if at is None and (parent, child) in found:
            return found[parent, child]
        parents = {frame: edge.parent for frame, edge in edges.items()}
        going_up, going_down = find_chain(
            parents, normalized_frame(parent), normalized_frame(child)
        )
        chain = {frame: edges[frame] for frame in (*going_up, *going_down)}
        latest = [edge.poses[-1].stamp for edge in chain.values() if not edge.static]
        time = min(latest, default=0.0) if at is None else at
        poses = {frame: edge.at(time, frame) for frame, edge in chain.items()}
        pose = _product(poses, going_up).inverse().compose(_product(poses, going_down))
        pose = checked_finite(parent, child, replace(pose, stamp=time if latest else 0.0))
        if at is None:
            found[parent, child] = pose
        return pose

    def _keep(self, child: str, edge: _Edge) -> None:
        """Puts a frame last, in a new dictionary: readers may be at work on the present one."""
        others = {frame: each for frame, each in self._edges.items() if frame != child}
        alike = [frame for frame, each in others.items() if each.static == edge.static]
        if len(alike) >= MOST_FRAMES:
            if edge.static:
                why = f'there are {MOST_FRAMES} static frames already'
                raise TransformError(f'Transform {edge.parent!r} -> {child!r} was ignored: {why}.')
            del others[alike[0]]
        self._edges = {**others, child: edge}


def normalized_frame(frame: str) -> str:
    """The frame's name as tf2 has it, without leading slashes."""
    return frame.lstrip('/')


def check_transform(parent: str, child: str, pose: Transform) -> None:
    """Refuses what is no transform.

    Raises:
        TransformError: A name is empty, both are the same, a number is not finite, or the
            quaternion is not of unit length.
    """
    fault = _fault(parent, child, pose)
    if fault:
        raise TransformError(f'Transform {parent!r} -> {child!r} was ignored: {fault}.')


def checked_finite(parent: str, child: str, pose: Transform) -> Transform:
    """The pose, which a chain of finite but huge transforms can carry out of all numbers.

    Raises:
        TransformError: It did.
    """
    if not all(map(math.isfinite, _numbers(pose))):
        raise TransformError(f'Transform {parent!r} -> {child!r} is not finite.')
    return pose


def find_chain(parents: Mapping[str, str], parent: str, child: str) -> tuple[list[str], list[str]]:
    """The frames below the common ancestor, on the ways up from `parent` and from `child`.

    `parents`: the parent of each frame.

    Raises:
        TransformError: A frame is unknown, or the two are not connected or form a loop.
    """
    known = parents.keys() | set(parents.values())
    for frame in (parent, child):
        if frame not in known:
            raise TransformError(
                f'Frame {frame!r} is unknown: no transform to or from it has come yet.'
            )
    down, up = _ancestors(parents, child), _ancestors(parents, parent)
    common = next((frame for frame in down if frame in up), None)
    if common is None:
        raise TransformError(
            f'Frames {parent!r} and {child!r} are not connected: their roots are '
            f'{list(up)[-1]!r} and {list(down)[-1]!r}.'
        )
    return _until(up, common), _until(down, common)


def _stamp(pose: Transform) -> float:
    return pose.stamp


def _fault(parent: str, child: str, pose: Transform) -> str:
    if not parent or not child:
        return 'a frame has no name'
    if parent == child:
        return 'a frame cannot be its own parent'
    numbers = _numbers(pose)
    if not all(math.isfinite(number) for number in numbers):
        return f'not all of its numbers are finite ({numbers})'
    norm = _norm(pose)
    if abs(norm - 1.0) > NORM_TOLERANCE:
        return f'its quaternion has length {norm:.3f} instead of 1'
    return ''


def _numbers(pose: Transform) -> tuple[float, ...]:
    return (pose.x, pose.y, pose.z, pose.qx, pose.qy, pose.qz, pose.qw, pose.stamp)


def _norm(pose: Transform) -> float:
    return math.hypot(pose.qx, pose.qy, pose.qz, pose.qw)


def _normalized(pose: Transform) -> Transform:
    norm = _norm(pose)
    return replace(
        pose, qx=pose.qx / norm, qy=pose.qy / norm, qz=pose.qz / norm, qw=pose.qw / norm
    )


def _ancestors(parents: Mapping[str, str], frame: str) -> dict[str, None]:
    """The frame, its parent and so on to the root, in this order."""
    path = {frame: None}
    while frame in parents:
        frame = parents[frame]
        if frame in path:
            loop = ' -> '.join([*path, frame])
            raise TransformError(f'The transforms form a loop: {loop}; two publishers disagree.')
        path[frame] = None
    return path


def _until(path: dict[str, None], common: str) -> list[str]:
    frames = list(path)
    return frames[: frames.index(common)]


def _product(poses: dict[str, Transform], frames: list[str]) -> Transform:
    """Transform of the first frame in the parent of the last one."""
    pose = Transform()
    for frame in reversed(frames):
        pose = pose.compose(poses[frame])
    return pose
