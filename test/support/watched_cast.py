"""Robot, planner and book of sessions that do their part, and note what should not be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_executive.core.call_table import Session, SessionBook
from bt_executive.core.calls import SessionInput
from bt_executive.core.inbox import SessionAnswer
from bt_executive.core.ports import ModelUse, PlannerContext, PlannerOutput, Proposal, ToolResult
from bt_executive.core.state import Mode, Task, UserInterruptType
from bt_executive.tree.context import Brain
from rover_common.config.settings import Endpoint
from rover_common.permit import Beat, Permit

STOPS = ('/adapter/move_stop', '/move_stop')


class TalkingPlanner:
    """Says what it is told to say, and notes when it is used against its protocol."""

    def __init__(self) -> None:
        self.active = False
        self.awaits_result = False
        self.output: PlannerOutput | None = None
        self.faults: list[str] = []

    def start(self, _goal: str, _context: PlannerContext) -> None:
        self.cancel()
        self.active = True

    def say(self, output: PlannerOutput) -> None:
        self.output = output

    def poll(self) -> PlannerOutput | None:
        output, self.output = self.output, None
        if output is not None:
            self.awaits_result = self.active = isinstance(output, Proposal)
        return output

    def give(self, result: ToolResult) -> None:
        if not self.awaits_result:
            self.faults.append(f'a result that nothing waits for: {result}')
        self.awaits_result = False

    def cancel(self) -> None:
        self.active = self.awaits_result = False
        self.output = None

    def news(self) -> tuple[()]:
        return ()

    def use(self) -> ModelUse:
        return ModelUse()

    def close(self) -> None:
        self.cancel()

    @property
    def thinks(self) -> bool:
        """Whether an output is waited for."""
        return self.active and not self.awaits_result and self.output is None


class RecordingBook(SessionBook):
    """The book of sessions, with a second record of openings and terminal entries."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.terminal: list[str] = []
        self.finished: set[str] = set()

    def open(self, *args: Any, **fields: Any) -> Session:
        session = super().open(*args, **fields)
        self.opened.append(session.session_id)
        return session

    def apply(self, session_id: str, happened: SessionInput, *args: Any, **fields: Any) -> bool:
        before = self.get(session_id)
        changed = super().apply(session_id, happened, *args, **fields)
        after = self.get(session_id)
        if changed and before and after and after.ended:
            self.terminal.append(session_id)
        return changed

    def finish_call(self, call_id: str) -> None:
        super().finish_call(call_id)
        self.finished.add(call_id)


@dataclass
class WatchedRobot:
    """Takes every request, and notes what should never have been sent."""

    brain: Brain
    book: RecordingBook
    sent: list[tuple[str, str]] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    reply: Mapping[str, Any] | None = None  # the answer that every request gets at once
    beat: Beat = field(default_factory=lambda: Beat('rehearsal', 0, 0.0))  # the latest one
    driving: str = ''  # the call whose motion was requested and not stopped since

    def __post_init__(self) -> None:
        tools = self.brain.registry.values()
        self.needs: dict[str, set[str]] = {}
        for tool in tools:
            if tool.endpoint is not None:
                needs = self.needs.setdefault(tool.endpoint.name, set())
                needs |= set(tool.skill.resources_required)
        self.motions = {
            tool.endpoint.name for tool in tools if tool.endpoint and tool.skill.motion
        }
        self.holding: dict[str, set[str]] = {}

    def ready(self, endpoint: Endpoint) -> bool:
        return endpoint.name not in self.absent

    def send(self, session_id: str, endpoint: Endpoint, _arguments: Mapping[str, Any]) -> None:
        call_id = session_id.rpartition('.')[0]
        self._check_mode(endpoint.name)
        self._check_holders(call_id, endpoint.name)
        if endpoint.name in self.motions:
            if self.driving:
                self.faults.append(f'{endpoint.name} sent while {self.driving} was not stopped')
            self.driving = call_id
        self._note(session_id, endpoint.name)

    def cancel(self, session_id: str) -> None:
        self.cancelled.append(session_id)

    def permit(self, permit: Permit) -> Beat:
        self.beat = Beat('rehearsal', self.beat.sequence + 1, 0.0, permit)
        return self.beat

    def stop(self, session_id: str, past_the_adapter: bool) -> None:
        self._note(session_id, STOPS[past_the_adapter])

    def why_no_motion(self) -> str:
        """What, in the state of this tick, forbids that a motion is under way."""
        state = self.brain.state
        if state.tasks.mode is not Mode.EXEC:
            return f'mode {state.tasks.mode.value}'
        if state.hci.user_interrupt in (UserInterruptType.STOP, UserInterruptType.PAUSE):
            return state.hci.user_interrupt.value
        guarded = self.brain.config.executive.variant == 'B'
        return (
            'the mast is not closed'
            if guarded and state.robot.parts.get('mast_is_open') is not False
            else ''
        )

    def _check_mode(self, name: str) -> None:
        state = self.brain.state
        if name in self.motions and self.why_no_motion():
            self.faults.append(f'{name} sent although: {self.why_no_motion()}')
        allowed = {Mode.EXEC: True, Mode.CHARGE: name == '/adapter/mast_close'}
        if name not in STOPS and not allowed.get(state.tasks.mode, False):
            self.faults.append(f'{name} sent in {state.tasks.mode.value}')

    def _check_holders(self, call_id: str, name: str) -> None:
        busy = {session.call_id for session in self.book.running()}
        self.holding = {
            call: needs
            for call, needs in self.holding.items()
            if call in busy or call not in self.book.finished
        }
        for call, needs in self.holding.items():
            if call != call_id and needs & self.needs[name]:
                both = ', '.join(needs & self.needs[name])
                self.faults.append(f'{both} used by {call} and by {call_id} ({name})')
        self.holding.setdefault(call_id, set()).update(self.needs[name])

    def _note(self, session_id: str, name: str) -> None:
        self.sent.append((session_id, name))
        if name in STOPS:
            self.driving = ''
        if self.reply is not None:
            answer = SessionAnswer(session_id, SessionInput.SUCCEED, self.reply)
            self.brain.inbox.put(answer)


class Goals:
    """Who asked for what, and how often it was told that it has ended."""

    def __init__(self) -> None:
        self.ended_times: dict[str, int] = {}

    def feedback(self, *_ignored: Any) -> None:
        """Steps are not looked at."""

    def ended(self, task: Task, _summary: dict[str, Any]) -> None:
        self.ended_times[task.task_id] = self.ended_times.get(task.task_id, 0) + 1
