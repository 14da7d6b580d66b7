"""The view of the run of this moment, and what is new in it since a page looked.

One thread enters what happens (`apply`), another one the pictures that it has made small; others
read. A page remembers how far it has come (its `Cursor`) and is sent what is new since then,
however much that is: there are no queues, so a slow page delays nobody and misses nothing but
moments in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
import threading
from typing import Any

from bt_executive.client.callable_tools import destination_tool, variant_tools
from bt_executive.client.front_end_events import ClientEvent, PictureReceived, StateReceived
from bt_executive.client.manual_driving import held_motion, manual_motions
from bt_executive.view.current_view import CurrentView
from bt_executive.view.page_data import PageData, PagePicture, Poses, RunInfo, Series
from bt_executive.view.run_clock import RunClock
from bt_executive.view.run_view import RunView
from bt_executive.web.goal_examples import goal_examples
from bt_executive.web.live_pictures import LivePictures
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

SENT_AGAIN = 12  # rows at the end of a goal that may still change


@dataclass(frozen=True)
class Cursor:
    """How far a page has come: lengths of what it has. `epoch`: of which beginning."""

    epoch: int
    change: int
    series: tuple[int, ...]
    lists: tuple[int, ...]
    nodes: int
    moments: int
    trees: int
    rows: tuple[int, ...] = ()


class LivePageData:
    """What has happened since this page's server began.

    Args:
        name: Of the run, as the page shows it.
        config: For the world, and for what the clock is.
        system: System time in s.
        facts: Titles and words at the foot of the page.
        can_share: Whether the run can be downloaded.
        began: When the run did, in system s; None: as its executive says, or what is seen first.
    """

    def __init__(
        self,
        name: str,
        config: Config,
        system: Callable[[], float],
        facts: Iterable[tuple[str, str]] = (),
        can_share: bool = False,
        began: float | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._name = name
        self._clock = RunClock(system, began, config.executive.use_sim_time)
        examples = goal_examples(config)
        tools = variant_tools(config)
        by_hand = [
            (word, held_motion(tools[each.tool])) for word, each in manual_motions(tools).items()
        ]
        self._info = RunInfo(
            facts=list(facts),
            examples=examples,
            by_hand=by_hand,
            drives_to=destination_tool(tools) is not None,
            can_share=can_share,
        )
        self._view = RunView(config)
        self._epoch = self._told = 0
        self._tell: Callable[[], None] = lambda: None
        self.pictures = LivePictures(self._show_picture)

    @property
    def change(self) -> int:
        """Rises with everything that is new."""
        return self._view.change

    @property
    def content_change(self) -> int:
        """The same, but for what only says that time passes."""
        return self._view.content_change

    @property
    def told(self) -> int:
        """Rises with each event of the trace."""
        return self._told

    @property
    def current(self) -> CurrentView:
        """What is known at this moment."""
        return self._view.current

    def knows_goal(self, task_id: str) -> bool:
        """Whether a goal of that id is in the trace."""
        with self._lock:
            return any(goal.task_id == task_id for goal in self._view.story.goals)

    def notify_on_picture(self, tell: Callable[[], None]) -> None:
        """`tell` is called when a picture has come by itself, from the thread that made it."""
        self._tell = tell

    def apply(self, event: ClientEvent) -> bool:
        """Enters what happened; False if it only says that time passes."""
        with self._lock:
            before = self.content_change
            if self._clock.apply(event):
                self._epoch += 1  # pages count from another moment
            is_new = self._view.apply(event, self._clock.now)
            match event:
                case PictureReceived(live=False):
                    self.pictures.published(event)
                case TraceEvent() as traced if is_new:
                    self._told += 1
                    self.pictures.judged(traced)
                case StateReceived():
                    for picture in self.pictures.overdue(self._clock.now):
                        self._view.picture(picture, self._clock.now)
            if is_new:
                self._renew_if_full()
            return self.content_change != before

    def snapshot(self) -> tuple[PageData, Cursor]:
        """All of it, and how far that is."""
        with self._lock:
            now = self._clock.now
            began = self._clock.began(self._view.began or now)
            return self._view.data(self._name, began, now, self._info, live=True), self._cursor()

    def patch(self, cursor: Cursor) -> tuple[dict[str, Any] | None, Cursor]:
        """What is new since a cursor, and the new one; None if the page has to begin anew."""
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
            known = cursor.trees - 1
            if 0 <= known < len(view.trees):
                tree = view.trees[known]
                patch['nodes'] = {known: tree.nodes[cursor.nodes :]}
                patch['moments'] = {known: tree.moments[cursor.moments :]}
            patch['trees'] = [tree.as_data() for tree in view.trees[cursor.trees :]]
            if view.world_change > cursor.change:
                patch['world'] = view.world
            return patch, now

    def _show_picture(self, picture: PagePicture) -> None:
        with self._lock:
            self._view.picture(picture, self._clock.now)
            self._renew_if_full()
        self._tell()

    # --- under the lock ------------------------------------------------------------------------

    def _renew_if_full(self) -> None:
        if self._view.is_full:
            self._view = self._view.continued(self._clock.now)
            self._epoch += 1

    def _new_goals(self, cursor: Cursor) -> list[dict[str, Any]]:
        """Goals that changed, each with the rows that a page does not have or that may change."""
        new = []
        for number, change in enumerate(self._view.goal_changes):
            if change <= cursor.change:
                continue
            goal = self._view.goal(number)
            has = cursor.rows[number] if number < len(cursor.rows) else 0
            begin = max(min(has, len(goal.story.rows)) - SENT_AGAIN, 0)
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
            rows=tuple(len(goal.rows) for goal in view.story.goals),
        )


def _series(view: RunView) -> list[tuple[str, Poses | Series]]:
    series = view.series
    return [(name, getattr(series, name)) for name in ('poses', 'charge', 'cost', 'tokens')]


def _lists(view: RunView) -> list[tuple[str, list[Any]]]:
    own = ('plans', 'pictures', 'events', 'stages')
    return [*((name, getattr(view, name)) for name in own), ('between', view.story.between)]
