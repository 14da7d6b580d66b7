"""The context of a member of a composite tool: the executive's, with a round of its own.

So a tool's subtree is the same whether the tool was proposed or is a member: it reads its proposal
and enters its result, its leases and its permit in its own round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_executive.core.call_states import CallState
from bt_executive.core.executive_ports import Proposal
from bt_executive.tree.composite_progress import CompositeProgress
from bt_executive.tree.context import Context
from bt_executive.tree.making_guard_views import GuardViews
from bt_executive.tree.planning_round import NO_ROUND, Round

_UNDER_WAY = (CallState.SENT, CallState.ACCEPTED, CallState.RUNNING)


class MemberContext(Context):
    """Delegates everything but the round, and the guards that read it, to the composite's.

    `at`: where it stands in the composite.
    """

    def __init__(self, whole: Context, at: Callable[[], str] = str) -> None:
        self._whole, self._at = whole, at
        self._round = Round(NO_ROUND)
        self.guards = GuardViews(self, whole.known, whole.named)

    def __getattr__(self, name: str) -> Any:
        """What is set on the composite's context in each tick, such as the time."""
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
        """Those of the proposed tool, of which this one may be a part."""
        return self._whole.composites

    @composites.setter
    def composites(self, changed: Mapping[str, CompositeProgress]) -> None:
        self._whole.composites = changed

    @property
    def scope(self) -> str:
        """What the places of its own members begin with."""
        return f'{self._whole.scope}{self._at()}/'

    def wake_at(self, **moments: float) -> None:
        """Wakes the executive, which ticks all of the tree."""
        self._whole.wake_at(**moments)

    def begin_member(self, number: int, proposal: Proposal, fixed: bool, moved: bool) -> None:
        """Begins a round for a call.

        Args:
            number: Of the call in the composite.
            proposal: What is called.
            fixed: All of its arguments stand in the robot's file, so nobody need have named them.
            moved: A member has moved the robot since a human agreed.
        """
        whole = self._whole.round
        self._round = Round(
            call_id=f'{whole.call_id}/{number}',
            output=proposal,
            approved=whole.approved,
            agreed=None if moved else whole.agreed,
            edited=whole.edited,
            step=proposal if fixed or whole.step else None,
        )

    def _may_still_move(self, holder: str) -> bool:
        """A member beside it moves under a permit of its gate, or has asked nobody yet."""
        if not holder.startswith(f'{self._whole.round.call_id}/'):
            return True
        permitted = {each.goal for each in self.permits.given.values() if each.goal}
        return any(
            call.call_id == holder
            and call.state is not CallState.REQUESTED
            and not (call.state in _UNDER_WAY and call.goal_id in permitted)
            for call in self.calls.running()
        )

    def whole_arguments(self) -> Mapping[str, Any]:
        """The composite's own arguments."""
        proposal = self._whole.round.proposal
        return proposal.arguments if proposal else {}
