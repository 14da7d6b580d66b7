"""How long a stream is kept without a viewer."""

from __future__ import annotations

from bt_executive.ros.tree_stream.stream_lifetime import Grace, SubscriberWatch


def test_the_first_viewer_has_longer_than_one_that_returns() -> None:
    attendance = SubscriberWatch(Grace(to_come=30.0, to_return=10.0), now=0.0)
    assert not attendance.is_over(29.0)
    assert attendance.is_over(31.0)
    assert attendance.note(1, 31.0) == 1
    assert not attendance.is_over(40.0)
    attendance.note(0, 40.0)
    assert attendance.is_over(41.5)
