"""Step by step and breakpoints, read and set as parameters of the executive."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from rcl_interfaces.msg import ParameterType, ParameterValue, SetParametersResult

from bt_executive.client.front_end_events import ClientEvent, ServiceReply, SteppingReceived
from bt_executive.ros.client.service_and_parameter_calls import ChangeableParameters
from rover_common.text_sanitizing import one_line

STEP, BREAK_AT = 'approval.step', 'approval.break_at'
QUESTION = 'step'


class Stepping:
    """Used in the client's thread alone. `emit` takes `SteppingReceived` and `ServiceReply`."""

    def __init__(
        self, parameters: ChangeableParameters, emit: Callable[[ClientEvent], None]
    ) -> None:
        self._parameters, self._emit = parameters, emit
        self._names: deque[str] = deque()  # to be set or removed; the first one is under way

    def read(self) -> None:
        """Asks how the executive steps; a `SteppingReceived` follows."""
        self._parameters.read([STEP, BREAK_AT], self._seen)

    def set(self, on: bool) -> None:
        """Switches step by step on or off; a `ServiceReply` follows."""
        value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=on)
        confirmation = (
            'Step by step: each proposal waits for your answer (console: :next, :edit, :reject).'
            if on
            else 'No longer step by step. A request that waits still needs its answer.'
        )
        self._write(
            STEP,
            value,
            confirmation,
            lambda ok, text: self._emit(ServiceReply(QUESTION, ok, text)),
        )

    def toggle_breakpoint(self, name: str) -> None:
        """Sets or removes a breakpoint; without a name lists them. A `ServiceReply` follows.

        They are processed in order: each changes the list that the previous one has written.
        """
        self._names.append(name)
        if len(self._names) == 1:
            self._next()

    def _next(self) -> None:
        name = self._names[0]
        self._parameters.read(
            [STEP, BREAK_AT],
            lambda values: self._toggle(name, values),
            lambda why: self._answer(False, why),
        )

    def _answer(self, ok: bool, text: str) -> None:
        """Answers the breakpoint that is under way, and continues with the next."""
        self._emit(ServiceReply(QUESTION, ok, text))
        self._names.popleft()
        if self._names:
            self._next()

    def _toggle(self, name: str, values: Sequence[ParameterValue]) -> None:
        names = [each for value in values for each in value.string_array_value]
        if not name:
            self._answer(True, _listed(names))
            return
        names = [each for each in names if each != name] if name in names else [*names, name]
        value = ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY, string_array_value=names)
        self._write(BREAK_AT, value, _listed(names), self._answer)

    def _write(
        self,
        name: str,
        value: ParameterValue,
        confirmation: str,
        answer: Callable[[bool, str], None],
    ) -> None:
        def written(results: Sequence[SetParametersResult]) -> None:
            (result,) = results
            answer(
                result.successful, confirmation if result.successful else one_line(result.reason)
            )
            self.read()

        self._parameters.write(name, value, written, lambda why: answer(False, why))

    def _seen(self, values: Sequence[ParameterValue]) -> None:
        if len(values) == 2 and values[0].type == ParameterType.PARAMETER_BOOL:
            names = tuple(one_line(each) for each in values[1].string_array_value)
            self._emit(SteppingReceived(values[0].bool_value, names))


def _listed(names: Sequence[str]) -> str:
    """The breakpoints in a sentence."""
    return f'Breakpoints: {", ".join(map(one_line, names)) or "none"}.'
