"""The rules of velocity and action gates, which the rover has not: see `finite/gate_link.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import math
from typing import Any

from bench.guard.rule import NOTHING, Rule, returns
from rover_common.permit import NO_PERMIT


def _never(_original: Any) -> Any:
    return property(lambda _self: False)


def _anything(_motion: str) -> bool:
    return True


def _made_with(**values: Any) -> Callable[[Any], Any]:
    """Replace a constructor by one that sets these attributes afterwards."""

    def by(original: Any) -> Any:
        def made(self: Any, *arguments: Any, **named: Any) -> None:
            original(self, *arguments, **named)
            vars(self).update(values)

        return made

    return by


def _of_any_gate(_original: Any) -> Any:
    return lambda self, gate: next(iter(self.gates), NO_PERMIT) if gate else self.permit


def _of_anybody(original: Any) -> Any:
    def update_status(self: Any, listed: Mapping[str, bool]) -> None:
        for goal in listed:
            self.add(goal, -math.inf)
        original(self, listed)

    return update_status


def rules_of_gates() -> Iterator[Rule]:
    """Yield each rule of the gates that the permit rules of the rover's adapter do not hold."""
    permits, velocity, action = (
        'gates.permit_rules:PermitRules',
        'gates.velocity_gate:VelocityGate.__init__',
        'gates.action_gate:ActionGate',
    )
    goals = 'gates.goals_to_cancel'
    for name, where, by in (
        ('silence ends what is under way', f'{permits}.is_silent', returns(False)),
        ('withdrawal ends what is under way', f'{permits}.is_withdrawn', _never),
        ('a stop uses the permit up', f'{permits}.close', NOTHING),
        ('a permit is of one gate', 'rover_common.permit:Heartbeat.permit_at', _of_any_gate),
        (
            'a goal goes on by a young permit',
            f'{permits}.may_go_on',
            lambda _original: lambda self, _now: bool(self.permit.number),
        ),
        ('velocities of its motion', velocity, _made_with(_passes=_anything)),
        ('a driver that is silent', velocity, _made_with(_silence_s=math.inf)),
        ('a standstill that lasts', velocity, _made_with(_standstill_s=math.inf)),
        ('goals that were named', f'{goals}:OwnGoals.update_status', _of_anybody),
        ('a cancel is sent again', f'{goals}:CANCEL_AGAIN_S', lambda _original: math.inf),
        ('an open goal moves', f'{goals}:OwnGoals.moving', _never),
        (
            'an old measurement says nothing',
            f'{action}.__init__',
            _made_with(_max_age_s=math.inf),
        ),
    ):
        yield Rule(f'gate: {name}', 'gate', where, by)
