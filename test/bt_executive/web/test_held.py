"""A page that shows a moment of the past: it says so, mixes nothing, and is left by acting."""

from __future__ import annotations

from live_page import IN_BROWSER, REQUEST, Server
import pytest

from bench._browser import Page
from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    PendingApprovals,
    StateReceived,
)
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Mode, TasksState
from rover_common.trace_event import TraceEvent

pytestmark = IN_BROWSER

NOTE = "document.querySelector('.held-note')"
FOLLOWS = f'{NOTE}.hidden && livePage.stage.clock.follows'
PRESS = "[...document.querySelectorAll('{} button')].find((each) => {}).click()"
ACTS = {
    'approve': "document.querySelector('.request .approve').click()",
    'reject': "document.querySelector('.request .reject').click()",
    'stop': "document.querySelector('.stop').click()",
    'goal': "livePage.controls.input.value = 'look'; livePage.controls.form.requestSubmit()",
    'pause': PRESS.format('.prompt-row', "each.type === 'button'"),
    'go there': 'livePage.destination.choose(3, 1).then(() => livePage.destination.go())',
    'one tool': "livePage.controls.teleop.tool('forward')",
    'by hand': "livePage.controls.teleop.hold('move_forward'); livePage.controls.teleop.release()",
}


def held_at(page: Page, ts: float) -> None:
    page.do(f'livePage.stage.clock.show({ts})')
    page.until(f'!{NOTE}.hidden')


@pytest.mark.parametrize('act', ACTS)
def test_whatever_is_done_returns_the_page_to_now(page: Page, server: Server, act: str) -> None:
    server.begin_goal('look around')
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    server.hub.put(AdapterStatusReceived('a', manual=True))
    page.until("document.querySelector('.request') && livePage.controls.teleop.manual.checked")
    page.until(FOLLOWS)
    held_at(page, 999.5)
    page.do(f'(() => {{ {ACTS[act]} }})()')
    page.until(FOLLOWS)
    assert page.errors == []


def test_a_held_page_shows_it_and_leads_back(page: Page, server: Server) -> None:
    page.size(1400, 900)
    server.begin_goal('look around')
    page.until("document.querySelector('.head-goal h1').textContent === 'look around'")
    assert page.do(f'{NOTE}.hidden')
    held_at(page, 999.4)
    shown = page.do(f'{NOTE}.innerText')
    for part in ('0.4 s of the run', 'not at now', 'Back to live'):
        assert part in shown
    box = f'{NOTE}.getBoundingClientRect()'
    for name in ('.map-panel', '.camera-panel'):
        panel = f"document.querySelector('{name}').getBoundingClientRect()"
        assert page.do(f'{box}.left < {panel}.right && {box}.right > {panel}.left'), name
        assert page.do(f'{box}.top >= {panel}.top && {box}.bottom < {panel}.bottom'), name
    page.do(f"{NOTE}.querySelector('button').click()")
    page.until(FOLLOWS)
    page.until("document.activeElement.matches('.go-live')")


def test_the_head_of_a_held_page_is_of_that_moment_and_the_card_of_now(
    page: Page, server: Server
) -> None:
    server.begin_goal('look around')
    for at, x, charge in ((999.0, 0.0, 90.0), (999.8, 0.7, 70.0)):
        robot = RobotState(pose=Pose(x), pose_at=at, battery_pct=charge, battery_at=at)
        tasks = TasksState(mode=Mode.EXEC if at < 999.5 else Mode.IDLE)
        server.hub.put(StateReceived(BrainState(robot=robot, tasks=tasks), 1000.0))
    first = TraceEvent('r1', 999.2, 'DECIDE', 'look: allowed', 'look', ok=True)
    newest = TraceEvent('r2', 999.6, 'DECIDE', 'mast_close: allowed', 'mast_close', ok=True)
    ended = {'outcome': 'reached', 'answer': 'Done.', 'distance_m': 0.7}
    end = TraceEvent('r3', 999.9, 'OBSERVE', 'x', data={'goal_ended': ended, 'task_id': 't'})
    for event in (first, newest, end):
        server.hub.put(event)
    badge = "document.querySelector('.head-goal summary .badge').textContent"
    page.until(f"{badge} === 'reached'")
    page.do('(livePage.stage.model.data.began = 990)')
    held_at(page, 995)  # before any goal
    page.until("document.querySelector('.head-goal h1').textContent === 'No goal yet'")
    held_at(page, 999.3)
    page.until(f"{badge} === 'under way'")
    brief = page.do("document.querySelector('.brief').innerText")
    assert '300 ms' in brief
    assert '0.70 m' not in brief
    assert page.do("document.querySelector('.about').innerText.includes('Done.')") is False
    card = page.do("document.querySelector('.now-panel').innerText")
    assert 'mast_close' in card
    assert 'Done.' in card
    page.do(f"{NOTE}.querySelector('button').click()")
    page.until(f"{badge} === 'reached'")
