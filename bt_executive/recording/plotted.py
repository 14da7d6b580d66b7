"""What of the executive's JSON topics can be plotted: score, mode, battery, trace. Pure.

Trace and state are JSON in `std_msgs/String`, which no viewer plots. Beside the messages as they
were sent, the MCAP file has channels with the schemas below (encoding json).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rover_common.finite_number import finite_number
from rover_common.json_text import read_json_object

MODES = ('IDLE', 'EXEC', 'CHARGE', 'SAFE')  # a mode's number in plots is its place
LEVELS = {'ERROR': 4, 'DECIDE': 3}  # of foxglove.Log; all others are 2: information
NUMBER, TEXT = {'type': 'number'}, {'type': 'string'}
TIME = {'type': 'object', 'properties': {'sec': {'type': 'integer'}, 'nsec': {'type': 'integer'}}}


@dataclass(frozen=True)
class PlotChannel:
    """A channel of the file. `schema`: JSON Schema of its messages."""

    topic: str
    name: str
    properties: Mapping[str, Any]

    @property
    def schema(self) -> dict[str, Any]:
        """As the file has it."""
        return {'title': self.name, 'type': 'object', 'properties': dict(self.properties)}


SCORE = PlotChannel('/plot/score', 'bt_executive.Score', {'ts': NUMBER, 'score': NUMBER})
STATE = PlotChannel(
    '/plot/state',
    'bt_executive.State',
    {
        **{'mode': TEXT, 'goal': TEXT},
        **dict.fromkeys(('mode_number', 'battery_pct', 'x', 'y', 'yaw', 'step'), NUMBER),
    },
)
TRACE = PlotChannel(
    '/plot/trace',
    'foxglove.Log',  # a schema that Foxglove's log panel knows
    {'timestamp': TIME, 'level': {'type': 'integer'}, 'message': TEXT, 'name': TEXT},
)
CHANNELS = (SCORE, STATE, TRACE)


def of_event(text: str) -> Iterator[tuple[PlotChannel, dict[str, Any]]]:
    """What a message of the trace adds.

    Raises:
        ValueError: It is no JSON object.
    """
    event = read_json_object(text)
    ts, kind = event.get('ts'), str(event.get('kind'))
    if not isinstance(ts, (int, float)) or not abs(ts) < 1e12:
        raise ValueError('an event needs the time ts')
    seconds = int(ts)
    yield (
        TRACE,
        {
            'timestamp': {'sec': seconds, 'nsec': int((ts - seconds) * 1e9)},
            'level': LEVELS.get(kind, 2),
            'message': f'{kind} {event.get("message", "")}',
            'name': str(event.get('tool_name') or 'executive'),
        },
    )
    score = finite_number(event.get('score'))
    if score is not None:
        yield SCORE, {'ts': ts, 'score': score}


def of_state(text: str) -> Iterator[tuple[PlotChannel, dict[str, Any]]]:
    """What a message of the state adds.

    Raises:
        ValueError: It is no JSON object.
    """
    state = read_json_object(text)
    robot, tasks, react = (_part(state, name) for name in ('robot', 'tasks', 'react'))
    pose, mode = _part(robot, 'pose'), str(tasks.get('mode', ''))
    queue = tasks.get('queue')
    active = next(
        (
            each.get('goal', '')
            for each in (queue if isinstance(queue, list) else [])
            if isinstance(each, dict) and each.get('task_id') == tasks.get('active_task_id')
        ),
        '',
    )
    yield (
        STATE,
        {
            'mode': mode,
            'mode_number': MODES.index(mode) if mode in MODES else -1,
            'goal': str(active),
            'battery_pct': robot.get('battery_pct'),
            'step': react.get('iter'),
            **{key: pose.get(key) for key in ('x', 'y', 'yaw')},
        },
    )


def _part(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = values.get(name)
    return part if isinstance(part, dict) else {}
