"""Faults on demand: a node's ROS parameter `faults`, and services that hang, fail or answer late.

A fault is on while its name is in the list. The list starts as `rover.faults` in robot.yaml
and `faults` of the world say, or as the node's ROS arguments do, which count more; at run time it
is set by the node's service `set_parameters`
(`ros2 param set /rover faults "[camera_frozen]"`). docs/faults.md lists all names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future

from rover_common.config.settings import RoverSettings
from rover_common.config.settings.injected_faults import SERVICE_FAULTS, nearest_faults
from rover_common.diagnostic_status import Health, Part, warning
from rover_common.errors import ConfigError
from rover_common.ros.config_as_ros_parameters import declare_texts
from rover_common.ros.timers import sleep

PARAMETER = 'faults'
LATE_S = 5.0  # steady; how late a late answer is


class FaultSwitch:
    """Which of a node's own faults are on.

    Args:
        node: Gets the parameter.
        known: Faults that this node can have; others are refused at run time.
        settings: The faults that are on from the start, of all nodes.
        changed: Called with the set at the start, and after each change.

    Raises:
        ConfigError: What the ROS arguments give at the start cannot be used.
    """

    def __init__(
        self,
        node: Node,
        known: Iterable[str],
        settings: RoverSettings,
        changed: Callable[[frozenset[str]], None] = lambda _active: None,
    ) -> None:
        self._node = node
        self._names = frozenset(known)
        self._changed = changed
        descriptor = ParameterDescriptor(
            description=f'Faults that are on, of: {", ".join(sorted(self._names))}'
        )
        configured = self._names & {*settings.faults, *settings.world.faults}
        given = declare_texts(node, PARAMETER, sorted(configured), descriptor)
        self.active: frozenset[str] = frozenset()
        reason = self._apply(given)
        if reason:
            raise ConfigError(reason)
        node.add_on_set_parameters_callback(self._check)

    def __contains__(self, name: str) -> bool:
        return name in self.active

    def part(self) -> Part:
        """Their part of /diagnostics."""
        return Part('faults', self._health)

    def _health(self) -> Health:
        names = ', '.join(sorted(self.active))
        return warning(names) if names else Health(reason='none')

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name == PARAMETER:
                reason = self._apply(parameter.value)
                if reason:
                    return SetParametersResult(successful=False, reason=reason)
        return SetParametersResult(successful=True)

    def _apply(self, value: object) -> str | None:
        """Turns faults on and off; what is wrong with the list if it cannot be used."""
        if value is None:  # deleted, it could not be set again
            return f'{PARAMETER} cannot be deleted: set it to [] to end every fault.'
        if not isinstance(value, (list, tuple)) and value != b'':
            return f'{PARAMETER} is {value!r}: give a list of names.'
        wanted = frozenset(value)
        unknown = sorted(map(str, wanted - self._names))
        if unknown:
            return (
                f'{self._node.get_name()} has no fault {unknown[0]!r:.80}; '
                f'{nearest_faults(unknown[0], self._names)}.'
            )
        other = wanted != self.active
        self.active = wanted
        if other:
            self._report()
        self._changed(wanted)
        return None

    def _report(self) -> None:
        log = self._node.get_logger()
        if self.active:
            log.warning(f'Faults that are on: {", ".join(sorted(self.active))}')
        else:
            log.info('No fault is on')


class ServiceFaults:
    """Spoils the services of a node. Their callback group must be reentrant."""

    def __init__(self, node: Node, services: Iterable[str], settings: RoverSettings) -> None:
        self._node = node
        self._hung: dict[str, list[Future]] = {}
        known = (f'{how}:{name}' for name in services for how in SERVICE_FAULTS)
        self._switch = FaultSwitch(node, known, settings, self._release)

    def part(self) -> Part:
        """The faults' part of /diagnostics."""
        return self._switch.part()

    async def works(self, name: str) -> bool:
        """Whether a call is to be carried out; waits as long as the service hangs."""
        if f'hang:{name}' in self._switch:
            future = Future()
            self._hung.setdefault(name, []).append(future)
            await future
            return False
        return f'fail:{name}' not in self._switch

    async def delay(self, name: str) -> None:
        """Waits before the answer if that is to come late."""
        if f'late:{name}' in self._switch:
            await sleep(self._node, LATE_S)

    def _release(self, active: frozenset[str]) -> None:
        """Answers the calls that hung in services that no longer do, without effect."""
        for name in [name for name in self._hung if f'hang:{name}' not in active]:
            for future in self._hung.pop(name):
                future.set_result(None)
