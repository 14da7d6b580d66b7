"""The health of the executive for /diagnostics: mode with its reason, battery, ticks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
from typing import Any

from bt_executive.core.state import Mode
from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.tree.context import Context
from rover_common.diagnostic_status import Health, Part, error, stale, warning

MODES = {Mode.SAFE: error, Mode.CHARGE: warning}
TROUBLE_S = 5.0  # for which a late tick is reported


class ExecutiveHealth:
    """Judges the executive; used by the tick thread alone.

    Args:
        context: State, inbox and configuration.
        ticks: Statistics of the ticks.
        run_id: Of this run of the executive.
        clock: Steady time in s.
    """

    def __init__(
        self,
        context: Context,
        ticks: TickStatistics,
        run_id: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tree_context = context
        self._ticks = ticks
        self._run_id = run_id
        self._clock = clock
        self._seen = (0, 0)  # overruns and dropped events
        self._trouble, self._trouble_until = '', 0.0

    def parts(self) -> tuple[Part, ...]:
        """Returns the reported parts."""
        return (
            Part('mode', self._mode, self._mode_figures),
            Part('battery', self._battery, self._battery_figures),
            Part('tick', self._tick, self._tick_figures),
        )

    def _mode(self) -> Health:
        tasks = self._tree_context.state.tasks
        judge = MODES.get(tasks.mode)
        if judge is not None:
            return judge(f'{tasks.mode.value}: {tasks.preempt_reason}')
        if not self._tree_context.adapter_alive():
            return stale('no status from the adapter')
        return Health(reason=tasks.mode.value)

    def _mode_figures(self) -> Mapping[str, Any]:
        tasks = self._tree_context.state.tasks
        return {
            'run': self._run_id,
            'mode': tasks.mode.value,
            'goal': tasks.active.goal if tasks.active else 'none',
            'waiting_goals': len(tasks.queue),
            'pending_approvals': len(self._tree_context.approvals.waiting()),
            'last_score': self._tree_context.progress.last_score,
        }

    def _battery(self) -> Health:
        robot = self._tree_context.state.robot
        charge = robot.charge
        if robot.battery_pct is None:
            return Health(reason='no reading yet')
        if robot.battery_stale:
            return stale(f'the reading is stale, {charge} was the last')
        return warning(f'low, {charge}') if robot.battery_state == 'LOW' else Health(reason=charge)

    def _battery_figures(self) -> Mapping[str, Any]:
        robot, now = self._tree_context.state.robot, self._tree_context.now.steady
        seen_at = robot.battery_at
        return {
            'state': robot.battery_state,
            'charge_pct': robot.battery_pct,
            'age_s': None if robot.battery_pct is None or seen_at is None else now - seen_at,
        }

    def _tick(self) -> Health:
        now, seen = self._clock(), (self._ticks.overruns, self._tree_context.inbox.dropped)
        overruns, dropped = (new - old for new, old in zip(seen, self._seen, strict=True))
        self._seen = seen
        if dropped:
            self._trouble = f'the inbox was full: {dropped} events were dropped'
        elif overruns:
            self._trouble = 'a tick took longer than tick.period_s'
        if dropped or overruns:
            self._trouble_until = now + TROUBLE_S
        return warning(self._trouble) if now < self._trouble_until else Health()

    def _tick_figures(self) -> Mapping[str, Any]:
        report, inbox = self._ticks.report(), self._tree_context.inbox
        return {
            'rate_hz': report.rate_hz,
            'tick_p50_ms': report.median_s * 1e3,
            'tick_p99_ms': report.p99_s * 1e3,
            'overruns': report.overruns,
            'inbox_depth': inbox.depth,
            'inbox_dropped': inbox.dropped,
        }
