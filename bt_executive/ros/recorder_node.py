"""The node `recorder`: writes all our topics into an MCAP file of the run folder.

A process of its own, so that it disturbs no other: it only subscribes, to serialized messages, and
writes them unchanged. It subscribes to topics as they appear in the graph, with the QoS that their
publishers offer. /diagnostics reports the state of the file.
"""

from __future__ import annotations

from functools import partial
import time
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from bt_executive.store.mcap_file import McapFile, unused_path
from bt_executive.store.recorded_topics_and_definitions import (
    RECORDING,
    RecordedTopics,
    full_definition,
    share_folders,
)
from rover_common.diagnostic_status import Health, Part, error
from rover_common.errors import UsageError
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.publishers_and_types_of_topic import published_types
from rover_common.ros.qos import offered_qos
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.timers import STEADY

UPDATE_PERIOD_S = 0.25  # how long a new topic stays unrecorded, at most
FLUSH_PERIOD_S = 1.0  # how much a `kill -9` can lose, at most
DEPTH = 200
QUIET_S = 0.3  # other nodes end before this one; their last messages are still on the way
QUIET_LIMIT_S = 2.0  # nodes of others may go on publishing


class RecorderNode(Node):
    """Records until it is shut down, or until the disk or the file is full."""

    def __init__(self, options: NodeOptions) -> None:
        if options.run_dir is None:
            raise UsageError('The recorder needs a folder: name it with --run-dir DIR.')
        super().__init__('recorder', **options.node_arguments())
        self._path = unused_path(options.run_dir)
        self._max_mb = options.config.executive.recording.max_mcap_mb
        try:
            self._file: McapFile | None = McapFile(self._path, self._max_mb)
        except OSError as fault:
            raise UsageError(f'{self._path} cannot be made ({fault.strerror}).') from None
        self._received = 0  # messages
        self._fault: str | None = None  # why the file was ended before its time
        self._topics = RecordedTopics(options.config, self.get_namespace())
        self._subscriptions_by_topic: dict[str, Subscription | None] = {}
        self.create_timer(UPDATE_PERIOD_S, self._update_subscriptions, clock=STEADY)
        self.create_timer(FLUSH_PERIOD_S, self._flush, clock=STEADY)
        report_diagnostics(self, [Part(RECORDING, self._health, self._figures)])
        self._update_subscriptions()

    def shut_down(self, executor: Executor) -> None:
        """Records the last messages, until none comes, and completes the file."""
        began = last_message_at = time.monotonic()
        while time.monotonic() - began < QUIET_LIMIT_S:
            is_quiet = time.monotonic() - last_message_at >= QUIET_S
            before = self._received
            executor.spin_once(timeout_sec=0.05)
            if self._received != before:
                last_message_at = time.monotonic()
            elif is_quiet:
                break
        self._end()

    def _update_subscriptions(self) -> None:
        """Subscribes to new topics of the graph that have a publisher."""
        if self._file is None:
            return
        for topic, listed in self.get_topic_names_and_types():
            if topic in self._subscriptions_by_topic or not self._topics.includes(
                topic, listed[0]
            ):
                continue
            types = published_types(self, topic)
            if types:
                self._subscriptions_by_topic[topic] = self._listen(topic, types[0], self._file)

    def _listen(self, topic: str, type_name: str, file: McapFile) -> Subscription | None:
        try:
            message_type = interface_class(type_name)
            definition = full_definition(type_name, share_folders())
        except LookupError as fault:
            self.get_logger().warning(f'{topic} is not recorded: {type_name}: {fault}')
            return None
        qos = offered_qos(self, topic, DEPTH)
        channel = file.add_topic(topic, type_name, definition, _as_yaml(qos))
        return self.create_subscription(
            message_type, topic, partial(self._on_message, channel), qos, raw=True
        )

    def _on_message(self, channel: int, data: bytes, info: dict[str, Any]) -> None:
        self._received += 1
        if self._file is None:
            return
        try:
            self._file.add(channel, data, time.time_ns(), info['source_timestamp'])
        except OSError as fault:
            self._end(f'cannot be written ({fault.strerror})')

    def _flush(self) -> None:
        if self._file is None:
            return
        try:
            self._file.flush()
        except OSError as fault:
            self._end(f'cannot be written ({fault.strerror})')
            return
        if self._file.full:
            self._end(f'has reached recording.max_mcap_mb ({self._max_mb:g})')

    def _end(self, reason: str | None = None) -> None:
        """Completes the file as far as the disk allows; `reason`: why the recording ends early."""
        file, self._file = self._file, None
        if file is None:
            return
        for subscription in self._subscriptions_by_topic.values():
            if subscription is not None:
                self.destroy_subscription(subscription)
        try:
            file.close()
        except OSError as fault:
            reason = reason or f'cannot be completed ({fault.strerror})'
        if reason:
            self._fault = f'{self._path} {reason}; the run continues without it'
            self.get_logger().error(f'{self._fault}.')

    def _health(self) -> Health:
        return error(self._fault) if self._fault else Health()

    def _figures(self) -> dict[str, Any]:
        return {
            'file': self._path.name,
            'megabytes': self._file.megabytes if self._file else None,
            'max_megabytes': self._max_mb,
            'topics': len(self._subscriptions_by_topic),
        }


def _as_yaml(qos: QoSProfile) -> str:
    """A QoS as `ros2 bag` reads it: it needs all of these keys.

    Numbers, as up to Iron: Humble reads no names, and later ones read numbers, too.
    """
    unset = '{sec: 0, nsec: 0}'
    return (
        f'- history: {qos.history.value}\n  depth: {qos.depth}\n'
        f'  reliability: {qos.reliability.value}\n  durability: {qos.durability.value}\n'
        f'  deadline: {unset}\n  lifespan: {unset}\n'
        f'  liveliness: {qos.liveliness.value}\n  liveliness_lease_duration: {unset}\n'
        '  avoid_ros_namespace_conventions: false\n'
    )


def main() -> None:
    """Runs the node."""
    run_node(RecorderNode)


if __name__ == '__main__':
    main()
