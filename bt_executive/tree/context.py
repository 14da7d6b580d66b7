"""The context: all that the behaviours share. Each gets it in the role that it needs (access.py).

One per executive, touched by the tick thread alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bt_executive.core.inbox import Inbox
from bt_executive.core.journal import Durability
from bt_executive.core.permits import Permits
from bt_executive.core.readiness import Readiness
from bt_executive.core.robot_inputs import with_unknown_parts, with_zones
from bt_executive.skills.registry import Registry
from bt_executive.tree.access import ApprovalAccess, GoalAccess, ToolAccess, UpkeepAccess
from bt_executive.tree.known import Known
from bt_executive.tree.ports import Ports
from rover_common.clocks import Alarm, Now
from rover_common.config.settings import Config
from rover_common.config.values import with_values


class Context(ToolAccess, UpkeepAccess, ApprovalAccess, GoalAccess):
    """Everything: for the executive itself, and for the leaf that takes the events.

    Args:
        known: What is known already; nothing, if it is left out.
    """

    def __init__(
        self, config: Config, registry: Registry, ports: Ports, known: Known | None = None
    ) -> None:
        super().__init__(config, registry, ports, known or Known(Permits(ports.robot.permit)))
        self.readiness = Readiness()
        self.replace(skills=replace(self.state.skills, registry=registry.definitions()))
        self.state = with_unknown_parts(self.state, config.skills.parts)
        self.state = with_zones(self.state, config.executive, self.state.world.keep_out)

    @property
    def ports(self) -> Ports:
        """What the executive is connected to."""
        return self._ports

    @property
    def is_kept(self) -> bool:
        """Whether the next run will find the goals in the journal: they are there, or will be."""
        durability = self.keeper.journal.durable(self.keeper.look())
        kept = durability in (Durability.ON_DISK, Durability.WAITING)
        return self._known.life > 0 and kept

    @property
    def known(self) -> Known:
        """All that is known, for whoever takes it over from another life."""
        return self._known

    @property
    def inbox(self) -> Inbox:
        """Where events come in."""
        return self._ports.inbox

    @property
    def alarm(self) -> Alarm:
        """When a behaviour wants the next tick."""
        return self._alarm

    def begin_tick(self, now: Now) -> None:
        """Sets the tick's only time; nobody has asked for the next tick yet."""
        self._now, self._alarm = now, Alarm()
        self.keeper.begin_tick(now)

    def reconfigure(self, values: Mapping[str, Any]) -> None:
        """Takes new values of the configuration, by dotted file, section and key."""
        paths = {tuple(key.split('.')): value for key, value in values.items()}
        self._config = with_values(self._config, paths)
        told = ', '.join(f'{".".join(path[1:])} = {value}' for path, value in paths.items())
        data = {'parameters': dict(values)}
        self.tracer.emit('OBSERVE', f'Parameters were set: {told}', data=data)
