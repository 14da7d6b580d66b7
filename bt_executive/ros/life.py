"""This life of the executive in the journal: begun before anything is offered on the graph."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
import json
import os
from typing import Any

from rclpy.node import Node

from bt_executive.core.journal import Durability, Journal
from bt_executive.core.journal_records import GoalEnded, LifeBegan, Record
from bt_executive.journal.location import journal_file
from bt_executive.journal.start import boot_id, start_journal
from bt_executive.launching.nodes import FRESH
from rover_common.clocks import Now
from rover_common.config.settings import JournalSettings
from rover_common.health import Health, Part, error, warning


def read_journal_options(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Whether --fresh is among command line arguments, and what every node understands of them.

    --journal FILE is `--set journal.file=FILE`. For who starts the node without `bt-executive`.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--journal', metavar='FILE')
    parser.add_argument(FRESH, action='store_true')
    options, rest = parser.parse_known_args(arguments)
    if options.journal:
        rest = ['--set', f'journal.file={json.dumps(options.journal)}', *rest]
    return options.fresh, rest


class JournalWithLatest:
    """Passes everything on; `latest` is the ticket of the latest record."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.latest = 0
        self.durable, self.fault, self.close = journal.durable, journal.fault, journal.close

    def put(self, now: Now, record: Record) -> int:
        """See `Journal.put`."""
        self.latest = self._journal.put(now, record)
        return self.latest


class Life:
    """The journal of one executive. `fault` and `health` may be asked in any thread.

    Args:
        node: The executive's; its full name is part of the file's.
        settings: Which file, and what a fault means.
        began: What is entered of this life, except for process and boot.
        now: When it began.
        wake: Called from another thread when something may have become durable.

    Attributes:
        file: The journal's.
        number: Of this life in the journal, from 1; 0: nothing is kept.
        past: What earlier lives have left open; None: nothing, or a fresh start.

    Raises:
        UsageError: Another executive has this journal.
    """

    def __init__(
        self,
        node: Node,
        settings: JournalSettings,
        began: Mapping[str, Any],
        now: Now,
        wake: Callable[[], None],
    ) -> None:
        self.file = journal_file(settings.file, os.environ, node.get_fully_qualified_name())
        self._judge = error if settings.on_fault == 'safe' else warning
        node.get_logger().info(f'Opening the journal {self.file}')  # a large one takes a while
        record = LifeBegan(pid=os.getpid(), boot_id=boot_id(), **began)
        started = start_journal(self.file, settings, record, now, wake)
        self.journal = JournalWithLatest(started.journal)
        self.number, self.past = started.life, started.past

    def settled(self) -> Callable[[], bool]:
        """What says whether all that was put until now is on disk, or the disk has a fault."""
        journal, ticket = self.journal, self.journal.latest
        return lambda: (
            journal.durable(ticket) is not Durability.WAITING or journal.fault() is not None
        )

    @property
    def earlier_ends(self) -> tuple[GoalEnded, ...]:
        """How the goals of earlier lives ended, the latest ones; none after a fresh start."""
        return self.past.ends if self.past is not None else ()

    def part(self) -> Part:
        """How the journal is, for /diagnostics."""
        return Part('journal', self._health, self._figures)

    def _health(self) -> Health:
        fault = self.journal.fault()
        return self._judge(fault.sentence) if fault else Health()

    def _figures(self) -> Mapping[str, Any]:
        return {'file': str(self.file), 'life': self.number}
