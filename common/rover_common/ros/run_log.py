"""The log of a node: every line names its run, and the node's log file stands in the run folder.

Both follow the environment that ROS 2 reads when it is initialised, so whoever has set
RCUTILS_CONSOLE_OUTPUT_FORMAT or ROS_LOG_DIR keeps what they chose.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path

LOGS = 'logs'  # below the run folder
# That of rcutils (logging.c), with the run. It holds for the log file too.
LINE = '[{{severity}}] [{{time}}] [{{name}}] [{run}]: {{message}}'


def name_the_run(run_dir: Path, environment: MutableMapping[str, str]) -> None:
    """Sets what rcl reads; to be called before `rclpy.init`."""
    run = run_dir.name.replace('{', '(').replace('}', ')')  # braces have a meaning in formats
    environment.setdefault('RCUTILS_CONSOLE_OUTPUT_FORMAT', LINE.format(run=run))
    environment.setdefault('ROS_LOG_DIR', str(run_dir / LOGS))


def log_file_arguments(name: str) -> list[str]:
    """ROS arguments that name the log file after the node: rcl names it after the interpreter."""
    return ['--ros-args', '--log-file-name', name, '--']
