"""The robots of `web --robots` and `mcp --robots`, as they are typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.ros.ros_arguments import NAMESPACE, namespace_of

MOST = 16  # on a page each has a port of its own


@dataclass(frozen=True)
class FleetRobot:
    """One robot.

    Attributes:
        name: Its namespace, without the first slash; empty: one that was not named.
        ros_arguments: What puts a node into its namespace.
    """

    name: str
    config: Config
    ros_arguments: Sequence[str] = ()


def read_robots(
    text: str, config: Config, ros_arguments: Sequence[str] = (), overrides: Sequence[str] = ()
) -> list[FleetRobot]:
    """Reads `rover_1,rover_2=DIR`.

    Args:
        text: As it was typed.
        config: Of those without a folder of their own.
        ros_arguments: Of the command line, without a namespace.
        overrides: Of a setting, also in their own folders.

    Raises:
        UsageError: A name is no namespace, comes twice, or there are none or too many; or a
            folder's configuration cannot be used.
    """
    if namespace_of(ros_arguments) != '/':
        raise UsageError('--robots names the namespaces itself: leave out __ns.')
    folders: dict[str, str] = {}
    for each in text.split(','):
        name, _, folder = each.strip().partition('=')
        name = name.strip('/')
        if not NAMESPACE.fullmatch(f'/{name}') or not name:
            raise UsageError(
                f'--robots {text!r}: {name!r} is not a namespace; give those of the executives, '
                'with commas between them: --robots rover_1,rover_2'
            )
        if name in folders:
            raise UsageError(f'--robots {text!r}: {name!r} is named twice.')
        folders[name] = folder
    if len(folders) > MOST:
        raise UsageError(f'--robots names {len(folders)} robots; there can be {MOST} at most.')
    return [
        FleetRobot(
            name,
            load_config(Path(folder), overrides) if folder else config,
            [*ros_arguments, '--ros-args', '-r', f'__ns:=/{name}'],
        )
        for name, folder in folders.items()
    ]
