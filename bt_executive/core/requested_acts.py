"""The acts that the text of a goal requests, and those that no confirmed act has done. Pure.

A `GoalReader` (`executive_ports.py`) finds the former by the examples of the robot's tools.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Protocol, TypeAlias

ENOUGH = 0.8  # of a requested amount: a drive is never exactly as long as requested

Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class RequestedAct:
    """One act that a goal requests.

    Attributes:
        tools: The tools that may be meant, the most likely first; empty: it was not understood,
            and only its amount is known.
        arguments: Of the most likely tool, as far as the text has them.
        amounts: Tool → its argument for the amount, and the requested amount, in its unit.
        seconds, metres: Requested duration and distance; 0: none.
    """

    said: str  # the part of the text
    tools: tuple[str, ...]
    arguments: Arguments = field(default_factory=dict)
    amounts: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    seconds: float = 0.0
    metres: float = 0.0
    times: int = 1  # how often; amounts, seconds and metres are totals


@dataclass(frozen=True)
class RequestedActs:
    """The acts that a goal requests, in order. `unknown`: why it was not understood, a clause."""

    acts: tuple[RequestedAct, ...] = ()
    unknown: str = ''


@dataclass(frozen=True)
class ConfirmedAct:
    """A confirmed act."""

    tool: str
    arguments: Arguments = field(default_factory=dict)
    driven_m: float | None = None  # the distance driven; None: not measured
    edited: bool = False  # the operator has changed the planner's arguments


class Acts(Protocol):
    """Compares acts by the robot's tools and state."""

    def does(self, act: ConfirmedAct, asked: RequestedAct) -> bool:
        """Return whether an act, perhaps of another tool, is the requested one."""

    def holds(self, asked: RequestedAct) -> bool:
        """Return whether the requested result is measured, whatever its cause."""

    def share(self, act: ConfirmedAct, asked: RequestedAct) -> float | None:
        """Return the share of the requested amount that an act did, 1: all; None: not known."""


def missing_acts(
    requested: RequestedActs, done: Sequence[ConfirmedAct], acts: Acts
) -> tuple[str, ...]:
    """Return the requested acts that no confirmed act has done, as clauses.

    An act of a tool that is requested itself counts for no other tool. An act that is requested
    again after another one must be done again. The amounts of a tool are added.
    """
    if requested.unknown:
        return (f'what the goal asks for was not understood: {requested.unknown}',)
    understood = [each for each in requested.acts if each.tools]
    own = {each.tools[0] for each in understood}
    known = [replace(each, tools=_alone(each, own)) for each in understood]
    runs = [tool for tool, _ in groupby(each.tools[0] for each in understood)]
    found: list[str] = []
    for tool in dict.fromkeys(runs):
        wants = [each for each in known if each.tools[0] == tool]
        fit = [each for each in done if each.tool == tool or each.tool not in own]
        missing = [each for each in wants if not _is_done(each, fit, acts)]
        if missing:
            found += [f'“{each.said:.60}”: no {tool} was confirmed' for each in missing]
            continue
        counts = [each for each in fit if any(acts.does(each, want) for want in wants)]
        things = {repr(sorted(each.arguments.items())) for each in wants if each.arguments}
        times = max(runs.count(tool), len(things), *(each.times for each in wants))
        if times > len(counts) and not acts.holds(wants[0]):
            found.append(f'{tool} is asked for {times} times, and {len(counts)} were confirmed')
        else:
            found += _too_little(wants, counts, acts)
    for each in requested.acts:
        if not each.tools and not _comes_to(_together([each, *understood]), done, acts):
            found.append(f'“{each.said:.60}”: nothing that was confirmed comes to that much')
    return tuple(dict.fromkeys(found))


def _comes_to(asked: RequestedAct, done: Sequence[ConfirmedAct], acts: Acts) -> bool:
    """Return whether the acts come to all amounts, whichever of them are meant.

    What is not known of an act that takes such an amount counts as enough, an edited one, too.
    """
    shares = [acts.share(each, asked) for each in done]
    unknown = [
        act.edited or act.tool in asked.amounts
        for act, share in zip(done, shares, strict=True)
        if share is None
    ]
    return any(unknown) or sum(each for each in shares if each is not None) >= ENOUGH


def _alone(asked: RequestedAct, own: Collection[str]) -> tuple[str, ...]:
    """Return the tools that may be meant and are not asked for by themselves."""
    first, *others = asked.tools
    return first, *(each for each in others if each not in own)


def _is_done(asked: RequestedAct, done: Iterable[ConfirmedAct], acts: Acts) -> bool:
    return any(acts.does(each, asked) for each in done) or acts.holds(asked)


def _too_little(
    wants: Sequence[RequestedAct], done: Sequence[ConfirmedAct], acts: Acts
) -> list[str]:
    """Return that the acts did less than is asked for; what is not known counts as enough."""
    asked = _together(wants)
    shares = [acts.share(each, asked) for each in done]
    known = [each for each in shares if each is not None]
    if not known or len(known) < len(shares) or sum(known) >= ENOUGH:
        return []
    return [f'“{wants[0].said:.60}”: {sum(known):.0%} of it was confirmed']


def _together(wants: Sequence[RequestedAct]) -> RequestedAct:
    """Return one act of all amounts that are asked for of a tool."""
    amounts: dict[str, tuple[str, float]] = {}
    for want in wants:
        for tool, (name, value) in want.amounts.items():
            amounts[tool] = (name, value + amounts.get(tool, (name, 0.0))[1])
    seconds, metres = (
        sum(values) for values in zip(*((w.seconds, w.metres) for w in wants), strict=True)
    )
    return RequestedAct(wants[0].said, wants[0].tools, {}, amounts, seconds, metres)
