"""The trace as a story: approvals, edits and refusals become part of the step that they are of."""

from __future__ import annotations

from typing import Any

from known import known
import pytest

from bt_executive.client.front_end_events import ExecutiveLost, PublishedGoalEnd
from bt_executive.view.goals_of_a_run import NO_END, NO_RESULT, GoalStories, GoalStory, read_goals
from bt_executive.view.run_view import RunView
from bt_executive.view.steps_of_a_goal import AS_CHANGED, Remark, ToolStep
from rover_common.trace_event import Kind, TraceEvent

REQUEST = {'id': 'ask-0a1b2c-1', 'amounts_to': '5 s, about 2.4 m', 'risk': 'moves', 'expiry_s': 60}
VERDICT = {'asked': {'catalogue': 'move_forward', 'mast_closed': 'closed'}}


def event(ts: float, kind: Kind, message: str = '', **fields: Any) -> TraceEvent:
    return TraceEvent(f'e-{ts}', ts, kind, message, **fields)


BEGIN = event(0, 'OBSERVE', 'New goal: drive', data={'task_id': 'a'})
ASKED = event(
    1,
    'DECIDE',
    'needs approval',
    tool_name='move_forward',
    data={'proposed_by': 'planner', 'arguments': {'duration_s': 5}, 'approval': REQUEST},
)
ANSWERED = event(
    2,
    'OBSERVE',
    'edit by console: agreed',
    data={'approval': {'id': REQUEST['id'], 'action': 'edit', 'word': '', 'ruling': 'agreed'}},
)
ALLOWED = event(
    3,
    'DECIDE',
    'allowed',
    tool_name='move_forward',
    ok=True,
    data={'proposed_by': 'planner', 'arguments': {'duration_s': 2}, 'verdict': VERDICT},
)


def the_goal(*events: TraceEvent) -> GoalStory:
    goals = read_goals([events])
    (goal,) = goals
    return goal


def the_step(*events: TraceEvent) -> ToolStep:
    (step,) = the_goal(BEGIN, *events).steps
    return step


def test_a_request_for_approval_waits_in_its_step() -> None:
    step = the_step(ASKED)
    assert step.verdict == 'asked'
    assert known(step.approval).amounts_to == '5 s, about 2.4 m'
    assert known(step.approval).answered is None


def test_a_request_waits_no_more_once_its_goal_has_ended() -> None:
    end = event(4, 'ERROR', 'Stopped', data={'task_id': 'a', 'goal_ended': {'outcome': 'stopped'}})
    assert the_step(ASKED, end).verdict == 'withdrawn'
    assert the_step(ASKED, ANSWERED, end).verdict == 'asked', 'it was answered in time'
    assert the_step(ASKED, ALLOWED, end).verdict == 'allowed'


def test_an_edit_and_what_was_allowed_after_it_belong_to_the_same_step() -> None:
    step = the_step(ASKED, ANSWERED, ALLOWED)
    assert (step.verdict, step.arguments) == ('allowed', {'duration_s': 2})
    assert known(step.approval).action == 'edit'
    assert known(step.approval).answered == 2
    assert ('mast_closed', 'closed') in step.guards


EDITED = event(
    2,
    'OBSERVE',
    'edit by the operator: changed',
    data={
        'approval': {
            **{'id': REQUEST['id'], 'action': 'edit', 'ruling': 'changed'},
            **{'arguments': {'duration_s': 2}, 'source': 'the operator'},
            'amounts_to': '2 s, about 0.97 m',
        }
    },
)


@pytest.mark.parametrize('after', [(), (ALLOWED,)], ids=['answered', 'allowed'])
def test_an_edited_call_names_its_proposer_and_its_editor(
    after: tuple[TraceEvent, ...],
) -> None:
    step = the_step(ASKED, EDITED, *after)
    assert (step.proposed, step.arguments) == ({'duration_s': 5}, {'duration_s': 2})
    asked = 'planner: move_forward(duration_s=5) (5 s, about 2.4 m)'
    assert step.by == f'{asked}; changed by the operator'
    assert known(step.approval).amounts_to == '2 s, about 0.97 m'


def test_the_amount_of_a_changed_call_is_never_that_of_the_other_one() -> None:
    assert known(the_step(ASKED, ANSWERED).approval).amounts_to == ''


def test_the_result_of_a_changed_call_is_marked() -> None:
    began = event(4, 'ACT', 'starts', tool_name='move_forward')
    done = event(5, 'RESULT', 'move_forward: driven', tool_name='move_forward', ok=True)
    assert the_step(ASKED, EDITED, ALLOWED, began, done).result == f'{AS_CHANGED}: driven'
    assert the_step(ALLOWED, began, done).result == 'driven'


def test_a_rejection_refuses_the_step() -> None:
    said = event(
        3, 'DECIDE', 'no', tool_name='move_forward', ok=False, data={'guard': 'human_approval'}
    )
    step = the_step(ASKED, ANSWERED, said)
    assert (step.verdict, step.guard) == ('refused', 'human_approval')


def test_an_answer_that_was_not_accepted_leaves_the_request_open() -> None:
    wrong = event(2, 'ERROR', 'no', ok=False, data=ANSWERED.data)
    assert known(the_step(ASKED, wrong).approval).answered is None


def test_a_tool_asked_for_again_after_its_end_is_a_new_step() -> None:
    ended = event(4, 'RESULT', 'move_forward: done', tool_name='move_forward', ok=True)
    assert len(the_goal(BEGIN, ALLOWED, ended, ALLOWED).steps) == 2


def test_only_a_short_uneventful_goal_is_trivial() -> None:
    def ended(ts: float, **summary: Any) -> TraceEvent:
        told = {'outcome': 'reached', 'answer': 'ok', **summary}
        return event(ts, 'RESULT', 'ok', data={'task_id': 'a', 'goal_ended': told})

    assert the_goal(BEGIN, ended(1)).is_trivial
    assert not the_goal(BEGIN, ended(60)).is_trivial
    assert not the_goal(BEGIN, ended(1, distance_m=2.0)).is_trivial
    assert not the_goal(BEGIN, ended(1, outcome='failed')).is_trivial
    assert not the_goal(BEGIN).is_trivial


def test_a_goal_that_waits_is_a_remark_of_the_active_one() -> None:
    why = 'pause by the operator; the operator must resume'
    waits = {'task_id': 'b', 'waits_for': why}
    goal = the_goal(
        BEGIN,
        ALLOWED,
        event(4, 'ACT', 'Call /move_forward', tool_name='move_forward'),
        event(5, 'OBSERVE', f'Goal waits: second ({why})', data=waits),
        event(6, 'RESULT', 'done', tool_name='move_forward', ok=True),
    )
    step, remark = goal.rows
    assert isinstance(step, ToolStep)
    assert isinstance(remark, Remark)
    assert (goal.text, step.ok, remark.text) == ('drive', True, f'Goal waits: second ({why})')


def test_the_end_of_a_run_cuts_its_goal_short() -> None:
    story = GoalStories()
    story.apply(BEGIN)
    story.begin_run()
    (goal,) = story.goals
    assert (goal.over, goal.answer) == (True, NO_END)


BEGUN = event(4, 'ACT', 'move_forward starts', tool_name='move_forward')
DRIVEN = event(5, 'RESULT', 'move_forward: driven', tool_name='move_forward', ok=True)
OVER = event(6, 'ERROR', 'end', data={'task_id': 'a', 'goal_ended': {'outcome': 'interrupted'}})
ENDS_BEFORE = event(
    7, 'OBSERVE', 'Resumed', data={'lives': {}, 'ended': [{'task_id': 'a', 'outcome': 'failed'}]}
)


@pytest.mark.parametrize('end', [OVER, ENDS_BEFORE, 'lost', 'new run'], ids=repr)
@pytest.mark.parametrize('length', range(6))
def test_an_ended_goal_has_no_running_call(length: int, end: TraceEvent | str) -> None:
    story = GoalStories()
    for each in (BEGIN, ASKED, ANSWERED, ALLOWED, BEGUN, DRIVEN)[: length + 1]:
        story.apply(each)
    if isinstance(end, TraceEvent):
        story.apply(end)
    elif end == 'lost':
        story.mark_executive_lost()
    else:
        story.begin_run()
    (goal,) = story.goals
    assert goal.over
    assert [step for step in goal.steps if step.began is not None and step.ended is None] == []
    told = [step.result for step in goal.steps if step.began is not None]
    assert told == [[], [NO_RESULT], [f'{AS_CHANGED}: driven']][max(length - 3, 0)]


def test_a_call_goes_on_with_a_goal_that_was_taken_for_lost() -> None:
    story = GoalStories()
    for each in (BEGIN, ALLOWED, BEGUN):
        story.apply(each)
    story.mark_executive_lost()
    story.apply(event(5, 'OBSERVE', 'still here'))
    (step,) = story.goals[0].steps
    assert (step.ended, step.early, step.result) == (None, False, '')
    story.apply(DRIVEN)
    assert (step.ended, step.ok, step.result) == (5, True, 'driven')


@pytest.mark.parametrize(
    ('tool', 'ok', 'code', 'early'),
    [
        ('move_forward', True, '', False),
        ('move_forward', False, 'FAILED', False),
        ('move_forward', False, 'CANCELLED', True),
        ('move_forward', False, 'STOPPED', True),
        ('navigate_to', False, 'NAV_STOPPED', True),
        ('navigate_to', False, 'NAV_BLOCKED', False),
        ('navigate_to', False, {'odd': 1}, False),
        ('abort', True, '', True),
    ],
)
def test_what_was_ended_before_its_time_has_neither_failed_nor_succeeded(
    tool: str, ok: bool, code: Any, early: bool
) -> None:
    allowed = event(3, 'DECIDE', 'allowed', tool_name=tool, ok=True, data={'arguments': {}})
    kind: Kind = 'RESULT' if ok else 'ERROR'
    end = event(5, kind, f'{tool}: x', tool_name=tool, ok=ok, data={'error_code': code})
    step = the_step(allowed, event(4, 'ACT', 'begins', tool_name=tool), end)
    assert (step.ok, step.early) == (ok, early)


KEPT = PublishedGoalEnd('a', 'failed', 'its result is lost', {'outcome': 'failed'})
END = event(9, 'OBSERVE', 'ended', data={'task_id': 'a', 'goal_ended': {'outcome': 'reached'}})


@pytest.mark.parametrize('order', [(KEPT, 'lost'), ('lost', KEPT)], ids=['first', 'afterwards'])
def test_a_stored_end_completes_a_goal_of_an_unseen_run(order: Any) -> None:
    """Its executive was killed, and the next one resumed and ended it at once."""
    view = RunView()
    view.apply(BEGIN, 0.0)
    for each in order:
        view.apply(ExecutiveLost('it was killed') if each == 'lost' else each, 1.0)
    (goal,) = view.story.goals
    assert (goal.outcome, goal.answer, goal.over) == ('failed', 'its result is lost', True)
    change = view.change
    view.apply(KEPT, 2.0)  # each new subscription brings it once more
    assert view.change == change


def test_a_stored_end_does_not_change_goals_of_the_trace() -> None:
    view = RunView()
    for each in (KEPT, BEGIN, KEPT, PublishedGoalEnd('b', 'reached', '')):
        view.apply(each, 0.0)
    (goal,) = view.story.goals
    assert (goal.over, goal.has_ended) == (False, False)
    for given in (END, KEPT, ExecutiveLost('gone'), KEPT):
        view.apply(given, 10.0)
    assert [each.outcome for each in view.story.goals] == ['reached']


@pytest.mark.parametrize(
    ('kind', 'data', 'shown'),
    [
        ('ERROR', {'goal_ended': {'outcome': 'interrupted'}}, 'RESULT'),
        ('ERROR', {'goal_ended': {'outcome': 'failed'}}, 'ERROR'),
        ('ERROR', {'goal_ended': {'outcome': 'gave_up'}}, 'ERROR'),
        ('RESULT', {'goal_ended': {'outcome': 'reached'}}, 'RESULT'),
        ('ERROR', {'error_code': 'CANCELLED'}, 'RESULT'),
        *(
            ('ERROR', {'error_code': code}, 'ERROR')
            for code in ('FAILED', 'STOPPED', 'GAP', 'RESTARTED', 'SAFETY_VIOLATION', {'odd': 1})
        ),
        ('ERROR', {}, 'ERROR'),
        ('DECIDE', {'error_code': 'CANCELLED'}, 'DECIDE'),
    ],
)
def test_what_somebody_has_ended_is_no_error(kind: Kind, data: Any, shown: str) -> None:
    view = RunView()
    view.apply(BEGIN, 0.0)
    view.apply(event(3, kind, 'x', tool_name='move_forward', ok=False, data=data), 0.0)
    assert view.events[-1][1] == shown


@pytest.mark.parametrize('table', [None, 5, 'mast = open', ['mast'], [1]])
@pytest.mark.parametrize('key', ['values', 'rule'])
def test_a_refusal_of_another_version_is_shown_without_what_is_no_table(
    key: str, table: Any
) -> None:
    data = {'arguments': {}, 'guard': 'mast_closed', 'why': {key: table, 'age_s': 0.1}}
    refused = event(4, 'DECIDE', 'no', tool_name='go', ok=False, error_reason='no', data=data)
    assert the_step(refused).why == {'age_s': 0.1}


def test_an_event_is_compared_with_open_goals_only_however_many_there_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []
    original = vars(GoalStory)['has_ended'].fget

    def has_ended(goal: GoalStory) -> bool:
        compared.append(goal.task_id)
        return bool(original(goal))

    monkeypatch.setattr(GoalStory, 'has_ended', property(has_ended))
    view, goals = RunView(), 40
    for number in range(goals):
        data = {'task_id': str(number)}
        view.apply(event(number, 'OBSERVE', 'New goal: look', data=data), number)
        ended = data | {'goal_ended': {'outcome': 'answered'}}
        view.apply(event(number + 0.5, 'RESULT', 'Yes', data=ended), number + 0.5)
    assert [goal.outcome for goal in view.story.goals] == ['answered'] * goals
    assert len(compared) < 5 * goals
