"""Which motions the heartbeats permit, with time as an argument."""

from __future__ import annotations

import pytest

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.deadman import Deadman
from curiosity_adapter.motion_permit import Permission
from rover_common.heartbeat_filter import HeartbeatFilter
from rover_common.permit import Heartbeat, Permit

TIMEOUT_S = 0.3
MOTION = 'move_forward'


@pytest.fixture
def permission() -> Permission:
    return Permission(
        HeartbeatFilter[Heartbeat](TIMEOUT_S, 'heartbeat'), Deadman(TIMEOUT_S, manual=False)
    )


def hear(permission: Permission, sender: str, number: int, at: float) -> None:
    heartbeat = Heartbeat(sender, round(at * 10.0), at, Permit(MOTION, number))
    assert permission.receive(heartbeat, at, at) is None


def test_a_permit_that_was_used_stays_used_after_others_were(permission: Permission) -> None:
    for sender, number, at in (('one', 7, 1.0), ('two', 1, 2.0)):
        hear(permission, sender, number, at)
        assert permission.refusal(MOTION, at) is None
        permission.use()
        permission.end()
    hear(permission, 'one', 7, 2.1)  # it wakes up
    refused = permission.refusal(MOTION, 2.1)
    assert refused is not None
    assert refused.code is Cause.PERMISSION_USED
    hear(permission, 'one', 8, 2.2)
    assert permission.refusal(MOTION, 2.2) is None
