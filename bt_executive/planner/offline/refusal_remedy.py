"""What a refusal says must be done first."""

from __future__ import annotations

from collections.abc import Sequence
import re

from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.transcript import PastStep
from rover_common.exact_texts import MOVE_IN_PROGRESS

_NEEDS = 'Need to '  # and then a command, as in 'Need to close gripper'
_IS = re.compile(r'(\w[\w ]{0,60}) is (\w{1,20})')  # as in 'Gripper is open'
_OPPOSITES = {'open': 'close', 'closed': 'open', 'on': 'off', 'off': 'on'}
_MENDS = {MOVE_IN_PROGRESS: 'move_stop'}
PASSING = (MOVE_IN_PROGRESS,)  # says nothing about the next time


def mend_for(reason: str, tools: Tools) -> str | None:
    """The offered tool that a refusal asks for, if it needs no argument."""
    asked = _asked(reason)
    if asked:
        names = [tool.name for tool in tools.values() if asked == tool.words]
        return next((name for name in names if not tools[name].required), None)
    mend = _MENDS.get(reason)
    return mend if mend in tools else None


def _asked(reason: str) -> frozenset[str]:
    """Return the words of the command that a refusal asks for; nothing if it asks for none."""
    if reason.startswith(_NEEDS):
        return frozenset(reason[len(_NEEDS) :][:80].lower().split())
    found = _IS.fullmatch(reason)
    opposite = _OPPOSITES.get(found[2].lower(), '') if found else ''
    return frozenset((*found[1].lower().split(), opposite)) if found and opposite else frozenset()


def learned(steps: Sequence[PastStep], tools: Tools) -> dict[str, str]:
    """What each tool needs before it, by the refusals so far."""
    refused = [step for step in steps if step.failed and step.reason not in PASSING]
    return {step.tool: mend for step in refused if (mend := mend_for(step.reason, tools))}
