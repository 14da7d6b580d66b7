"""What pages are sent of the current run: all of it, or what has changed since.

One thread applies events, another one adds scaled pictures; others read. Each page has a `Cursor`
and is sent the changes since then, whatever their size: there are no queues, so a slow page delays
no other and misses only intermediate states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import threading
from typing import Any

from bt_executive.client.callable_tools import (
    destination_tool,
    held_motion,
    manual_motions,
    variant_tools,
)
from bt_executive.client.front_end_events import ClientEvent, PictureReceived, StateReceived
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.page_data_fields_and_json import (
    PageData,
    PagePicture,
    Poses,
    RunInfo,
    Series,
    config_summary,
)
from bt_executive.view.run_clock import RunClock
from bt_executive.view.run_view import RunView
from bt_executive.web.example_goals import goal_examples
from bt_executive.web.pictures_joined_with_scores import LivePictures
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

RESENT_ROWS = 12  # at the end of a goal, which may still change


@dataclass(frozen=True)
class Cursor:
    """The data that a page has: lengths of its lists. `epoch`: number of the restart.

    `rows`: how many rows of each goal, from the first one, are sent for the last time.
    """

    epoch: int
    change: int
    series: tuple[int, ...]
    lists: tuple[int, ...]
    nodes: int
    moments: int
    trees: int
    rows: tuple[int, ...] = ()


class LivePageData:
    """The data of a live page.

    Args:
        system: Returns system time in s.
        can_share: Whether the run can be downloaded.
        began: Begin of the run in system s; None: as reported, or the time of the first event.
    """

    def __init__(
        self,
        name: str,
        config: Config,
        system: Callable[[], float],
        can_share: bool = False,
        began: float | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._name = name
        self._clock = RunClock(system, began, config.executive.use_sim_time)
        examples = goal_examples(config)
        tools = variant_tools(config)
        by_hand = [
            (command, held_motion(tools[motion.tool]))
            for command, motion in manual_motions(tools).items()
        ]
        self._info = RunInfo(
            facts=list(config_summary(config)),
            examples=examples,
            by_hand=by_hand,
            drives_to=destination_tool(tools) is not None,
            can_share=can_share,
        )
        self._view = RunView(config)
        self._epoch = self._event_count = 0
        self._on_picture: Callable[[], None] = lambda: None
        self.pictures = LivePictures(self._show_picture)

    @property
    def change(self) -> int:
        """Counts all changes."""
        return self._view.change

    @property
    def content_change(self) -> int:
        """Counts the changes other than the passing of time."""
        return self._view.content_change

    @property
    def event_count(self) -> int:
        """Number of trace events."""
        return self._event_count

    @property
    def current(self) -> CurrentView:
        """The current view."""
        return self._view.current

    def knows_goal(self, task_id: str) -> bool:
        """Return whether the trace has a goal of that id."""
        with self._lock:
            return any(goal.task_id == task_id for goal in self._view.story.goals)

    def notify_on_picture(self, on_picture: Callable[[], None]) -> None:
        """Sets a callback for new pictures, called from the thread that scales them."""
        self._on_picture = on_picture

    def apply(self, event: ClientEvent) -> bool:
        """Applies an event; returns False if only time has passed."""
        with self._lock:
            before, resets = self.content_change, self._clock.resets
            if self._clock.apply(event):
                self._epoch += 1  # the time axis of the pages has changed
            if self._clock.resets != resets:
                self._begin_anew()
            is_new = self._view.apply(event, self._clock.now)
            match event:
                case PictureReceived(live=False):
                    self.pictures.add_published(event)
                case TraceEvent() as traced if is_new:
                    self._event_count += 1
                    self.pictures.add_judged(traced)
                case StateReceived():
                    for picture in self.pictures.pop_overdue(self._clock.now):
                        self._view.picture(picture, self._clock.now)
            if is_new:
                self._renew_if_full()
            return self.content_change != before

    def snapshot(self) -> tuple[PageData, Cursor]:
        """Return all data, and the cursor at its end."""
        with self._lock:
            now = self._clock.now
            began = self._clock.began(self._view.began or now)
            return self._view.data(self._name, began, now, self._info, live=True), self._cursor()

    def patch(self, cursor: Cursor) -> tuple[dict[str, Any] | None, Cursor]:
        """Return the changes since a cursor, and the new one; None if the page has to restart."""
        with self._lock:
            now = self._cursor()
            if cursor.epoch != self._epoch:
                return None, now
            view = self._view
            patch: dict[str, Any] = {
                'ended': self._clock.now,
                'series': {
                    name: {column: values[begin:] for column, values in vars(each).items()}
                    for (name, each), begin in zip(_series(view), cursor.series, strict=True)
                },
                'lists': {
                    name: values[begin:]
                    for (name, values), begin in zip(_lists(view), cursor.lists, strict=True)
                },
                'goals': self._new_goals(cursor),
            }
            last = cursor.trees - 1
            if 0 <= last < len(view.trees):
                tree = view.trees[last]
                patch['nodes'] = {last: tree.nodes[cursor.nodes :]}
                patch['moments'] = {last: tree.moments[cursor.moments :]}
            patch['trees'] = [tree.as_data() for tree in view.trees[cursor.trees :]]
            if view.world_change > cursor.change:
                patch['world'] = view.world
            return patch, now

    def _show_picture(self, picture: PagePicture) -> None:
        with self._lock:
            self._view.picture(picture, self._clock.now)
            self._renew_if_full()
        self._on_picture()

    # --- under the lock ------------------------------------------------------------------------

    def _begin_anew(self) -> None:
        """Begins anew with time: on the axis of before nothing keeps order."""
        self._view = self._view.continued(self._clock.now, with_goals=False)
        self.pictures.begin_run()
        self._epoch += 1

    def _renew_if_full(self) -> None:
        if self._view.is_full:
            self._view = self._view.continued(self._clock.now)
            self._epoch += 1

    def _new_goals(self, cursor: Cursor) -> list[dict[str, Any]]:
        """Return the changed goals, each with the rows that are new or may have changed."""
        new = []
        for number, change in enumerate(self._view.goal_changes):
            if change <= cursor.change:
                continue
            goal = self._view.goal(number)
            sent = cursor.rows[number] if number < len(cursor.rows) else 0
            begin = min(sent, len(goal.story.rows))
            story = {**vars(goal.story), 'rows': goal.story.rows[begin:]}
            new.append({'number': number, 'trivial': goal.trivial, 'from': begin, 'story': story})
        return new

    def _cursor(self) -> Cursor:
        view = self._view
        return Cursor(
            epoch=self._epoch,
            change=view.change,
            series=tuple(len(each.ts) for _, each in _series(view)),
            lists=tuple(len(each) for _, each in _lists(view)),
            nodes=len(view.trees[-1].nodes) if view.trees else 0,
            moments=len(view.trees[-1].moments) if view.trees else 0,
            trees=len(view.trees),
            rows=tuple(_final_rows(goal) for goal in view.story.goals),
        )


def _final_rows(goal: GoalStory) -> int:
    return max(min(len(goal.rows) - RESENT_ROWS, goal.settled_rows), 0)


def _series(view: RunView) -> list[tuple[str, Poses | Series]]:
    series = view.series
    return [(name, getattr(series, name)) for name in ('poses', 'charge', 'cost', 'tokens')]


def _lists(view: RunView) -> list[tuple[str, list[Any]]]:
    own = ('plans', 'pictures', 'events', 'stages')
    return [*((name, getattr(view, name)) for name in own), ('between', view.story.between)]
