"""A robot.yaml of what a live graph has: names and types that were validated, and nothing else.

The file starts unedited. Every tool needs an approval, but for those whose type only asks. What
could not be done stands in comments at its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from bt_executive.core.stop_endpoints import NO_STOP
from bt_executive.skills.learned_gates import find_gates, find_stop
from bt_executive.skills.learned_graph import (
    Constants,
    Graph,
    Reading,
    endpoint_keys,
    no_constants,
)
from bt_executive.skills.learned_state import NEAR, battery_of, frames_of, state_of
from bt_executive.skills.learned_tools import tools_of
from rover_common.config.settings.gated_tools import BASE
from rover_common.interface_fields import Resolve

_ROOM_AHEAD = {
    'room_ahead': {
        'where': {NEAR: {'at_least': 0.4}},
        'reason': 'Something stands less than 0.4 m from the scanner',
    }
}
_CLOCK = '/clock'


class Learned:
    """The file for one graph. `resolve` and `message` give the fields of a type.

    `constants`: the numbers that an answer's type names beside a field.
    """

    def __init__(
        self, graph: Graph, resolve: Resolve, message: Any, constants: Constants = no_constants
    ) -> None:
        reading = Reading(graph, resolve, message, constants)
        self._topics = reading.graph.topics
        self.not_done, self.not_installed = reading.not_done, reading.not_installed
        self.stop = find_stop(reading)
        self._gates = dict(find_gates(reading))
        self.tools: dict[str, Any] = dict(tools_of(reading, self.stop, self._gates))
        self.state = dict(state_of(reading))
        self.frames = frames_of(reading, self._gates)
        self._battery = battery_of(reading)

    def text(self) -> str:
        """Return the file's text."""
        parts = [
            '# Learned from a running graph. Every tool waits for an approval: take `approve`\n'
            '# off where none is needed, describe the tools to the model, remove the rest.\n',
            _written({'robot': 'learned', 'frames': self.frames}),
            *self._stopping(),
        ]
        if self.state:
            parts.append('# What guards, safe_when and postcondition of tools may ask for.\n')
            parts.append(_written({'state': self.state}))
        if NEAR in self.state and BASE in self.gates:
            parts.append(
                '# Of use once a tool names it: write guards: [room_ahead] into `drive`.\n'
            )
            parts.append(_written({'guards': _ROOM_AHEAD}))
        if self.tools:
            parts.append(_written({'tools': self.tools}))
        if self.not_done:
            parts.append('# What could not be learned:\n')
            parts += [f'#   {_comment(each)}\n' for each in self.not_done]
        return '\n'.join(parts)

    def _stopping(self) -> Iterator[str]:
        """What may move only by permission, and what stops the robot."""
        if self.gates:
            yield (
                '# What moves while the executive permits it, and stops with it (docs/gates.md).\n'
                '# Whoever else drives the base publishes on `in`; nobody but the gate on `out`.\n'
            )
            yield _written({'gates': self.gates})
        topics: dict[str, Any] = {}
        if self._battery:
            yield '# Below battery.low_pct the robot rests to charge (docs/modes.md).\n'
            topics['rover'] = {'battery_state': self._battery}
        if self.stop is not None:
            yield '# What stops the robot, by its name and type: make sure that it does.\n'
            topics['adapter'] = {'halt': endpoint_keys(self.stop)}
        elif not self.gates:
            yield (
                '# No service that stops the robot was found. A stop cancels the actions that\n'
                '# were called; a tool that drives (resource base, motion) is refused.\n'
            )
        if topics:
            yield _written({'topics': topics})
        stop = 'adapter.halt' if self.stop else NO_STOP
        guards = {'fallback_stop_endpoint': stop}
        if not self.gates:
            guards['stop_endpoint'] = stop
        section: dict[str, Any] = {}
        if self.stop is not None or not self.gates:
            section['guards'] = guards
        if _CLOCK in self._topics:
            yield f'# A simulation: time is what comes on {_CLOCK}.\n'
            section['use_sim_time'] = True
        if section:
            yield _written({'executive': section})

    @property
    def gates(self) -> dict[str, Any]:
        """The gates of which a tool was learned, by name."""
        used = {each.get('gate') for each in self.tools.values()}
        return {name: each for name, each in self._gates.items() if name in used}


def _comment(text: str) -> str:
    """A text that cannot end its line, nor hide anything in it."""
    return ascii(text)[1:-1][:300]


def _written(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(
        dict(content), sort_keys=False, allow_unicode=False, default_flow_style=None, width=130
    )
