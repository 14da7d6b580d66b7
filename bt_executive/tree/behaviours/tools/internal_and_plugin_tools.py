"""Tools without a server: finish, abort, speak, wait, ask_operator, the graph, and plug-ins."""

from __future__ import annotations

from operator import methodcaller
from typing import Any

from py_trees.common import Status

from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import PendingResult, ToolResult
from bt_executive.core.round_decision import PlannerEnd
from bt_executive.plugins.checked_plugin_calls import (
    LONGEST_JSON,
    PluginFault,
    answer_text,
    call,
    call_to_end,
    deep_copy,
    json_object,
    plugin_context,
)
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import (
    BEHAVIOURS,
    Done,
    Failed,
    PluginBehaviour,
    PluginContext,
)
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import ToolLeaf
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import RoundAccess, StateAccess
from rover_common.dataclass_replace import replace
from rover_common.reason import Reason
from rover_common.text_sanitizing import one_line


class InternalTool(ToolLeaf[RoundAccess]):
    """A tool that the executive runs itself."""

    def __init__(self, name: str, context: RoundAccess, tool: Tool) -> None:
        super().__init__(name, context)
        self.tool = tool

    def argument(self, name: str) -> Any:
        """Returns an argument of the proposal, which was checked to fit the schema."""
        proposal = self.context.round.proposal
        return self.tool.effective(proposal.arguments).get(name) if proposal else None

    def done(self, message: str, /, **data: Any) -> Status:
        """Returns SUCCESS, with the data as the tool's result."""
        self.context.round = replace(self.context.round, result=ToolResult(ok=True, data=data))
        return self.success(message)


class Wait(InternalTool):
    """RUNNING for the proposed seconds of the robot's time; the schema bounds them.

    Ticks and guards go on.
    """

    def __init__(self, name: str, context: RoundAccess, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._since = self._until = 0.0

    def initialise(self) -> None:
        self._since = self.context.now.robot
        self._until = self._since + float(self.argument('seconds'))

    def update(self) -> Status:
        """Checks the clock."""
        left = self._until - self.context.now.robot
        if left > 0:
            self.context.wake_at(robot=self._until)
            return self.running(f'{left:.1f} s left')
        return self.done('time is over', waited_s=round(self.context.now.robot - self._since, 3))


class ReadGraph(InternalTool):
    """RUNNING until the graph was read, for the skill's timeout at most; then TIMED_OUT."""

    def __init__(self, name: str, context: Context, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._graph = context.ports.graph
        self._reading: PendingResult[ToolResult] | None = None
        self._asked = context.now

    def initialise(self) -> None:
        """Starts the read, which runs in another thread."""
        self._asked = self.context.now
        self._reading = self._graph.read(self.tool.name, str(self.argument('topic') or ''))

    def update(self) -> Status:
        """Checks for the result."""
        result = self._reading.result if self._reading else None
        if result is None:
            seconds = self.tool.skill.timeout_s
            if not self.context.now.exceeds(self._asked, seconds):
                return self.running('reading')
            return self.failed(CallError.TIMED_OUT, f'Nothing came within {seconds:g} s')
        if not result.ok:
            return self.failed(CallError.FAILED, result.error_reason)
        return self.done('read', **result.data)

    def terminate(self, _new_status: Status) -> None:
        """Cancels a pending read."""
        if self._reading:
            self._reading.cancel()
        self._reading = None


class AskOperator(InternalTool):
    """RUNNING until the operator speaks, for the skill's timeout at most; then TIMED_OUT.

    The question stands in `state.hci.question` while it is open. A remark that is an interrupt
    or clearly a new goal is not an answer (see `behaviours.look`).
    """

    def __init__(self, name: str, context: Context, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._state: StateAccess = context  # which has the question
        self._until = 0.0

    def initialise(self) -> None:
        question = str(self.argument('question'))
        self._until = self.context.now.steady + self.tool.skill.timeout_s
        self._set(question)
        self.context.tracer.emit(
            'ACT', f'Question: {question}', tool_name=self.tool.name, data={'question': question}
        )

    def update(self) -> Status:
        """Checks for an answer."""
        answer = self.context.state.hci.answer
        if answer is not None:
            self.context.tracer.emit('OBSERVE', f'Answer: {answer}', tool_name=self.tool.name)
            return self.done('answered', answer=answer)
        left = self._until - self.context.now.steady
        if left > 0:
            self.context.wake_at(steady=self._until)
            return self.running(f'waiting for an answer, {left:.0f} s left')
        reason = f'The operator gave no answer within {self.tool.skill.timeout_s:g} s'
        return self.failed(CallError.TIMED_OUT, reason)

    def terminate(self, _new_status: Status) -> None:
        """Closes the question."""
        self._set('')

    def _set(self, question: str) -> None:
        self._state.replace(hci=replace(self.context.state.hci, question=question, answer=None))


class Finish(InternalTool):
    """The goal is done, with an answer. SUCCESS; the goal ends at the end of the round."""

    def update(self) -> Status:
        """Notes the answer."""
        answer = str(self.argument('answer'))
        self.context.round = replace(
            self.context.round, ended_by_tool=Reason(PlannerEnd.FINISHED, answer)
        )
        return self.done(answer)


class AbortGoal(InternalTool):
    """The planner gives the goal up, with a reason. SUCCESS; it ends at the end of the round."""

    def update(self) -> Status:
        """Notes the reason."""
        reason = str(self.argument('reason'))
        self.context.round = replace(
            self.context.round, ended_by_tool=Reason(PlannerEnd.ABORTED, reason)
        )
        return self.done(reason)


class Speak(InternalTool):
    """A text for the operator: in the trace, which the console shows. SUCCESS at once."""

    def update(self) -> Status:
        """Emits the text."""
        text = str(self.argument('text'))
        self.context.tracer.emit('ACT', text, tool_name=self.tool.name, data={'spoken': text})
        return self.done('said')


LONGEST_REASON = 500  # characters


class PluggedBehaviour(InternalTool):
    """RUNNING while the plug-in goes on, for the skill's timeout at most.

    FAILURE when it fails, raises or is too slow.
    """

    def __init__(self, name: str, context: RoundAccess, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._title = f'The plug-in of tool {tool.name}'
        self._make = load(BEHAVIOURS, tool.skill.behaviour)
        self._at_work: PluginBehaviour | None = None
        self._fault = ''
        self._began = context.now

    def initialise(self) -> None:
        """Makes the plug-in's object and starts it."""
        self._began = self.context.now
        self._fault, options = '', deep_copy(self.tool.skill.options)
        try:
            at_work: PluginBehaviour = call(self._title, self._make)
            self._at_work = at_work
            call(self._title, methodcaller('start', self._facts(), options), at_work)
        except PluginFault as error:
            self._fault = str(error)

    def update(self) -> Status:
        """Asks the plug-in."""
        if self._fault or self._at_work is None:
            return self.failed(CallError.FAILED, self._fault)
        try:
            answer = call(self._title, methodcaller('update', self._facts()), self._at_work)
            if answer is None:
                return self._go_on()
            if isinstance(answer, Done):
                data = call(self._title, json_object, answer.data)
                if data is not None:
                    return self.done('done', **data)
        except PluginFault as error:
            return self.failed(CallError.FAILED, str(error))
        if isinstance(answer, Failed) and isinstance(answer.reason, str):
            reason = one_line(answer.reason[:LONGEST_REASON]) or 'failed'
        elif isinstance(answer, Done):
            reason = (
                f'{self._title} is done, but its data is no JSON object of at most '
                f'{LONGEST_JSON} characters: {answer_text(self._title, answer.data)}'
            )
        else:
            gave = answer_text(self._title, answer)
            reason = f'{self._title} says {gave}, which is no Done, Failed or None'
        return self.failed(CallError.FAILED, reason)

    def _go_on(self) -> Status:
        seconds = self.tool.skill.timeout_s
        if not self.context.now.exceeds(self._began, seconds):
            return self.running(f'{self.tool.name} goes on')
        reason = f'{self._title} has not ended within {seconds:g} s'
        return self.failed(CallError.TIMED_OUT, reason)

    def terminate(self, _new_status: Status) -> None:
        """Stops the plug-in; what goes wrong then is traced."""
        at_work, self._at_work = self._at_work, None
        if at_work is None:
            return
        try:
            call_to_end(self._title, methodcaller('stop'), at_work)
        except PluginFault as error:
            self.context.tracer.emit(
                'ACT', f'While it was being stopped: {error}', tool_name=self.tool.name
            )

    def _facts(self) -> PluginContext:
        return plugin_context(self.context.guards.view_of_running())
