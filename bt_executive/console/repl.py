"""The console's conversation: which line is handled when, and when the console is done.

Two manners. At a terminal (`one_at_a_time` false) every line is handled as it comes, and goals
queue in the executive. From a pipe each line waits until everything before it has finished, so
that two goals given to `bt-executive up` through a pipe are pursued one after the other. Answers
never wait, for the goal that they would wait for waits for them: those to requests for approval,
and a line in plain words that comes while the operator is asked a question.

What stops never waits either, in both manners: it overtakes the lines before it, and those that
would start or release something are dropped, so that nothing of them comes after the stop. What
releases (:resume, :reset) waits for the answers to the stops before it, but for no goal.

Pure: it speaks to the robot through `ConsolePort` and to the operator through `Screen`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from bt_executive.client.fault_switches import node_of
from bt_executive.client.front_end_events import GoalEnded, ServiceReply
from bt_executive.client.front_end_ports import ConsolePort
from bt_executive.client.front_end_requests import (
    Break,
    FrontEndRequest,
    GoalRequest,
    Help,
    MemoryRequest,
    Quit,
    ServiceRequest,
    ShowPage,
    Step,
    SwitchFault,
    ToolRequest,
)
from bt_executive.client.typed_answers import RESOLVE, ApprovalAnswer
from bt_executive.client.typed_commands import RELEASES, STOPS, Vocabulary
from bt_executive.console.operator_screen_port import Screen
from bt_executive.console.shown_requests import ShownRequests
from rover_common.errors import UsageError
from rover_common.exit_codes import DONE, INTERRUPTED, NOT_REACHED
from rover_common.incoming_text import incoming_text

FAULT, TREE, STEPPING = 'fault', 'show_tree', 'step'  # questions that `ServiceReply` names
LEAVE_LIMIT_S = 3.0  # how long a leaving console waits for the robot's stop to be confirmed
AWAY_LIMIT_S = 10.0  # how long it waits if the executive must come back first; a restart takes 4 s


class Repl:
    """One conversation.

    `attached`: the system is somebody else's, and others may give it goals too. Whoever leaves it
    takes the own goals away and nothing more.

    Attributes:
        exit_code: None while it goes on.
        ready: Whether the executive answers.
        last_end: How the latest goal ended.
        requests: Those for approval that are shown.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        wire: ConsolePort,
        screen: Screen,
        clock: Callable[[], float],
        one_at_a_time: bool,
        attached: bool = False,
    ) -> None:
        self.exit_code: int | None = None
        self.ready = False
        self.last_end: GoalEnded | None = None
        self._failed = False  # a goal did not end as was wanted, or a line came to nothing
        self.requests = ShownRequests(clock)
        self._vocabulary = vocabulary
        self._wire = wire
        self._screen = screen
        self._clock = clock
        self._one_at_a_time = one_at_a_time
        self._attached = attached
        self._lines: deque[str] = deque()
        self._orders: deque[str] = deque()  # lines that stop, and those that release
        self._input_ended = False
        self._tickets = 0
        self._goals: dict[int, GoalRequest | ToolRequest] = {}
        self._several = False  # there were others beside one of them, so an end says whose it is
        self._questions: list[str] = []
        self._repeat: list[str] = []  # stops that were asked while a release was on its way
        self._has_resumed = False
        self._paused = False
        self._asked = False  # the operator was asked a question and has not answered
        self._leave_code: int | None = None
        self._leave_by = 0.0

    @property
    def waiting_lines(self) -> int:
        """How many lines wait for their turn."""
        return len(self._lines) + len(self._orders)

    def line(self, text: str) -> None:
        """The operator wrote a line."""
        if self._leave_code is not None:
            return
        written, text = text, incoming_text(text)
        if written.strip(' \t\r\n') and not text:
            self._refuse('The line has no visible character: write a goal, or :help.')
            return
        order = self._vocabulary.stop_or_release(text)
        if order in STOPS:
            self._stop(order, text)
            return
        if (
            order == 'resume'
            and self._asked
            and not self._paused
            and self._vocabulary.is_free_text(text)
        ):
            self._asked = False
            self._do(GoalRequest(text))  # "go on" is the answer
            return
        if not order and self.ready and self._cannot_wait(text):
            self._handle(text)
            return
        (self._orders if order else self._lines).append(text)
        self._advance()

    def operator_asked(self, question: str | None) -> None:
        """The operator is asked something; None: no more."""
        self._asked = bool(question)

    def end_of_input(self) -> None:
        """No more lines will come; what was asked for is finished first."""
        self._input_ended = True
        if self._paused and self._goals:
            self._screen.say('The goal is paused; waiting until somebody resumes it')
        self._advance()

    def executive_ready(self) -> None:
        """The executive answers (again)."""
        self.ready = True
        self._advance()

    def executive_lost(self) -> None:
        """The executive is gone. How its goals end is told when it is back, or by `give_up`."""
        self.ready = False
        if self._leave_code is None:
            self._keep_unanswered_stops()
        self._questions.clear()
        self.requests.wait(())
        self._asked = False
        self._advance()

    def goals_resumed(self) -> None:
        """The executive has goals of the last run, too: whoever quits stops them as well."""
        self._has_resumed = not self._attached

    def give_up(self, reason: str) -> None:
        """The executive will not come back: no goal ends any more."""
        for ticket in list(self._goals):
            self.goal_ended(GoalEnded(ticket, 'failed', reason))

    def goal_ended(self, end: GoalEnded) -> None:
        """A goal came to its end; unknown tickets are of goals already given up."""
        request = self._goals.pop(end.ticket, None)
        if request is None:
            return
        self.last_end = end
        self._failed = self._failed or not end.succeeded
        words = request.text if isinstance(request, GoalRequest) else request.name
        self._screen.show_end(end, words if self._several or end.waited else '')
        self._several = self._several and bool(self._goals)
        self._advance()

    def answered(self, answer: ServiceReply) -> None:
        """A question was answered."""
        if answer.service in self._questions:
            self._questions.remove(answer.service)
        if answer.service in RELEASES:
            self._ask_again()
        if not answer.ok:  # an approval that came late has changed nothing of what was asked for
            (self._screen.complain if answer.service == RESOLVE else self._refuse)(answer.text)
        elif answer.service == TREE:
            self._screen.show_tree(answer.text)
        elif answer.text:
            self._screen.show(answer.text)
        self._advance()

    def interrupt(self) -> None:
        """Stops the robot, then ends; a second interrupt does not wait for the first."""
        if self._leave_code is not None:
            self._leave_by = self._clock()
            return
        self._leave(INTERRUPTED, stop=True)
        if self.ready and not self._attached:
            self._screen.say('Stopping the robot')

    def step(self) -> None:
        """Ends a leave-taking that takes too long; to be called now and then."""
        if self._leave_code is not None and self.exit_code is None:
            self._leave_if_idle()

    def _advance(self) -> None:
        if self._leave_code is not None:
            self._leave_if_idle()
            return
        while self._orders and self._may_order(self._orders[0]):
            self._handle(self._orders.popleft())
        while self._lines and self._may_handle(self._lines[0]):
            self._handle(self._lines.popleft())
        waits = self._orders or self._lines
        if self._input_ended and not waits and not self._busy():
            self.exit_code = self._end_code

    def _stop(self, order: str, text: str) -> None:
        """Asks it before anything else; what waits would start or release something after it."""
        if self.ready:
            self._handle(text)
        self._orders = deque(
            each for each in self._orders if self._vocabulary.stop_or_release(each) in STOPS
        )
        if not self.ready:
            self._orders.append(text)
            self._say_that_it_waits(order)
        if order != 'pause':  # a pause keeps the goals
            self._drop_what_starts()
        self._advance()

    def _drop_what_starts(self) -> None:
        lines, self._lines = self._lines, deque()
        for line in lines:
            if self._vocabulary.is_goal_or_tool(line):
                self._refuse(f'Not started, because of the stop: {line.strip():.80}')
            else:
                self._lines.append(line)

    def _keep_unanswered_stops(self) -> None:
        """The next executive, which resumes the goals, gets what this one may not have."""
        asked = dict.fromkeys([*self._questions, *self._repeat])
        unanswered = [each for each in asked if each in STOPS]
        self._repeat.clear()
        self._orders.extendleft(f':{each}' for each in reversed(unanswered))
        for each in unanswered:
            self._say_that_it_waits(each)

    def _say_that_it_waits(self, order: str) -> None:
        word = order.replace('_', ' ')
        self._screen.say(f'The {word} is sent as soon as the executive answers')

    def _may_order(self, line: str) -> bool:
        return self.ready and (
            self._vocabulary.stop_or_release(line) in STOPS or not self._stopping()
        )

    def _stopping(self) -> bool:
        """Whether the executive has not answered a stop yet, or is to be asked it again."""
        return bool(self._repeat) or not STOPS.isdisjoint(self._questions)

    @property
    def _end_code(self) -> int:
        """Of a script each goal must be reached; an operator at a terminal has seen their ends."""
        return NOT_REACHED if self._one_at_a_time and self._failed else DONE

    def _busy(self) -> bool:
        return bool(self._goals or self._questions)

    def _may_handle(self, line: str) -> bool:
        if self._one_at_a_time:
            ends_pause = self._paused and self._vocabulary.is_quit(line)
            return self.ready and (ends_pause or not self._busy())
        if self._vocabulary.is_local(line):
            return True
        waits = self._vocabulary.is_goal_or_tool(line) and (self._stopping() or self._orders)
        return self.ready and not waits

    def _cannot_wait(self, line: str) -> bool:
        """Whether a line is an answer, or a goal that is to take the place of the one before."""
        if self._vocabulary.is_about_approval(line):
            return True
        if self._vocabulary.replaces_goal(line):
            return not self._stopping() and not self._orders
        if not self._asked or not self._vocabulary.is_free_text(line):
            return False
        self._asked = False  # the next line is the next goal
        return True

    def _handle(self, line: str) -> None:
        try:
            meaning = self._vocabulary.parse(line)
        except UsageError as error:
            self._refuse(str(error))
            return
        if meaning is not None:
            self._do(meaning)

    def _refuse(self, why: str) -> None:
        """Says that a line came to nothing."""
        self._failed = True
        self._screen.complain(why)

    def _do(self, meaning: FrontEndRequest) -> None:
        match meaning:
            case Help():
                self._screen.show_help(self._vocabulary.help())
            case Quit():
                self._leave(self._end_code, stop=bool(self._goals) or self._has_resumed)
            case ServiceRequest(question):
                self._ask(question)
            case ShowPage():
                self._screen.show_page(meaning)
            case ApprovalAnswer():
                self._resolve(meaning)
            case Step(on):
                self._questions.append(STEPPING)
                self._wire.set_stepping(on)
            case Break(name):
                self._questions.append(STEPPING)
                self._wire.toggle_breakpoint(name)
            case SwitchFault(name):
                self._questions.append(FAULT)
                self._wire.set_fault(node_of(name), name)
            case MemoryRequest(kind):
                self._questions.append(kind)
                self._wire.call_memory(meaning)
            case GoalRequest() | ToolRequest():
                self._tickets += 1
                self._several = bool(self._goals)
                self._goals[self._tickets] = meaning
                self._wire.start(self._tickets, meaning)

    def _resolve(self, answer: ApprovalAnswer) -> None:
        try:
            answer = replace(answer, request_id=answer.request_id or self.requests.meant())
        except UsageError as error:
            self._refuse(str(error))
            return
        self.requests.answer(answer.request_id)
        self._questions.append(RESOLVE)
        self._wire.resolve(answer)

    def _ask(self, question: str) -> None:
        if question in ('pause', 'resume'):
            self._paused = question == 'pause'
        if question in STOPS and not RELEASES.isdisjoint(self._questions):
            self._repeat.append(question)
        self._questions.append(question)
        self._wire.call_service(question)

    def _ask_again(self) -> None:
        """A release was answered: the executive may have served these stops before it."""
        stops, self._repeat = dict.fromkeys(self._repeat), []
        for stop in stops:
            self._ask(stop)

    def _leave(self, code: int, stop: bool) -> None:
        self._leave_code = code
        self._leave_by = self._clock() + LEAVE_LIMIT_S
        self._lines.clear()
        for line in self._orders:
            self._screen.complain(f'Not sent any more: {line.strip():.80}')
        self._orders.clear()
        self._questions.clear()
        if stop and (self.ready or self._attached):
            self._end_what_runs()
        self._leave_if_idle()

    def _end_what_runs(self) -> None:
        if not self._attached:
            self._ask('stop')
            return
        if self._goals:
            self._wire.cancel()
            self._screen.say('Cancelling what was asked for here')
        if self._goals and not self.ready:
            self._leave_by = self._clock() + AWAY_LIMIT_S
            self._screen.say('The executive does not answer; waiting until it is back')
        self._screen.say('The system goes on, with the goals of others if it has any')

    def _leave_if_idle(self) -> None:
        if self._busy() and self._clock() < self._leave_by:
            return
        self.exit_code = self._leave_code
        if self._attached and self._goals:
            self._screen.complain(
                'The executive has not confirmed that what was asked for here is cancelled: it '
                'may go on until :stop, or its end'
            )
