"""The context of a composite's member: the executive's, with a round of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from typing import Any

from bt_executive.core.call_states import CallState
from bt_executive.core.call_table import is_of
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.guard_view_and_verdict import GuardReading
from bt_executive.skills.tool_registry import preconditions_of
from bt_executive.tree.composite_progress import CompositeProgress, guards_at
from bt_executive.tree.context import Context
from bt_executive.tree.making_guard_views import GuardViews
from bt_executive.tree.planning_round import NO_ROUND, Round

_UNDER_WAY = (CallState.SENT, CallState.ACCEPTED, CallState.RUNNING)


class Origin(Enum):
    """Where a member's arguments come from: of several origins the least certain."""

    FILE = auto()  # all of them stand in the robot's file, so nobody need have named them
    ARGUMENTS = auto()  # from those of the composite, which the operator may have edited
    RESULTS = auto()  # from results of other members, of whatever origin


class MemberContext(Context):
    """Delegates everything but the round, and the guards that read it, to the composite's.

    `at`: where it stands in the composite.
    """

    def __init__(self, whole: Context, at: Callable[[], str] = str) -> None:
        self._whole, self._at = whole, at
        self._round = Round(NO_ROUND)
        self.guards = GuardViews(self, whole.persistent, whole.named)

    def __getattr__(self, name: str) -> Any:
        """Returns a member of the composite's context that each tick sets, such as the time."""
        return getattr(self.__dict__['_whole'], name)

    @property
    def round(self) -> Round:
        """The member's own."""
        return self._round

    @round.setter  # noqa: A003 (the property above, not the builtin function)
    def round(self, changed: Round) -> None:
        self._round = changed

    @property
    def composites(self) -> Mapping[str, CompositeProgress]:
        """The composites of the proposed tool, of which this one may be a member."""
        return self._whole.composites

    @composites.setter
    def composites(self, changed: Mapping[str, CompositeProgress]) -> None:
        self._whole.composites = changed

    @property
    def resolved(self) -> frozenset[str]:
        """Those of the proposed tool, which was approved as a whole."""
        return self._whole.resolved

    def note_resolved(self, preconditions: Iterable[str]) -> None:
        """Notes them for the proposed tool."""
        self._whole.note_resolved(preconditions)

    @property
    def scope(self) -> str:
        """Returns the prefix of the places of its own members."""
        return f'{self._whole.scope}{self._at()}/'

    def wake_at(self, **moments: float) -> None:
        """Wakes the executive, which ticks the whole tree."""
        self._whole.wake_at(**moments)

    def begin_member(self, number: int, proposal: Proposal, origin: Origin, moved: bool) -> None:
        """Begins a round for a call.

        Args:
            number: Of the call in the composite.
            proposal: What is called.
            origin: Of its arguments.
            moved: A member has moved the robot since a human agreed.
        """
        whole, is_found = self._whole.round, origin is Origin.RESULTS
        is_fixed = origin is Origin.FILE or (whole.step is not None and not is_found)
        self._round = Round(
            call_id=f'{whole.call_id}/{number}',
            output=proposal,
            approved=whole.approved,
            agreed=None if moved else whole.agreed,
            edited=whole.edited and not is_found,
            step=proposal if is_fixed else None,
        )

    def _may_still_move(self, holder: str) -> bool:
        """A member beside it moves under a permit of its gate, or has asked nobody yet.

        Beside it in the proposed tool, of which its composite may be a member.
        """
        if not is_of(holder, self._proposed_call):
            return True
        permitted = {each.goal for each in self.permits.given.values() if each.goal}
        return any(
            call.call_id == holder
            and call.state is not CallState.REQUESTED
            and not (call.state in _UNDER_WAY and call.goal_id in permitted)
            for call in self.calls.running()
        )

    @property
    def _proposed_call(self) -> str:
        whole = self._whole
        return whole._proposed_call if isinstance(whole, MemberContext) else whole.round.call_id

    def hindrance_around(self) -> GuardReading | None:
        """As of a step: by the guards of its composite, of a part of that, and of those around."""
        whole, tool = self._whole, self._whole.proposed_tool
        if tool is None or tool.skill.plan is None:
            return None
        names = [*guards_at(tool.skill.plan, self._at())]
        known = preconditions_of(self.config.executive.variant, self.config.robot) if names else {}
        around = (*tool.preconditions, *(known[each] for each in names))
        return whole.guards.hindrance_by(around) or whole.hindrance_around()

    def whole_arguments(self) -> Mapping[str, Any]:
        """The composite's own arguments."""
        proposal = self._whole.round.proposal
        return proposal.arguments if proposal else {}
