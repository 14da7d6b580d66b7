"""The robots of `bt-executive web --robots`, as they are typed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rover_common.errors import UsageError
from rover_common.ros.ros_arguments import NAMESPACE

MOST = 16  # each has a port of its own


@dataclass(frozen=True)
class FleetRobot:
    """One robot. `config`: its folder of configuration; None: that of all."""

    name: str
    config: Path | None = None

    @property
    def ros_arguments(self) -> list[str]:
        """What puts a node into its namespace."""
        return ['--ros-args', '-r', f'__ns:=/{self.name}']


def read_robots(text: str) -> list[FleetRobot]:
    """Reads `rover_1,rover_2=DIR`.

    Raises:
        UsageError: A name is no namespace, comes twice, or there are none or too many.
    """
    found: dict[str, FleetRobot] = {}
    for each in text.split(','):
        name, _, folder = each.strip().partition('=')
        name = name.strip('/')
        if not NAMESPACE.fullmatch(f'/{name}') or not name:
            raise UsageError(
                f'--robots {text!r}: {name!r} is no namespace; give those of the executives, '
                'with commas between them: --robots rover_1,rover_2'
            )
        if name in found:
            raise UsageError(f'--robots {text!r}: {name!r} is named twice.')
        found[name] = FleetRobot(name, Path(folder) if folder else None)
    if len(found) > MOST:
        raise UsageError(f'--robots names {len(found)} robots; at most {MOST} fit on a page.')
    return list(found.values())
