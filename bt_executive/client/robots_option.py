"""The option `--robots` of `web` and `mcp`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.process.user_paths import named_path
from rover_common.ros.ros_arguments import NAMESPACE, namespace_of

MOST_ROBOTS = 16  # on a page each has its own port


@dataclass(frozen=True)
class FleetRobot:
    """One robot.

    Attributes:
        name: Its namespace, without the first slash; empty: the root namespace.
        ros_arguments: The arguments that put a node into its namespace.
    """

    name: str
    config: Config
    ros_arguments: Sequence[str] = ()


def read_robots(
    text: str, config: Config, ros_arguments: Sequence[str] = (), overrides: Sequence[str] = ()
) -> list[FleetRobot]:
    """Parse `rover_1,rover_2=DIR`.

    Args:
        text: The value of the option.
        config: Of the robots without a folder.
        ros_arguments: Of the command line, without a namespace.
        overrides: Of settings, also of those in the folders.

    Raises:
        UsageError: A name is no namespace or is repeated, there are no names or too many, or the
            configuration in a folder is invalid.
    """
    if namespace_of(ros_arguments) != '/':
        raise UsageError('--robots names the namespaces itself: leave out __ns.')
    folders: dict[str, str] = {}
    for entry in text.split(','):
        name, _, folder = entry.strip().partition('=')
        name = name.strip('/')
        if not NAMESPACE.fullmatch(f'/{name}') or not name:
            raise UsageError(
                f'--robots {text!r}: {name!r} is not a namespace; give those of the executives, '
                'with commas between them: --robots rover_1,rover_2'
            )
        if name in folders:
            raise UsageError(f'--robots {text!r}: {name!r} is named twice.')
        folders[name] = folder
    if len(folders) > MOST_ROBOTS:
        limit = f'there can be {MOST_ROBOTS} at most.'
        raise UsageError(f'--robots names {len(folders)} robots; {limit}')
    return [
        FleetRobot(
            name,
            load_config(named_path(folder), overrides) if folder else config,
            [*ros_arguments, '--ros-args', '-r', f'__ns:=/{name}'],
        )
        for name, folder in folders.items()
    ]
