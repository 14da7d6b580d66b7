"""The checks before any process of a stack starts, for the command line and ROS launch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module

from bt_executive.launching.system_processes import ROVER
from rover_common.config.settings import Config
from rover_common.process.node_name_lock import check_names_are_free
from rover_common.ros.graph_probe import check_network, check_no_other_rover


def check_start(
    config: Config,
    checks: Mapping[str, str],
    ros_arguments: Sequence[str],
    environment: Mapping[str, str],
) -> None:
    """Check that nodes can be started with this configuration and these ROS arguments.

    Args:
        config: The whole configuration.
        checks: The nodes' names with the function that validates a configuration for each, as
            `module:name`; empty: none.
        ros_arguments: Of the nodes, for their namespace.
        environment: Of the processes to be started.

    Raises:
        BtExecutiveError: They cannot be started; the text says why and what to do.
    """
    with ThreadPoolExecutor(1) as pool:
        check = partial(check_no_other_rover, config.topics, ros_arguments)
        other_rover = pool.submit(check) if ROVER in checks else None  # waits for discovery
        check_nodes(config, checks, ros_arguments, environment)
        if other_rover is not None:
            other_rover.result()


def check_nodes(
    config: Config,
    checks: Mapping[str, str],
    ros_arguments: Sequence[str],
    environment: Mapping[str, str],
) -> None:
    """Like `check_start`, without the check for another rover."""
    names = list(checks)
    check_names_are_free(names, ros_arguments, environment)
    check_configuration(config, checks.values())
    check_network(names, ros_arguments, environment)


def check_configuration(config: Config, checks: Iterable[str]) -> None:
    """Raises BtExecutiveError if one of the processes cannot start with this configuration."""
    for check in filter(None, checks):
        _function(check)(config)


def _function(name: str) -> Callable[[Config], None]:
    module, _, function = name.partition(':')
    check: Callable[[Config], None] = getattr(import_module(module), function)
    return check
