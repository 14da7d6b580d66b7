"""The console's conversation: the order in which lines are handled, and the end of the console.

At a terminal (`one_at_a_time` false) every line is handled at once, and goals are queued in the
executive. From a pipe each line waits until everything before it has finished, so that two goals
in a pipe are pursued one after the other. Answers never wait, as the goal before them waits for
them: those to requests for approval, and free text while the operator is asked a question.

Stops never wait either, in both cases: they overtake the lines before them, and those of these
lines that would start or release something are dropped, so that they do not follow the stop. A
release (:resume, :reset) waits for the replies to the stops before it, but for no goal.

Pure: it uses the robot through `ConsolePort` and the screen through `Screen`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from bt_executive.client.front_end_events import GoalEnded, ServiceReply
from bt_executive.client.front_end_ports import ConsolePort
from bt_executive.client.front_end_requests import (
    RELEASES,
    RESOLVE,
    STOPS,
    ApprovalAnswer,
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
from bt_executive.client.typed_arguments import node_of
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.screen_port import Screen
from bt_executive.console.shown_approval_requests import ShownRequests
from rover_common.errors import UsageError
from rover_common.process.process_end import DONE, INTERRUPTED, NOT_REACHED
from rover_common.text_sanitizing import incoming_text

FAULT, TREE, STEPPING = 'fault', 'show_tree', 'step'  # services of `ServiceReply`
EXIT_TIMEOUT_S = 3.0  # for the confirmation of the stop when the console ends
ABSENT_EXIT_TIMEOUT_S = 10.0  # the same while the executive restarts, which takes 4 s


class Repl:
    """One conversation.

    `attached`: another process has started the system, and other clients may have goals. When
    this console ends, it cancels its own goals only.

    Attributes:
        exit_code: None while the conversation goes on.
        ready: Whether the executive answers.
        last_end: The end of the latest goal.
        requests: Those for approval that are shown.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        client: ConsolePort,
        screen: Screen,
        clock: Callable[[], float],
        one_at_a_time: bool,
        attached: bool = False,
    ) -> None:
        self.exit_code: int | None = None
        self.ready = False
        self.last_end: GoalEnded | None = None
        self._has_failed = False  # a goal has not succeeded, or a line was refused
        self.requests = ShownRequests(clock)
        self._vocabulary = vocabulary
        self._client = client
        self._screen = screen
        self._clock = clock
        self._one_at_a_time = one_at_a_time
        self._attached = attached
        self._lines: deque[str] = deque()
        self._priority_lines: deque[str] = deque()  # stops and releases
        self._input_ended = False
        self._last_ticket = 0
        self._goals: dict[int, GoalRequest | ToolRequest] = {}
        self._has_other_goals = False  # so the end of a goal is shown with its text
        self._open_requests: list[str] = []
        self._stops_to_repeat: list[str] = []  # those that were sent while a release was open
        self._has_resumed_goals = False
        self._paused = False
        self._has_question = False  # of the goal to the operator, without an answer yet
        self._pending_exit_code: int | None = None
        self._exit_deadline = 0.0

    @property
    def waiting_lines(self) -> int:
        """The number of lines that wait for their turn."""
        return len(self._lines) + len(self._priority_lines)

    def handle_line(self, text: str) -> None:
        """Handles a typed line, or queues it."""
        if self._pending_exit_code is not None:
            return
        typed, text = text, incoming_text(text)
        if typed.strip(' \t\r\n') and not text:
            self._report_failure('The line has no visible character: write a goal, or :help.')
            return
        service = self._vocabulary.stop_or_release(text)
        if service in STOPS:
            self._handle_stop(service, text)
            return
        if (
            service == 'resume'
            and self._has_question
            and not self._paused
            and self._vocabulary.is_free_text(text)
        ):
            self._has_question = False
            self._execute(GoalRequest(text))  # "go on" is the answer
            return
        if not service and self.ready and self._is_urgent(text):
            self._handle(text)
            return
        (self._priority_lines if service else self._lines).append(text)
        self._advance()

    def handle_question(self, question: str | None) -> None:
        """Notes a question to the operator; None: it is no longer open."""
        self._has_question = bool(question)

    def handle_end_of_input(self) -> None:
        """Ends the console once every line and goal has finished."""
        self._input_ended = True
        if self._paused and self._goals:
            self._screen.info('The goal is paused; waiting until somebody resumes it')
        self._advance()

    def handle_executive_ready(self) -> None:
        """Sends the lines that have waited for the executive."""
        self.ready = True
        self._advance()

    def handle_executive_lost(self) -> None:
        """Discards the open requests. The ends of goals follow when it is back, or `give_up`."""
        self.ready = False
        if self._pending_exit_code is None:
            self._keep_unanswered_stops()
        self._open_requests.clear()
        self.requests.set_pending(())
        self._has_question = False
        self._advance()

    def note_resumed_goals(self) -> None:
        """Notes that the executive has goals of the previous run, which :quit stops, too."""
        self._has_resumed_goals = not self._attached

    def give_up(self, reason: str) -> None:
        """Ends all goals as failed: the executive will not come back."""
        for ticket in list(self._goals):
            self.handle_goal_end(GoalEnded(ticket, 'failed', reason))

    def handle_goal_end(self, end: GoalEnded) -> None:
        """Shows the end of a goal; an unknown ticket is of a goal that was given up."""
        request = self._goals.pop(end.ticket, None)
        if request is None:
            return
        self.last_end = end
        self._has_failed = self._has_failed or not end.succeeded
        text = request.text if isinstance(request, GoalRequest) else request.name
        self._screen.show_end(end, text if self._has_other_goals or end.waited else '')
        self._has_other_goals = self._has_other_goals and bool(self._goals)
        self._advance()

    def handle_reply(self, reply: ServiceReply) -> None:
        """Shows the reply to a request."""
        if reply.service in self._open_requests:
            self._open_requests.remove(reply.service)
        if reply.service in RELEASES:
            self._repeat_stops()
        if not reply.ok:  # a late answer to a request for approval is no failure of a goal
            (self._screen.error if reply.service == RESOLVE else self._report_failure)(reply.text)
        elif reply.service == TREE:
            self._screen.show_tree(reply.text)
        elif reply.text:
            self._screen.show_reply(reply.text)
        self._advance()

    def handle_interrupt(self) -> None:
        """Stops the robot, then ends; a second interrupt does not wait for the first."""
        if self._pending_exit_code is not None:
            self._exit_deadline = self._clock()
            return
        self._start_exit(INTERRUPTED, stop=True)
        if self.ready and not self._attached:
            self._screen.info('Stopping the robot')

    def update(self) -> None:
        """Ends the console at its exit deadline; to be called regularly."""
        if self._pending_exit_code is not None and self.exit_code is None:
            self._exit_if_idle()

    def _advance(self) -> None:
        if self._pending_exit_code is not None:
            self._exit_if_idle()
            return
        while self._priority_lines and self._may_send_priority_line(self._priority_lines[0]):
            self._handle(self._priority_lines.popleft())
        while self._lines and self._may_handle(self._lines[0]):
            self._handle(self._lines.popleft())
        is_empty = not self._priority_lines and not self._lines
        if self._input_ended and is_empty and not self._is_busy():
            self.exit_code = self._result_code

    def _handle_stop(self, service: str, text: str) -> None:
        """Sends a stop before all waiting lines, and drops those that would undo it."""
        if self.ready:
            self._handle(text)
        self._priority_lines = deque(
            line
            for line in self._priority_lines
            if self._vocabulary.stop_or_release(line) in STOPS
        )
        if not self.ready:
            self._priority_lines.append(text)
            self._report_waiting_stop(service)
        if service != 'pause':  # a pause keeps the goals
            self._drop_starts()
        self._advance()

    def _drop_starts(self) -> None:
        lines, self._lines = self._lines, deque()
        for line in lines:
            if self._vocabulary.is_goal_or_tool(line):
                self._report_failure(f'Not started, because of the stop: {line.strip():.80}')
            else:
                self._lines.append(line)

    def _keep_unanswered_stops(self) -> None:
        """Queues stops without a reply for the next run of the executive, which resumes goals."""
        services = dict.fromkeys([*self._open_requests, *self._stops_to_repeat])
        unanswered = [service for service in services if service in STOPS]
        self._stops_to_repeat.clear()
        self._priority_lines.extendleft(f':{service}' for service in reversed(unanswered))
        for service in unanswered:
            self._report_waiting_stop(service)

    def _report_waiting_stop(self, service: str) -> None:
        name = service.replace('_', ' ')
        self._screen.info(f'The {name} is sent as soon as the executive answers')

    def _may_send_priority_line(self, line: str) -> bool:
        return self.ready and (
            self._vocabulary.stop_or_release(line) in STOPS or not self._has_open_stop()
        )

    def _has_open_stop(self) -> bool:
        """Return whether a stop has no reply yet, or must be repeated."""
        return bool(self._stops_to_repeat) or not STOPS.isdisjoint(self._open_requests)

    @property
    def _result_code(self) -> int:
        """The exit code of a script is 1 if a goal has failed; at a terminal it is always 0."""
        return NOT_REACHED if self._one_at_a_time and self._has_failed else DONE

    def _is_busy(self) -> bool:
        return bool(self._goals or self._open_requests)

    def _may_handle(self, line: str) -> bool:
        if self._one_at_a_time:
            ends_pause = self._paused and self._vocabulary.is_quit(line)
            return self.ready and (ends_pause or not self._is_busy())
        if self._vocabulary.is_local(line):
            return True
        waits = self._vocabulary.is_goal_or_tool(line) and (
            self._has_open_stop() or self._priority_lines
        )
        return self.ready and not waits

    def _is_urgent(self, line: str) -> bool:
        """Return whether a line is an answer, or a goal that replaces the one that is pursued."""
        if self._vocabulary.is_about_approval(line):
            return True
        if self._vocabulary.replaces_goal(line):
            return not self._has_open_stop() and not self._priority_lines
        if not self._has_question or not self._vocabulary.is_free_text(line):
            return False
        self._has_question = False  # the next line is the next goal
        return True

    def _handle(self, line: str) -> None:
        try:
            request = self._vocabulary.parse(line)
        except UsageError as error:
            self._report_failure(str(error))
            return
        if request is not None:
            self._execute(request)

    def _report_failure(self, reason: str) -> None:
        """Shows why a line has failed, and notes the failure for the exit code."""
        self._has_failed = True
        self._screen.error(reason)

    def _execute(self, request: FrontEndRequest) -> None:
        match request:
            case Help():
                self._screen.show_help(self._vocabulary.help())
            case Quit():
                self._start_exit(
                    self._result_code, stop=bool(self._goals) or self._has_resumed_goals
                )
            case ServiceRequest(service):
                self._call_service(service)
            case ShowPage():
                self._screen.show_page(request)
            case ApprovalAnswer():
                self._resolve(request)
            case Step(on):
                self._open_requests.append(STEPPING)
                self._client.set_stepping(on)
            case Break(name):
                self._open_requests.append(STEPPING)
                self._client.toggle_breakpoint(name)
            case SwitchFault(name):
                self._open_requests.append(FAULT)
                self._client.set_fault(node_of(name), name)
            case MemoryRequest(kind):
                self._open_requests.append(kind)
                self._client.call_memory(request)
            case GoalRequest() | ToolRequest():
                self._last_ticket += 1
                self._has_other_goals = bool(self._goals)
                self._goals[self._last_ticket] = request
                self._client.start(self._last_ticket, request)

    def _resolve(self, answer: ApprovalAnswer) -> None:
        try:
            answer = replace(answer, request_id=answer.request_id or self.requests.default_id())
        except UsageError as error:
            self._report_failure(str(error))
            return
        self.requests.mark_answered(answer.request_id)
        self._open_requests.append(RESOLVE)
        self._client.resolve(answer)

    def _call_service(self, service: str) -> None:
        if service in ('pause', 'resume'):
            self._paused = service == 'pause'
        if service in STOPS and not RELEASES.keys().isdisjoint(self._open_requests):
            self._stops_to_repeat.append(service)
        self._open_requests.append(service)
        self._client.call_service(service)

    def _repeat_stops(self) -> None:
        """Repeats stops after a release, which the executive may have served after them."""
        stops, self._stops_to_repeat = dict.fromkeys(self._stops_to_repeat), []
        for stop in stops:
            self._call_service(stop)

    def _start_exit(self, code: int, stop: bool) -> None:
        self._pending_exit_code = code
        self._exit_deadline = self._clock() + EXIT_TIMEOUT_S
        self._lines.clear()
        for line in self._priority_lines:
            self._screen.error(f'Not sent any more: {line.strip():.80}')
        self._priority_lines.clear()
        self._open_requests.clear()
        if stop and (self.ready or self._attached):
            self._stop_or_cancel()
        self._exit_if_idle()

    def _stop_or_cancel(self) -> None:
        if not self._attached:
            self._call_service('stop')
            return
        if self._goals:
            self._client.cancel()
            self._screen.info('Cancelling what was asked for here')
        if self._goals and not self.ready:
            self._exit_deadline = self._clock() + ABSENT_EXIT_TIMEOUT_S
            self._screen.info('The executive does not answer; waiting until it is back')
        self._screen.info('The system goes on, with the goals of others if it has any')

    def _exit_if_idle(self) -> None:
        if self._is_busy() and self._clock() < self._exit_deadline:
            return
        self.exit_code = self._pending_exit_code
        if self._attached and self._goals:
            self._screen.error(
                'The executive has not confirmed that what was asked for here is cancelled: it '
                'may go on until :stop, or its end'
            )
