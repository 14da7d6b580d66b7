"""The node `memory`: remembers detections with their places, and answers where something is.

Subscribes: detections (`vision_msgs/msg/Detection3DArray`), tf.
Publishes: what it remembers near the robot, as places (`vision_msgs/msg/Detection3DArray`, world
frame) and as digest (bt_executive_interfaces/msg/MemoryDigest), both latched; /diagnostics.
Services: recall, remember, look, confirm, retract (`bt_executive_interfaces/srv/…`).
Names: topics.yaml, section `memory`.

The store is used by a thread of its own (store_thread.py); its results are handled in the node's
thread. Detections wait for the robot's pose at their stamp.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import os
from pathlib import Path
import time
from typing import Any

from bt_executive_interfaces.msg import MemoryDigest
from bt_executive_interfaces.srv import JudgePlace, LookForPlace, Recall, Remember
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future
from vision_msgs.msg import Detection3DArray

from embodied_nav import service_messages
from embodied_nav.config import ENHANCED_ONLINE
from embodied_nav.detections_in_map_frame import DetectionsInMapFrame
from embodied_nav.filter_of_repeated_detections import RepeatFilter
from embodied_nav.memory_from_config import MemoryModels, make_models, map_epoch, memory_store
from embodied_nav.node_changes import is_a_name
from embodied_nav.observation import NAMERS
from embodied_nav.percepts import Detections, Percept, observation_of
from embodied_nav.pose_of_robot import PoseOfRobot
from embodied_nav.presence_check import FieldOfView, PresenceCheck, PresenceResult
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from embodied_nav.store_thread import Worker
from embodied_nav.surroundings_of_rover import (
    Surroundings,
    digest_to_ros,
    places_to_ros,
    read_surroundings,
)
from rover_common.diagnostic_status import Health, Part, error, stale, warning
from rover_common.errors import MemoryStoreError
from rover_common.geometry.transforms import Transform
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.message_conversions import message_age_s
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.tf_listener import TfListener
from rover_common.text_sanitizing import one_line
from rover_common.url_secrets import without_secrets

POLL_S = 0.1  # steady; period of polling for poses of detections
SURROUNDINGS_PERIOD_S = 1.0  # steady; period of reading what is near
SILENT_S = 5.0  # steady; without detections for so long, the detector counts as silent
EXPORT_LIMIT_S = 3.0  # at the end; the supervisor kills a process 4 s after it was asked to end
NAMED_AT_A_TIME = 1  # areas: a query may have to wait for these calls
PARAMETERS = (('executive', 'memory'),)
EXPORTS_LATER = '`bt-executive memory export FILE.gml` writes it'
IN_MEMORY = ':memory:'


class MemoryNode(Node):
    """Subscribes to detections, and serves queries through the worker."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('memory', **options.node_arguments())
        config = ConfigParameters(self, options.config, PARAMETERS).config
        self._settings, self._frames = config.executive.memory, config.topics.tf
        self._epoch = map_epoch(config)
        self._address = memory_store(config, os.environ, self.get_fully_qualified_name())
        self._tf = TfListener(self)
        self._pose = PoseOfRobot(
            lambda: self._tf.find(self._frames.world_frame, self._frames.base_frame),
            lambda stamp: message_age_s(self, stamp),
            config.executive.guards.pose_max_age_s,
        )
        self._detections = DetectionsInMapFrame(
            self._tf, self._frames, lambda: self.get_clock().now().nanoseconds * 1e-9
        )
        self._repeats = RepeatFilter()
        self._retracted_at = 0.0  # the latest time, s of the system
        self._checks: list[tuple[PresenceCheck, Future, float]] = []
        # What the worker's thread wants done here.
        self._callbacks: deque[Callable[[], None]] = deque()
        self._surroundings, self._is_reading = Surroundings(), False
        self._memory: SpatialMemory | None = None
        self._wake = self.create_guard_condition(self._run_callbacks)
        self._config, self._models = config, MemoryModels()
        self._worker = Worker(
            self._open,
            self._report_store,
            lambda memory: memory.maintain(NAMED_AT_A_TIME),
            self._cut_model,
            self._write_forest,
        )
        self._advertise(config.topics.memory, config.topics.rover.detections)
        parts = [
            Part('store', self._store_health, self._store_figures),
            Part('models', self._models_health, self._models_figures),
            Part('detections', self._detections_health, self._detections_figures),
        ]
        report_diagnostics(self, parts)
        self._worker.start()

    def _advertise(self, names: Any, detections: str) -> None:
        group = ReentrantCallbackGroup()  # an answer that waits holds up no other
        for endpoint, kind, serve in (
            (names.recall, Recall, self._recall),
            (names.remember, Remember, self._remember),
            (names.look, LookForPlace, self._check_presence),
            (names.confirm, JudgePlace, self._confirm),
            (names.retract, JudgePlace, self._retract),
        ):
            self.create_service(kind, relative_name(endpoint.name), serve, callback_group=group)
        self._places = self.create_publisher(
            Detection3DArray, relative_name(names.places), LATCHED
        )
        self._digest = self.create_publisher(MemoryDigest, relative_name(names.digest), LATCHED)
        self.create_subscription(
            Detection3DArray, relative_name(detections), self._on_detections, QoSProfile(depth=10)
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._poll_timer = self.create_timer(POLL_S, self._on_timer, clock=steady, autostart=False)
        self.create_timer(SURROUNDINGS_PERIOD_S, self._update_surroundings, clock=steady)

    # --- detections ------------------------------------------------------------------------------

    def _on_detections(self, message: Detection3DArray) -> None:
        self._detections.add(message, time.monotonic())
        self._on_timer()

    def _on_timer(self) -> None:
        """Process the detections whose pose is known, in their order; end overdue checks."""
        now = time.monotonic()
        for detections in self._detections.take_placed(now):
            self._process(detections)
        for check, future, deadline in [*self._checks]:
            if now >= deadline:
                self._answer(future, check.end())
        if not self._detections and not self._checks:
            self._poll_timer.cancel()
        elif self._poll_timer.is_canceled():
            self._poll_timer.reset()

    def _process(self, detections: Detections) -> None:
        if detections.stamp >= self._retracted_at or self._retracted_at > time.time():
            self._add_observations(detections)
        for check, future, _ in [*self._checks]:
            found = check.add(detections)
            if found is not None:
                self._answer(future, found)

    def _add_observations(self, detections: Detections) -> None:
        for number, percept in enumerate(detections.percepts):
            place, is_one = detections.position_of(percept), is_a_name(percept)
            if self._repeats.passes(percept.name, place, detections.stamp, is_one):
                self._add_observation(percept, detections, number)

    def _add_observation(self, percept: Percept, detections: Detections, number: int) -> None:
        try:
            seen = observation_of(
                percept, detections, number, self._frames.world_frame, self._epoch
            )
        except MemoryStoreError as refusal:
            self.get_logger().warning(one_line(str(refusal)), throttle_duration_sec=10.0)
            return
        self._worker.change(lambda memory: memory.observe(seen))

    def _answer(self, future: Future, found: PresenceResult) -> None:
        self._checks = [each for each in self._checks if each[1] is not future]
        future.set_result(found)

    # --- services --------------------------------------------------------------------------------

    async def _recall(self, request: Any, response: Any) -> Any:
        here, frame = self._here, self._frames.world_frame
        try:
            query = service_messages.query_of(
                request, here, self._settings.max_age_s, frame, self._epoch
            )
        except ValueError as refusal:
            return service_messages.recall_to_ros(None, str(refusal), here, response)
        found, fault = await self._submit(self._worker.ask, lambda memory: memory.recall(query))
        return service_messages.recall_to_ros(found, fault, self._here, response)

    async def _remember(self, request: Any, response: Any) -> Any:
        try:
            seen = service_messages.remembered_from_ros(
                request, self._here, time.time(), self._frames.world_frame, self._epoch
            )
        except (ValueError, MemoryStoreError) as refusal:
            response.ok, response.reason = False, one_line(str(refusal))
            return response
        stored, fault = await self._submit(
            self._worker.change, lambda memory: memory.observe(seen)
        )
        return service_messages.stored_to_ros(seen, stored, fault, response)

    async def _check_presence(self, request: Any, response: Any) -> Any:
        node, fault = await self._submit(self._worker.ask, lambda memory: memory.place(request.id))
        if node is None:
            return service_messages.no_place_to_ros(request.id, fault, response)
        if node.writer in NAMERS:
            return service_messages.nothing_to_see_to_ros(node, self._here, response)
        settings, future = self._settings, Future()
        sight = FieldOfView(settings.view_m, settings.half_view_rad, settings.looks)
        timeout_s = request.timeout_s if request.timeout_s > 0.0 else settings.look_s
        deadline = time.monotonic() + min(timeout_s, settings.look_s)
        self._checks.append((PresenceCheck(node, sight, time.time()), future, deadline))
        self._on_timer()
        return service_messages.presence_to_ros(await future, response)

    async def _confirm(self, request: Any, response: Any) -> Any:
        stamp = time.time()
        return await self._judge(lambda memory: memory.confirm(request.id, stamp), response)

    async def _retract(self, request: Any, response: Any) -> Any:
        stamp, reason = time.time(), request.reason
        self._retracted_at = stamp  # older detections do not contradict it
        self._repeats.clear()
        return await self._judge(
            lambda memory: memory.retract(request.id, reason, stamp), response
        )

    async def _judge(self, judge: Callable[[SpatialMemory], Any], response: Any) -> Any:
        result, fault = await self._submit(self._worker.change, judge)
        response.ok = result is not None and result.ok
        response.reason = one_line(fault if result is None else result.sentence)
        return response

    async def _submit(
        self, send: Callable[..., None], job: Callable[[SpatialMemory], Any]
    ) -> tuple[Any, str]:
        """Return the result of a job, or None and the reason."""
        future = Future()
        send(
            lambda memory: self._call_in_node(future.set_result, (job(memory), '')),
            lambda fault: self._call_in_node(future.set_result, (None, fault)),
        )
        answer: tuple[Any, str] = await future
        return answer

    # --- surroundings ----------------------------------------------------------------------------

    def _update_surroundings(self) -> None:
        """Let the worker read what is near, and publish it if it has changed."""
        here, frame = self._here, self._frames.world_frame
        if here is None or self._is_reading:
            return
        self._is_reading = True
        self._worker.ask(
            lambda memory: self._call_in_node(
                self._publish_surroundings,
                read_surroundings(memory, here, frame, self._epoch, self._settings),
            ),
            lambda _fault: self._call_in_node(self._publish_surroundings, self._surroundings),
            may_wait=True,
        )

    def _publish_surroundings(self, around: Surroundings) -> None:
        self._is_reading = False
        if around.shows_the_same_as(self._surroundings):
            return
        self._surroundings = around
        self._digest.publish(digest_to_ros(around))
        stamp = self.get_clock().now().to_msg()
        self._places.publish(places_to_ros(stamp, self._frames.world_frame, around.things))

    @property
    def _here(self) -> Transform | None:
        """The pose of the robot now."""
        return self._pose.current()

    # --- store and worker ------------------------------------------------------------------------

    def _open(self) -> SpatialMemory:
        """In the worker's thread: the libraries of models take seconds to load."""
        models = make_models(self._config, os.environ)
        for fault in models.faults:
            self.get_logger().warning(one_line(fault))
        memory = open_memory(self._address, models.embedder, chat=models.chat, is_lazy=True)
        self._models, self._memory = models, memory
        return memory

    def _write_forest(self, memory: SpatialMemory) -> None:
        """Write the forest beside the store as spec 5's online graph."""
        if '://' not in self._address and self._address != IN_MEMORY:
            path = Path(self._address)
            try:
                graph = path.with_name(f'{path.stem}.{ENHANCED_ONLINE}')
                memory.export_gml(graph, limit_s=EXPORT_LIMIT_S)
            except (MemoryStoreError, OSError) as error:
                why = f'The forest was not written: {error}; {EXPORTS_LATER}'
                self.get_logger().warning(one_line(why))

    def _cut_model(self) -> None:
        if self._models.chat is not None:
            self._models.chat.cut()

    def _report_store(self, fault: str) -> None:
        log = self.get_logger()
        if fault:
            log.error(one_line(fault))
        else:
            where = without_secrets(self._address)
            log.info(one_line(f'Remembers in {where}, map {self._epoch}'))

    def _call_in_node(self, act: Callable[[Any], None], value: Any) -> None:
        """Run a callback in the node's thread; called from the worker's."""
        self._callbacks.append(lambda: act(value))
        self._wake.trigger()

    def _run_callbacks(self) -> None:
        while self._callbacks:
            self._callbacks.popleft()()

    def _store_health(self) -> Health:
        fault = self._worker.fault
        if fault is None:
            return stale('the store is being opened')
        return error(fault) if fault else Health()

    def _store_figures(self) -> dict[str, Any]:
        counts = self._surroundings.counts
        return {'waiting': self._worker.waiting, 'dropped': self._worker.dropped, **counts}

    def _models_health(self) -> Health:
        faults_of_memory = self._memory.faults if self._memory is not None else ()
        faults = [*self._models.faults, *faults_of_memory, self._worker.upkeep_fault]
        return next((warning(one_line(each)) for each in faults if each), Health())

    def _models_figures(self) -> dict[str, Any]:
        embedder, chat = self._models.embedder, self._models.chat
        return {
            'embedding': embedder.model if embedder else 'offline',
            'model': chat.name if chat else 'none',
            'calls': chat.use().calls if chat else 0,
        }

    def _detections_health(self) -> Health:
        if self._detections.received_at is None:
            return stale('no detection has come')
        silent = time.monotonic() - self._detections.received_at
        return stale(f'no detection for {silent:.0f} s') if silent > SILENT_S else Health()

    def _detections_figures(self) -> dict[str, Any]:
        seen = self._detections
        return {'without_a_pose': seen.unplaced, 'waiting_for_a_pose': len(seen)}

    def destroy_node(self) -> None:
        """End after the queued observations are written."""
        self._worker.end()
        super().destroy_node()


def main() -> None:
    """Run the node as a process."""
    run_node(MemoryNode)


if __name__ == '__main__':
    main()
