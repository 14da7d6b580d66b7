"""The progress of a composite tool, as values that are stored: it goes on after a restart.

A place is where a member stands in the plan of its composite, such as `1.2.0`: the numbers of the
members that lead to it, and of the try below a `retry`. So no place begins twice in a round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
import hashlib
from typing import Any

from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.goal_outcome import NOT_CONFIRMED
from rover_common.config.settings.composites import TOOL, Plan
from rover_common.dataclass_replace import replace


@dataclass(frozen=True)
class BegunMember:
    """A member that has begun and has not ended.

    Attributes:
        called: Its server was asked.
        result: Of its tool, which has ended well, and nothing measured has shown it yet.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    called: bool = False
    result: ToolResult | None = None


@dataclass(frozen=True)
class CompositeProgress:
    """One run of a composite. Mappings are by place, if nothing else is said.

    Attributes:
        plan: Of what it is the progress (`digest_of`).
        began: How many calls were begun.
        moved: One of them was permitted to move since a human agreed.
        results: Tool → its latest result that was good.
        done: Their names, in order.
        failed: The code and the reason of what failed last; empty: nothing has.
        ended: Whether it ended well; of what ends by itself, and not by its members' ends alone.
        begun: Members that are under way.
        left_s: What is left of the times of `timeout`.
    """

    plan: str = ''
    began: int = 0
    moved: bool = False
    results: Mapping[str, ToolResult] = field(default_factory=dict)
    done: tuple[str, ...] = ()
    failed: tuple[str, str] = ('', '')
    ended: Mapping[str, bool] = field(default_factory=dict)
    begun: Mapping[str, BegunMember] = field(default_factory=dict)
    left_s: Mapping[str, float] = field(default_factory=dict)

    def with_end(self, place: str, ok: bool) -> CompositeProgress:
        """Returns the progress after the end of a place, with all places below it."""
        return replace(
            self,
            ended={**self.ended, place: ok},
            begun=_beside(place, self.begun),
            left_s=_beside(place, self.left_s),
        )

    def with_begun(self, place: str, member: BegunMember) -> CompositeProgress:
        """Returns the progress with a running member."""
        return replace(self, begun={**self.begun, place: member})

    def result(self) -> ToolResult:
        """Returns the result of all members; it is confirmed only if each of them is."""
        data: dict[str, Any] = {tool: dict(each.data) for tool, each in self.results.items()}
        doubts = (
            f'{tool}: {each.data[NOT_CONFIRMED]}'
            for tool, each in self.results.items()
            if each.data.get(NOT_CONFIRMED)
        )
        if not_shown := '; '.join(doubts):
            data[NOT_CONFIRMED] = not_shown
        return ToolResult(ok=True, data={**data, 'done': list(self.done)})

    def failure(self) -> ToolResult:
        """Returns why it has failed, and what was done nevertheless."""
        return ToolResult(ok=False, error_reason=self.failed[1], data={'done': list(self.done)})


def below(place: str, number: int) -> str:
    """Return the place of a member below `place`."""
    return f'{place}.{number}' if place else str(number)


def is_within(place: str, outer: str) -> bool:
    """Return whether a place is `outer`, or below it."""
    return not outer or place == outer or place.startswith(f'{outer}.')


def _beside(outer: str, by_place: Mapping[str, Any]) -> dict[str, Any]:
    return {place: each for place, each in by_place.items() if not is_within(place, outer)}


def digest_of(plan: Plan) -> str:
    """Return a digest by which plans can be compared."""
    return hashlib.sha256(plan.model_dump_json().encode()).hexdigest()[:16]


def ending_of(plan: Plan, ended: Mapping[str, bool], place: str = '') -> bool | None:
    """Return whether a plan has succeeded, by the ended places in it; None: it has not ended."""
    if place in ended:
        return ended[place]
    if plan.kind == 'retry':
        tries = (
            ending_of(plan.members[0], ended, below(place, number + 1))
            for number in range(plan.times)
        )
        return next((each for each in tries if each is not False), False)
    ends = [
        ending_of(member, ended, below(place, number))
        for number, member in enumerate(plan.members)
    ]
    if plan.kind == TOOL:
        return None
    if plan.kind == 'fallback':
        return next((each for each in ends if each is not False), False)
    if plan.kind == 'parallel' and False in ends:
        return False
    return next((each for each in ends if each is not True), True)


def members_at(plan: Plan, ended: Mapping[str, bool], place: str) -> Iterator[tuple[Plan, str]]:
    """Return the members at a place; of a `retry` in the present try."""
    if plan.kind != 'retry':
        yield from ((member, below(place, number)) for number, member in enumerate(plan.members))
        return
    for number in range(plan.times):
        at = below(place, number + 1)
        if ending_of(plan.members[0], ended, at) is None:
            yield plan.members[0], at
            return


def next_calls(plan: Plan, ended: Mapping[str, bool], place: str = '') -> Iterator[str]:
    """Return the tools that are called next in a plan, after the ended places in it."""
    if ending_of(plan, ended, place) is not None:
        return
    if plan.kind == TOOL:
        yield plan.tool
    for member, at in members_at(plan, ended, place):
        calls = [*next_calls(member, ended, at)]
        yield from calls
        if calls and plan.kind != 'parallel':
            return


def rest_in_words(plan: Plan, progress: CompositeProgress) -> str:
    """Return what was done, and what is next."""
    done = ', '.join(f'{each}: done' for each in progress.done)
    following = ', '.join(next_calls(plan, progress.ended))
    return '; '.join(filter(None, (done, f'next: {following}')))


def with_all_ends(plan: Plan, progress: CompositeProgress, place: str = '') -> CompositeProgress:
    """Return the progress with the ends that follow from those of members."""
    ok = ending_of(plan, progress.ended, place)
    if ok is not None:
        return progress if place in progress.ended else progress.with_end(place, ok)
    for member, at in members_at(plan, progress.ended, place):
        progress = with_all_ends(member, progress, at)
    return progress


def part_at(plan: Plan, place: str) -> Plan:
    """Return the part of the plan at a place."""
    *_, part = _parts_down_to(plan, place)
    return part


def guards_at(plan: Plan, place: str) -> Iterator[str]:
    """Return the guards of the parts of the plan that a place is in, from the outermost."""
    *around, _ = _parts_down_to(plan, place)
    return (guard for part in around for guard in part.guards)


def _parts_down_to(plan: Plan, place: str) -> Iterator[Plan]:
    yield plan
    for number in place.split('.') if place else ():
        plan = plan.members[0 if plan.kind == 'retry' else int(number)]
        yield plan
