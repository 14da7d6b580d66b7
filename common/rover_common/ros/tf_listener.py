"""Transforms from /tf and /tf_static: by tf2 where it is installed, by our own tree elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
import time
from typing import Protocol

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from tf2_msgs.msg import TFMessage

from rover_common.conflicting_publishers import DisputedFrames
from rover_common.geometry.transforms import (
    SET_BACK_S,
    Transform,
    TransformError,
    TransformTree,
    check_transform,
    checked_finite,
    find_chain,
    normalized_frame,
)
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.polled_and_on_demand_subscriptions import PolledSubscription

try:
    import tf2_ros
except Exception as _fault:  # half an installation raises what it likes
    tf2_ros, _why = None, f'tf2_ros cannot be imported: {_fault}'
    _why = 'tf2_ros is not installed' if find_spec('tf2_ros') is None else _why

# What stores transforms, and why.
TRANSFORMS = 'tf2_ros' if tf2_ros is not None else f'our own ({_why})'

# As tf2_ros/transform_listener.py.
TF_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.VOLATILE)
TF_STATIC_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
POLLED_TF_QOS = QoSProfile(depth=1000)  # a second of whoever publishes most, between two looks


class TransformStore(Protocol):
    """Remembers transforms; the two implementations differ only in how they remember."""

    def add(self, transform: TransformStamped, *, static: bool) -> None:
        """Remembers one transform. Raises TransformError if it is not usable."""

    def lookup(self, parent: str, child: str, at: float | None = None) -> Transform:
        """Where `child` is in `parent`, latest or `at` a time in s of ROS time.

        Raises TransformError if that is not known.
        """


class OwnStore:
    """Our own `TransformTree`."""

    def __init__(self) -> None:
        self._tree = TransformTree()

    def add(self, transform: TransformStamped, *, static: bool) -> None:
        self._tree.set(
            transform.header.frame_id,
            transform.child_frame_id,
            pose_from_ros(transform),
            static=static,
        )

    def lookup(self, parent: str, child: str, at: float | None = None) -> Transform:
        return self._tree.lookup(parent, child, at)


class Tf2Store:
    """The buffer of tf2_ros; what it accepts (loops) or logs (bad transforms) becomes a reason.

    tf2 keeps to the latest stamp when a clock is set back; here such a transform begins anew.
    """

    def __init__(self) -> None:
        self._buffer = tf2_ros.Buffer()
        self._parents: dict[str, str] = {}
        self._latest: dict[str, float] = {}

    def add(self, transform: TransformStamped, *, static: bool) -> None:
        parent, child = (
            normalized_frame(transform.header.frame_id),
            normalized_frame(transform.child_frame_id),
        )
        pose = pose_from_ros(transform)
        check_transform(parent, child, pose)
        self._parents[child] = parent
        if static:
            self._buffer.set_transform_static(transform, 'tf_static')
            return
        latest = self._latest.get(child, pose.stamp)
        if pose.stamp < latest - SET_BACK_S:
            self._buffer.clear()  # of moving transforms only
            self._latest = {}
            latest = pose.stamp
        self._latest[child] = max(pose.stamp, latest)
        self._buffer.set_transform(transform, 'tf')

    def lookup(self, parent: str, child: str, at: float | None = None) -> Transform:
        parent, child = normalized_frame(parent), normalized_frame(child)
        find_chain(dict(self._parents), parent, child)
        moment = Time() if at is None else Time(nanoseconds=round(at * 1e9))
        try:
            found = self._buffer.lookup_transform(parent, child, moment)
        except tf2_ros.TransformException as error:
            raise TransformError(f'No transform {parent!r} -> {child!r}: {error}') from error
        return checked_finite(parent, child, pose_from_ros(found))


def make_store() -> TransformStore:
    """The one place that chooses between tf2 and our own tree."""
    return Tf2Store() if tf2_ros is not None else OwnStore()


class TfListener:
    """Follows `tf` and `tf_static` of the node's namespace; without one, /tf and /tf_static.

    (tf2_ros.TransformListener would subscribe to the absolute names.) A moving frame for
    which two publishers contradict each other is taken from neither: its last pose becomes old.

    Without `changed`, transforms wake no thread: they are read at a lookup, in the calling thread,
    which is always the same then.

    Args:
        node: Owns the subscriptions.
        changed: Called after each message of `tf`, in the executor's thread.
    """

    def __init__(self, node: Node, changed: Callable[[], object] | None = None) -> None:
        self._logger, self._changed = node.get_logger(), changed
        self._store, self._disputed = make_store(), DisputedFrames()
        self._logger.info(f'Transforms: {TRANSFORMS}')
        self._waiting: tuple[tuple[PolledSubscription, bool], ...] = ()
        if changed is None:
            static = PolledSubscription(node, TFMessage, 'tf_static', TF_STATIC_QOS)
            moving = PolledSubscription(node, TFMessage, 'tf', POLLED_TF_QOS)
            self._waiting = (static, True), (moving, False)
        else:
            node.create_subscription(TFMessage, 'tf', self._on_tf, TF_QOS)
            node.create_subscription(TFMessage, 'tf_static', self._on_tf_static, TF_STATIC_QOS)

    def lookup(self, parent: str, child: str, at: float | None = None) -> Transform:
        """Where frame `child` is in frame `parent`: by the latest transforms, or at a time.

        Without `at`, the latest time that all moving transforms of the chain are known of. It is
        the stamp of the answer; both are in s of ROS time.

        Raises:
            TransformError: A frame is unknown, the two are not connected, or nothing is known of
                the time `at`.
        """
        for subscription, static in self._waiting:
            for message in subscription.messages():
                self._add_all(message, static=static)
        return self._store.lookup(parent, child, at)

    def find(self, parent: str, child: str, at: float | None = None) -> Transform | None:
        """As `lookup`; None if the transform is unknown, for callers that need no reason."""
        try:
            return self.lookup(parent, child, at)
        except TransformError:
            return None

    def _on_tf(self, message: TFMessage) -> None:
        self._add_all(message, static=False)
        if self._changed is not None:
            self._changed()

    def _on_tf_static(self, message: TFMessage) -> None:
        self._add_all(message, static=True)

    def _add_all(self, message: TFMessage, *, static: bool) -> None:
        for transform in message.transforms:
            try:
                if not static:
                    self._refuse_disputed(transform)
                self._store.add(transform, static=static)
            except TransformError as error:
                self._logger.warning(str(error), throttle_duration_sec=5.0)

    def _refuse_disputed(self, transform: TransformStamped) -> None:
        parent, child = (
            normalized_frame(transform.header.frame_id),
            normalized_frame(transform.child_frame_id),
        )
        pose = pose_from_ros(transform)
        check_transform(parent, child, pose)
        if self._disputed.update(child, pose, time.monotonic()):
            raise TransformError(
                f'Transform {parent!r} -> {child!r} was ignored: several publishers say different '
                'things of it; let only one publish it.'
            )


def pose_from_ros(transform: TransformStamped) -> Transform:
    """The pose of the message's child frame in its header's frame."""
    moved = transform.transform.translation
    turned = transform.transform.rotation
    seconds = seconds_from_ros(transform.header.stamp)
    return Transform(moved.x, moved.y, moved.z, turned.x, turned.y, turned.z, turned.w, seconds)


def pose_to_ros(parent: str, child: str, pose: Transform) -> TransformStamped:
    """Return the message with the pose of frame `child` in frame `parent`."""
    message = TransformStamped()
    message.header.frame_id = parent
    message.header.stamp = Time(nanoseconds=round(pose.stamp * 1e9)).to_msg()
    message.child_frame_id = child
    moved = message.transform.translation
    moved.x, moved.y, moved.z = pose.x, pose.y, pose.z
    turned = message.transform.rotation
    turned.x, turned.y, turned.z, turned.w = pose.qx, pose.qy, pose.qz, pose.qw
    return message
