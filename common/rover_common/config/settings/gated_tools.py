"""What a tool need not say because it has a gate: its resource, and the guards of what moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rover_common.config.settings.gates import ACTION, VELOCITY

BASE = 'base'  # the resource that counts as driving
MOVES = ('adapter_alive',)
DRIVE_MOTION = 'bt_executive_interfaces/action/DriveMotion'
_AHEAD = {'exclusiveMinimum': 0, 'maximum': 10}  # m
# motion → argument → the bounds that a tool need not give
OWN_MOTIONS: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    'straight': {'distance_m': _AHEAD},
    'turn': {'angle_rad': {'minimum': -6.3, 'maximum': 6.3}},
    'arc': {'distance_m': _AHEAD, 'radius_m': {'minimum': -10, 'maximum': 10}},
}
DRIVES = (*MOVES, 'standing_still', 'outside_keep_out')


def with_gates(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of robot.yaml with tools of a gate completed."""
    tools, gates = raw.get('tools'), raw.get('gates', {})
    if not isinstance(tools, dict) or not isinstance(gates, dict):
        return dict(raw)
    whole = {}
    for name, tool in tools.items():
        try:
            whole[name] = _with_gate(tool, gates)
        except ValueError as error:
            raise ValueError(f'tools.{name!s:.60}: {error}') from None
    return {**raw, 'tools': whole}


def _with_gate(tool: Any, gates: Mapping[Any, Any]) -> Any:
    name = tool.get('gate') if isinstance(tool, dict) else None
    gate = gates.get(name) if isinstance(name, str) else None
    if isinstance(name, str) and name and gate is None:
        names = ', '.join(str(each) for each in gates)[:200] or 'none'
        raise ValueError(f'it has the gate {name!a:.60}, which is not among gates: {names}')
    if isinstance(tool, dict) and not name and isinstance(tool.get('motion'), str):
        raise ValueError(f'motion {tool["motion"]!r:.60} is one of a gate: name it, `gate: …`')
    if not isinstance(gate, dict):
        return tool
    drives = ACTION not in gate or VELOCITY in gate
    resources = _list(tool.get('resources_required', [] if drives else [name]))
    guards = _list(tool.get('guards', []))
    if resources is None or guards is None:
        return tool  # its type reports the fault
    motion = tool.get('motion')
    if drives and isinstance(motion, str):
        tool = _own_motion(tool, str(name), motion)
    own = [each for each in (DRIVES if drives else MOVES) if each not in guards]
    base = [BASE] if drives and BASE not in resources else []
    return {**tool, 'resources_required': [*resources, *base], 'guards': [*own, *guards]}


def _own_motion(tool: dict[str, Any], gate: str, motion: str) -> dict[str, Any]:
    """A motion of the gate's own is an action of the process `gates`."""
    if motion not in OWN_MOTIONS:
        names = ', '.join(OWN_MOTIONS)
        raise ValueError(f'motion is {motion!r}: the motions of a gate are {names}')
    if 'action' in tool or 'service' in tool:
        raise ValueError(f'motion {motion!r} is driven by the gate: name no service or action')
    given = {} if tool.get('args') is None else tool['args']
    results = {} if tool.get('result') is None else tool['result']
    if not isinstance(given, dict) or not isinstance(results, dict):
        return tool  # its type reports the fault
    args = {
        name: _bounded(bounds, given.get(name)) for name, bounds in OWN_MOTIONS[motion].items()
    }
    result = {'code': 'error_code', 'reason': 'message', **results}
    whole = {
        'action': {'name': f'/gates/{gate}/{motion}', 'type': DRIVE_MOTION, 'own': True},
        'args': {**given, **args},
        'result': result,
    }
    return {key: each for key, each in tool.items() if key != 'motion'} | whole


def _bounded(bounds: Mapping[str, Any], given: Any) -> Any:
    """An argument with the bounds that its tool does not give."""
    if given is None or isinstance(given, str):
        given = {'field': given} if given else {}
    if not isinstance(given, dict):
        return given
    if 'minimum' in given or 'exclusiveMinimum' in given:
        bounds = {key: each for key, each in bounds.items() if key != 'exclusiveMinimum'}
    if bounds.get('minimum') is not None and 'maximum' in given and 'minimum' not in given:
        most = given['maximum']
        bounds = {**bounds, 'minimum': -most} if isinstance(most, (int, float)) else bounds
    return {'type': 'number', **bounds, **given}


def _list(given: Any) -> list[Any] | None:
    return list(given) if isinstance(given, (list, tuple)) else None
