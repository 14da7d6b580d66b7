"""Reads and sets parameters of another node, for front ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rcl_interfaces.msg import Parameter, ParameterValue, SetParametersResult
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.ros.client.answer_timeout import LIMIT_S, AnswerTimeout

Late = Callable[[str], None]  # takes the reason why there is no answer


class NodeParameters:
    """Used in the client's thread alone.

    Args:
        node: The client's.
        name: The other node's.
        limit_s: For each answer, steady seconds.
    """

    def __init__(self, node: Node, name: str, limit_s: float = LIMIT_S) -> None:
        self._limit = AnswerTimeout(node, limit_s)
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
        request = GetParameters.Request(names=names)
        return self._limit.ask(self._get, request, lambda found: then(found.values), late)

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
        wish = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
        self._limit.ask(self._set, wish, lambda done: then(done.results), late)
