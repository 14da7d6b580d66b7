"""The log of a node: every line names its run, and the node's log file stands in the run folder.

Both follow the environment that ROS 2 reads when it is initialised, so whoever has set
RCUTILS_CONSOLE_OUTPUT_FORMAT or ROS_LOG_DIR keeps what they chose.
"""

from __future__ import annotations

from collections.abc import MutableMapping
import os
from pathlib import Path
import tempfile

LOGS = 'logs'  # below the run folder
LOGS_OF_ROS = 'log'  # below ~/.ros
# That of rcutils (logging.c), with the run. It holds for the log file too.
LINE = '[{{severity}}] [{{time}}] [{{name}}] [{run}]: {{message}}'


def name_the_run(run_dir: Path, environment: MutableMapping[str, str]) -> None:
    """Sets what rcl reads; to be called before `rclpy.init`."""
    run = run_dir.name.replace('{', '(').replace('}', ')')  # braces have a meaning in formats
    environment.setdefault('RCUTILS_CONSOLE_OUTPUT_FORMAT', LINE.format(run=run))
    environment.setdefault('ROS_LOG_DIR', str(run_dir / LOGS))


def choose_log_folder(environment: MutableMapping[str, str]) -> None:
    """Names a folder of the system's temporary ones where ROS's own cannot be made.

    rcl writes below ROS_LOG_DIR, ROS_HOME or ~/.ros, and without one of them starts no node.
    To be called before `rclpy.init`.
    """
    if environment.get('ROS_LOG_DIR') or environment.get('ROS_HOME'):
        return
    home = Path(environment.get('HOME') or '/nonexistent')
    logs = home / '.ros' / LOGS_OF_ROS
    exists = next(each for each in (logs, *logs.parents) if each.exists())
    if home.is_dir() and exists.is_dir() and os.access(exists, os.W_OK | os.X_OK):
        return
    folder = Path(tempfile.gettempdir(), f'bt_executive-{os.getuid()}', LOGS)
    environment['ROS_LOG_DIR'] = str(folder)


def log_file_arguments(name: str) -> list[str]:
    """ROS arguments that name the log file after the node: rcl names it after the interpreter."""
    return ['--ros-args', '--log-file-name', name, '--']
