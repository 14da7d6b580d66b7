"""The remedy that a refusal names: the tool to run first."""

from __future__ import annotations

from collections.abc import Sequence
import re

from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.transcript import PastStep
from rover_common.adapter_status import MOVE_IN_PROGRESS

_NEEDS = 'Need to '  # before a command: 'Need to close gripper'
_IS = re.compile(r'(\w[\w ]{0,60}) is (\w{1,20})')  # 'Gripper is open'
_OPPOSITES = {'open': 'close', 'closed': 'open', 'on': 'off', 'off': 'on'}
_REMEDIES = {MOVE_IN_PROGRESS: 'move_stop'}
TRANSIENT = (MOVE_IN_PROGRESS,)  # says nothing about the next call


def remedy_for(reason: str, tools: Tools) -> str | None:
    """Return the offered tool that a refusal asks for, if it requires no argument."""
    words = _command_words(reason)
    if words:
        names = [tool.name for tool in tools.values() if words == tool.words]
        return next((name for name in names if not tools[name].required), None)
    remedy = _REMEDIES.get(reason)
    return remedy if remedy in tools else None


def _command_words(reason: str) -> frozenset[str]:
    """Return the words of the command that a refusal asks for; empty: it asks for none."""
    if reason.startswith(_NEEDS):
        return frozenset(reason[len(_NEEDS) :][:80].lower().split())
    found = _IS.fullmatch(reason)
    opposite = _OPPOSITES.get(found[2].lower(), '') if found else ''
    return frozenset((*found[1].lower().split(), opposite)) if found and opposite else frozenset()


def remedies_of(steps: Sequence[PastStep], tools: Tools) -> dict[str, str]:
    """Return by tool the remedy of its latest refusal."""
    refused = [step for step in steps if step.failed and step.reason not in TRANSIENT]
    return {step.tool: remedy for step in refused if (remedy := remedy_for(step.reason, tools))}
