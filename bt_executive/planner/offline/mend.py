"""What a refusal says must be done first."""

from __future__ import annotations

from collections.abc import Sequence

from bt_executive.planner.offline.lexicon import named_by
from bt_executive.planner.offline.toolbox import Tools
from bt_executive.planner.offline.transcript import Step
from rover_common.exact_texts import MOVE_IN_PROGRESS

_NEEDS = 'Need to '  # and then a command, as in 'Need to close mast'
_MENDS = {'Mast is closed': 'mast_open', MOVE_IN_PROGRESS: 'move_stop'}
PASSING = (MOVE_IN_PROGRESS,)  # says nothing about the next time


def mend_for(reason: str, tools: Tools) -> str | None:
    """The offered tool that a refusal asks for, if it needs no argument."""
    if reason.startswith(_NEEDS):
        asked = set(named_by(reason[len(_NEEDS) :][:80]))
        names = [tool.name for tool in tools.values() if asked == set(tool.name_words)]
        return next((name for name in names if not tools[name].required), None)
    mend = _MENDS.get(reason)
    return mend if mend in tools else None


def learned(steps: Sequence[Step], tools: Tools) -> dict[str, str]:
    """What each tool needs before it, by the refusals so far."""
    refused = [step for step in steps if step.failed and step.reason not in PASSING]
    return {step.tool: mend for step in refused if (mend := mend_for(step.reason, tools))}
