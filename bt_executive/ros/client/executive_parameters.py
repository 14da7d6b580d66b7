"""Parameters of the executive for front ends: begin of the run, step and breakpoints."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue, SetParametersResult
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.client.front_end_events import Answered, ClientEvent, RunBegan, SteppingSeen
from bt_executive.ros.client.answer_timeout import LIMIT_S, AnswerLimit
from rover_common.printable import one_line

Late = Callable[[str], None]  # takes the reason why there is no answer


class NodeParameters:
    """Used in the client's thread alone.

    Args:
        node: The client's.
        name: The other node's.
        limit_s: For each answer, steady seconds.
    """

    def __init__(self, node: Node, name: str, limit_s: float = LIMIT_S) -> None:
        self._limit = AnswerLimit(node, limit_s)
        self._get = node.create_client(GetParameters, f'{name}/get_parameters')

    def is_served(self) -> bool:
        """Whether the node is there."""
        return bool(self._get.service_is_ready())

    def read(
        self,
        names: Sequence[str],
        then: Callable[[Sequence[ParameterValue]], None],
        late: Late = lambda _why: None,
    ) -> Future | None:
        """Asks for values; `then` gets none of them if the node lacks one. None: not asked."""
        if not self.is_served():
            late(f'No server answers at {self._get.srv_name} now.')
            return None
        asked = self._get.call_async(GetParameters.Request(names=names))
        asked.add_done_callback(lambda future: then(future.result().values))
        self._limit.watch(self._get, asked, late)
        return asked

    def drop(self, asked: Future) -> None:
        """The answer to a `read` is not wanted any more."""
        self._get.remove_pending_request(asked)


class ChangeableParameters(NodeParameters):
    """They are set, too, which SROS2 allows to a human's front end alone."""

    def __init__(self, node: Node, name: str, limit_s: float = LIMIT_S) -> None:
        super().__init__(node, name, limit_s)
        self._set = node.create_client(SetParameters, f'{name}/set_parameters')

    def write(
        self,
        name: str,
        value: ParameterValue,
        then: Callable[[Sequence[SetParametersResult]], None],
        late: Late,
    ) -> None:
        """Sets one value; `then` gets one result, or none from a node that has no parameters."""
        if not self._set.service_is_ready():
            late(f'No server answers at {self._set.srv_name} now.')
            return
        wish = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
        asked = self._set.call_async(wish)
        asked.add_done_callback(lambda future: then(future.result().results))
        self._limit.watch(self._set, asked, late)


PARAMETER = 'run_began'
AGAIN_S = 1.0  # an answer that is lost is asked for again


class RunBeganQuestion:
    """Used in the client's thread alone. `put` takes one `RunBegan` of each executive."""

    def __init__(self, parameters: NodeParameters, put: Callable[[ClientEvent], None]) -> None:
        self._parameters, self._put = parameters, put
        self._asked: Future | None = None
        self._is_answered = False
        self._again_at = 0.0  # steady s

    def forget(self) -> None:
        """The executive is gone: the next one may be of another run, and answers itself."""
        self._is_answered = False
        self._drop()

    def update(self, now: float) -> None:
        """Asks, unless it is answered; to be called often while the executive answers.

        `now`: steady time in s.
        """
        if self._is_answered or now < self._again_at or not self._parameters.is_served():
            return
        self._drop()
        self._again_at = now + AGAIN_S
        self._asked = self._parameters.read([PARAMETER], self._answered)

    def _drop(self) -> None:
        """What was asked before is not waited for: its answer would come too late."""
        if self._asked is not None:
            self._parameters.drop(self._asked)
            self._asked = None

    def _answered(self, values: Sequence[ParameterValue]) -> None:
        self._is_answered = True  # also by an executive that has no such parameter
        for value in values:
            if value.type == ParameterType.PARAMETER_DOUBLE:
                self._put(RunBegan(value.double_value))


STEP, BREAK_AT = 'approval.step', 'approval.break_at'
QUESTION = 'step'


class Stepping:
    """Used in the client's thread alone. `put` takes `SteppingSeen`, and `Answered` to `set`."""

    def __init__(
        self, parameters: ChangeableParameters, put: Callable[[ClientEvent], None]
    ) -> None:
        self._parameters, self._put = parameters, put
        self._names: deque[str] = deque()  # to be set or removed, the first one is under way

    def read(self) -> None:
        """Asks how the executive steps; a `SteppingSeen` follows."""
        self._parameters.read([STEP, BREAK_AT], self._seen)

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
        name = self._names[0]
        self._parameters.read(
            [STEP, BREAK_AT],
            lambda values: self._toggle(name, values),
            lambda why: self._answer(False, why),
        )

    def _answer(self, ok: bool, text: str) -> None:
        """Answers the breakpoint that is under way; goes on with the next."""
        self._put(Answered(QUESTION, ok, text))
        self._names.popleft()
        if self._names:
            self._next()

    def _toggle(self, name: str, values: Sequence[ParameterValue]) -> None:
        names = [each for value in values for each in value.string_array_value]
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
        def written(results: Sequence[SetParametersResult]) -> None:
            (result,) = results
            answer(result.successful, told if result.successful else one_line(result.reason))
            self.read()

        self._parameters.write(name, value, written, lambda why: answer(False, why))

    def _seen(self, values: Sequence[ParameterValue]) -> None:
        if len(values) == 2 and values[0].type == ParameterType.PARAMETER_BOOL:
            names = tuple(one_line(each) for each in values[1].string_array_value)
            self._put(SteppingSeen(values[0].bool_value, names))


def _listed(names: Sequence[str]) -> str:
    """The breakpoints in a sentence."""
    return f'Breakpoints: {", ".join(map(one_line, names)) or "none"}.'
