"""The port of plug-ins: what installed code may read, and what it answers.

| entry points of the group | are                           | key of robot.yaml         |
|---------------------------|-------------------------------|---------------------------|
| `bt_executive.guards`     | `PluginGuard`: functions      | `plugin` of a guard       |
| `bt_executive.behaviours` | `PluginBehaviour`: classes    | `behaviour` of a tool     |
| `bt_executive.reducers`   | `PluginReducer`: functions    | `reduce` of a state entry |
| `bt_executive.planners`   | `PluginPlanner`: functions    | `plugin` of the planner   |

Each plug-in has a thread of its own, in which it is called, one call after the other. The tick
waits for it, LIMIT_S at most, so it looks and returns. One that raises, answers with another type,
or takes longer has said nothing: a guard refuses then, a value is not known, a behaviour or a
goal's planner has failed. What comes late is dropped, and until then nothing else is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from bt_executive.core.executive_ports import Planner
from rover_common.config.settings import PartValue

LIMIT_S = 0.2  # of one call; the robot's gates wait no longer for a heartbeat than 0.4 s
GUARDS, BEHAVIOURS = 'bt_executive.guards', 'bt_executive.behaviours'
REDUCERS, PLANNERS = 'bt_executive.reducers', 'bt_executive.planners'
GROUPS = (GUARDS, BEHAVIOURS, REDUCERS, PLANNERS)

Options: TypeAlias = Mapping[str, Any]  # what the robot's file says for this use of the plug-in


@dataclass(frozen=True)
class Facts:
    """What is known in this tick. Nothing of it can be changed by changing the copy.

    Attributes:
        parts: Field of `state` → its value; None: not known, which is never the good case.
        pose: x and y in m, and the heading in rad, in the world frame; None: never seen.
        pose_age_s: Since that pose was measured.
        battery_pct: None: not known, or too old.
        tool: The tool that is asked about; empty: any.
        arguments: Its arguments; they fit its schema.
        running: Whether the tool has begun.
        now_s: A steady clock.
    """

    parts: Mapping[str, PartValue | None] = field(default_factory=dict)
    pose: tuple[float, float, float] | None = None
    pose_age_s: float | None = None
    battery_pct: float | None = None
    tool: str = ''
    arguments: Mapping[str, Any] = field(default_factory=dict)
    running: bool = False
    now_s: float = 0.0


class PluginGuard(Protocol):
    """Says whether a tool may begin, and at every tick whether it may go on."""

    def __call__(self, facts: Facts, options: Options) -> bool | None:
        """True allows it, False refuses it, None says that it is not known: that refuses, too."""


class PluginReducer(Protocol):
    """Makes one value of the entries of a list in a message: numbers, texts, or messages."""

    def __call__(self, values: Sequence[Any]) -> PartValue | None:
        """Returns the value; None: it is not known. `values` has an entry at least."""


@dataclass(frozen=True)
class Done:
    """A behaviour has done its work. `data`: its result, as JSON values."""

    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """A behaviour cannot do its work; `reason` is a sentence for operator and model."""

    reason: str


class PluginBehaviour(Protocol):
    """Carries a tool out: one object for each call, made without arguments.

    It moves nothing: a tool with a behaviour has neither gate nor permit.
    """

    def start(self, facts: Facts, options: Options) -> None:
        """Begins; `facts.arguments` are those of the call."""

    def update(self, facts: Facts) -> Done | Failed | None:
        """Looks and returns; None: it goes on. Called at every tick."""

    def stop(self) -> None:
        """Ends at once. Called once, however the tool ended."""


class PluginPlanner(Protocol):
    """Makes what proposes tools in the place of a model; the tree checks every proposal."""

    def __call__(self, options: Options, wake: Callable[[], None]) -> Planner:
        """Returns a planner. `wake` is called, from any thread, when `poll` has something."""
