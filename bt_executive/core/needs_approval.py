"""The rule which calls need a human's approval. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rover_common.config.settings import Skill

ApprovalMode = Literal['per_skill', 'always', 'never']


def needs_human(mode: ApprovalMode, made_of: Iterable[Skill], stops: bool) -> bool:
    """Return whether a call of a planner or an agent needs a human's approval.

    In mode `always` every tool that reaches the robot does; internal tools (finish, speak) only if
    their skill says so. `made_of`: the tool's skill and those of its steps; one of them is enough.
    `stops`: the tool only stops the robot, for which no approval is needed.
    """
    if stops or mode == 'never':
        return False
    return any(
        skill.approve or (mode == 'always' and skill.interface_type != 'internal')
        for skill in made_of
    )
