"""The series of readings for charts: poses, charge, cost and tokens over time.

In a series a value is valid until the next one. A row `(ts, None)` begins a gap that ends with the
next row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from bt_executive.view.page_data_fields_and_json import Poses, Series
from bt_executive.view.world_map_data import is_place

POSE_STEP = (0.01, 0.005)  # m and rad: smaller changes of the pose are ignored
CHARGE_STEP, COST_STEP, TOKENS_STEP = 0.05, 1e-9, 0.5  # %, USD and tokens
MAX_GAP_S = 5.0  # between two readings, without a configuration
Columns = TypeVar('Columns', bound=Poses | Series)


@dataclass(frozen=True)
class Reading:
    """Time of the latest reading.

    `ts`: ROS time in s. `at`: steady time in s of its arrival; None: never.
    """

    ts: float = 0.0
    at: float | None = None

    def after(self, ts: float, at: float | None) -> Reading:
        """Return the latest reading: this one if it has the same arrival."""
        return self if at == self.at else Reading(ts, at)

    def gap_until(self, later: Reading, max_gap_s: float) -> bool:
        """Return whether readings are missing between this one and a later one.

        Steady time goes backwards only if another machine counts it; that is a gap, too.
        """
        if self.at is None or later.at is None:
            return False
        return not 0.0 <= later.at - self.at <= max_gap_s


class ReadingSeries:
    """Folds readings into series. Times are ROS seconds, `at` is steady time in s.

    Args:
        pose_gap_s: Maximum time between two poses without a gap.
        charge_gap_s: The same for the battery.
    """

    def __init__(self, pose_gap_s: float = MAX_GAP_S, charge_gap_s: float = MAX_GAP_S) -> None:
        self.poses = Poses()
        self.charge, self.cost, self.tokens = Series(), Series(), Series()
        self._pose_gap_s, self._charge_gap_s = pose_gap_s, charge_gap_s
        self._pose_reading, self._charge_reading = Reading(), Reading()

    @property
    def longest(self) -> int:
        """The length of the longest series."""
        return max(len(each.ts) for each in (self.poses, self.charge, self.cost, self.tokens))

    def pose(self, ts: float, at: float | None, x: float, y: float, yaw: float) -> None:
        """Adds the pose at `ts`. `at`: arrival of the reading; None: there is none."""
        if at is None or not is_place(x, y):
            return
        before, self._pose_reading = self._pose_reading, self._pose_reading.after(ts, at)
        gap = before.gap_until(self._pose_reading, self._pose_gap_s)
        xs, yaws = self.poses.x, self.poses.yaw
        if gap and xs:  # the latest known pose was valid until then
            self._place(before.ts, xs[-1], self.poses.y[-1], yaws[-1], gap=False)
        metres, radians = POSE_STEP
        near = bool(xs) and abs(xs[-1] - x) + abs(self.poses.y[-1] - y) < metres
        if gap or not near or abs(yaws[-1] - yaw) >= radians:
            self._place(ts, x, y, yaw, gap=gap)

    def battery(self, ts: float, at: float | None, percent: float, stale: bool = False) -> None:
        """Adds a reading of the battery. `stale`: there are no readings any more."""
        if at is None:
            return
        before, self._charge_reading = self._charge_reading, self._charge_reading.after(ts, at)
        if before.gap_until(self._charge_reading, self._charge_gap_s):
            self._end_charge(before.ts)
        if self._charge_reading is not before:
            _append(self.charge, ts, percent, CHARGE_STEP)
        elif stale:
            self.end_charge()

    def end_charge(self) -> None:
        """Begins a gap after the latest reading of the battery."""
        self._end_charge(self._charge_reading.ts)

    def use(self, ts: float, use: Any) -> None:
        """Adds the accumulated usage of the model, from the state's metrics."""
        if isinstance(use, Mapping):
            _append(self.cost, ts, use.get('cost_usd') or 0.0, COST_STEP)
            tokens = (use.get('input_tokens') or 0) + (use.get('output_tokens') or 0)
            _append(self.tokens, ts, tokens, TOKENS_STEP)

    def _end_charge(self, ts: float) -> None:
        if self.charge.value and self.charge.value[-1] is not None:
            self.charge.ts.append(round(ts, 3))
            self.charge.value.append(None)

    def _place(self, ts: float, x: float, y: float, yaw: float, *, gap: bool) -> None:
        poses = self.poses
        rows = ((poses.ts, ts), (poses.x, x), (poses.y, y), (poses.yaw, yaw))
        for column, value in rows:
            column.append(round(value, 4))
        poses.gap.append(gap)


def thin(columns: Columns, most: int) -> Columns:
    """Select about `most` rows evenly; the last one and those beside a gap stay."""
    count = len(columns.ts)
    evenly = {*range(0, count, count // most + 1), *range(count)[-1:]}
    kept = sorted(evenly | columns.beside_gaps & {*range(count)})
    return type(columns)(*([column[row] for row in kept] for column in vars(columns).values()))


def _append(series: Series, ts: float, value: float, step: float) -> None:
    """Appends a value if it differs from the last one."""
    values = series.value
    if not values or values[-1] is None or abs(values[-1] - value) >= step:
        series.ts.append(round(ts, 3))
        values.append(round(value, 6))
