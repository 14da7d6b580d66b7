"""The fold: what happened, in its order, becomes what people are shown.

It has no clock, no thread and no file. So the same happenings give the same view, one by one or
all at once, from ROS or from a run folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bt_executive.client.front_end_events import (
    ClientEvent,
    ExecutiveLost,
    PathReceived,
    PublishedGoalEnd,
    StateReceived,
)
from bt_executive.client.state_text import hold_reason
from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.state import BrainState
from bt_executive.view.current_view import CurrentView, update_view
from bt_executive.view.goal_story import GoalStory
from bt_executive.view.goal_story_fold import GoalStories, is_wanted_end
from bt_executive.view.holds_on_goals import Hold, holds_of
from bt_executive.view.page_data import (
    EventRow,
    PageData,
    PageGoal,
    PagePicture,
    Poses,
    RunInfo,
    Series,
    StageRow,
)
from bt_executive.view.reading_series import LONGEST_S, ReadingSeries
from bt_executive.view.state_fields import FIELDS, texts_of
from bt_executive.view.trace_sentences import describe_event
from bt_executive.view.tree_history import Shape, TreeHistory, read_tree
from bt_executive.view.world_on_map import remembered_places, scene_of
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

# Beyond any of these a view is full.
MOST_KEPT = 50_000  # poses, values of a series; nodes and moments of all trees; stages
MOST_PLANNED = 200_000  # points of all plans
MOST_TRACES = 20_000
FIELDS_PERIOD_S = 0.5
LONGEST_MESSAGE = 400


class RunView:
    """One run, so far.

    Args:
        config: For the world, and for how old a reading may be; None: it is not known.
        steady: Steady time in s since when the executive is waited for.

    Attributes:
        current: What is known at this moment.
        story: The goals, and what happened outside of any.
        began, latest: The first and the last moment that anything is known of, ROS s.
        change: Rises with everything that is new.
        news: The same, but for what only says that time passes.
        world_change: `change` at which the world read otherwise last.
        goal_changes: `change` at which each goal read otherwise last.
        fields: Paths of the state's fields, by their number.
    """

    def __init__(self, config: Config | None = None, steady: float = 0.0) -> None:
        self._config = config
        settings = config.executive if config else None
        self.story = GoalStories()
        self.series = ReadingSeries(
            settings.guards.pose_max_age_s if settings else LONGEST_S,
            settings.safety.battery_max_age_s if settings else LONGEST_S,
        )
        self.stages: list[StageRow] = []
        self.events: list[EventRow] = []
        self.plans: list[tuple[float, tuple[tuple[float, float], ...]]] = []
        self.pictures: list[PagePicture] = []
        self.trees: list[TreeHistory] = []
        self.world = scene_of(config)
        self.world_change = 0
        self.news = 0
        self.current = CurrentView(since=steady)
        self.began = self.latest = 0.0
        self.change = 0
        self.goal_changes: list[int] = []
        self.fields = list(FIELDS)
        self._numbers = {path: number for number, path in enumerate(FIELDS)}
        self._texts: dict[int, str] = {}
        self._texts_at = 0.0
        self._event_ids: set[str] = set()
        self._reported: object = ((), ())  # zones, and remembered places
        self._planned = 0
        self._grown = 0  # nodes and moments of all trees

    @property
    def holds(self) -> tuple[Hold, ...]:
        """What keeps the robot from its goals at this moment."""
        state = self.current.state
        until_pct = self._config.executive.battery.resume_pct if self._config else None
        return () if state is None else holds_of(state, until_pct, self.current.resumed_at)

    @property
    def is_full(self) -> bool:
        """Whether as much is kept as may be: another view goes on."""
        return (
            len(self.events) > MOST_TRACES
            or max(self.series.longest, self._grown, len(self.stages)) > MOST_KEPT
            or self._planned > MOST_PLANNED
        )

    def apply(self, event: ClientEvent, ts: float, steady: float = 0.0) -> bool:
        """Enters what happened; False if nothing of it is shown.

        Args:
            event: In the order of the happenings.
            ts: ROS time in s at which it was received.
            steady: Steady time in s of that, for how long somebody is there or gone.
        """
        before = self.change
        match event:
            case TraceEvent() as traced:
                if traced.event_id in self._event_ids:  # a latched topic repeats its last events
                    return False
                self._trace(traced)
            case StateReceived(state):
                self.state(state, ts, texts_of(state) if self._texts_are_due(ts) else {})
            case TreeNode() as root:
                self.tree(ts, *read_tree(root))
            case PathReceived(points):
                self.plans.append((ts, points))
                self._planned += len(points) + 1  # an empty plan takes its place, too
                self._changed(ts)
            case ExecutiveLost(reason):
                self._lose(ts, reason)
            case PublishedGoalEnd():
                if self.story.note_end(event):
                    self._ends_known(ts)
        self.current = update_view(self.current, event, steady)
        if isinstance(event, (TraceEvent, StateReceived)):
            self.current = replace(self.current, queue=self._queue())
        return self.change != before

    def state(self, state: BrainState, ts: float, texts: Mapping[str, str]) -> None:
        """Enters a state. `texts`: of its fields, by path, as far as they are given."""
        before = self._lengths()
        self._stage(ts, state.tasks.mode.value, hold_reason(state))
        robot = state.robot
        self.series.pose(ts, robot.pose_at, robot.pose.x, robot.pose.y, robot.pose.yaw)
        stale = robot.battery_stale
        if robot.battery_pct is not None:
            self.series.battery(ts, robot.battery_at, robot.battery_pct, stale)
        self.series.use(ts, state.trace.metrics.get('model'))
        tasks = state.tasks
        pursued = self.story.pursue(tasks.queue, tasks.active_task_id, ts)
        self._note_goals(pursued)
        reported = state.world.keep_out, state.world.places
        if reported != self._reported:
            self._reported = reported
            self.world = scene_of(self._config, reported[0], remembered_places(reported[1]))
            self.world_change = self.change + 1
        if texts:
            self._texts_at = ts
        self._texts |= {self._number_of(path): text for path, text in texts.items()}
        world_is_new = self.world_change > self.change
        self._changed(ts, bool(pursued) or world_is_new or before != self._lengths())

    def tree(self, ts: float, shape: Shape, letters: Sequence[str], words: Sequence[str]) -> None:
        """Enters the tree after a tick. `letters`, `words`: of its behaviours."""
        if not self.trees or not self.trees[-1].goes_on(shape):
            self.trees.append(TreeHistory(self.fields))
        tree = self.trees[-1]
        before = len(tree.nodes)
        if tree.apply(ts, shape, letters, words, self.story.number, self._texts):
            self._grown += 1 + len(tree.nodes) - before
            self._changed(ts)

    def picture(self, picture: PagePicture, ts: float) -> None:
        """Enters a picture that was scored or looked at."""
        self.pictures.append(picture)
        self._changed(ts)

    def begin_run(self, ts: float) -> None:
        """The executive was started again."""
        self._lose(ts, '')
        self.story.begin_run()

    def continued(self, ts: float) -> RunView:
        """Return the view that goes on from a full one at `ts`, with its goals without rows."""
        view = RunView(self._config)
        view.current, view.change, view.began = self.current, self.change + 1, ts
        view.news = self.news + 1
        view.story = self.story.continued()
        view.goal_changes = [view.change] * len(view.story.goals)
        return view

    def data(
        self, name: str, began: float, ended: float, run: RunInfo, live: bool = False
    ) -> PageData:
        """All of it. Lists that grow are copied."""
        series = self.series
        return PageData(
            name=name,
            began=began,
            ended=ended,
            live=live,
            world=self.world,
            goals=[self.goal(number) for number in range(len(self.story.goals))],
            between=list(self.story.between),
            stages=list(self.stages),
            trees=[tree.as_data() for tree in self.trees],
            poses=Poses(*(list(column) for column in vars(series.poses).values())),
            charge=_copy(series.charge),
            cost=_copy(series.cost),
            tokens=_copy(series.tokens),
            plans=list(self.plans),
            pictures=list(self.pictures),
            events=list(self.events),
            run=run,
        )

    def goal(self, number: int) -> PageGoal:
        """The goal of that number."""
        story = self.story.goals[number]
        return PageGoal(number, story, story.is_trivial)

    def _trace(self, event: TraceEvent) -> None:
        self._event_ids.add(event.event_id)
        self.began = min(self.began or event.ts, event.ts)
        open_before = [goal for goal in self.story.goals if not goal.over]
        goal = self.story.apply(event)
        said = describe_event(event).text[:LONGEST_MESSAGE]
        kind = 'RESULT' if is_wanted_end(event) else event.kind
        self.events.append((event.ts, kind, event.tool_name or '', said, event.ok))
        cut_short = [each for each in open_before if each.over]
        self._note_goals([*cut_short, *([] if goal is None else [goal])])
        self._changed(event.ts)

    def _lose(self, ts: float, reason: str) -> None:
        self.series.end_charge()
        self.story.lose_executive()
        self._stage(ts, '', reason)
        self._ends_known(ts)

    def _ends_known(self, ts: float) -> None:
        """Goals read otherwise, which may be any."""
        self.goal_changes = [self.change + 1] * len(self.story.goals)
        self._changed(ts)

    def _stage(self, ts: float, mode: str, cause: str) -> None:
        if (self.stages[-1][1:] if self.stages else ('', '')) != (mode, cause):
            self.stages.append((ts, mode, cause))

    def _note_goals(self, goals: Iterable[GoalStory]) -> None:
        """These goals read otherwise with the next change."""
        all_goals = self.story.goals
        self.goal_changes += [0] * (len(all_goals) - len(self.goal_changes))
        for goal in goals:
            number = next(n for n in range(len(all_goals) - 1, -1, -1) if all_goals[n] is goal)
            self.goal_changes[number] = self.change + 1

    def _queue(self) -> tuple[tuple[str, str], ...]:
        """The goals of the state, but those that have ended: it may be older than their ends."""
        state = self.current.state
        ended = {goal.task_id for goal in self.story.goals if goal.has_ended}
        tasks = state.tasks.queue if state is not None else ()
        return tuple((task.task_id, task.title) for task in tasks if task.task_id not in ended)

    def _texts_are_due(self, ts: float) -> bool:
        return not 0.0 <= ts - self._texts_at < FIELDS_PERIOD_S

    def _number_of(self, path: str) -> int:
        """The number of a field; another version of the executive may have others."""
        if path not in self._numbers:
            self._numbers[path] = len(self.fields)
            self.fields.append(path)
        return self._numbers[path]

    def _lengths(self) -> tuple[int, ...]:
        series = self.series
        columns = (series.poses, series.charge, series.cost, series.tokens)
        return (*(len(column.ts) for column in columns), len(self.stages))

    def _changed(self, ts: float, is_news: bool = True) -> None:
        self.change += 1
        self.news += is_news
        self.latest = max(self.latest, ts)
        self.began = self.began or ts


def _copy(series: Series) -> Series:
    return Series(list(series.ts), list(series.value))
