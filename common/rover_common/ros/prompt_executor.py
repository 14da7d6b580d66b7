"""rclpy's single-threaded executor, which does less between two callbacks."""

from __future__ import annotations

import math
import time
from weakref import WeakKeyDictionary

from rclpy.context import Context
from rclpy.event_handler import EventHandler
from rclpy.executors import SingleThreadedExecutor, WaitableEntityType

NOTICES_PERIOD_S = 1.0  # steady


class PromptExecutor(SingleThreadedExecutor):
    """Serves everything at once but the middleware's notices about other people's endpoints.

    rclpy asks the middleware anew before every callback about everything that could happen, in
    Python. Half of that are the notices of incompatible QoS and types, two for each publisher and
    subscription: 0.12 ms of 0.25 ms in the executive, in which no other thread runs. They come
    once in a system's life and end as a warning in the log, so they are asked for once a second;
    the middleware keeps them until then.
    """

    def __init__(
        self, *, context: Context | None = None, notices_period_s: float = NOTICES_PERIOD_S
    ) -> None:
        super().__init__(context=context)
        self._period_s = notices_period_s
        self.notices_asked_for: WeakKeyDictionary[EventHandler, float] = WeakKeyDictionary()

    def can_execute(self, entity: WaitableEntityType) -> bool:
        """Whether the entity is waited for now."""
        if isinstance(entity, EventHandler):
            now = time.monotonic()
            if now < self.notices_asked_for.get(entity, -math.inf) + self._period_s:
                return False
            self.notices_asked_for[entity] = now
        return bool(super().can_execute(entity))
