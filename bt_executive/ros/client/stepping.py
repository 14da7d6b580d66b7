"""Step and breakpoints: parameters of the executive's approval gate, read and set."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.client.front_end_events import Answered, ClientEvent, SteppingSeen
from bt_executive.ros.client.answer_limit import LIMIT_S, AnswerLimit
from rover_common.printable import one_line

STEP, BREAK_AT = 'approval.step', 'approval.break_at'
QUESTION = 'step'


class Stepping:
    """Used in the client's thread alone. `put` takes `SteppingSeen`, and `Answered` to `set`."""

    def __init__(
        self, node: Node, put: Callable[[ClientEvent], None], limit_s: float = LIMIT_S
    ) -> None:
        self._put, self._limit = put, AnswerLimit(node, limit_s)
        self._names: deque[str] = deque()  # to be set or removed, the first one is under way
        self._get = node.create_client(GetParameters, 'executive/get_parameters')
        self._set = node.create_client(SetParameters, 'executive/set_parameters')

    def read(self) -> None:
        """Asks how the executive steps; a `SteppingSeen` follows."""
        if self._get.service_is_ready():
            asked = self._get.call_async(GetParameters.Request(names=[STEP, BREAK_AT]))
            asked.add_done_callback(self._seen)
            self._limit.watch(self._get, asked, lambda _why: None)

    def set(self, on: bool) -> None:
        """Switches step by step on or off; an `Answered` follows."""
        value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=on)
        told = (
            'Step by step: each proposal waits for your answer (console: :next, :edit, :reject).'
            if on
            else 'No longer step by step. A request that waits still needs its answer.'
        )
        self._write(STEP, value, told, lambda ok, text: self._put(Answered(QUESTION, ok, text)))

    def break_at(self, name: str) -> None:
        """Sets or removes a breakpoint; without a name lists them. An `Answered` follows.

        One after the other: each changes the list that the one before has written.
        """
        self._names.append(name)
        if len(self._names) == 1:
            self._next()

    def _next(self) -> None:
        if not self._get.service_is_ready():
            self._answer(False, f'No server answers at {self._get.srv_name} now.')
            return
        name = self._names[0]
        asked = self._get.call_async(GetParameters.Request(names=[STEP, BREAK_AT]))
        asked.add_done_callback(lambda future: self._toggle(name, future))
        self._limit.watch(self._get, asked, lambda why: self._answer(False, why))

    def _answer(self, ok: bool, text: str) -> None:
        """Answers the breakpoint that is under way; goes on with the next."""
        self._put(Answered(QUESTION, ok, text))
        self._names.popleft()
        if self._names:
            self._next()

    def _toggle(self, name: str, future: Future) -> None:
        names = [each for value in future.result().values for each in value.string_array_value]
        if not name:
            self._answer(True, _listed(names))
            return
        names = [each for each in names if each != name] if name in names else [*names, name]
        kind = ParameterType.PARAMETER_STRING_ARRAY
        value = ParameterValue(type=kind, string_array_value=names)
        self._write(BREAK_AT, value, _listed(names), self._answer)

    def _write(
        self, name: str, value: ParameterValue, told: str, answer: Callable[[bool, str], None]
    ) -> None:
        if not self._set.service_is_ready():
            answer(False, f'No server answers at {self._set.srv_name} now.')
            return
        wish = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
        asked = self._set.call_async(wish)
        asked.add_done_callback(lambda future: self._written(told, answer, future))
        self._limit.watch(self._set, asked, lambda why: answer(False, why))

    def _written(self, told: str, answer: Callable[[bool, str], None], future: Future) -> None:
        (result,) = future.result().results
        answer(result.successful, told if result.successful else one_line(result.reason))
        self.read()

    def _seen(self, future: Future) -> None:
        values = future.result().values
        if len(values) == 2 and values[0].type == ParameterType.PARAMETER_BOOL:
            names = tuple(one_line(each) for each in values[1].string_array_value)
            self._put(SteppingSeen(values[0].bool_value, names))


def _listed(names: Sequence[str]) -> str:
    """The breakpoints in a sentence."""
    return f'Breakpoints: {", ".join(map(one_line, names)) or "none"}.'
