"""`bt-executive learn`: its options, and the robot.yaml of the running graph."""

from __future__ import annotations

import argparse
import os

from bt_executive.commands.shared_options import Commands, SharedOptions
from bt_executive.launching.node_process import children_environment
from rover_common.process.process_end import DONE
from rover_common.process.user_paths import given_path
from rover_common.text_sanitizing import printable


def add_learn(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    learn = commands.add_parser(
        'learn',
        parents=[shared.common],
        help='write a robot.yaml of what the ROS graph has',
        description='Reads services, actions, topics and transforms of the running graph and '
        'writes DIR/robot.yaml, which starts unedited: every tool waits for an approval.',
        allow_abbrev=False,
    )
    learn.add_argument('folder', type=given_path, metavar='DIR', help='where it is written')
    learn.set_defaults(run=write_learned)


def write_learned(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Writes the file and prints its contents; returns the exit code."""
    from bt_executive.ros.learn_from_graph import learn

    os.environ.update(children_environment(os.environ))
    print(printable(learn(options.folder, ros_arguments)))
    return DONE
