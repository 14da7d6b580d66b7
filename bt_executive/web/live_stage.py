"""The run of this moment as StageData that grows, and what is new in it since a page looked.

One thread enters what happens (`take`), another one the pictures that it has made small; others
read. A page remembers how far it has come (its `Cursor`) and is sent what is new since then,
however much that is: there are no queues, so a slow page delays nobody and misses nothing but
moments in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
import threading
from typing import Any

from bt_executive.client.events import (
    ClientEvent,
    ExecutiveLost,
    PictureSeen,
    PlanSeen,
    StateSeen,
    Traced,
    TreeSeen,
)
from bt_executive.client.state_text import goal_of
from bt_executive.core.state import BrainState, RobotState, TasksState
from bt_executive.stage.data import (
    EventRow,
    Poses,
    RunInfo,
    Series,
    StageData,
    StageGoal,
    StagePicture,
)
from bt_executive.stage.goal_story import GoalStory
from bt_executive.stage.measured import Reading
from bt_executive.stage.scene import is_place, remembered_places, scene_of
from bt_executive.stage.story import Story
from bt_executive.web.live_pictures import LivePictures
from bt_executive.web.live_tree import LiveTree, shape_of
from bt_executive.web.state_fields import FIELDS, texts_of
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

# Beyond any of these the stage begins anew with what comes then.
MOST_KEPT = 50_000  # poses, values of a series; nodes and moments of all trees
MOST_PLANNED = 200_000  # points of all plans
MOST_TRACES = 20_000
SENT_AGAIN = 12  # rows at the end of a goal that may still change
POSE_STEP = (0.01, 0.005)  # m and rad below which a pose is no other one
FIELDS_PERIOD_S = 0.5
LONGEST_MESSAGE = 400


@dataclass(frozen=True)
class Cursor:
    """How far a page has come: lengths of what it has. `epoch`: of which beginning."""

    epoch: int
    change: int
    lengths: tuple[int, ...]
    moments: int
    trees: int
    rows: tuple[int, ...] = ()


class LiveStage:
    """What has happened since this page's server began.

    Args:
        name: Of the run, as the page shows it.
        config: For the world, and for what the clock is.
        clock: System time in s.
        facts: Titles and words at the foot of the page.
    """

    def __init__(
        self,
        name: str,
        config: Config,
        clock: Callable[[], float],
        facts: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._lock = threading.Lock()
        self._name = name
        self._config = config
        self._clock = clock
        self._facts = list(facts)
        self._simulated = config.executive.use_sim_time
        self._world = scene_of(config)
        self._told: Any = ((), ())  # zones, and remembered places
        self._epoch = self._change = self._events_told = 0
        self._now = self._began = 0.0
        self._mode = 'IDLE'
        self._fields: dict[int, str] = {}
        self._fields_at = 0.0
        self._tell: Callable[[], None] = lambda: None
        self.pictures = LivePictures(self._take_picture)
        self._begin()

    def _begin(self) -> None:
        self._epoch += 1
        self._story = Story()
        self._goal_changes: list[int] = []
        self._events: list[EventRow] = []
        self._seen: set[str] = set()
        self._poses = Poses([], [], [], [], [])
        self._pose_read, self._charge_read = Reading(), Reading()
        self._charge, self._cost, self._tokens = (Series([], []) for _ in range(3))
        self._plans: list[tuple[float, tuple[tuple[float, float], ...]]] = []
        self._planned = 0
        self._shown: list[StagePicture] = []
        self._trees: list[LiveTree] = []
        self._grown = 0  # nodes and moments of all trees

    @property
    def change(self) -> int:
        """Rises with everything that is new."""
        return self._change

    @property
    def told(self) -> int:
        """Rises with each event of the trace."""
        return self._events_told

    def knows_goal(self, task_id: str) -> bool:
        """Whether a goal of that id is in the trace."""
        with self._lock:
            return any(goal.task_id == task_id for goal in self._story.goals)

    def tell_pictures(self, tell: Callable[[], None]) -> None:
        """`tell` is called when a picture has come by itself, from the thread that made it."""
        self._tell = tell

    def take(self, event: ClientEvent) -> bool:
        """Enters what happened; False if nothing of it is shown."""
        with self._lock:
            before = self._change
            match event:
                case Traced(trace_event):
                    self._traced(trace_event)
                case StateSeen():
                    self._state(event)
                case TreeSeen(root):
                    self._tree(root)
                case PictureSeen(live=False):
                    self.pictures.published(event)
                case PlanSeen(points):
                    self._plans.append((self._time(), points))
                    self._planned += len(points) + 1  # an empty plan takes its place, too
                    self._changed()
                case ExecutiveLost():
                    self._end_charge()
                    self._story.lose_executive()
                    self._goal_changes = [self._change + 1] * len(self._story.goals)
                    self._changed()
            return self._change != before

    def snapshot(self) -> tuple[StageData, Cursor]:
        """All of it, and how far that is."""
        with self._lock:
            data = StageData(
                name=self._name,
                began=self._began or self._time(),
                ended=self._time(),
                live=True,
                world=self._world,
                goals=[self._goal(number) for number in range(len(self._story.goals))],
                between=list(self._story.between),
                trees=[tree.as_data() for tree in self._trees],
                poses=Poses(*(list(each) for each in self._columns(self._poses))),
                charge=_copy(self._charge),
                cost=_copy(self._cost),
                tokens=_copy(self._tokens),
                plans=list(self._plans),
                pictures=list(self._shown),
                events=list(self._events),
                run=RunInfo(facts=self._facts),
            )
            return data, self._cursor()

    def patch(self, cursor: Cursor) -> tuple[dict[str, Any] | None, Cursor]:
        """What is new since a cursor, and the new one; None if the page has to begin anew."""
        with self._lock:
            now = self._cursor()
            if cursor.epoch != self._epoch:
                return None, now
            poses, charge, cost, tokens, plans, pictures, events, between = cursor.lengths
            patch: dict[str, Any] = {
                'ended': self._time(),
                'series': {
                    'poses': _tail(self._poses.__dict__.items(), poses),
                    'charge': _tail(self._charge.__dict__.items(), charge),
                    'cost': _tail(self._cost.__dict__.items(), cost),
                    'tokens': _tail(self._tokens.__dict__.items(), tokens),
                },
                'lists': {
                    'plans': self._plans[plans:],
                    'pictures': self._shown[pictures:],
                    'events': self._events[events:],
                    'between': self._story.between[between:],
                },
                'goals': self._new_goals(cursor),
            }
            known = cursor.trees - 1
            if 0 <= known < len(self._trees):
                patch['moments'] = {known: self._trees[known].moments[cursor.moments :]}
            patch['trees'] = [tree.as_data() for tree in self._trees[cursor.trees :]]
            patch['world'] = self._world
            return patch, now

    def _take_picture(self, picture: StagePicture) -> None:
        with self._lock:
            self._shown.append(picture)
            self._changed()
        self._tell()

    # --- under the lock ------------------------------------------------------------------------

    def _changed(self) -> None:
        self._change += 1
        self._began = self._began or self._time()
        if self._is_full():
            self._began = self._time()
            self._begin()

    def _is_full(self) -> bool:
        series = (self._poses, self._charge, self._cost, self._tokens)
        return (
            len(self._events) > MOST_TRACES
            or max(len(each.ts) for each in series) > MOST_KEPT
            or self._grown > MOST_KEPT
            or self._planned > MOST_PLANNED
        )

    def _time(self) -> float:
        return self._now if self._simulated else self._clock()

    def _traced(self, event: TraceEvent) -> None:
        if event.event_id in self._seen:  # a latched topic tells its last events again
            return
        self._seen.add(event.event_id)
        self._events_told += 1
        self._now = max(self._now, event.ts)
        self._began = min(self._began or event.ts, event.ts)
        open_before = [goal for goal in self._story.goals if not goal.over]
        goal = self._story.take(event)
        row = (event.ts, event.kind, event.tool_name or '', event.message[:LONGEST_MESSAGE])
        self._events.append((*row, event.ok))
        cut_short = [each for each in open_before if each.over]
        self._note_goals([*cut_short, *([] if goal is None else [goal])])
        self.pictures.judged(event)
        self._changed()

    def _note_goals(self, goals: Iterable[GoalStory]) -> None:
        """These goals read otherwise with the next change."""
        self._goal_changes += [0] * (len(self._story.goals) - len(self._goal_changes))
        for goal in goals:
            self._goal_changes[self._number_of(goal)] = self._change + 1

    def _pursue(self, tasks: TasksState, now: float) -> None:
        """Goals in the executive's queue are open, whatever was believed of their executive."""
        open_goals = {task.task_id: goal_of(task) for task in tasks.queue}
        self._note_goals(self._story.pursue(open_goals, tasks.active_task_id, now))

    def _number_of(self, goal: GoalStory) -> int:
        goals = self._story.goals
        return next(n for n in range(len(goals) - 1, -1, -1) if goals[n] is goal)

    def _state(self, seen: StateSeen) -> None:
        state, robot = seen.state, seen.state.robot
        if robot.pose_stamp:
            self._now = max(self._now, robot.pose_stamp)
        self._mode = state.tasks.mode.value
        now = self._time()
        if robot.pose_at is not None and is_place(robot.pose.x, robot.pose.y):
            self._pose(now, robot)
        self._read_charge(now, robot)
        self._use(now, state)
        self._pursue(state.tasks, now)
        told = state.world.keep_out, state.world.places
        if told != self._told:
            self._told = told
            self._world = scene_of(self._config, told[0], remembered_places(told[1]))
        if now - self._fields_at >= FIELDS_PERIOD_S:
            self._fields_at, self._fields = now, texts_of(state)
        self._shown += self.pictures.overdue(now)
        self._changed()

    def _use(self, now: float, state: BrainState) -> None:
        use = state.trace.metrics.get('model')
        if isinstance(use, dict):
            self._value(self._cost, now, use.get('cost_usd') or 0.0, 1e-9)
            tokens = (use.get('input_tokens') or 0) + (use.get('output_tokens') or 0)
            self._value(self._tokens, now, tokens, 0.5)

    def _pose(self, now: float, robot: RobotState) -> None:
        x, y, yaw = robot.pose.x, robot.pose.y, robot.pose.yaw
        before, self._pose_read = self._pose_read, self._pose_read.after(now, robot.pose_at)
        gap = before.gap_until(self._pose_read, self._config.executive.guards.pose_max_age_s)
        columns = self._columns(self._poses)
        ts, xs, ys, yaws, _ = columns
        if gap:  # it stood there until then, as far as is known
            _append(columns, (before.ts, xs[-1], ys[-1], yaws[-1], False))
        metres, radians = POSE_STEP
        near = bool(ts) and abs(xs[-1] - x) + abs(ys[-1] - y) < metres
        if gap or not near or abs(yaws[-1] - yaw) >= radians:
            _append(columns, (now, x, y, yaw, gap))

    def _read_charge(self, now: float, robot: RobotState) -> None:
        """A reading that came, or that none comes any more."""
        if robot.battery_at is None:
            return
        before, self._charge_read = (
            self._charge_read,
            self._charge_read.after(now, robot.battery_at),
        )
        longest_s = self._config.executive.safety.battery_max_age_s
        if before.gap_until(self._charge_read, longest_s):
            self._end_charge(before.ts)
        if self._charge_read is not before:
            self._value(self._charge, now, robot.battery_pct, 0.05)
        elif robot.battery_stale:
            self._end_charge()

    def _end_charge(self, ts: float | None = None) -> None:
        """From the last reading on nothing was measured."""
        if self._charge.value and self._charge.value[-1] is not None:
            list_of(self._charge.ts).append(round(self._charge_read.ts if ts is None else ts, 3))
            list_of(self._charge.value).append(None)

    def _value(self, series: Series, now: float, value: float, step: float) -> None:
        ts, values = list_of(series.ts), list_of(series.value)
        if not values or values[-1] is None or abs(values[-1] - value) >= step:
            ts.append(round(now, 3))
            values.append(round(value, 6))

    def _tree(self, root: Any) -> None:
        shape = shape_of(root)
        if not self._trees or self._trees[-1].shape != shape or self._trees[-1].is_full():
            self._trees.append(LiveTree(shape, FIELDS))
            self._grown += len(shape)
        number = self._story.number
        if self._trees[-1].take(root, self._time(), self._mode, number, self._fields):
            self._grown += 1
            self._changed()

    def _columns(self, poses: Poses) -> list[list[Any]]:
        return [list_of(each) for each in (poses.ts, poses.x, poses.y, poses.yaw, poses.gap)]

    def _goal(self, number: int) -> StageGoal:
        story = self._story.goals[number]
        return StageGoal(number, story, story.is_trivial)

    def _new_goals(self, cursor: Cursor) -> list[dict[str, Any]]:
        """Goals that changed, each with the rows that a page does not have or that may change."""
        new = []
        for number, change in enumerate(self._goal_changes):
            if change <= cursor.change:
                continue
            goal = self._goal(number)
            has = cursor.rows[number] if number < len(cursor.rows) else 0
            begin = max(min(has, len(goal.story.rows)) - SENT_AGAIN, 0)
            story = {**goal.story.__dict__, 'rows': goal.story.rows[begin:]}
            new.append({'number': number, 'trivial': goal.trivial, 'from': begin, 'story': story})
        return new

    def _cursor(self) -> Cursor:
        return Cursor(
            epoch=self._epoch,
            change=self._change,
            lengths=(
                *(len(each.ts) for each in (self._poses, self._charge, self._cost, self._tokens)),
                *(len(self._plans), len(self._shown), len(self._events)),
                len(self._story.between),
            ),
            moments=len(self._trees[-1].moments) if self._trees else 0,
            trees=len(self._trees),
            rows=tuple(len(goal.rows) for goal in self._story.goals),
        )


def _append(columns: Sequence[list[Any]], row: Sequence[Any]) -> None:
    for column, value in zip(columns, row, strict=True):
        column.append(value if isinstance(value, bool) else round(value, 4))


def list_of(values: Any) -> list[Any]:
    """A column, which is a list here."""
    assert isinstance(values, list)
    return values


def _copy(series: Series) -> Series:
    return Series(list(series.ts), list(series.value))


def _tail(columns: Iterable[tuple[str, Any]], begin: int) -> dict[str, list[Any]]:
    return {name: values[begin:] for name, values in columns}
