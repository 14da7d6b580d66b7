"""Robot, planner and call table that do their part, and note what should not be."""

from __future__ import annotations

from itertools import repeat
from typing import Any

from fakes.core import ADAPTER_STOP, ROVER_STOP, FakeRobot, ScriptedPlanner

from bt_executive.core.call_states import CallInput
from bt_executive.core.call_table import CallTable, ServerCall
from bt_executive.core.executive_ports import Barred, Json, ToolResult
from bt_executive.core.inbox import Inbox
from bt_executive.core.state import Mode, UserInterruptType
from bt_executive.tree.context_roles import ReadAccess
from rover_common.config.settings import Endpoint

STOPS = (ADAPTER_STOP, ROVER_STOP)


class TalkingPlanner(ScriptedPlanner):
    """Says what it is told to say, and notes when it is used against its protocol."""

    def __init__(self) -> None:
        super().__init__(repeat(None))
        self.faults: list[str] = []

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        if not self._awaits_result:
            self.faults.append(f'a result that nothing waits for: {result}')
        super().give(result, barred)

    @property
    def thinks(self) -> bool:
        """Whether an output is waited for."""
        return self._active and not self._awaits_result and self._next is None


class RecordingBook(CallTable):
    """The call table, with a second record of openings and terminal entries."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.terminal: list[str] = []
        self.finished: set[str] = set()

    def open(self, *args: Any, **fields: Any) -> ServerCall:
        call = super().open(*args, **fields)
        self.opened.append(call.server_call_id)
        return call

    def apply(self, server_call_id: str, happened: CallInput, *args: Any, **fields: Any) -> bool:
        before = self.get(server_call_id)
        changed = super().apply(server_call_id, happened, *args, **fields)
        after = self.get(server_call_id)
        if changed and before and after and after.ended:
            self.terminal.append(server_call_id)
        return changed

    def finish_call(self, call_id: str) -> None:
        super().finish_call(call_id)
        self.finished.add(call_id)


class WatchedRobot(FakeRobot):
    """Takes every request, and notes what should never have been sent."""

    def __init__(self, inbox: Inbox, calls: RecordingBook) -> None:
        super().__init__(inbox)
        self.calls = calls
        self.faults: list[str] = []
        self.driving = ''  # the call whose motion was requested and not stopped since
        self.needs: dict[str, set[str]] = {}
        self.holding: dict[str, set[str]] = {}

    def watch(self, facts: ReadAccess) -> None:
        """From now on requests are compared with what the executive knows."""
        self.facts = facts
        tools = facts.registry.values()
        for tool in tools:
            if tool.endpoint is not None:
                needs = self.needs.setdefault(tool.endpoint.name, set())
                needs |= set(tool.skill.resources_required)
        self.motions = {
            tool.endpoint.name for tool in tools if tool.endpoint and tool.skill.motion
        }

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        call_id = server_call_id.rpartition('.')[0]
        self._check_mode(endpoint.name)
        self._check_holders(call_id, endpoint.name)
        if endpoint.name in self.motions:
            if self.driving:
                self.faults.append(f'{endpoint.name} sent while {self.driving} was not stopped')
            self.driving = call_id
        super().send(server_call_id, endpoint, arguments, goal_id)

    def why_no_motion(self) -> str:
        """What, in the state of this tick, forbids that a motion is under way."""
        state = self.facts.state
        if state.tasks.mode is not Mode.EXEC:
            return f'mode {state.tasks.mode.value}'
        if state.hci.user_interrupt in (UserInterruptType.STOP, UserInterruptType.PAUSE):
            return str(state.hci.user_interrupt.value)
        guarded = self.facts.config.executive.variant == 'B'
        if guarded and state.robot.parts.get('mast_is_open') is not False:
            return 'the mast is not closed'
        return ''

    def _check_mode(self, name: str) -> None:
        state = self.facts.state
        if name in self.motions and self.why_no_motion():
            self.faults.append(f'{name} sent although: {self.why_no_motion()}')
        allowed = {Mode.EXEC: True, Mode.CHARGE: name == '/adapter/mast_close'}
        if name not in STOPS and not allowed.get(state.tasks.mode, False):
            self.faults.append(f'{name} sent in {state.tasks.mode.value}')

    def _check_holders(self, call_id: str, name: str) -> None:
        busy = {call.call_id for call in self.calls.running()}
        self.holding = {
            call: needs
            for call, needs in self.holding.items()
            if call in busy or call not in self.calls.finished
        }
        for call, needs in self.holding.items():
            if call != call_id and needs & self.needs[name]:
                both = ', '.join(needs & self.needs[name])
                self.faults.append(f'{both} used by {call} and by {call_id} ({name})')
        self.holding.setdefault(call_id, set()).update(self.needs[name])

    def _note(self, server_call_id: str, name: str) -> None:
        if name in STOPS:
            self.driving = ''
        super()._note(server_call_id, name)
