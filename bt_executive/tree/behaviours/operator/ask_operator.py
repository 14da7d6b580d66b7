"""The tool `ask_operator`: a question, and the operator's next remark is its answer."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.error_codes import CallError
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.internal import InternalTool
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import StateAccess


class AskOperator(InternalTool):
    """RUNNING until the operator speaks, for the skill's timeout at most; then TIMED_OUT.

    The question stands in `state.hci.question` while it is open. A remark that is an interrupt
    or clearly a new goal is not an answer (see `behaviours.look`).
    """

    def __init__(self, name: str, context: Context, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._state: StateAccess = context  # the question stands there
        self._until = 0.0

    def initialise(self) -> None:
        """Asks."""
        question = str(self.argument('question'))
        self._until = self.context.now.steady + self.tool.skill.timeout_s
        self._set(question)
        self.context.tracer.emit(
            'ACT', f'Question: {question}', tool_name=self.tool.name, data={'question': question}
        )

    def update(self) -> Status:
        """Looks whether somebody has answered."""
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
        """The question is closed."""
        self._set('')

    def _set(self, question: str) -> None:
        hci = replace(self.context.state.hci, question=question, answer=None)
        self._state.replace(hci=hci)
