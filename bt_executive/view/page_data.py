"""PageData: one run as people are shown it, live or from its folder. Plain values; `to_json`.

Times are ROS seconds, lengths m in the world frame, angles rad, charge %. Series are columns of
equal length. What people wrote stands in it as it is: the page shows text as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
import json
import math
import re
from typing import Any, Literal

from pydantic import TypeAdapter

from bt_executive.view.goal_story import GoalStory, Remark

# [ts, {node: letter}, {node: words}, number of the latest event, {field: text}]
Moment = tuple[float, dict[int, str], dict[int, str], int, dict[int, str]]
EventRow = tuple[float, str, str, str, bool | None]  # ts, kind, tool, message, ok
# [ts, mode, what holds the goals back]: holds until the next one; without a mode nothing is known
StageRow = tuple[float, str, str]


@dataclass(frozen=True)
class Zone:
    """A closed shape that must not be entered."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Spot:
    """A round place of light that fades like a Gaussian."""

    x: float
    y: float
    sigma: float
    peak: float


@dataclass(frozen=True)
class Light:
    """How bright a picture is where. Without `spots`, linear in x from `x_min` to `x_good`.

    `good`: the score from which a picture is good.
    """

    good: float
    x_min: float = 0.0
    x_good: float = 1.0
    base: float = 0.0
    spots: Sequence[Spot] = ()


@dataclass(frozen=True)
class Place:
    """Something with a name, of a kind: a remembered place, or one of the world.

    `rock`: a body that stops the robot; `flat`: a rock that it drives over; hill, crater, sand.
    """

    kind: str
    name: str
    x: float
    y: float
    size: float


@dataclass(frozen=True)
class World:
    """What the map shows besides the robot. Without a name it is not the embedded one's."""

    name: str = ''
    frame: str = ''
    zones: Sequence[Zone] = ()
    light: Light | None = None
    places: Sequence[Place] = ()


@dataclass(frozen=True)
class PagePicture:
    """A scored picture, or one that was looked at: `words` is what was said of it.

    Of a picture that was only looked at, `score` is the measured brightness.
    `src`: where its bytes are; empty if it cannot be shown, `why` says why not. `lift`: the factor
    of brightness with which it is shown; 1: as it was taken.
    """

    stamp: float
    ts: float
    score: float
    good: bool | None
    src: str = ''
    why: str = ''
    lift: float = 1.0
    words: str = ''


@dataclass(frozen=True)
class PageTree:
    """A behavior tree: `nodes` are [name, kind, parent], parents first, and how it changed.

    `fields`: what the last value of each moment names. `merged`: neighbouring ticks are one.
    """

    nodes: Sequence[tuple[str, str, int | None]]
    moments: Sequence[Moment]
    fields: Sequence[str] = ()
    merged: bool = False


@dataclass(frozen=True)
class Poses:
    """Where the robot stood. `gap`: whether nothing was measured between the one before and it."""

    ts: Sequence[float] = ()
    x: Sequence[float] = ()
    y: Sequence[float] = ()
    yaw: Sequence[float] = ()
    gap: Sequence[bool] = ()


@dataclass(frozen=True)
class Series:
    """One measured value over time, which holds until the next one.

    None: from then on nothing was measured, until the next one.
    """

    ts: Sequence[float] = ()
    value: Sequence[float | None] = ()


@dataclass(frozen=True)
class PageGoal:
    """A goal. `left_out`: rows for which there is no room; `trivial`: little to look at."""

    number: int
    story: GoalStory
    trivial: bool = False
    left_out: int = 0


@dataclass(frozen=True)
class RunInfo:
    """What is shown at the foot of the page, as titles and texts.

    `examples`: what can be asked of the robot, by language. `by_hand`: words for driving by hand,
    each with the motion that is held in manual mode, or with ''. `drives_to`: whether a tool
    drives to a place of the map. `can_share`: whether the run can be downloaded as report, film
    and zip. `made_at`: the last moment of a run that was read while it pursued a goal; else None.
    """

    facts: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    overrides: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    by_hand: Sequence[tuple[str, str]] = ()
    drives_to: bool = False
    can_share: bool = False
    made_at: float | None = None


@dataclass(frozen=True)
class PageData:
    """One run.

    Attributes:
        ended: The last moment that is known.
        stages: The executive's mode over time, and why.
        cost: What the model cost so far, USD; `tokens`: that it read and wrote.
        plans: [ts, points]: the way ahead as the navigator told it; empty points: there is none.
    """

    name: str
    began: float
    ended: float
    live: bool = False
    version: Literal['1.0'] = '1.0'
    world: World = World()
    goals: Sequence[PageGoal] = ()
    between: Sequence[Remark] = ()
    stages: Sequence[StageRow] = ()
    trees: Sequence[PageTree] = ()
    poses: Poses = Poses()
    charge: Series = Series()
    cost: Series = Series()
    tokens: Series = Series()
    plans: Sequence[tuple[float, Sequence[tuple[float, float]]]] = ()
    pictures: Sequence[PagePicture] = ()
    events: Sequence[EventRow] = ()
    run: RunInfo = RunInfo()


_ADAPTER: TypeAdapter[Any] = TypeAdapter(Any)
# Their escapes in JSON, and not a backslash with letters after it. Joiners stay: emoji need them.
_MISLEADING = re.compile(
    r'(?<!\\)((?:\\\\)*)\\u'
    r'(?:00[01][0-9a-f]|00ad|061c|180e|200[bef]|202[a-e]|206[0-9a-f]|feff|fff[9a-b]|00[89][0-9a-f])'
)


def to_json(value: Any) -> str:
    """JSON of any of these values, ASCII alone; a number that is none becomes null.

    What a page would show as another text than it is goes (`rover_common.printable` does so for a
    terminal): controls, and the marks that turn the direction of writing or have no width.
    """
    plain = _ADAPTER.dump_python(value, mode='json', fallback=str)
    try:
        text = json.dumps(plain, allow_nan=False, separators=(',', ':'))
    except ValueError:
        text = json.dumps(_finite(plain), allow_nan=False, separators=(',', ':'))
    return _MISLEADING.sub(r'\1', text)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list) else value
