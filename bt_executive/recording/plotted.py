"""What of the executive's JSON topics can be plotted: score, mode, battery, trace. Pure.

Trace and state are JSON in `std_msgs/String`, which no viewer plots. Beside the messages as they
were sent, the MCAP file has channels with the schemas below (encoding json).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from rover_common.finite_number import finite_number
from rover_common.json_text import read_json_object

MODES = ('IDLE', 'EXEC', 'CHARGE', 'SAFE')  # a mode's number in plots is its place
EVENT_ID = 'event_id'
KNOWN_EVENTS = 1000  # more than the trace's topic keeps for a late subscriber
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
Plotted: TypeAlias = tuple[PlotChannel, dict[str, Any]]


class Plots:
    """What the messages of one executive add to the plots: each measurement once, and no other.

    A latched topic is sent again to whoever subscribes again, the end of a goal repeats its last
    score, and a state names what is not known.
    """

    def __init__(self) -> None:
        self._plotted: dict[str, None] = {}  # ids of events whose score was plotted, oldest first
        self._state: dict[str, Any] = {}

    def of_event(self, text: str) -> Iterator[Plotted]:
        """What a message of the trace adds.

        Raises:
            ValueError: It is no JSON object.
        """
        for channel, values in _of_event(text):
            event_id = str(values.pop(EVENT_ID, ''))
            if channel is SCORE and event_id in self._plotted:
                continue
            if channel is SCORE:
                self._plotted[event_id] = None
                if len(self._plotted) > KNOWN_EVENTS:
                    del self._plotted[next(iter(self._plotted))]
            yield channel, values

    def of_state(self, text: str) -> Iterator[Plotted]:
        """What a message of the state adds: nothing if it says what the one before it has said.

        Raises:
            ValueError: It is no JSON object.
        """
        for channel, values in _of_state(text):
            if values != self._state:
                self._state = values
                yield channel, values

    def show_state_again(self) -> None:
        """Has the state plotted when it comes again: somebody looks who has not seen it."""
        self._state = {}


def _of_event(text: str) -> Iterator[Plotted]:
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
    if score is not None and event.get('tool_name'):
        yield SCORE, {'ts': ts, 'score': score, EVENT_ID: event.get('event_id', ts)}


def _of_state(text: str) -> Iterator[Plotted]:
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
    numbers = {
        'battery_pct': None if robot.get('battery_at') is None else robot.get('battery_pct'),
        'step': react.get('iter'),
        **{key: pose.get(key) for key in ('x', 'y', 'yaw')},
    }
    yield (
        STATE,
        {
            'mode': mode,
            'mode_number': MODES.index(mode) if mode in MODES else -1,
            'goal': str(active),
            **{key: value for key, value in numbers.items() if finite_number(value) is not None},
        },
    )


def _part(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = values.get(name)
    return part if isinstance(part, dict) else {}
