"""The fold of events, in their order, into the view of a run.

It has no clock, no thread and no file, so that the same events give the same view, live from ROS
or from a run folder.
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
from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.state import BrainState
from bt_executive.view.chart_series import MAX_GAP_S, Columns, ReadingSeries
from bt_executive.view.current_presence_events_and_scores import CurrentView, update_view
from bt_executive.view.goals_of_a_run import GoalStories, GoalStory, is_requested_end
from bt_executive.view.holds_on_goals import Hold, holds_of
from bt_executive.view.page_data_fields_and_json import (
    EventRow,
    PageData,
    PageGoal,
    PagePicture,
    RunInfo,
    StageRow,
)
from bt_executive.view.shown_state_fields import FIELDS, state_texts
from bt_executive.view.trace_sentences import describe_event
from bt_executive.view.tree_history import Shape, TreeHistory, read_tree
from bt_executive.view.world_map_data import remembered_places, world_of
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

# A view is full beyond any of these.
MAX_VALUES = 50_000  # poses, values of a series; nodes and moments of all trees; stages
MAX_PLAN_POINTS = 200_000  # points of all plans
MAX_EVENTS = 20_000
FIELDS_PERIOD_S = 0.5
MAX_MESSAGE_CHARS = 400


class RunView:
    """One run so far.

    Args:
        config: For the world, and for the maximum age of readings; None: not known.
        steady: Steady time in s since which the executive is awaited.

    Attributes:
        current: The current view.
        story: The goals, and the events outside of any goal.
        began, latest: Time of the first and of the latest event, ROS time in s.
        change: Counts all changes.
        content_change: Counts the changes other than the passing of time.
        world_change: `change` at the latest change of the world.
        goal_changes: `change` at the latest change of each goal.
        fields: Paths of the state's fields, by number.
    """

    def __init__(self, config: Config | None = None, steady: float = 0.0) -> None:
        self._config = config
        settings = config.executive if config else None
        self.story = GoalStories()
        self.series = ReadingSeries(
            settings.guards.pose_max_age_s if settings else MAX_GAP_S,
            settings.safety.battery_max_age_s if settings else MAX_GAP_S,
        )
        self.stages: list[StageRow] = []
        self.events: list[EventRow] = []
        self.plans: list[tuple[float, tuple[tuple[float, float], ...]]] = []
        self.pictures: list[PagePicture] = []
        self.trees: list[TreeHistory] = []
        self.world = world_of(config)
        self.world_change = 0
        self.content_change = 0
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
        self._plan_points = 0
        self._tree_size = 0  # nodes and moments of all trees

    @property
    def holds(self) -> tuple[Hold, ...]:
        """The current holds on goals."""
        state = self.current.state
        until_pct = self._config.executive.battery.resume_pct if self._config else None
        return () if state is None else holds_of(state, until_pct, self.current.resumed_at)

    @property
    def is_full(self) -> bool:
        """Whether a limit is reached, so that another view has to continue."""
        return (
            len(self.events) > MAX_EVENTS
            or max(self.series.longest, self._tree_size, len(self.stages)) > MAX_VALUES
            or self._plan_points > MAX_PLAN_POINTS
        )

    def apply(self, event: ClientEvent, ts: float, steady: float = 0.0) -> bool:
        """Applies an event; returns False if nothing of it is shown.

        Args:
            event: In the order of events.
            ts: ROS time in s at which it was received.
            steady: Steady time in s at which it was received.
        """
        before = self.change
        match event:
            case TraceEvent() as trace_event:
                if trace_event.event_id in self._event_ids:  # repeated by a latched topic
                    return False
                self._apply_trace_event(trace_event)
            case StateReceived(state):
                self.state(state, ts, state_texts(state) if self._are_texts_due(ts) else {})
            case TreeNode() as root:
                self.tree(ts, *read_tree(root))
            case PathReceived(points):
                self.plans.append((ts, points))
                self._plan_points += len(points) + 1  # an empty plan counts, too
                self._changed(ts)
            case ExecutiveLost(reason):
                self._set_lost(ts, reason)
            case PublishedGoalEnd():
                if self.story.add_stored_end(event):
                    self._invalidate_goals(ts)
        self.current = update_view(self.current, event, steady)
        if isinstance(event, (TraceEvent, StateReceived)):
            self.current = replace(self.current, queue=self._queue())
        return self.change != before

    def state(self, state: BrainState, ts: float, texts: Mapping[str, str]) -> None:
        """Applies a state. `texts`: of its fields, by path; may be incomplete."""
        before = self._lengths()
        self._stage(ts, state.tasks.mode.value, state.tasks.preempt_reason)
        robot = state.robot
        self.series.pose(ts, robot.pose_at, robot.pose.x, robot.pose.y, robot.pose.yaw)
        stale = robot.battery_stale
        if robot.battery_pct is not None:
            self.series.battery(ts, robot.battery_at, robot.battery_pct, stale)
        self.series.use(ts, state.trace.metrics.get('model'))
        tasks = state.tasks
        changed_goals = self.story.apply_tasks(tasks.queue, tasks.active_task_id, ts)
        self._mark_changed(changed_goals)
        reported = state.world.keep_out, state.world.places
        if reported != self._reported:
            self._reported = reported
            self.world = world_of(self._config, reported[0], remembered_places(reported[1]))
            self.world_change = self.change + 1
        if texts:
            self._texts_at = ts
        self._texts |= {self._number_of(path): text for path, text in texts.items()}
        world_is_new = self.world_change > self.change
        self._changed(ts, bool(changed_goals) or world_is_new or before != self._lengths())

    def tree(
        self, ts: float, shape: Shape, letters: Sequence[str], messages: Sequence[str]
    ) -> None:
        """Applies the tree after a tick. `letters`, `messages`: of its behaviours."""
        if not self.trees or not self.trees[-1].accepts(shape):
            self.trees.append(TreeHistory(self.fields))
        tree = self.trees[-1]
        before = len(tree.nodes)
        if tree.apply(ts, shape, letters, messages, self.story.number, self._texts):
            self._tree_size += 1 + len(tree.nodes) - before
            self._changed(ts)

    def picture(self, picture: PagePicture, ts: float) -> None:
        """Adds a picture that was scored or described."""
        self.pictures.append(picture)
        self._changed(ts)

    def begin_run(self, ts: float) -> None:
        """Begins another run of the executive."""
        self._set_lost(ts, '')
        self.story.begin_run()

    def continued(self, ts: float, with_goals: bool = True) -> RunView:
        """Return the view that continues a full one at `ts`, with its goals without rows.

        `with_goals`: else with none, as in another simulation.
        """
        view = RunView(self._config)
        view.current, view.change, view.began = self.current, self.change + 1, ts
        view.content_change = self.content_change + 1
        if with_goals:
            view.story = self.story.continued()
            view.goal_changes = [view.change] * len(view.story.goals)
        return view

    def data(
        self, name: str, began: float, ended: float, run: RunInfo, live: bool = False
    ) -> PageData:
        """Return all data for a page. Growing lists are copied."""
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
            poses=_copy(series.poses),
            charge=_copy(series.charge),
            cost=_copy(series.cost),
            tokens=_copy(series.tokens),
            plans=list(self.plans),
            pictures=list(self.pictures),
            events=list(self.events),
            run=run,
        )

    def goal(self, number: int) -> PageGoal:
        """Return the goal of a number."""
        story = self.story.goals[number]
        return PageGoal(number, story, story.is_trivial)

    def _apply_trace_event(self, event: TraceEvent) -> None:
        self._event_ids.add(event.event_id)
        self.began = min(self.began or event.ts, event.ts)
        ends_before = [(each, each.end) for each in self.story.without_end()]
        goal = self.story.apply(event)
        text = describe_event(event).text[:MAX_MESSAGE_CHARS]
        kind = 'RESULT' if is_requested_end(event) else event.kind
        self.events.append((event.ts, kind, event.tool_name or '', text, event.ok))
        turned = [each for each, end in ends_before if each.end != end]
        self._mark_changed([*turned, *([] if goal is None else [goal])])
        self._changed(event.ts)

    def _set_lost(self, ts: float, reason: str) -> None:
        self.series.end_charge()
        self.story.mark_executive_lost()
        self._stage(ts, '', reason)
        self._invalidate_goals(ts)

    def _invalidate_goals(self, ts: float) -> None:
        """Marks all goals as changed."""
        self.goal_changes = [self.change + 1] * len(self.story.goals)
        self._changed(ts)

    def _stage(self, ts: float, mode: str, cause: str) -> None:
        if (self.stages[-1][1:] if self.stages else ('', '')) != (mode, cause):
            self.stages.append((ts, mode, cause))

    def _mark_changed(self, goals: Iterable[GoalStory]) -> None:
        """Marks goals as changed by the next change."""
        all_goals = self.story.goals
        self.goal_changes += [0] * (len(all_goals) - len(self.goal_changes))
        for goal in goals:
            number = next(n for n in range(len(all_goals) - 1, -1, -1) if all_goals[n] is goal)
            self.goal_changes[number] = self.change + 1

    def _queue(self) -> tuple[tuple[str, str], ...]:
        """Return the open goals of the state, which may be older than the latest ends."""
        state = self.current.state
        tasks = state.tasks.queue if state is not None else ()
        goals = ((task, self.story.find(task.task_id)) for task in tasks)
        is_open = (task for task, goal in goals if goal is None or not goal.has_ended)
        return tuple((task.task_id, task.title) for task in is_open)

    def _are_texts_due(self, ts: float) -> bool:
        return not 0.0 <= ts - self._texts_at < FIELDS_PERIOD_S

    def _number_of(self, path: str) -> int:
        """Return the number of a field; another version of the executive may have others."""
        if path not in self._numbers:
            self._numbers[path] = len(self.fields)
            self.fields.append(path)
        return self._numbers[path]

    def _lengths(self) -> tuple[int, ...]:
        series = self.series
        columns = (series.poses, series.charge, series.cost, series.tokens)
        return (*(len(column.ts) for column in columns), len(self.stages))

    def _changed(self, ts: float, has_content: bool = True) -> None:
        self.change += 1
        self.content_change += has_content
        self.latest = max(self.latest, ts)
        self.began = self.began or ts


def _copy(columns: Columns) -> Columns:
    return type(columns)(*map(list, vars(columns).values()))
