"""Whose calls need a human's yes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rover_common.config.settings import Skill

ApprovalMode = Literal['per_skill', 'always', 'never']


def needs_human(mode: ApprovalMode, made_of: Iterable[Skill], stops: bool) -> bool:
    """Return whether a planner's or an agent's call of a tool waits for a human.

    `always` asks for whatever reaches the robot; internal tools (finish, speak) only if their
    skill says so. `made_of`: the tool's skill, and those of its steps: one of them is enough.
    `stops`: the tool does nothing but stop the robot. A stop waits for nobody.
    """
    if stops or mode == 'never':
        return False
    return any(
        skill.approve or (mode == 'always' and skill.interface_type != 'internal')
        for skill in made_of
    )
