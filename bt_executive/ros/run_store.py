"""The store of this run of the executive, opened before anything appears in the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
from pathlib import Path
from typing import Any

from rclpy.node import Node

from bt_executive.core.store_port import Durability, Json, RunStart
from bt_executive.store.inputs_to_write import ignore
from bt_executive.store.journal_location import journal_file
from bt_executive.store.store_lock_and_previous_run import boot_id, start_store
from bt_executive.tree.resume_from_checkpoints import RunBegins
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.diagnostic_status import Health, Part, error, warning


def journal_of(node: Node, config: Config) -> Path:
    """Return the file of an executive's journal; the full name of its node is part of it."""
    return journal_file(config, os.environ, node.get_fully_qualified_name())


class RunStore:
    """The store of one executive's run. `fault` and `health` may be asked in any thread.

    Args:
        start: What is entered of this run, except for process and boot.
        now: When it began.
        wake: Called from another thread when something may have become durable.
        report: Takes a sentence when inputs are left out, from any thread.

    Attributes:
        begins: The number of this run, and what the previous one has left open.

    Raises:
        UsageError: Another executive has this journal.
    """

    def __init__(
        self,
        node: Node,
        config: Config,
        start: Mapping[str, Any],
        now: Now,
        wake: Callable[[], None],
        report: Callable[[str], None] = ignore,
    ) -> None:
        settings = config.executive.journal
        self.file = journal_of(node, config)
        self._judge = error if settings.on_fault == 'safe' else warning
        node.get_logger().info(f'Opening the journal {self.file}')  # a large one takes a while
        run = RunStart(pid=os.getpid(), boot_id=boot_id(), **start)
        started = start_store(self.file, settings, run, now, wake, report)
        self.store = started.store
        self.begins = RunBegins(started.run, started.saved, now)

    def settled(self) -> Callable[[], bool]:
        """Return what says whether the tick under way is on disk, or the disk has a fault.

        It is to be asked when the tick is over.
        """
        tickets: list[int] = []

        def is_settled() -> bool:
            if not tickets:
                tickets.append(self.store.latest)
            waits = self.store.durable(tickets[0]) is Durability.WAITING
            return not waits or self.store.fault() is not None

        return is_settled

    @property
    def earlier_ends(self) -> tuple[Json, ...]:
        """The events that ended goals of earlier runs, the latest; none after a fresh start."""
        return self.begins.saved.ends if self.begins.saved is not None else ()

    def part(self) -> Part:
        """Return how the journal is, for /diagnostics."""
        return Part('journal', self._health, self._figures)

    def _health(self) -> Health:
        fault = self.store.fault()
        return self._judge(fault.sentence) if fault else Health()

    def _figures(self) -> Mapping[str, Any]:
        return {'file': str(self.file), 'life': self.begins.run}
