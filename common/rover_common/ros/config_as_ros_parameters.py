"""The configuration of a node as its ROS parameters.

`ros2 param list`, `describe` and `dump` show the sections that a node uses. What a params file, a
launch file or `-p` says at the start counts more than the YAML files and `--set`. Later, most
parameters are read-only: what has been built from them would not change. Everybody in the graph
reads them, so what URLs of the files and of `--set` keep secret is blanked.

`[]` has no type of its own: rclpy declares it as bytes, and reads it in a params file as nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import math

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.node import Node
from rclpy.parameter import Parameter

from rover_common.config.config_values import (
    KeyPath,
    Scalar,
    Value,
    comment,
    values_below,
    with_values,
)
from rover_common.config.settings import Config
from rover_common.errors import ConfigError
from rover_common.ros.ros_arguments import LARGEST_INTEGER, PREFIXES
from rover_common.text_sanitizing import without_invisible
from rover_common.url_secrets import without_secrets


def declare_texts(
    node: Node, name: str, default: Sequence[str], descriptor: ParameterDescriptor
) -> Scalar:
    """Declares such a parameter.

    Returns:
        Its value at the start: a list, unless something else was given, which is not checked.
    """
    anything = ParameterDescriptor(dynamic_typing=True)
    given: Scalar = node.declare_parameter(name, list(default), anything).value
    if not given:
        node.set_parameters([Parameter(name, Parameter.Type.STRING_ARRAY, [])])
    descriptor.dynamic_typing = True  # `[]` of a client has another type
    node.set_descriptor(name, descriptor)
    return given or []


NULL = 'null'  # so `ros2 param dump` writes it; in a params file it is a text like any other


class ConfigParameters:
    """Declares parameters for parts of the configuration.

    Args:
        node: Gets the parameters.
        config: As the files and `--set` have it.
        paths: The sections and keys that the node uses.
        changeable: Those of them that act at run time.
        changed: Called with the new values after a change at run time.

    Raises:
        ConfigError: What was given at the start is not allowed.
    """

    def __init__(
        self,
        node: Node,
        config: Config,
        paths: Iterable[KeyPath],
        changeable: Iterable[KeyPath] = (),
        changed: Callable[[Mapping[KeyPath, Scalar]], None] = lambda _values: None,
    ) -> None:
        self._node = node
        self._changed = changed
        self._changeable = tuple(changeable)
        self._paths: dict[str, KeyPath] = {}
        self._floats: set[str] = set()
        given = {}
        for path in paths:
            for value in values_below(config, path):
                at_start = self._declare(value)
                if at_start != value.value:
                    given[value.path] = at_start
        self.config = with_values(config, given) if given else config
        node.add_pre_set_parameters_callback(self._pre_set)
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._apply)

    def _declare(self, value: Value) -> Scalar:
        name = parameter_name(value.path)
        self._paths[name] = value.path
        fixed = not any(value.path[: len(each)] == each for each in self._changeable)
        descriptor = _descriptor(value, fixed)
        if isinstance(value.value, list):
            return _as_seen(declare_texts(self._node, name, value.value, descriptor))
        shown = without_secrets(value.value) if isinstance(value.value, str) else value.value
        given = _as_seen(self._node.declare_parameter(name, shown, descriptor).value)
        if value.kind is float:
            self._floats.add(name)
        if given == shown:
            return value.value
        return None if value.optional and given == NULL else given

    def _pre_set(self, parameters: list[Parameter]) -> list[Parameter]:
        """Names what is unknown, which rclpy's own refusal leaves out; reads 25 as 25.0.

        Texts lose what a reader does not see, as those of YAML files do.
        """
        unknown = [each.name for each in parameters if not self._node.has_parameter(each.name)]
        if unknown:
            node = self._node.get_fully_qualified_name()
            raise ParameterNotDeclaredException(
                f'{", ".join(unknown)}; `ros2 param list {node}` shows those that there are'
            )
        return [self._as_read(each) for each in parameters]

    def _as_read(self, parameter: Parameter) -> Parameter:
        if parameter.type_ == Parameter.Type.INTEGER and parameter.name in self._floats:
            return Parameter(parameter.name, value=float(parameter.value))
        return Parameter(parameter.name, parameter.type_, _as_seen(parameter.value))

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        try:
            with_values(self.config, self._config_values(parameters))
        except ConfigError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply(self, parameters: list[Parameter]) -> None:
        values = self._config_values(parameters)
        if values:
            self.config = with_values(self.config, values)
            self._changed(values)

    def _config_values(self, parameters: Iterable[Parameter]) -> dict[KeyPath, Scalar]:
        return {
            self._paths[each.name]: each.value for each in parameters if each.name in self._paths
        }


def parameter_name(path: KeyPath) -> str:
    """How a value is called as a parameter: as after `--set`, without its file."""
    prefix = PREFIXES.get(path[:-1])
    return '.'.join(path[1:]) if prefix is None else prefix + path[-1]


def _as_seen(value: Scalar) -> Scalar:
    if isinstance(value, str):
        return without_invisible(value)
    if isinstance(value, list):
        return [without_invisible(each) if isinstance(each, str) else each for each in value]
    return value


def _descriptor(value: Value, fixed: bool) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        description=comment(value.path),
        additional_constraints=f'one of {", ".join(value.choices)}' if value.choices else '',
        read_only=fixed,
        dynamic_typing=value.optional,  # null has no type
    )
    if value.least is None and value.most is None:
        return descriptor
    if value.kind is float:
        least = -math.inf if value.least is None else float(value.least)
        most = math.inf if value.most is None else float(value.most)
        descriptor.floating_point_range = [FloatingPointRange(from_value=least, to_value=most)]
    elif value.kind is int:
        least_int = -LARGEST_INTEGER if value.least is None else int(value.least)
        most_int = LARGEST_INTEGER if value.most is None else int(value.most)
        descriptor.integer_range = [IntegerRange(from_value=least_int, to_value=most_int, step=1)]
    return descriptor
