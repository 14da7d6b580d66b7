"""What is looked at before any process of a stack starts, by whoever starts it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module

from bt_executive.launching.system_processes import ROVER
from rover_common.config.settings import Config
from rover_common.process.node_name_lock import check_names_are_free
from rover_common.ros.other_rover_check import check_no_other_rover
from rover_common.ros.ros_probe import check_network


def check_start(
    config: Config,
    checks: Mapping[str, str],
    ros_arguments: Sequence[str],
    environment: Mapping[str, str],
) -> None:
    """Looks whether nodes can be started with this configuration and these ROS arguments.

    Args:
        config: The whole configuration.
        checks: The nodes' names with the function that checks a configuration for each, as
            `module:name`; empty where there is none.
        ros_arguments: Of the namespace above all.
        environment: Of the processes to be started.

    Raises:
        BtExecutiveError: They cannot; the text says why and what to do.
    """
    with ThreadPoolExecutor(1) as aside:
        look = partial(check_no_other_rover, config.topics, ros_arguments)
        looking = aside.submit(look) if ROVER in checks else None  # it takes a moment
        check_nodes(config, checks, ros_arguments, environment)
        if looking is not None:
            looking.result()


def check_nodes(
    config: Config,
    checks: Mapping[str, str],
    ros_arguments: Sequence[str],
    environment: Mapping[str, str],
) -> None:
    """Like `check_start`, without a look around for another rover."""
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
    found: Callable[[Config], None] = getattr(import_module(module), function)
    return found
