"""Changes the progress of a composite tool, which is kept in the round of the proposed tool."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from bt_executive.core.error_codes import decision_after
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.state import DecisionType
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.composite_progress import CompositeProgress, is_within
from bt_executive.tree.context_roles import RoundAccess
from rover_common.dataclass_replace import replace

At = Callable[[], str]  # the place at this moment


class Members:
    """Keeps the progress of a composite in the round of the proposed tool, so that it is stored.

    `scope`: what the places of a composite that is a member itself begin with.
    """

    def __init__(self, context: RoundAccess, scope: At) -> None:
        self._context, self._scope = context, scope

    @property
    def progress(self) -> CompositeProgress:
        """Returns the progress."""
        return self._context.composites.get(self._scope(), CompositeProgress())

    @progress.setter
    def progress(self, changed: CompositeProgress) -> None:
        if changed is not self.progress:
            self._context.composites = {**self._context.composites, self._scope(): changed}

    def ended(self, place: str) -> Status | None:
        """Returns whether a place has succeeded; None: it has not ended."""
        ok = self.progress.ended.get(place)
        return None if ok is None else Status.SUCCESS if ok else Status.FAILURE

    def has_ended_within(self, place: str) -> bool:
        """Returns whether a call at or below a place has ended, perhaps in the previous run."""
        scope, runs = self._scope(), self._context.composites
        inner = (
            key.removeprefix(scope).partition('/')[0]
            for key, run in runs.items()
            if key.startswith(scope) and key != scope and run.ended
        )
        return any(is_within(each, place) for each in (*self.progress.ended, *inner))

    def end(self, place: str, ok: bool) -> None:
        """Notes the end of a place, and removes the progress of composites below it."""
        before, scope = self.progress, self._scope()
        self.progress = after = before.with_end(place, ok)
        inner = tuple(f'{scope}{each}/' for each in before.begun.keys() - after.begun.keys())
        if inner:
            runs = self._context.composites.items()
            self._context.composites = {key: run for key, run in runs if not key.startswith(inner)}

    def done(self, place: str, tool: str, result: ToolResult) -> None:
        """Notes the success of a member."""
        before = self.progress
        self.progress = replace(
            before, results={**before.results, tool: result}, done=(*before.done, tool)
        )
        self.end(place, ok=True)
        self._context.note_score(result)
        self._context.tracer.emit(
            'OBSERVE',
            f'{tool} is done',
            tool_name=tool,
            ok=True,
            score=result.score,
            data={'result': dict(result.data)},
        )

    def fail(self, place: str, tool: Tool, code: str, reason: str) -> str:
        """Notes the failure of a member; returns its reason. A fatal code makes SAFE."""
        name, context = tool.name, self._context
        said = f'{name}: {reason}'
        self.refuse(code, said)
        self.end(place, ok=False)
        context.tracer.emit('ERROR', said, tool_name=name, ok=False, error_reason=said)
        if decision_after(code, tool.skill.error_map) is DecisionType.ABORT:
            context.make_safe(name, said, code)
        return said

    def refuse(self, code: str, reason: str) -> None:
        """Notes why some members have failed together."""
        self.progress = replace(self.progress, failed=(code, reason))

    def note(self, place: str, *, called: bool, result: ToolResult | None) -> None:
        """Notes the progress of a running member."""
        begun = self.progress.begun.get(place)
        if begun is not None and (begun.called, begun.result) != (called, result):
            changed = replace(begun, called=called, result=result)
            self.progress = self.progress.with_begun(place, changed)

    def note_left(self, place: str, seconds: float) -> None:
        """Notes the rest of a time limit."""
        before = self.progress
        self.progress = replace(before, left_s={**before.left_s, place: round(seconds, 3)})
