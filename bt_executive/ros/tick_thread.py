"""The thread that ticks the tree, from the first spin of the node to its last answer."""

from __future__ import annotations

from collections.abc import Callable
import math
import threading
import time

import rclpy
from rclpy.executors import Executor
from rclpy.node import Node

from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.ros.executive_publishers import ExecutiveOutputs
from bt_executive.ros.simulated_clock import AlarmClock
from bt_executive.ros.tree_stream.tree_host_choice import TreeHost
from bt_executive.store.run_folder_writer import RunFolder
from bt_executive.store.tick_recorder import RecordKind
from bt_executive.tree.executive import ENDING, Executive, StepReport
from rover_common.clocks import Clocks, Now
from rover_common.process.process_end import GRACE_S
from rover_common.process.threads import describe_error, make_thread
from rover_common.ros.acknowledgements import LIMIT_S as LAST_WORDS_S
from rover_common.ros.run_node import until_ros_ends

# Limit of the shutdown, in s: the acknowledgement of the last messages follows, then a kill.
END_S = GRACE_S - LAST_WORDS_S
KEPT_S = 0.7  # of it, for the journal; before, the robot is stopped and awaited
RECORDED_S = 0.2  # of that, for the run folder


class TickThread:
    """Starts in the first spin of the node.

    Without ticks there is no heartbeat and no executive: if it fails, the process ends, so that
    the adapter stops the robot and the supervisor starts a new one.

    Args:
        close_store: Closes what outlives the process, at a time, with how the run ended, within s.
        update_inputs: Puts into the inbox what is read once a tick.

    Attributes:
        fault: The exception that ended the thread; None: it has not failed.
    """

    def __init__(
        self,
        node: Node,
        executive: Executive,
        clocks: Clocks,
        folder: RunFolder,
        tree_host: TreeHost,
        outputs: ExecutiveOutputs,
        ticks: TickStatistics,
        close_store: Callable[[Now, str, float], None],
        update_inputs: Callable[[], None],
    ) -> None:
        self._node, self._executive, self._clocks = node, executive, clocks
        self._folder, self._tree_host, self._outputs = folder, tree_host, outputs
        self._ticks, self._close_store, self._update_inputs = ticks, close_store, update_inputs
        self._inbox = executive.context.inbox
        self._alarm_clock = AlarmClock(node, self._inbox)
        self._ended = threading.Event()
        self._end_by = math.inf  # steady s; for all steps of the shutdown
        self.fault: BaseException | None = None
        self._thread = make_thread(self._run, 'tick', self._on_failure)
        self._begin = node.create_guard_condition(self._start)
        self._begin.trigger()

    def shut_down(self, executor: Executor) -> None:
        """Ends the ticks; a motion under way is stopped before the node goes."""
        self._start_end()
        self._ended.set()
        self._start()  # the shutdown is done in this thread even if it never ticked
        self._inbox.wake()
        with until_ros_ends(self._node):
            while self._node.context.ok() and self._remaining_s() and self._has_more_to_do():
                executor.spin_once(timeout_sec=0.05)
        if self._thread.is_alive():  # it has failed and ended ROS, and is closing the journal
            self._thread.join(self._remaining_s())

    def _start(self) -> None:
        if self._thread.ident is None:
            self._thread.start()

    def _has_more_to_do(self) -> bool:
        return self._thread.is_alive() or self._outputs.owes() > 0

    def _start_end(self) -> None:
        self._end_by = min(self._end_by, time.monotonic() + END_S)

    def _remaining_s(self, but_s: float = 0.0) -> float:
        """How much of the end's time is left, in s, `but_s` for what comes behind left out."""
        return max(0.0, self._end_by - but_s - time.monotonic())

    # --- in the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        self._tick_until_the_end()
        self._shut_down_tree(self._clocks())
        while self._executive.drain() and self._remaining_s(KEPT_S):
            self._inbox.wait(0.05)
        self._close('shut down cleanly')

    def _on_failure(self, error: BaseException) -> None:
        self.fault = error
        self._node.get_logger().fatal(f'The tick thread failed: {describe_error(error)}')
        rclpy.try_shutdown()
        self._close(f'failed: {error}')

    def _close(self, how: str) -> None:
        """Closes the stores: the safety latch first, and the recording last."""
        self._start_end()
        self._inbox.close(ENDING)
        self._folder.recorder.flush()
        self._close_store(self._clocks(), how, self._remaining_s(RECORDED_S))
        self._report_what_is_not_kept()
        self._outputs.answer()
        self._outputs.close()
        self._folder.close(self._remaining_s())
        self._executive.context.planner.close(self._remaining_s())

    def _report_what_is_not_kept(self) -> None:
        """Reports that the journal was given up; until now its entries were pending."""
        context = self._executive.context
        fault = context.checkpoints.store.fault()
        if fault is not None:
            lost = 'The next start knows nothing of what came last, such as a SAFE or a pause'
            context.tracer.emit('ERROR', f'{lost}: {fault.sentence}', ok=False)
            context.tracer.flush()

    def _tick_until_the_end(self) -> None:
        settings = self._executive.context.config.executive.tick
        longest_s = min(settings.period_s, settings.heartbeat_s)
        while not self._ended.is_set():
            started_at = time.monotonic()
            report = self._tick()
            ended_at = time.monotonic()
            self._ticks.count(started_at, ended_at)
            self._outputs.publish_between_ticks(ended_at, self._ticks.latest_s)
            if not report.again:
                self._alarm_clock.sleep(report.alarm, report.now, longest_s)

    def _tick(self) -> StepReport:
        self._tree_host.before_tick()
        self._update_inputs()
        now = self._clocks()
        self._folder.recorder.begin_tick(now)
        self._report_faults_of_the_recording()
        report = self._executive.step(now)
        self._tree_host.after_tick(self._executive.visited)
        self._outputs.answer()
        recorded_at = float(self._node.get_clock().now().nanoseconds) * 1e-9
        state, visited = self._executive.context.state, self._executive.visited
        self._folder.tick(recorded_at, report.mode, state, visited)
        self._outputs.show_approvals()
        return report

    def _report_faults_of_the_recording(self) -> None:
        for sentence in self._folder.faults():
            self._node.get_logger().error(sentence)
            self._folder.recorder.record(RecordKind.FAULT, {'sentence': sentence})
            self._executive.context.tracer.emit('ERROR', sentence)

    def _shut_down_tree(self, now: Now) -> None:
        recorder, context = self._folder.recorder, self._executive.context
        recorder.begin_tick(now)
        recorder.record(RecordKind.SHUT_DOWN, {})
        context.begin_tick(now)
        self._executive.shut_down()
        recorder.end_tick(context.state, changed=False)
