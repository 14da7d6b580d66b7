"""A goal whose words ask for more than was done is not reached, whatever the model says."""

from __future__ import annotations

from typing import Any

from fakes.core import FakeGoalReader
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer, PendingResult, ToolResult
from bt_executive.core.goal_outcome import EDITED_TO
from bt_executive.core.requested_acts import RequestedAct, RequestedActs
from bt_executive.tree.ending_of_active_goal import READING_S, unfinished_acts

SAID = Answer('Done, all of it.')
SUCCESS = {f'/adapter/{name}': {'success': True} for name in ('mast_open', 'mast_close')}
PICTURE = RequestedAct('take a picture', ('capture_and_score',))
RAISE = RequestedAct('raise the mast', ('mast_open',))
STOW = RequestedAct('stow the mast', ('mast_close',))
STOP = RequestedAct('stop', ('move_stop',))
NOTE = RequestedAct('what is your status', ('get_status',))
ODD = RequestedAct('dance', ('no_such_tool',))


def reading(*acts: RequestedAct, unknown: str = '') -> FakeGoalReader:
    return FakeGoalReader(PendingResult(RequestedActs(acts, unknown)))


def play(it: TreeBench, reader: FakeGoalReader, **goal: Any) -> None:
    """A goal begins for a rover that stands with its mast open."""
    it.recast(reader=reader)
    it.robot.replies = {**SUCCESS, **it.robot.replies}
    it.status(mast_is_open=True, mast='open', moving=False)
    it.goal('carry it out', **goal)


def ended(it: TreeBench, reader: FakeGoalReader, **goal: Any) -> dict[str, Any]:
    play(it, reader, **goal)
    it.until(lambda: it.reporter.endings)
    return it.reporter.endings[0]


def _doing(it: TreeBench) -> str:
    tip = it.executive.root.tip()
    return tip.feedback_message if tip else ''


@pytest.mark.parametrize(
    ('asked', 'missing'),
    [
        ((), ''),
        ((RAISE,), ''),
        ((RAISE, STOP), ''),  # it stands
        ((RAISE, NOTE, ODD), ''),  # nothing that acts
        ((RAISE, PICTURE), '“take a picture”: no capture_and_score was confirmed'),
        ((STOW,), '“stow the mast”: no mast_close was confirmed'),
    ],
)
def test_what_the_words_ask_for_is_withheld(
    bench: MakeBench, propose: Propose, asked: tuple[RequestedAct, ...], missing: str
) -> None:
    ending = ended(bench(propose('mast_open'), SAID), reading(*asked))
    assert (ending['outcome'], ending['missing']) == ('claimed' if missing else 'reached', missing)


def test_words_that_nobody_could_read_are_not_done(bench: MakeBench, propose: Propose) -> None:
    ending = ended(bench(propose('mast_open'), SAID), reading(unknown='no encoder'))
    assert ending['outcome'] == 'claimed'
    assert ending['missing'] == 'what the goal asks for was not understood: no encoder'


def test_the_end_waits_until_the_words_are_read(bench: MakeBench, propose: Propose) -> None:
    it, reader = bench(propose('mast_open'), SAID), FakeGoalReader()
    play(it, reader)
    it.until(lambda: 'waiting for what the words' in _doing(it))
    it.pass_time(READING_S / 2.0)
    assert (it.reporter.endings, reader.asked) == ([], ['carry it out'])
    reader.reading.result = RequestedActs((PICTURE,))
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'claimed'


def test_words_that_are_never_read_are_not_waited_for(bench: MakeBench, propose: Propose) -> None:
    ending = ended(bench(propose('mast_open'), SAID), FakeGoalReader())
    assert ending['outcome'] == 'claimed'
    assert ending['missing'].endswith(f'it was not read within {READING_S:g} s')


@pytest.mark.parametrize(
    'goal', [{'done_when': '{"where": {"mast": "open"}}'}, {'tool': 'mast_open'}]
)
def test_what_says_itself_what_counts_is_not_read(
    bench: MakeBench, propose: Propose, goal: dict[str, str]
) -> None:
    it, reader = bench(propose('mast_open'), SAID), reading(PICTURE)
    assert ended(it, reader, **goal)['outcome'] == 'reached'
    assert reader.asked == []


def test_what_a_later_act_needs_was_so(bench: MakeBench, propose: Propose) -> None:
    """The mast is stowed at the end, and was open when the picture was taken."""
    it = bench(propose('capture_and_score'), propose('mast_close'), SAID)
    it.robot.replies = {'/capture_and_score': {'ok': True, 'score': 0.9, 'is_good': True}}
    play(it, reading(RAISE, PICTURE))
    it.until(lambda: '/adapter/mast_close' in it.robot.names)
    it.status(mast_is_open=False, mast='closed')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'reached', it.reporter.endings


def drive(seconds: float) -> RequestedAct:
    return RequestedAct(
        'drive', ('move_forward',), {}, {'move_forward': ('duration_s', seconds)}, seconds
    )


PLACE = RequestedAct('go there', ('navigate_to',), {'x': 5.0, 'y': 0.0})
ROCK = RequestedAct('go to the rock', ('go_to_remembered',), {'text': 'rock'})


@pytest.mark.parametrize(
    ('asked', 'done', 'missing'),
    [
        (drive(4), [('move_forward', {'duration_s': 4})], ''),
        (drive(4), [('move_forward', {'duration_s': 2})] * 2, ''),
        (drive(4), [('move_forward', {'duration_s': 1})], '25% of it'),
        (drive(4), [('turn_left', {'duration_s': 4})], 'no move_forward'),
        (drive(4), [('navigate_to', {'x': 2, 'y': 0})], ''),  # a way to drive ahead, too
        (PLACE, [('navigate_to', {'x': 5.2, 'y': 0})], ''),
        (PLACE, [('navigate_to', {'x': 2, 'y': 0})], 'no navigate_to'),
        (ROCK, [('move_forward', {'duration_s': 4})], ''),  # where it is nobody said
        (ROCK, [('mast_open', {})], 'no go_to_remembered'),
        (
            RequestedAct('4 m', ('move_forward',), metres=4.0),
            [('move_forward', {'duration_s': 2})],
            '24% of it',
        ),
    ],
)
def test_drives_must_come_as_far_as_the_words_say(
    bench: MakeBench,
    propose: Propose,
    asked: RequestedAct,
    done: list[tuple[str, dict[str, Any]]],
    missing: str,
) -> None:
    """Judged by the history alone: that drives are measured is the matter of other tests."""
    it = bench(None)
    play(it, reading(asked))
    it.until(lambda: it.context.task)
    it.context.progress.history += [
        (propose(tool, **arguments), ToolResult(ok=True, data={'driven_m': 0.97}))
        for tool, arguments in done
    ]
    clauses = unfinished_acts(it.context, RequestedActs((asked,)))
    assert (missing in clauses[0]) if missing else clauses == ()


def metres(value: float, said: str = 'drive ahead qwx') -> RequestedAct:
    """So far the words say, and nobody understands of what."""
    return RequestedAct(said, (), {}, {'drive': ('distance_m', value)}, metres=value)


DRIVE_1 = RequestedAct('drive ahead', ('drive',), {}, {'drive': ('distance_m', 1.0)}, metres=1.0)


@pytest.mark.parametrize(
    ('asked', 'done', 'is_done'),
    [
        ((metres(1.0),), [('drive', {'distance_m': 1.0}, {'distance_m': 1.0})], True),
        ((metres(1.0),), [('drive', {'distance_m': 0.3}, {'distance_m': 0.3})], False),
        ((metres(1.0),), [('drive', {'distance_m': 0.5}, {'distance_m': 0.5})] * 2, True),
        ((metres(1.0),), [('turn', {'angle_rad': 1.0}, {'angle_rad': 1.0})], False),
        ((metres(1.0),), [('drive_arc', {'distance_m': 1.0}, {'driven_m': 1.0})], True),
        ((metres(1.0),), [('drive', {'distance_m': 0.3}, {EDITED_TO: {}})], True),
        ((DRIVE_1, metres(1.0)), [('drive', {'distance_m': 1.0}, {})], False),
        ((DRIVE_1, metres(1.0)), [('drive', {'distance_m': 2.0}, {})], True),
    ],
)
def test_something_must_come_to_how_much_is_said_though_not_of_what(
    propose: Propose,
    asked: tuple[RequestedAct, ...],
    done: list[tuple[str, dict[str, Any], dict[str, Any]]],
    is_done: bool,
) -> None:
    it = TreeBench([None], [], 'turtlebot')
    it.goal('carry it out')
    it.until(lambda: it.context.task)
    it.context.progress.history += [
        (propose(tool, **arguments), ToolResult(ok=True, data=data))
        for tool, arguments, data in done
    ]
    assert (unfinished_acts(it.context, RequestedActs(asked)) == ()) is is_done


@pytest.mark.parametrize(
    ('asked', 'tool', 'arguments'),
    [
        (drive(8), 'move_forward', {'duration_s': 2}),
        (PLACE, 'navigate_to', {'x': 2.0, 'y': 0.0}),
    ],
)
def test_what_the_operator_has_changed_is_what_is_wanted(
    bench: MakeBench, propose: Propose, asked: RequestedAct, tool: str, arguments: dict[str, Any]
) -> None:
    it = bench(None)
    play(it, reading(asked))
    it.until(lambda: it.context.task)
    for edited in (False, True):
        data = {'driven_m': 0.97, **({EDITED_TO: arguments} if edited else {})}
        it.context.progress.history = [
            (propose(tool, **arguments), ToolResult(ok=True, data=data))
        ]
        assert bool(unfinished_acts(it.context, RequestedActs((asked,)))) is not edited


def wait(seconds: float) -> RequestedAct:
    return RequestedAct('wait', ('wait',), {}, {'wait': ('seconds', seconds)}, seconds)


VAGUE = RequestedAct('wait a moment', ('wait',))


@pytest.mark.parametrize(
    ('asked', 'waits', 'outcome', 'missing'),
    [
        ((wait(3),), [3], 'reached', ''),
        ((wait(3),), [2, 1], 'reached', ''),
        ((wait(3), RequestedAct('say where you are', ('get_status',))), [3], 'answered', ''),
        ((wait(30),), [3], 'claimed', '“wait”: 10% of it was confirmed'),
        ((wait(3),), [], 'answered', ''),
        ((VAGUE,), [3], 'answered', ''),  # how long nobody said
        ((), [3], 'answered', ''),  # who waits has not gone to the rock
        ((RAISE,), [3], 'answered', ''),
        ((wait(3), RAISE), [3], 'claimed', '“raise the mast”: no mast_open was confirmed'),
    ],
)
def test_a_wait_is_an_act_where_the_words_say_how_long(
    bench: MakeBench,
    propose: Propose,
    asked: tuple[RequestedAct, ...],
    waits: list[float],
    outcome: str,
    missing: str,
) -> None:
    it = bench(*(propose('wait', seconds=each) for each in waits), SAID)
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.recast(reader=reading(*asked))
    it.goal('carry it out')
    it.until(lambda: it.reporter.endings)
    ending = it.reporter.endings[0]
    assert (ending['outcome'], ending['missing']) == (outcome, missing)
    assert ending['succeeded'] == (outcome == 'reached')


def test_a_wait_that_was_asked_for_and_left_out_is_missed(
    bench: MakeBench, propose: Propose
) -> None:
    ending = ended(bench(propose('mast_open'), SAID), reading(RAISE, wait(3)))
    assert (ending['outcome'], ending['missing']) == (
        'claimed',
        '“wait”: no wait was confirmed',
    )
