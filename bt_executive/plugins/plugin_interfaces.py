"""The port of plug-ins: what installed code may read, and what it returns.

| entry points of the group | are                           | key of robot.yaml         |
|---------------------------|-------------------------------|---------------------------|
| `bt_executive.guards`     | `PluginGuard`: functions      | `plugin` of a guard       |
| `bt_executive.behaviours` | `PluginBehaviour`: classes    | `behaviour` of a tool     |
| `bt_executive.reducers`   | `PluginReducer`: functions    | `reduce` of a state entry |
| `bt_executive.planners`   | `PluginPlanner`: functions    | `plugin` of the planner   |

Each plug-in is called in its own thread, one call after the other. The tick waits for it, LIMIT_S
at most, so it must not block. If it raises, returns another type or takes longer, a guard refuses,
a value is unknown, a behaviour or a goal's planner has failed. A late answer is dropped, and until
it has come the plug-in is not called again.
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

Options: TypeAlias = Mapping[str, Any]  # `options` of this use of the plug-in, in a robot's file


@dataclass(frozen=True)
class PluginContext:
    """A copy of what is known in this tick; changing it has no effect.

    Attributes:
        parts: Field of `state` → its value; None: unknown, which is never the good case.
        pose: x and y in m, and the heading in rad, in the world frame; None: unknown.
        arguments: Its arguments, valid by its schema.
    """

    parts: Mapping[str, PartValue | None] = field(default_factory=dict)
    pose: tuple[float, float, float] | None = None
    pose_age_s: float | None = None  # time since that pose was measured, in s
    battery_pct: float | None = None  # None: unknown, or too old
    tool: str = ''  # the tool that is checked or carried out; empty: any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    running: bool = False  # whether the tool has started
    now_s: float = 0.0  # steady time in s


class PluginGuard(Protocol):
    """Decides whether a tool may start, and at every tick whether it may go on."""

    def __call__(self, context: PluginContext, options: Options) -> bool | None:
        """Returns True to allow it, False to refuse it, None for unknown, which refuses, too."""


class PluginReducer(Protocol):
    """Reduces a list in a message to one value: numbers, texts, or messages."""

    def __call__(self, values: Sequence[Any]) -> PartValue | None:
        """Returns the value; None: unknown. `values` is not empty."""


@dataclass(frozen=True)
class Done:
    """A behaviour has succeeded. `data`: its result, as JSON values."""

    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """A behaviour has failed; `reason` is a sentence for operator and model."""

    reason: str


class PluginBehaviour(Protocol):
    """Carries a tool out: one object for each call, made without arguments.

    It moves nothing: a tool with a behaviour has neither gate nor permit.
    """

    def start(self, context: PluginContext, options: Options) -> None:
        """Starts; `context.arguments` are those of the call."""

    def update(self, context: PluginContext) -> Done | Failed | None:
        """Returns the result, or None to go on. Called at every tick; must not block."""

    def stop(self) -> None:
        """Ends at once. Called once, however the tool ended."""


class PluginPlanner(Protocol):
    """Makes a planner that proposes tools instead of a model; the tree checks every proposal."""

    def __call__(self, options: Options, wake: Callable[[], None]) -> Planner:
        """Returns a planner. It calls `wake`, from any thread, when `poll` has an output."""
