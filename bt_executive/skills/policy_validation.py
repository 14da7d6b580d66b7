"""Validation of executive.yaml: policies for preconditions, breakpoints, what precedes a rest."""

from __future__ import annotations

from collections.abc import Iterator

from bt_executive.core.approval_and_breakpoint_rules import breakable
from bt_executive.skills.composite_and_fixed_call_validation import own_call_faults
from bt_executive.skills.tool_validation import precondition_names
from rover_common.config.dotted_keys import unknown_names
from rover_common.config.settings import Config


def policy_faults(config: Config) -> Iterator[str]:
    """Yield faults of policies: one without effect would seem to hold."""
    guards, skills = config.executive.guards, config.robot.tools
    preconditions = precondition_names(config)
    yield from unknown_names('guards.policy: guard', guards.policy, preconditions)
    yield from unknown_names('guards.resolve_by: guard', guards.resolve_by, preconditions)
    for name, resolver in guards.resolve_by.items():
        if resolver in skills:
            yield from own_call_faults(f'guards.resolve_by: {name}', resolver, skills[resolver])
    for name, policy in guards.policy.items():
        resolver = guards.resolve_by.get(name, '')
        if policy == 'resolve' and name in preconditions and resolver not in skills:
            yield f'guards.resolve_by: {name} is {resolver!r}, which is not a tool; name one.'
    yield from unknown_names(
        'approval.break_at:', config.executive.approval.break_at, breakable(config)
    )
    resting = config.executive.battery.before_rest
    if resting:
        yield from unknown_names('battery.before_rest: tool', [resting], skills)
    if resting in skills:
        yield from own_call_faults('battery.before_rest', resting, skills[resting])
