"""The options of a node's process: --config, --set, --run-dir."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
import re
from typing import Any

from rclpy.parameter import Parameter

from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.process.new_run_folder import make_run_folder
from rover_common.process.path_option import given_path

USE_SIM_TIME = re.compile(r'(?:\S+:)?use_sim_time:=(\S+)')


@dataclass(frozen=True)
class NodeOptions:
    """What a node process was started with; `overrides` are in `config` already."""

    config: Config
    run_dir: Path | None
    overrides: tuple[str, ...] = ()

    def node_arguments(self) -> dict[str, Any]:
        """Keyword arguments for `rclpy.node.Node` that follow from the configuration."""
        use_sim_time = Parameter('use_sim_time', value=self.config.executive.use_sim_time)
        return {'parameter_overrides': [use_sim_time]}


def parse_options(argv: Sequence[str], records: bool = False) -> NodeOptions:
    """Reads --config, --set and --run-dir; ROS arguments are left to rclpy.

    `records`: the node writes a run, so without --run-dir a fresh folder is made.

    Raises:
        ConfigError: The configuration cannot be used.
        UsageError: The run folder cannot be made.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument('--config', type=given_path, metavar='DIR', help='configuration folder')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    parser.add_argument(
        '--run-dir', type=given_path, metavar='DIR', help='where this run is written'
    )
    options = parser.parse_args(_own_arguments(argv))
    overrides = (*options.set, *_time_overrides(argv))
    config = load_config(options.config, overrides)
    run_dir = make_run_folder(options.run_dir) if records or options.run_dir else None
    return NodeOptions(config, run_dir, overrides)


def _time_overrides(argv: Sequence[str]) -> list[str]:
    """Simulated time as the ROS arguments set it, which every node has to know."""
    found = [match[1] for each in argv if (match := USE_SIM_TIME.fullmatch(each))]
    return [f'executive.use_sim_time={value}' for value in found]


def _own_arguments(argv: Sequence[str]) -> list[str]:
    """What is not between --ros-args and --, or the end.

    (`rclpy.utilities.remove_ros_args` would settle the format of the log.)
    """
    own, for_ros = [], False
    for argument in argv:
        if argument == '--ros-args':
            for_ros = True
        elif for_ros:
            for_ros = argument != '--'
        else:
            own.append(argument)
    return own
