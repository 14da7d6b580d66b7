"""Whatever a page misses in between, it ends with what a page sees that is opened now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
import io
from itertools import count
import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from known import known
from page_patches import apply_patch, plain
from PIL import Image
import pytest
from waiting import wait_until

from bt_executive.client.front_end_events import (
    ClientEvent,
    ExecutiveLost,
    PathReceived,
    PictureReceived,
    RunStarted,
    StateReceived,
)
from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Mode, TasksState, TraceState
from bt_executive.view import run_view
from bt_executive.view.page_data_fields_and_json import PagePicture
from bt_executive.view.run_view import MAX_EVENTS
from bt_executive.view.small_picture import make_small
from bt_executive.web import pictures_joined_with_scores
from bt_executive.web.page_snapshots_and_patches import RESENT_ROWS, LivePageData
from bt_executive.web.pictures_joined_with_scores import (
    MAX_QUEUED,
    MAX_SHOWN,
    MAX_WAITING,
    SKIPPED,
    UNREADABLE,
    LivePictures,
)
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.trace_event import TraceEvent

CONFIG = load_config(None)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def stage(clock: Clock | None = None) -> LivePageData:
    return LivePageData('run', CONFIG, clock or Clock())


def shown(it: LivePageData, count: int = 1) -> Sequence[PagePicture]:
    """The pictures, as soon as there are so many."""
    wait_until(lambda: len(it.snapshot()[0].pictures) == count, 'pictures are made small')
    return it.snapshot()[0].pictures


def jpeg(light: int = 20) -> bytes:
    data = io.BytesIO()
    Image.new('RGB', (8, 8), (light, light, light)).save(data, 'JPEG')
    return data.getvalue()


def event(number: int, kind: Any, **fields: Any) -> TraceEvent:
    return TraceEvent(f'e{number}', 100.0 + number, kind, f'event {number}', **fields)


def tree(letter: Any, shape: int) -> TreeNode:
    leaves = tuple(TreeNode(f'leaf {n}', letter, f'says {n}') for n in range(shape))
    return TreeNode('root', letter, '', leaves)


def moved(x: float) -> StateReceived:
    robot = RobotState(pose=Pose(x=x), pose_at=x, battery_at=x, battery_pct=90.0 - x)
    return StateReceived(BrainState(robot=robot), 100.0)


def long_call(number: int) -> list[ClientEvent]:
    """A tool that ends after more rows than those that are sent again anyway."""
    numbers, tool = count(number * 100), {'tool_name': f'go {number}'}
    return [
        event(next(numbers), 'OBSERVE', data={'task_id': 'abc'[number % 3]}),
        event(next(numbers), 'DECIDE', ok=True, data={'arguments': {}}, **tool),
        event(next(numbers), 'ACT', **tool),
        *(event(next(numbers), 'OBSERVE') for _ in range(RESENT_ROWS + 1)),
        event(next(numbers), 'RESULT', ok=True, **tool),
    ]


def happenings() -> st.SearchStrategy[list[ClientEvent]]:
    numbers = st.integers(0, 400)
    tool = {'tool_name': 'go'}
    decided = {'arguments': {'n': 1}, 'proposed_by': 'planner'}
    end = {'task_id': 'a', 'goal_ended': {'outcome': 'reached', 'answer': 'ok'}}
    one = st.one_of(
        st.builds(
            lambda n, t: event(n, 'OBSERVE', data={'task_id': t}), numbers, st.sampled_from('abc')
        ),
        st.builds(lambda n: event(n, 'DECIDE', ok=True, data=decided, **tool), numbers),
        st.builds(lambda n: event(n, 'ACT', **tool), numbers),
        st.builds(lambda n: event(n, 'RESULT', ok=True, **tool), numbers),
        st.builds(lambda n: event(n, 'RESULT', data=end), numbers),
        st.builds(moved, st.floats(0.0, 50.0)),
        st.builds(tree, st.sampled_from(['running', 'success', 'failure']), st.integers(1, 3)),
        st.builds(lambda x: PathReceived(((0.0, x),)), st.floats(0.0, 9.0)),
        st.just(ExecutiveLost('gone')),
    )
    some = st.one_of(st.lists(one, max_size=15), st.builds(long_call, st.integers(10, 20)))
    return st.lists(some, max_size=6).map(lambda parts: [each for part in parts for each in part])


@pytest.mark.slow
@given(happenings(), st.data())
def test_patches_lead_to_what_a_new_page_sees(events: Any, data: Any) -> None:
    clock = Clock()
    it = stage(clock)
    first, cursor = it.snapshot()
    page = plain(first)
    for each in events:
        clock.now += 0.1
        it.apply(each)
        if data.draw(st.booleans()):
            patch, cursor = it.patch(cursor)
            apply_patch(page, plain(patch))
    patch, cursor = it.patch(cursor)
    apply_patch(page, plain(patch))
    whole = plain(it.snapshot()[0])
    page['began'] = whole['began']  # of a page that was opened before anything had happened
    assert page == whole


def test_a_result_after_many_remarks_is_sent_and_then_few_rows_again() -> None:
    it, call = stage(), long_call(1)
    for each in call[:-1]:
        it.apply(each)
    snapshot, cursor = it.snapshot()
    page = plain(snapshot)
    it.apply(call[-1])
    patch, cursor = it.patch(cursor)
    apply_patch(page, plain(patch))
    assert page['goals'] == plain(it.snapshot()[0])['goals']
    it.apply(event(0, 'OBSERVE'))
    patch, cursor = it.patch(cursor)
    assert len(known(patch)['goals'][0]['story']['rows']) == RESENT_ROWS + 1


def test_a_goal_that_was_taken_for_lost_is_sent_again_when_its_executive_speaks() -> None:
    it = stage(Clock())
    it.apply(event(0, 'OBSERVE', data={'task_id': 'a'}))
    it.apply(ExecutiveLost(reason='gone'))
    snapshot, cursor = it.snapshot()
    page = plain(snapshot)
    it.apply(event(1, 'OBSERVE', data={'task_id': 'b'}))
    apply_patch(page, plain(it.patch(cursor)[0]))
    assert page['goals'] == plain(it.snapshot()[0])['goals']


@pytest.mark.parametrize(
    ('robot', 'drives'), [('', True), ('nav2', True), ('turtlebot', False), ('moveit_arm', False)]
)
def test_a_place_is_asked_for_where_a_tool_drives_to_one(robot: str, drives: bool) -> None:
    config = load_config(default_folder() / 'robots' / robot if robot else None)
    assert LivePageData('run', config, lambda: 150.0).snapshot()[0].run.drives_to is drives


@pytest.mark.parametrize(('began', 'shown'), [(90.0, 90.0), (200.0, 101.0), (None, 101.0)])
def test_the_page_counts_from_the_begin_of_the_run(began: float | None, shown: float) -> None:
    it = LivePageData('run', load_config(None), lambda: 150.0, began=began)
    it.apply(event(1, 'OBSERVE'))
    assert it.snapshot()[0].began == shown


def test_a_reported_begin_of_the_run_restarts_open_pages() -> None:
    it = LivePageData('run', load_config(None), lambda: 150.0)
    it.apply(event(1, 'OBSERVE'))
    _, cursor = it.snapshot()
    it.apply(RunStarted(90.0))
    assert it.patch(cursor)[0] is None
    whole, cursor = it.snapshot()
    assert whole.began == 90.0
    it.apply(RunStarted(120.0))  # of an executive that was started again
    assert it.patch(cursor)[0] is not None
    assert it.snapshot()[0].began == 90.0


def test_a_repeated_event_of_a_latched_topic_is_applied_once() -> None:
    it = stage()
    assert it.apply(event(1, 'OBSERVE'))
    assert not it.apply(event(1, 'OBSERVE'))
    assert len(it.snapshot()[0].events) == 1


@pytest.mark.slow
def test_what_is_kept_has_an_end_and_then_pages_begin_anew() -> None:
    it = stage()
    _, cursor = it.snapshot()
    for number in range(MAX_EVENTS + 10):
        it.apply(event(number, 'OBSERVE'))
    patch, cursor = it.patch(cursor)
    assert patch is None
    assert len(it.snapshot()[0].events) < 20


def used(number: int) -> StateReceived:
    robot = RobotState(battery_at=float(number), battery_pct=float(number % 2))
    metrics = {'model': {'cost_usd': float(number), 'input_tokens': number}}
    return StateReceived(BrainState(robot=robot, trace=TraceState(metrics=metrics)), 100.0)


def planned(number: int) -> PathReceived:
    return PathReceived(((0.0, float(number)),) * (number % 3))


def ticked(number: int) -> TreeNode:
    return tree(('running', 'success')[number % 2], 1)


def reshaped(number: int) -> TreeNode:
    return tree('running', 1 + number % 2)


@pytest.mark.slow
@pytest.mark.parametrize('one', [used, planned, ticked, reshaped])
def test_nothing_that_grows_with_the_days_is_kept_for_ever(
    monkeypatch: pytest.MonkeyPatch, one: Callable[[int], ClientEvent]
) -> None:
    monkeypatch.setattr(run_view, 'MAX_VALUES', 100)
    monkeypatch.setattr(run_view, 'MAX_PLAN_POINTS', 100)
    clock = Clock()
    it = stage(clock)
    page, cursor = None, it.snapshot()[1]
    for number in range(1000):
        clock.now += 1.0
        it.apply(one(number))
        patch, cursor = it.patch(cursor)
        page = page if patch is not None else clock.now
        data = it.snapshot()[0]
        assert max(len(each.ts) for each in (data.charge, data.cost, data.tokens)) <= 100
        assert sum(len(points) + 1 for _, points in data.plans) <= 100
        assert sum(len(each.nodes) + len(each.moments) for each in data.trees) <= 100
    assert page is not None  # it was told to begin anew
    assert data.began >= page


def scored(stamp: float) -> TraceEvent:
    result = {'result': {'stamp': stamp, 'is_good': False}}
    return TraceEvent(
        's', 101.0, 'RESULT', 'score', tool_name='cap', ok=True, score=0.1, data=result
    )


def test_a_picture_is_shown_when_bytes_and_score_are_there_in_either_order() -> None:
    for order in ((0, 1), (1, 0)):
        it = stage()
        both: list[ClientEvent] = [PictureReceived(99.5, jpeg()), scored(99.5)]
        for number in order:
            it.apply(both[number])
        (picture,) = shown(it)
        assert picture.lift > 1.0
        assert it.pictures.jpeg(picture.src.rpartition('/')[2])


def test_a_described_picture_is_shown_with_its_description() -> None:
    it = stage()
    it.apply(PictureReceived(99.5, jpeg()))
    said = {'stamp': 99.5, 'answer': 'Two <b>rocks</b>.', 'measured': {'brightness': 0.2}}
    look = TraceEvent('l', 101.0, 'RESULT', 'l', 'look', ok=True, data={'result': said})
    it.apply(look)
    (picture,) = shown(it)
    assert (picture.words, picture.score, picture.good) == ('Two <b>rocks</b>.', 0.2, None)
    assert it.pictures.jpeg(picture.src.rpartition('/')[2])


def test_a_picture_is_made_in_its_own_thread_which_wakes_the_pages() -> None:
    it = stage()
    told: list[str] = []
    it.notify_on_picture(lambda: told.append(threading.current_thread().name))
    it.apply(PictureReceived(99.5, jpeg()))
    it.apply(scored(99.5))
    wait_until(lambda: told, 'the pages are told')
    assert told != [threading.current_thread().name]
    assert shown(it)


def test_a_score_without_a_picture_is_shown_without_after_a_while() -> None:
    clock = Clock()
    it = stage(clock)
    it.apply(scored(99.5))
    assert not it.snapshot()[0].pictures
    clock.now = 200.0
    it.apply(moved(1.0))
    (picture,) = shown(it)
    assert (picture.src, bool(picture.why)) == ('', True)


def test_scores_of_a_clock_that_is_ahead_wait_for_their_pictures_in_a_bounded_number() -> None:
    pictures = LivePictures(lambda _: None)
    for number in range(MAX_WAITING + 2):
        result = {'result': {'stamp': float(number)}}
        pictures.add_judged(
            TraceEvent(f'{number}', 1e12, 'RESULT', 's', ok=True, score=0.1, data=result)
        )
    assert [each.stamp for each in pictures.pop_overdue(100.0)] == [0.0, 1.0]
    pictures.close()


def test_bytes_that_are_no_picture_are_reported_in_its_place() -> None:
    it = stage()
    it.apply(PictureReceived(99.5, b'no picture'))
    it.apply(scored(99.5))
    (picture,) = shown(it)
    assert (picture.src, picture.why) == ('', UNREADABLE)


def test_a_shown_picture_outlives_the_many_that_a_camera_publishes() -> None:
    it = stage()
    it.apply(PictureReceived(99.5, jpeg()))
    it.apply(scored(99.5))
    for number in range(2 * MAX_SHOWN):
        it.apply(PictureReceived(100.0 + number, b'never looked at'))
    (picture,) = shown(it)
    assert it.pictures.jpeg(picture.src.rpartition('/')[2])


def test_a_picture_that_is_scored_twice_is_shown_twice() -> None:
    it = stage()
    it.apply(PictureReceived(99.5, jpeg()))
    it.apply(scored(99.5))
    again = scored(99.5)
    it.apply(replace(again, event_id='again'))
    first, second = shown(it, 2)
    assert first.src == second.src != ''


def test_the_picture_of_another_run_with_the_same_stamp_is_another_one() -> None:
    """As of a simulation that starts anew; a browser may keep those of a server of before."""
    it, other = stage(), stage()
    addresses, bright = set(), jpeg(200)
    for number, (each, data) in enumerate(((it, jpeg()), (it, bright), (other, bright))):
        each.apply(PictureReceived(99.5, data))
        each.apply(replace(scored(99.5), event_id=f's{number}'))
        picture = shown(each, 2 if number == 1 else 1)[-1]
        addresses.add(picture.src)
        small = each.pictures.jpeg(picture.src.rpartition('/')[2])
        assert small == make_small(io.BytesIO(data)).jpeg
    assert len(addresses) == 3


def test_a_simulation_that_begins_anew_begins_the_page_anew() -> None:
    """Else its clock stands, and what comes stands among what had the same time before."""
    it = LivePageData('run', load_config(None, ['executive.use_sim_time=true']), lambda: 1e9)

    def at(stamp: float) -> None:
        it.apply(StateReceived(BrainState(robot=RobotState(pose_at=stamp, pose_stamp=stamp)), 0.0))
        it.apply(replace(event(int(stamp), 'OBSERVE'), ts=stamp))

    at(99.0)
    it.apply(PictureReceived(99.5, jpeg()))
    it.apply(replace(scored(99.5), ts=99.5))
    it.apply(PictureReceived(99.75, jpeg()))  # of which nobody had a score
    at(400.0)
    shown(it)
    _, cursor = it.snapshot()
    at(99.0)
    assert it.patch(cursor)[0] is None
    whole, cursor = it.snapshot()
    assert (whole.began, whole.ended) == (99.0, 99.0)
    assert [each[0] for each in whole.events] == whole.poses.ts == [99.0]
    it.apply(replace(scored(99.5), ts=99.5))  # before its picture
    it.apply(PictureReceived(99.5, jpeg(200)))
    (picture,) = shown(it)
    small = it.pictures.jpeg(picture.src.rpartition('/')[2])
    assert small == make_small(io.BytesIO(jpeg(200))).jpeg
    assert known(it.patch(cursor)[0])['ended'] == 99.5
    it.apply(replace(scored(99.75), event_id='later', ts=99.75))
    it.apply(PictureReceived(99.75, jpeg(200)))
    assert it.pictures.jpeg(shown(it, 2)[1].src.rpartition('/')[2]) == small


def test_a_clock_that_is_set_back_begins_the_page_anew_with_the_goal_that_goes_on() -> None:
    """Else a page looks up mode, pose and goal of now among what had the same time before."""
    clock, drive = Clock(), Task('g', 'drive', received_at=4990.0)
    tasks = TasksState(queue=(drive,), active_task_id='g')
    it = stage(clock)

    def report(mode: Mode, x: float) -> None:
        robot = RobotState(pose=Pose(x, 0.0, 0.0), pose_at=clock.now, pose_stamp=clock.now)
        it.apply(StateReceived(BrainState(tasks=replace(tasks, mode=mode), robot=robot), 0.0))

    clock.now = 5000.0
    report(Mode.EXEC, 1.0)
    _, cursor = it.snapshot()
    clock.now = 1400.0
    report(Mode.SAFE, 2.0)
    assert it.patch(cursor)[0] is None
    whole, _ = it.snapshot()
    assert [row[:2] for row in whole.stages] == [(1400.0, 'SAFE')]
    assert (whole.poses.ts, whole.poses.x) == ([1400.0], [2.0])
    assert [(goal.story.task_id, goal.story.over) for goal in whole.goals] == [('g', False)]
    assert whole.goals[0].story.began <= whole.ended == 1400.0


def test_pictures_that_come_too_many_at_once_are_shown_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = threading.Event()

    def waits(source: Any) -> Any:
        assert go_on.wait(60.0)
        return make_small(source)

    monkeypatch.setattr(pictures_joined_with_scores, 'make_small', waits)
    it = stage()
    for number in range(MAX_QUEUED + 2):
        stamp = 90.0 + number
        it.apply(PictureReceived(stamp, jpeg()))
        it.apply(replace(scored(stamp), event_id=f's{number}'))
    it.apply(moved(1.0))
    assert [each.why for each in it.snapshot()[0].pictures] == [SKIPPED] * 2
    go_on.set()
    assert all(each.src or each.why for each in shown(it, MAX_QUEUED + 2))
    it.pictures.close()


def test_what_a_job_of_pictures_raises_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_picture: PagePicture) -> None:
        raise ValueError('no stage')

    it = LivePictures(fails)
    it.add_published(PictureReceived(99.5, jpeg()))
    it.add_judged(scored(99.5))
    it.close()  # waits for it
    assert 'no stage' in caplog.text


def test_pictures_that_are_closed_make_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def waits(source: Any) -> Any:
        begun.set()
        assert go_on.wait(60.0)
        return make_small(source)

    monkeypatch.setattr(pictures_joined_with_scores, 'make_small', waits)
    made: list[PagePicture] = []
    it = LivePictures(made.append)
    for stamp in (99.5, 99.6):
        it.add_published(PictureReceived(stamp, jpeg()))
        it.add_judged(scored(stamp))
    assert begun.wait(60.0)
    closing = threading.Thread(target=it.close)
    closing.start()
    wait_until(lambda: it._work._shutdown, 'it is closing')
    go_on.set()
    closing.join(60.0)
    assert [each.stamp for each in made] == [99.5]
