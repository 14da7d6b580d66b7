"""The loop with a real conversation and screen, and processes and a link that are plain lists."""

from __future__ import annotations

import io
from itertools import pairwise
import re
import threading
from typing import Any
from unittest.mock import MagicMock

from conversations import Converse, Diary
from fakes.console import FakeConsolePort
import pytest
from rich.console import Console
from waiting import wait_until

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    EndOfInput,
    ExecutiveLost,
    ExecutiveReady,
    GoalAccepted,
    GoalEnded,
    InputLine,
    Interrupt,
    LiveViewSetting,
    OpenGoals,
    Problem,
    ServiceReply,
)
from bt_executive.client.front_end_requests import ApprovalAnswer, GoalRequest, ToolRequest
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.console_event_loop_and_queue import ConsoleInbox, ConsoleLoop, ViewStore
from bt_executive.console.console_line_order_goals_and_exit import Repl
from bt_executive.console.console_output import Display
from bt_executive.console.trace_event_narrator import TRACE_LAG_S, Narrator
from bt_executive.console.wait_for_executive import READY_TIMEOUT_S, ExecutiveWatch
from bt_executive.launching.supervisor import SupervisorNotice
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.view.run_clock import RunClock
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent


class World(FakeConsolePort):
    """Everything around the loop. Each look at the clock lets 0.2 s pass."""

    def __init__(self) -> None:
        super().__init__()
        self.inbox = ConsoleInbox()
        self.notices: list[SupervisorNotice] = []
        self.now = 0.0
        self.paper = io.StringIO()
        self.on_start: list[ClientEvent] = []
        self.dies: SupervisorNotice | None = None  # what is noticed when a goal starts
        self.after_death: list[ClientEvent] = []
        self.interrupted_at: float | None = None
        self.attached = False
        self.deaths_at: list[float] = []  # of an executive that is started again in a minute

    def clock(self) -> float:
        self.now += 0.2
        return self.now

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        super().start(ticket, request)
        for event in self.on_start:
            self.inbox.put(event)
        if self.dies is not None:
            self.notices.append(self.dies)

    def handle_executive_death(self) -> None:
        super().handle_executive_death()
        for event in self.after_death:
            self.inbox.put(event)

    def watch(self) -> list[SupervisorNotice]:
        if self.interrupted_at is not None and self.now > self.interrupted_at:
            self.inbox.put(Interrupt())
        if self.deaths_at and self.now > self.deaths_at[0]:
            del self.deaths_at[0]
            self.notices.append(SupervisorNotice('executive', True, 'killed', restart_in_s=60.0))
        notices, self.notices = self.notices, []
        return notices

    def run(self, *events: ClientEvent, patient: bool = False) -> int:
        for event in events:
            self.inbox.put(event)
        display = Display(
            Console(file=self.paper, width=200), RunClock(lambda: 0.0, 0.0), lambda look: look.page
        )
        store = ViewStore(self.clock)
        words = Vocabulary(load_config())
        repl = Repl(words, self, display, self.clock, one_at_a_time=True)
        narrator = Narrator(repl, display, clock=self.clock)
        watch = ExecutiveWatch(self, self, repl, display, patient, self.clock, self.attached)
        return ConsoleLoop(repl, narrator, watch, store, self.inbox).run()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr('bt_executive.console.console_event_loop_and_queue.LOOP_S', 0.001)
    return World()


def traced(message: str, **data: Any) -> TraceEvent:
    return TraceEvent('1', 0.0, 'RESULT', message, data=data)


def test_waiting_for_the_first_answer_is_reported_again_and_again(world: World) -> None:
    assert world.run() == 1  # nobody ever answers
    reported = re.findall(r'Waiting for the executive, (\d+) s', world.paper.getvalue())
    seconds = [0, *map(int, reported)]
    assert len(reported) > 10
    assert all(later - earlier <= 3 for earlier, later in pairwise(seconds))


def test_the_end_of_a_goal_is_shown_after_its_last_steps(world: World) -> None:
    world.on_start = [
        GoalAccepted('mine', 1),
        GoalEnded(1, 'reached', 'bright'),
        traced('the last step'),
        traced('the end', goal_ended={}, task_id='mine'),
    ]
    assert world.run(ExecutiveReady(), InputLine('go'), EndOfInput()) == 0
    assert world.paper.getvalue().index('the last step') < world.paper.getvalue().index('reached')


def test_the_end_of_a_goal_has_the_time_of_the_trace(world: World) -> None:
    ended = TraceEvent('1', 12.5, 'RESULT', 'the end', data={'task_id': 'mine', 'goal_ended': {}})
    world.on_start = [GoalAccepted('mine', 1), GoalEnded(1, 'reached', 'bright'), ended]
    assert world.run(ExecutiveReady(), InputLine('go'), EndOfInput()) == 0
    assert '  12.5s  ends     reached: bright' in world.paper.getvalue()


def test_a_goal_that_ended_while_it_waited_is_named_and_nothing_is_held_back(world: World) -> None:
    world.on_start = [
        GoalAccepted('mine', 1),
        GoalEnded(1, 'interrupted', 'stopped'),
        traced('Waiting goal interrupted: go', goal_ended={}, task_id='mine', waited=True),
    ]
    assert world.run(ExecutiveReady(), InputLine('go'), EndOfInput()) == 1, 'it was not reached'
    reported = world.paper.getvalue()
    assert 'interrupted “go”: stopped' in reported
    assert 'Waiting goal' not in reported, 'it is told once'
    assert world.now < TRACE_LAG_S + 1.0


def test_the_end_of_a_goal_of_somebody_else_is_shown_and_ends_no_own_one(world: World) -> None:
    world.on_start = [
        GoalAccepted('mine', 1),
        traced('theirs ended', goal_ended={}, task_id='theirs'),
        GoalEnded(1, 'reached', 'bright'),
        traced('the last step'),
        traced('mine ended', goal_ended={}, task_id='mine'),
    ]
    assert world.run(ExecutiveReady(), InputLine('go'), EndOfInput()) == 0
    reported = world.paper.getvalue()
    assert (
        reported.index('theirs ended')
        < reported.index('the last step')
        < reported.index('reached: bright')
    )
    assert 'mine ended' not in reported


def test_without_a_trace_the_end_is_held_back_for_a_moment_only(world: World) -> None:
    world.on_start = [GoalEnded(1, 'reached', 'bright')]
    assert world.run(ExecutiveReady(), InputLine('go'), EndOfInput()) == 0


def test_the_end_in_a_late_trace_is_not_taken_for_that_of_the_next_goal() -> None:
    now, paper = [0.0], io.StringIO()
    display = Display(
        Console(file=paper, width=200), RunClock(lambda: 0.0, 0.0), lambda look: look.page
    )
    port = FakeConsolePort()
    repl = Repl(Vocabulary(load_config()), port, display, lambda: now[0], one_at_a_time=True)
    narrator = Narrator(repl, display, clock=lambda: now[0])
    repl.handle_executive_ready()
    for number, late_s in ((1, 2.0), (2, 0.0)):
        repl.handle_line(f'goal {number}')
        narrator.add_own_goal(f'id {number}', number)
        narrator.hold_end(GoalEnded(number, 'reached', f'answer {number}'))
        now[0] += late_s
        narrator.release_ends()
        data = {'task_id': f'id {number}', 'goal_ended': {}}
        narrator.apply(traced(f'last step of {number}'))
        narrator.apply(TraceEvent(str(number), 10.0 * number, 'RESULT', 'the end', data=data))
        narrator.release_ends()
    reported = paper.getvalue()
    assert reported.index('answer 1') < reported.index('last step of 1'), 'it was not waited for'
    assert '  20.0s  ends     reached: answer 2' in reported
    assert reported.index('last step of 2') < reported.index('answer 2')
    assert 'the end' not in reported


def test_a_goal_outlives_the_death_of_its_executive_and_ends_once(world: World) -> None:
    world.dies = SupervisorNotice('executive', True, 'executive was killed by SIGKILL')
    world.after_death = [
        ExecutiveReady(),
        OpenGoals(own=('go',), others=('another',)),
        GoalEnded(1, 'reached', 'bright'),
        GoalEnded(1, 'reached', 'bright'),
    ]
    assert world.run(ExecutiveReady(), InputLine('go'), EndOfInput()) == 0
    assert world.deaths == 1
    reported = world.paper.getvalue()
    assert 'executive was killed by SIGKILL' in reported
    assert 'Goal resumed: go' in reported
    assert 'Goal resumed: another' in reported
    assert reported.count('reached: bright') == 1


def test_a_goal_whose_executive_never_comes_back_has_failed(world: World) -> None:
    world.dies = SupervisorNotice('executive', True, 'executive was killed by SIGKILL')
    assert world.run(ExecutiveReady(), InputLine('go'), EndOfInput()) == 1
    assert 'failed: The executive ended' in world.paper.getvalue()


def test_goals_of_the_last_run_are_reported_with_what_can_be_done_about_them(world: World) -> None:
    world.run(ExecutiveReady(), OpenGoals((), ('drive on',)), EndOfInput())
    reported = world.paper.getvalue()
    assert 'Open goal: drive on; :stop ends it, --fresh starts without' in reported


def test_safe_of_the_previous_run_is_reported_at_the_start(world: World) -> None:
    world.run(ExecutiveReady(), OpenGoals((), (), safe_cause='cliff ahead'), EndOfInput())
    assert 'SAFE: cliff ahead; :reset when the cause is gone' in world.paper.getvalue()


def test_the_question_of_an_executive_that_was_silent_is_open_again(
    world: World, conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    watch = ExecutiveWatch(world, world, repl, MagicMock(), patient=False, clock=world.clock)
    repl.handle_line('go')
    repl.handle_question('Left or right?')
    watch.handle_lost('The executive fell silent.')
    watch.handle_ready()
    watch.report_open_goals(OpenGoals((), (), question='Left or right?'))
    repl.handle_line('left')
    assert diary.sent == [(1, GoalRequest('go')), (2, GoalRequest('left'))]


def test_goals_of_somebody_elses_system_are_not_told(world: World) -> None:
    world.attached = True
    world.run(ExecutiveReady(), OpenGoals((), ('drive on',)), EndOfInput())
    assert 'drive on' not in world.paper.getvalue()


def test_the_death_of_another_process_is_reported_and_nothing_fails(world: World) -> None:
    world.notices = [
        SupervisorNotice('rover', True, 'rover was killed'),
        SupervisorNotice('rover', False, 'again'),
    ]
    assert world.run(ExecutiveReady(), EndOfInput()) == 0
    assert world.deaths == 0


def test_an_executive_that_died_for_good_ends_the_console_at_once(world: World) -> None:
    world.notices = [SupervisorNotice('executive', True, 'executive cannot start', is_final=True)]
    assert world.run(InputLine('go'), patient=True) == 1
    assert world.now < READY_TIMEOUT_S / 2


def test_an_executive_that_cannot_use_its_options_ends_the_console_with_that_code(
    world: World,
) -> None:
    notice = SupervisorNotice('executive', True, 'executive says no', is_final=True, unusable=True)
    world.notices = [notice]
    assert world.run(InputLine('go'), patient=True) == 2


def test_an_executive_that_never_comes_ends_the_console(world: World) -> None:
    assert world.run(InputLine('go')) == 1
    assert f'did not answer for {READY_TIMEOUT_S:.0f} s' in world.paper.getvalue()


def test_a_start_that_was_put_off_is_waited_for(world: World) -> None:
    """What says that it is started again in a minute does not end before that."""
    world.deaths_at = [1.0]
    assert world.run(InputLine('go')) == 1
    assert 2 * READY_TIMEOUT_S <= world.now < 2 * READY_TIMEOUT_S + 5.0


@pytest.mark.slow
def test_an_executive_that_dies_at_each_start_ends_the_console_all_the_same(world: World) -> None:
    world.deaths_at = [1.0, 70.0, 140.0, 210.0, 280.0]
    assert world.run(InputLine('go')) == 1
    assert world.now < 3 * READY_TIMEOUT_S


@pytest.mark.slow
def test_at_a_terminal_the_console_waits_on(world: World) -> None:
    world.now = -READY_TIMEOUT_S * 3
    world.interrupted_at = 0.0
    assert world.run(patient=True) == 130
    assert 'did not answer' in world.paper.getvalue()


def test_the_end_of_a_recording_is_reported_and_nothing_fails(world: World) -> None:
    assert world.run(ExecutiveReady(), Problem('a.mcap is full'), EndOfInput()) == 0
    assert 'a.mcap is full' in world.paper.getvalue()


def test_a_silent_executive_is_reported_once(world: World) -> None:
    world.interrupted_at = 10.0
    world.run(ExecutiveReady(), ExecutiveLost('silent'), ExecutiveLost('silent'), patient=True)
    assert world.paper.getvalue().count('waiting until it is back') == 1


def test_an_interrupt_is_not_kept_waiting_by_lines_that_never_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('bt_executive.console.console_event_loop_and_queue.MOST_WAITING', 10)
    put: list[str] = []

    def yes() -> None:
        while True:
            world.inbox.put_line(InputLine('y'))
            put.append('y')

    world.inbox.put(ExecutiveReady())
    threading.Thread(target=yes, daemon=True).start()
    wait_until(lambda: len(put) >= 8, 'as many lines as there is room for')
    world.on_start = [Interrupt()]
    assert world.run() == 130
    assert world.sent == [(1, GoalRequest('y')), 'stop']
    assert len(put) < 100


def test_a_console_that_can_no_longer_reach_the_executive_ends(world: World) -> None:
    with pytest.raises(ValueError, match='deaf'):
        world.run(ExecutiveReady(), ClientFailed(ValueError('deaf')), patient=True)


def test_a_byte_that_is_no_text_does_not_end_the_console(world: World) -> None:
    world.on_start = [GoalEnded(1, 'reached', 'done')]
    assert world.run(ExecutiveReady(), InputLine('look \udcff\0 left'), EndOfInput()) == 0
    assert world.sent == [(1, GoalRequest('look  left'))]


RULING = 'move_forward(speed=1) cannot be called: no such argument. The request still waits'


@pytest.mark.parametrize('trace_first', [True, False])
def test_what_became_of_an_answer_is_reported_once(world: World, trace_first: bool) -> None:
    reported: list[ClientEvent] = [
        traced(f'edit by the operator: {RULING}', approval={'action': 'edit', 'ruling': RULING}),
        ServiceReply('resolve_approval', False, RULING),
    ]
    world.run(ExecutiveReady(), *(reported if trace_first else reported[::-1]), EndOfInput())
    assert world.paper.getvalue().count('cannot be called') == 1


def test_the_request_that_a_trace_event_announces_is_the_one_that_is_answered(
    world: World,
) -> None:
    announced = traced('needs approval', approval={'id': 'ask-0a1b2c-7', 'tool': 'move_nudge'})
    answered = ServiceReply('resolve_approval', True, 'ok')
    world.run(ExecutiveReady(), announced, InputLine(':approve'), answered, EndOfInput())
    (answer,) = world.sent
    assert isinstance(answer, ApprovalAnswer)
    assert answer.request_id == 'ask-0a1b2c-7'


def test_it_has_the_latest_view_and_since_when() -> None:
    store = ViewStore(lambda: 3.0)
    assert store.run.current == CurrentView(since=3.0)
    store.apply(ExecutiveReady())
    assert store.run.current == CurrentView('ready', since=3.0)


def test_the_executive_may_want_no_live_view() -> None:
    store = ViewStore(lambda: 3.0)
    assert store.whole
    store.apply(LiveViewSetting(whole=False))
    assert not store.whole
