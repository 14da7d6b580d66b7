"""Entering ROS: what a process sets before (transport, log, code, threads), and why ROS refuses.

All of it follows the environment that ROS 2 reads when it is initialised, so whoever has set
RCUTILS_CONSOLE_OUTPUT_FORMAT, ROS_LOG_DIR or Fast DDS's profiles keeps what they chose.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from contextlib import suppress
import gc
from importlib import import_module
import mmap
import os
from pathlib import Path
import re
import sys

from rover_common.errors import UsageError
from rover_common.process.user_paths import temporary_folder

VARIABLE = 'FASTRTPS_DEFAULT_PROFILES_FILE'  # read by Fast DDS; other middlewares ignore it
PROFILE = Path(__file__).with_name('fast_dds_profile.xml')


def choose_transport(environment: MutableMapping[str, str]) -> None:
    """Sets what Fast DDS reads, unless the user has; to be called before `rclpy.init`.

    Messages travel to, from and within our processes by UDP, and soon again if they were lost.

    Not through shared memory: a process that dies while it reads there leaves Fast DDS's buffer
    taken for good, and after some deaths the writer's segment is full: its pictures then reach
    nobody, old or new, and nothing says so (https://github.com/eProsima/Fast-DDS/issues/5469).
    Processes of ours may be killed.

    Not from context to context within a process either, where Fast DDS calls the reader in the
    thread of the writer: if a publisher ends at the moment in which the other context discovers
    its own, both wait for each other for ever (https://github.com/eProsima/Fast-DDS/issues/6193).
    """
    environment.setdefault(VARIABLE, str(PROFILE))


MIDDLEWARE = 'RMW_IMPLEMENTATION'
RESOURCES = Path('share', 'ament_index', 'resource_index', 'rmw_typesupport')


def check_middleware(environment: Mapping[str, str]) -> None:
    """Refuses a middleware that is not installed; to be called before rclpy is imported.

    rcl ends the process when it is loaded and does not find it, with a line about its source.

    Raises:
        UsageError: It is not among those that are.
    """
    wanted = environment.get(MIDDLEWARE, '')
    prefixes = (sys.prefix, *environment.get('AMENT_PREFIX_PATH', '').split(os.pathsep))
    folders = [Path(each, RESOURCES) for each in prefixes if each]
    names = {file.name for folder in folders if os.path.isdir(folder) for file in folder.iterdir()}
    installed = sorted(names - {'rmw_implementation'})  # which loads one of the others
    if wanted and installed and wanted not in installed:
        raise UsageError(
            f'{MIDDLEWARE} is {wanted!r}, which is not installed here: unset it, or set it to '
            f'{" or ".join(installed)}. A ROS 2 distribution has others.'
        )


SHARED_MEMORY = Path('/dev/shm')
TRACER = 'ros_rcl.libs/liblttng-ust*'  # of the wheels; maps two pages of files in shared memory


def check_shared_memory(folder: Path = SHARED_MEMORY) -> None:
    """Refuses a full shared memory without ROS's files; to be called before rclpy is imported.

    A bus error would end the process there.

    Raises:
        UsageError: ROS's tracer has no room for its files, which are not there yet.
    """
    try:
        room = os.statvfs(folder)
        files = [each for each in folder.iterdir() if _is_of_tracer(each.name)]
        there = sum(each.stat().st_blocks > 0 for each in files)
    except OSError:  # without shared memory the tracer does nothing
        return
    pages = there + room.f_bavail * room.f_frsize // mmap.PAGESIZE
    has_limit = room.f_blocks > 0 and os.access(folder, os.W_OK)
    if has_limit and pages < 2 and any(next(Path(each).glob(TRACER), None) for each in sys.path):
        raise UsageError(
            f'{folder} is full, and ROS needs two pages of it: remove what nobody uses there, or '
            'make it larger (of a container, with --shm-size).'
        )


def _is_of_tracer(name: str) -> bool:
    return bool(re.fullmatch(rf'lttng-ust-wait-\d+(-{os.getuid()})?', name))


LOGS = 'logs'  # below the run folder
LOGS_OF_ROS = 'log'  # below ~/.ros
# That of rcutils (logging.c), with the run. It holds for the log file too.
LINE = '[{{severity}}] [{{time}}] [{{name}}] [{run}]: {{message}}'


def name_the_run(run_dir: Path, environment: MutableMapping[str, str]) -> None:
    """Every line of the log names its run, and the log file stands in the run folder.

    To be called before `rclpy.init`.
    """
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
    # Of os.path: a home that this user may not enter, such as of `sudo -E`, is none as well.
    exists = next(each for each in (logs, *logs.parents) if os.path.exists(each))
    if os.path.isdir(home) and exists.is_dir() and os.access(exists, os.W_OK | os.X_OK):
        return
    with suppress(UsageError):  # rcl names what is missing, to those that enter ROS
        environment['ROS_LOG_DIR'] = str(temporary_folder(environment) / LOGS)


def log_file_arguments(name: str) -> list[str]:
    """ROS arguments that name the log file after the node: rcl names it after the interpreter."""
    return ['--ros-args', '--log-file-name', name, '--']


PACKAGE = 'rosidl_generator_py'
GENERATOR = 'rosidl_generator_py.generate_py_impl'


def leave_out_code_generator() -> None:
    """Call it before the first message is used. The generator itself can be imported later.

    The first message of a process imports `rosidl_generator_py` for one function of ten lines.
    That package imports its code generator besides, and so em, lark and regex: 0.25 s of
    processor time and 15 MB. It does without the generator where these are not installed.
    """
    if PACKAGE in sys.modules:
        return
    sys.modules[GENERATOR] = None  # type: ignore[assignment]  # as if it were not installed
    try:
        with suppress(ImportError):  # a distribution whose messages do not need the package
            import_module(PACKAGE)
    finally:
        del sys.modules[GENERATOR]


SWITCH_S = 1e-4  # a switch costs some 0.01 ms, and only where threads compete


def shorten_switch_interval() -> None:
    """To be called once, when the objects that live as long as the process exist.

    Two properties of the interpreter delay a stop. A ready thread waits 5 ms until the running
    one releases the interpreter: as long as four hops of the middleware, and more than once in a
    stop. And a full garbage collection blocks all threads while it visits every imported object:
    0.15 s in the executive, 0.04 s in the adapter. Here it visits these for the last time.
    """
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()


def node_refused(error: Exception) -> UsageError:
    """An error of ROS that refuses a node, or a part of it, as our own error."""
    advice = _about_log(error) + _about_security()
    return UsageError(f'ROS refuses this node: {_reason(error)}.{advice}')


def unusable_ros_arguments(error: Exception) -> UsageError:
    """What rcl or rclpy has against the ROS arguments, as our own error."""
    if _about_log(error):
        return node_refused(error)
    return UsageError(f'The ROS arguments cannot be used: {_reason(error)}{_about_security()}')


def _reason(error: Exception) -> str:
    """The message of rcl in one line, without the place in its source."""
    text = str(error).removeprefix('failed to initialize rcl: ').partition(', at /')[0]
    return ' '.join(text.split())


def _about_log(error: Exception) -> str:
    is_it = 'log directory' in str(error)
    return ' Make that folder, or name one that can be written in ROS_LOG_DIR.' * is_it


def _about_security() -> str:
    enabled = os.environ.get('ROS_SECURITY_ENABLE') == 'true'
    return ' ROS_SECURITY_ENABLE is true: docs/security.md says what that needs.' * enabled
