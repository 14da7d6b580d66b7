"""An intent that the networks predict, its clauses, and the numbers that are its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bt_executive.planner.offline.amounts import Amount
from bt_executive.planner.offline.clause_parsing import Clause, with_numbers
from bt_executive.planner.offline.offered_tools import OfflineTool
from bt_executive.planner.offline.text_normalization import normalize


@dataclass(frozen=True)
class Intent:
    """A clause with the label that the model predicts for it.

    Attributes:
        clause: With what is said around it.
        label: See `ToolModel`.
        slot_value: The name in it, or empty.
        pieces: Its clauses, some of which may be asides.
        core: The one that asks for it.
        is_alone: Whether that is all that is said, but for a few words.
    """

    clause: Clause
    label: str
    slot_value: str
    pieces: tuple[Clause, ...]
    core: Clause
    is_alone: bool

    @property
    def core_at(self) -> int:
        """Return the place of the core among the pieces, of which some may be equal."""
        return next(at for at, each in enumerate(self.pieces) if each is self.core)


def with_own_numbers(
    clause: Clause, intent: Intent, tool: OfflineTool, goal: str
) -> tuple[Clause, list[str]]:
    """Return a clause with the numbers that its tool may take, and others as written."""
    if tool.text_argument and not tool.has_slots and not tool.numbers:
        return replace(clause, amounts=()), []  # “is anybody at table five?”
    is_full = sum(bool(each.unit or each.key) for each in clause.amounts) >= len(tool.numbers)
    if clause.count > 1 or '~' in clause.masked:
        return clause, []  # “three pictures”, “two or three seconds”
    measures = not tool.rates.issuperset(tool.numbers)
    own, others = _without_numbers_of_asides(clause, intent, not is_full, measures)
    if not tool.numbers:  # “the 3 mm hex key”
        name = intent.slot_value
        kept = (each for each in own.amounts if each.unit != 'm' or each.surface not in name)
        own = replace(own, amounts=tuple(kept))
    if tool.has_slots and not others:
        own = with_numbers(own, normalize(goal))
    return own, others


def _without_numbers_of_asides(
    clause: Clause, intent: Intent, takes_numbers: bool, measures: bool
) -> tuple[Clause, list[str]]:
    """Return a clause without the bare numbers of its asides, and these as written.

    “I have 40 guests waiting, so raise the mast”. What follows the wish may be meant for it, and
    what stands within one that `measures` is: “wait 3 to 5 seconds”.
    """
    kept, others = list[Amount](), list[str]()
    if clause.amounts != tuple(each for piece in intent.pieces for each in piece.amounts):
        return clause, []  # a unit is inherited
    core_at = intent.core_at
    for at, piece in enumerate(intent.pieces):
        is_before, is_aside = at < core_at, at != core_at and not piece.is_short
        for amount in piece.amounts:
            is_bare = not (amount.unit or amount.key)
            if is_bare and (
                (is_aside and is_before) or not (takes_numbers or (measures and at == core_at))
            ):
                others.append(amount.surface)
            else:
                kept.append(amount)
    return replace(clause, amounts=tuple(kept)), others
