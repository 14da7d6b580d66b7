"""Parameters that are lists of texts, also while they are empty.

`[]` has no type of its own: rclpy declares it as bytes, and reads it in a params file as nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from rover_common.config.values import Scalar


def declare_texts(
    node: Node, name: str, default: Sequence[str], descriptor: ParameterDescriptor
) -> Scalar:
    """Declares such a parameter.

    Returns:
        What it is at the start: a list, unless something else was given, which is not looked at.
    """
    anything = ParameterDescriptor(dynamic_typing=True)
    given: Scalar = node.declare_parameter(name, list(default), anything).value
    if not given:
        node.set_parameters([Parameter(name, Parameter.Type.STRING_ARRAY, [])])
    descriptor.dynamic_typing = True  # `[]` of a client has another type
    node.set_descriptor(name, descriptor)
    return given or []
