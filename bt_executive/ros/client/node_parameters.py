"""Reads and sets parameters of another node, for front ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rcl_interfaces.msg import Parameter, ParameterValue, SetParametersResult
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.ros.client.answer_timeout import LIMIT_S, AnswerTimeout

Late = Callable[[str], None]  # takes the reason for a missing answer


class NodeParameters:
    """Used in the client's thread alone.

    Args:
        node: The client's.
        name: The other node's.
        limit_s: Timeout of each answer, in steady s.
    """

    def __init__(self, node: Node, name: str, limit_s: float = LIMIT_S) -> None:
        self._limit = AnswerTimeout(node, limit_s)
        self._get = node.create_client(GetParameters, f'{name}/get_parameters')

    def is_served(self) -> bool:
        """Return whether the node is there."""
        return bool(self._get.service_is_ready())

    def read(
        self,
        names: Sequence[str],
        then: Callable[[Sequence[ParameterValue]], None],
        late: Late = lambda _why: None,
    ) -> Future | None:
        """Requests values; `then` gets an empty list if the node lacks one. None: not sent."""
        request = GetParameters.Request(names=names)
        return self._limit.ask(self._get, request, lambda found: then(found.values), late)

    def drop(self, asked: Future) -> None:
        """Drops the request of a `read`."""
        self._get.remove_pending_request(asked)


class ChangeableParameters(NodeParameters):
    """Sets parameters, too, which SROS2 allows only to front ends of humans."""

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
        request = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
        self._limit.ask(self._set, request, lambda done: then(done.results), late)
