"""A kill at one edge of the call table, which a server that answers as it is told to brings about.

The executive and the action's server are real; the goal is one tool by hand that must not be done
twice. Each edge has its recipe: what server and client do one after the other until the executive
has come to that edge. After the kill the server behaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
import time
from typing import Any

from action_msgs.msg import GoalStatus

from bench._errand_server import NAME, ErrandServer
from bench._resume_trial import ENDED_WITHIN_S, ResumeTrial
from bt_executive.core.call_states import TRANSITIONS, CallInput, CallState
from bt_executive.store.sqlite_opening_and_faults import open_for_reading
from bt_executive.store.store_rows import read_entries
from rover_common.process.new_run_folder import make_run_folder

# Long enough for a busy machine where a recipe needs that nothing is over, short where it must be.
TOOL = """
  {name}:
    description: "Run an errand."
    action: {{ name: /bench/errand, type: bt_executive_interfaces/action/NavigateToPose }}
    args: {{ x: {{ optional: true }} }}
    resources_required: [camera]
    cancel: {cancellable}
    timeout_s: {timeout_s}
    result: {{ reason: message }}
"""
TOOLS = {
    'errand': {'cancellable': 'true', 'timeout_s': 300.0},
    'short_errand': {'cancellable': 'true', 'timeout_s': 8.0},
    'firm_errand': {'cancellable': 'false', 'timeout_s': 8.0},
}
SETTINGS = ('guards.server_wait_s=30', 'sessions.cancel_timeout_s=6', 'journal.patience_s=90')
RESULTS = {
    'succeed': GoalStatus.STATUS_SUCCEEDED,
    'fail': GoalStatus.STATUS_ABORTED,
    'cancelled': GoalStatus.STATUS_CANCELED,
    'lose': GoalStatus.STATUS_UNKNOWN,
}
# Until a goal is accepted, or feedback is received; after `is`: a state of the call.
ACCEPTED = 'asked, accept, is accepted'
RUNNING = f'{ACCEPTED}, feedback until running'
CANCELLING = f'{ACCEPTED}, give up, told'
BEFORE = {
    CallState.REQUESTED: 'opened',
    CallState.SENT: 'asked',
    CallState.ACCEPTED: ACCEPTED,
    CallState.RUNNING: RUNNING,
    CallState.CANCEL_WANTED: 'asked, give up, is cancel wanted',
    CallState.CANCELLING: CANCELLING,
    CallState.EXPIRED: f'{ACCEPTED}, told',
}
THEN = {
    CallInput.SEND: '',
    CallInput.ACCEPT: 'accept',
    CallInput.REJECT: 'reject',
    CallInput.PROGRESS: 'feedback',
    CallInput.SUCCEED: 'succeed',
    CallInput.FAIL: 'fail',
    CallInput.CANCEL: 'give up',
    CallInput.CANCEL_ACCEPTED: 'cancel accept',
    CallInput.CANCEL_REFUSED: 'cancel refuse',
    CallInput.CANCELLED: 'cancelled',
    CallInput.EXPIRE: '',
    CallInput.TIME_OUT: '',
    CallInput.LOSE: 'lose',
}
# Where the two halves do not fit: a server that has not accepted has no result to give.
OTHERWISE = {
    (CallState.SENT, CallInput.FAIL): '',  # arguments that do not fit the message
    (CallState.SENT, CallInput.LOSE): 'asked, gone',
    (CallState.REQUESTED, CallInput.LOSE): 'opened, gone',
    (CallState.CANCEL_WANTED, CallInput.FAIL): 'is sent, give up',
    (CallState.CANCEL_WANTED, CallInput.LOSE): 'asked, give up, is cancel wanted, gone',
    (CallState.EXPIRED, CallInput.ACCEPT): 'asked, is expired, accept',
    (CallState.EXPIRED, CallInput.REJECT): 'asked, is expired, reject',
}
FEEDBACK_EVERY_S = LOOK_EVERY_S = 0.05


def all_edges() -> list[str]:
    """Each edge of the call table, such as `sent accept`."""
    return [f'{state.value} {what.value}' for state in TRANSITIONS for what in TRANSITIONS[state]]


def leaves_a_record(edge: str) -> bool:
    """Whether the journal has the edge: feedback that changes no state is not kept."""
    state, what = _parse(edge)
    return what is not CallInput.PROGRESS or TRANSITIONS[state][what] is not state


def recipe_of(edge: str) -> list[str]:
    """What server and client do, one after the other, until the edge."""
    state, what = _parse(edge)
    parts = OTHERWISE.get((state, what), f'{BEFORE[state]}, {THEN[what]}')
    return [action for action in parts.split(', ') if action]


def tool_of(edge: str) -> str:
    """The tool with which the edge comes about."""
    state, what = _parse(edge)
    if what is CallInput.TIME_OUT and state in (
        *(CallState.REQUESTED, CallState.SENT, CallState.ACCEPTED, CallState.RUNNING),
    ):
        return 'firm_errand'
    is_short = what is CallInput.EXPIRE or state is CallState.EXPIRED
    return 'short_errand' if is_short else 'errand'


def _parse(edge: str) -> tuple[CallState, CallInput]:
    return next(
        (state, what)
        for state in TRANSITIONS
        for what in TRANSITIONS[state]
        if f'{state.value} {what.value}' == edge
    )


class EdgeTrial:
    """One goal and one kill at `edge`; `durable`: once the journal has it."""

    def __init__(self, folder: Path, edge: str, durable: bool = False) -> None:
        self._edge = edge
        self._poll_at = 0.0
        point = f'{edge}:1{":durable" if durable else ""}'
        config = _configuration(make_run_folder(folder))
        self.trial = ResumeTrial(folder, ('executive',), SETTINGS, point, NAME, config)
        self._server = ErrandServer()

    def begin(self) -> None:
        """Sends the goal."""
        broken = self._edge == f'{CallState.SENT.value} {CallInput.FAIL.value}'
        arguments = {'x': 'no number'} if broken else {}
        self.trial.goal, self._handle = self.trial.system.begin_tool(
            tool_of(self._edge), **arguments
        )

    def until_dead(self) -> None:
        """Until the executive has killed itself.

        Raises:
            TimeoutError: The edge is not reached.
        """
        for action in recipe_of(self._edge):
            step = self._step(action)
            self._until(partial(self._has_done, step), action)
        self._until(self._is_dead, f'dies at {self._edge}')

    def until_closed(self) -> None:
        """Until goal and calls have their ends in the journal."""
        self._server.repair()
        self._until(lambda: self.trial.ends, 'the end of the goal')
        self._until(
            lambda: self._may_poll() and self.trial.nothing_is_open(), 'the end of the calls'
        )

    def faults(self) -> Iterator[str]:
        """What must not be."""
        yield from self.trial.faults(kills=1)
        yield from self.trial.unjustified({NAME: self._server.got.total()})
        yield from (
            f'{goal} was asked for {n} times' for goal, n in self._server.got.items() if n > 1
        )
        if self._server.got.total() > 1:
            yield f'the errand was begun {self._server.got.total()} times'

    def end(self) -> None:
        """Ends every process."""
        self._server.close()
        self.trial.system.end()

    def _until(self, done: Callable[[], object], what: str) -> None:
        def has_happened() -> object:
            self._server.poll()
            return done()

        self.trial.system.until(has_happened, what, ENDED_WITHIN_S)

    def _has_done(self, step: Callable[[], object]) -> bool:
        return not self.trial.is_alive or bool(step())

    def _is_dead(self) -> bool:
        if self._edge.endswith(CallInput.PROGRESS.value):
            self._feed_back()  # what is published before DDS has matched is lost
        return not self.trial.is_alive

    def _step(self, action: str) -> Callable[[], object]:
        server = self._server
        verb, _, rest = action.partition(' ')
        if verb in RESULTS:
            return lambda: (
                server.has('result') and self._answer('result', server.end, RESULTS[verb])
            )
        steps: dict[str, Callable[[], object]] = {
            'asked': lambda: server.has('goal'),
            'told': lambda: server.has('cancel'),
            'opened': lambda: self._may_poll() and self._is_opened(),
            'is': lambda: self._may_poll() and rest in self._states(),
            'accept': lambda: self._answer('goal', server.accept, True),
            'reject': lambda: self._answer('goal', server.accept, False),
            'feedback': lambda: self._fed_back(rest.removeprefix('until ')),
            'give': lambda: self._do(self._handle.cancel_goal_async),
            'cancel': lambda: self._answer('cancel', server.answer_cancel, rest),
            'gone': lambda: self._do(server.go),
        }
        return steps[verb]

    def _do(self, act: Callable[[], object]) -> bool:
        act()
        return True

    def _answer(self, kind: str, act: Callable[[Any], None], how: object) -> bool:
        """Answers a request; False if the answer did not get through."""
        act(how)
        return not self._server.has(kind)

    def _fed_back(self, state: str) -> bool:
        self._feed_back()
        return not state or state in self._states()

    def _feed_back(self) -> None:
        self.trial.system.wait(FEEDBACK_EVERY_S)
        self._server.feed_back()

    def _may_poll(self) -> bool:
        """Whether it is time to read the journal again."""
        now = time.monotonic()
        if now < self._poll_at:
            return False
        self._poll_at = now + LOOK_EVERY_S
        return True

    def _is_opened(self) -> bool:
        return any(call['label'] == NAME for call in self._calls())

    def _states(self) -> list[str]:
        """The states that the call has reached."""
        return [call['state'] for call in self._calls()]

    def _calls(self) -> list[dict[str, Any]]:
        """The transitions in the trace."""
        with closing(open_for_reading(self.trial.journal)) as connection:
            return [each.value for each in read_entries(connection, "kind = 'CALL'")]


def _configuration(folder: Path) -> Path:
    """The shipped one with the errands."""
    config = folder / 'with_errands'
    config.mkdir()
    with (config / 'robot.yaml').open('w', encoding='utf-8') as file:
        file.write('extends: curiosity\ntools:\n')
        file.writelines(TOOL.format(name=name, **how) for name, how in TOOLS.items())
    return config
