"""Writes a robot.yaml for a live graph, of validated names and types only.

The file can be used unedited. Every tool needs an approval, except for those whose type only
reads. What could not be learned is listed in comments at its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from bt_executive.core.stop_endpoints import NO_STOP
from bt_executive.skills.learned_gates_and_state import (
    NEAR,
    battery_of,
    find_gates,
    find_stop,
    frames_of,
    state_of,
)
from bt_executive.skills.learned_graph import Constants, Graph, GraphAnalysis, endpoint_keys
from bt_executive.skills.learned_tools import tools_of
from rover_common.config.settings.gates import BASE
from rover_common.interface_field_checks import Resolve

_ROOM_AHEAD = {
    'room_ahead': {
        'where': {NEAR: {'at_least': 0.4}},
        'reason': 'Something stands less than 0.4 m from the scanner',
    }
}
_CLOCK = '/clock'


class LearnedRobot:
    """The file for one graph. `resolve` and `message` return the fields of a type.

    `constants`: returns the constants that a response's type defines for a field.
    """

    def __init__(self, graph: Graph, resolve: Resolve, message: Any, constants: Constants) -> None:
        analysis = GraphAnalysis(graph, resolve, message, constants)
        self._topics = analysis.graph.topics
        self.not_learned, self.not_installed = analysis.not_learned, analysis.not_installed
        self.stop = find_stop(analysis)
        self._gates = dict(find_gates(analysis))
        self.tools: dict[str, Any] = dict(tools_of(analysis, self.stop, self._gates))
        self.state = dict(state_of(analysis))
        self.frames = frames_of(analysis, self._gates)
        self._battery = battery_of(analysis)

    def text(self) -> str:
        """Return the file's text."""
        parts = [
            '# Learned from a running graph. Every tool waits for an approval: take `approve`\n'
            '# off where none is needed, describe the tools to the model, remove the rest.\n',
            _to_yaml({'robot': 'learned', 'frames': self.frames}),
            *self._stopping(),
        ]
        if self.state:
            parts.append('# What guards, safe_when and postcondition of tools may ask for.\n')
            parts.append(_to_yaml({'state': self.state}))
        if NEAR in self.state and BASE in self.gates:
            parts.append(
                '# Of use once a tool names it: write guards: [room_ahead] into `drive`.\n'
            )
            parts.append(_to_yaml({'guards': _ROOM_AHEAD}))
        if self.tools:
            parts.append(_to_yaml({'tools': self.tools}))
        if self.not_learned:
            parts.append('# What could not be learned:\n')
            parts += [f'#   {_comment(text)}\n' for text in self.not_learned]
        return '\n'.join(parts)

    def _stopping(self) -> Iterator[str]:
        """Yield the sections of gates, stop endpoints and time."""
        if self.gates:
            yield (
                '# What moves while the executive permits it, and stops with it (docs/gates.md).\n'
                '# Whoever else drives the base publishes on `in`; nobody but the gate on `out`.\n'
            )
            yield _to_yaml({'gates': self.gates})
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
            yield _to_yaml({'topics': topics})
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
            yield _to_yaml({'executive': section})

    @property
    def gates(self) -> dict[str, Any]:
        """The gates that a learned tool uses, by name."""
        used = {tool.get('gate') for tool in self.tools.values()}
        return {name: gate for name, gate in self._gates.items() if name in used}


def _comment(text: str) -> str:
    """Return a text in ASCII, so that it cannot end its line or hide anything in it."""
    return ascii(text)[1:-1][:300]


def _to_yaml(content: Mapping[str, Any]) -> str:
    return yaml.safe_dump(
        dict(content), sort_keys=False, allow_unicode=False, default_flow_style=None, width=130
    )
