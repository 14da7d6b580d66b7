"""PageData: the data of a page about one run, live or from its folder. Plain values; `to_json`.

Times are ROS seconds, lengths m in the world frame, angles rad, charge %. Series are columns of
equal length. Texts of people are unchanged: the page shows them as text. The names of the fields
are those that the page's scripts read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
import json
import math
import re
from typing import Any, Literal

from pydantic import TypeAdapter

from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.steps_of_a_goal import Remark
from rover_common.config.settings import Config

# [ts, {node: letter}, {node: message}, number of the latest event, {field: text}]
Moment = tuple[float, dict[int, str], dict[int, str], int, dict[int, str]]
EventRow = tuple[float, str, str, str, bool | None]  # ts, kind, tool, message, ok
# [ts, mode, cause of a hold]: valid until the next row; an empty mode: not known
StageRow = tuple[float, str, str]


@dataclass(frozen=True)
class Zone:
    """A keep-out zone, as a closed polygon."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Spot:
    """A round spot of light with a Gaussian profile."""

    x: float
    y: float
    sigma: float
    peak: float


@dataclass(frozen=True)
class Light:
    """Brightness of pictures by position. Without `spots`, linear in x from `x_min` to `x_good`.

    `good`: the minimum score of a good picture.
    """

    good: float
    x_min: float = 0.0
    x_good: float = 1.0
    base: float = 0.0
    spots: Sequence[Spot] = ()


@dataclass(frozen=True)
class Place:
    """A named place, remembered or of the world.

    `kind`: memory, `rock` (an obstacle), `flat` (a rock that the robot drives over), hill, crater
    or sand.
    """

    kind: str
    name: str
    x: float
    y: float
    size: float


@dataclass(frozen=True)
class World:
    """What the map shows besides the robot. Without a name it is not the embedded world."""

    name: str = ''
    frame: str = ''
    zones: Sequence[Zone] = ()
    light: Light | None = None
    places: Sequence[Place] = ()


@dataclass(frozen=True)
class PagePicture:
    """A scored or described picture.

    Attributes:
        score: Of a described picture: its measured brightness.
        src: URL of its bytes; empty if it cannot be shown.
        why: Why it cannot be shown.
        lift: Factor of brightness for display; 1: unchanged.
        words: The description.
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
    """A behavior tree and its changes.

    Attributes:
        nodes: [name, kind, parent], parents first.
        fields: Names for the field numbers in `moments`.
        merged: Whether neighbouring ticks are merged.
    """

    nodes: Sequence[tuple[str, str, int | None]]
    moments: Sequence[Moment]
    fields: Sequence[str] = ()
    merged: bool = False


@dataclass(frozen=True)
class Poses:
    """Poses of the robot. `gap`: whether readings are missing before a pose."""

    ts: list[float] = field(default_factory=list)
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    yaw: list[float] = field(default_factory=list)
    gap: list[bool] = field(default_factory=list)

    @property
    def beside_gaps(self) -> set[int]:
        """The rows beside a gap."""
        return {beside for row, gap in enumerate(self.gap) if gap for beside in (row - 1, row)}


@dataclass(frozen=True)
class Series:
    """One measured value over time, valid until the next one.

    None: no readings until the next value.
    """

    ts: list[float] = field(default_factory=list)
    value: list[float | None] = field(default_factory=list)

    @property
    def beside_gaps(self) -> set[int]:
        """The rows of gaps, and those beside them."""
        gaps = (row for row, value in enumerate(self.value) if value is None)
        return {beside for row in gaps for beside in range(row - 1, row + 2)}


@dataclass(frozen=True)
class PageGoal:
    """A goal. `left_out`: number of omitted rows; `trivial`: short and uneventful."""

    number: int
    story: GoalStory
    trivial: bool = False
    left_out: int = 0


@dataclass(frozen=True)
class RunInfo:
    """Information about the run.

    Attributes:
        facts: Titles and texts at the foot of the page.
        examples: Example goals by language.
        by_hand: Commands for driving by hand, each with its held motion in manual mode, or ''.
        drives_to: Whether a tool drives to a place on the map.
        can_share: Whether the run can be downloaded as report, film and zip.
        made_at: The latest time of a run that was read while a goal was active; else None.
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
        ended: The latest known time.
        stages: The executive's mode over time, with its cause.
        cost: Accumulated cost of the model in USD; `tokens`: read and written by it.
        plans: [ts, points] of the navigator's path; empty points: there is none.
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
    poses: Poses = field(default_factory=Poses)
    charge: Series = field(default_factory=Series)
    cost: Series = field(default_factory=Series)
    tokens: Series = field(default_factory=Series)
    plans: Sequence[tuple[float, Sequence[tuple[float, float]]]] = ()
    pictures: Sequence[PagePicture] = ()
    events: Sequence[EventRow] = ()
    run: RunInfo = RunInfo()


def config_summary(config: Config) -> Iterator[tuple[str, str]]:
    """Yield titles and texts about the configuration of a run."""
    planner = config.executive.planner
    yield 'Planner', ' '.join(filter(None, (planner.provider, planner.model)))
    yield 'Variant', config.executive.variant
    if config.has_world:
        yield 'World', config.world.name


_ADAPTER: TypeAdapter[Any] = TypeAdapter(Any)
# Escapes in JSON, but no escaped backslash before letters. Joiners stay: emoji need them.
_MISLEADING = re.compile(
    r'(?<!\\)((?:\\\\)*)\\u'
    r'(?:00[01][0-9a-f]|00ad|061c|180e|200[bef]|202[a-e]|206[0-9a-f]|feff|fff[9a-b]|00[89][0-9a-f])'
)


def to_json(value: Any) -> str:
    """Return ASCII JSON of any of these values; NaN and infinities become null.

    Control characters and marks that change the direction of writing or have no width are removed,
    as `rover_common.text_sanitizing` does for a terminal.
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
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value
