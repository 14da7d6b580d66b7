"""Delays an act until the state that must outlive it is on disk. The ticks go on meanwhile.

Only what sets something off is held back: a call that must not be made twice, a permission to
move, the use of an approval. A stop, a cancellation and the withdrawal of a permit never wait
(docs/decisions/0034-resume.md).
"""

from __future__ import annotations

from py_trees.common import Status

from bt_executive.core.store_port import Durability
from bt_executive.tree.context_roles import TraceAccess


class StoreGate:
    """For one act of one leaf.

    Attributes:
        reason: Why the act must not be done, after FAILURE.
        code: The error code of that.
    """

    def __init__(self, context: TraceAccess) -> None:
        self._context = context
        self._ticket = 0
        self._since = 0.0
        self.reason = self.code = ''

    def begin(self) -> None:
        """Starts to wait for all changes so far."""
        self._ticket = self._context.checkpoints.put()
        self._since = self._context.now.steady
        self.reason = self.code = ''

    def evaluate(self) -> Status:
        """Returns SUCCESS: the act may be done, RUNNING: wait, or FAILURE: it must not be done."""
        context = self._context
        store = context.checkpoints.store
        durability = store.durable(self._ticket)
        if durability.may_act:
            return Status.SUCCESS
        until = self._since + context.config.executive.journal.patience_s
        fault = store.fault()
        if durability is Durability.NEVER or context.now.steady >= until:
            late = f'It was not written for {context.now.steady - self._since:.1f} s'
            why, code = (fault.sentence, fault.code.name) if fault else (late, 'TIMED_OUT')
            self.reason, self.code = f'The journal cannot be kept: {why}', f'JOURNAL_{code}'
            return Status.FAILURE
        context.wake_at(steady=until)
        return Status.RUNNING
