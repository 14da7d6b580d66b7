"""What the console keeps of the run."""

from __future__ import annotations

from bt_executive.client.front_end_events import ExecutiveReady, LiveViewSetting
from bt_executive.console.console_view import ViewStore
from bt_executive.view.current_view import CurrentView


def test_it_has_the_latest_view_and_since_when() -> None:
    store = ViewStore(lambda: 3.0)
    assert store.run.current == CurrentView(since=3.0)
    store.apply(ExecutiveReady())
    assert store.run.current == CurrentView('ready', since=3.0)


def test_the_executive_may_want_no_live_view() -> None:
    store = ViewStore(lambda: 3.0)
    assert store.whole
    store.apply(LiveViewSetting(whole=False))
    assert not store.whole
