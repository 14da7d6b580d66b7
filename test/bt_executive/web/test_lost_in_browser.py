"""A page that has lost its server or the executive: nothing old is taken for now."""

from __future__ import annotations

from dataclasses import replace

from live_page import IN_BROWSER, REQUEST, Server, held_state
import pytest
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_events import (
    ExecutiveLost,
    ExecutiveQuiet,
    PathPlanned,
    PendingApprovals,
    StateReceived,
)
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState

pytestmark = IN_BROWSER


def test_a_lost_server_is_shown_over_the_picture_until_it_returns(
    page: Page, server: Server
) -> None:
    server.begin_goal('look')
    page.until("document.querySelector('.head-goal h1').textContent === 'look'")
    page.do("document.querySelector('.prompt').value = 'look aro'")
    page.do("document.querySelector('.prompt').focus()")
    server.end()
    page.until("document.querySelector('.over').textContent.includes('Connection lost')")
    assert page.do("document.querySelector('.mode').textContent") == 'NO MODE'
    page.do("document.querySelector('.stop').click()")  # has a way of its own
    wait_until(lambda: server.stop_port.stops)
    server.start()
    page.until("document.querySelector('.connection').textContent === 'connected'")
    page.until("document.querySelector('.over').hidden")
    assert page.do("document.querySelector('.head-goal h1').textContent") == 'look'
    assert page.do('document.activeElement.value') == 'look aro'
    page.do('document.activeElement.blur()')
    page.key(' ', 'Space')  # keys belong to the stage that is shown now
    page.until("document.querySelector('.go-live').getAttribute('aria-pressed') === 'false'")


def test_what_can_do_nothing_is_off_and_what_stops_never_is(page: Page, server: Server) -> None:
    off = (
        "[...document.querySelectorAll('.prompt-row button, .go-live, .stop')]"
        '.filter((each) => each.disabled).map((each) => each.firstChild.textContent).join()'
    )
    server.hub.put(StateReceived(BrainState(), 1000.0))
    page.until(f"{off} === 'Resume,Reset'")
    server.hub.put(StateReceived(held_state('pause'), 1000.1))
    page.until(f"{off} === 'Pause,Reset'")
    server.hub.put(StateReceived(held_state('safe'), 1000.2))
    page.until(f"{off} === 'Resume'")
    server.end()
    page.until(f"{off} === 'Send,Pause,Resume,Reset,Live'")
    server.start()
    page.until(f"{off} === 'Resume'")
    assert page.errors == []


def test_a_page_of_a_previous_server_is_reloaded_and_continues(page: Page, server: Server) -> None:
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.until("document.querySelector('.request .amounts')")
    page.do('window.before = true')
    server.end()
    server.stop_server.close()
    page.until("document.querySelector('.over').textContent.includes('Connection lost')")
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('not confirmed')")
    page.do("document.querySelector('.prompt').value = 'look aro'")
    page.do("document.querySelector('.prompt').focus()")
    page.do("livePage.controls.requests.drafts.get('ask-0a1b2c-1').word = 'too far'")
    server.open_stop_server()
    server.start('another life')
    page.until("window.before === undefined && document.activeElement.className === 'prompt'")
    assert page.do("document.querySelector('.prompt').value") == 'look aro'
    assert page.do("document.querySelector('.answers span input').value") == 'too far'
    assert page.do("document.querySelector('.stop-said').textContent.includes('not confirmed')")
    page.until("document.querySelector('.connection').textContent === 'connected'")
    page.do('window.before = true')
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
    wait_until(lambda: server.stop_port.stops == 2, 'it came on both ways')
    server.end()  # a line that is lost is no other life
    page.until("document.querySelector('.over').textContent.includes('Connection lost')")
    server.start('another life')
    page.until("document.querySelector('.connection').textContent === 'connected'")
    assert page.do('window.before') is True


def test_a_destination_is_planned_again_by_a_restarted_server(page: Page, server: Server) -> None:
    server.hub.put(StateReceived(BrainState(robot=RobotState(pose_at=999.0)), 1000.0))
    page.until("document.querySelector('.map .rover')")
    page.do("livePage.destination.choose(3, 1, 'a rock')")
    key = page.do('livePage.destination.wanted.id')
    server.hub.put(PathPlanned(key, 3.0, 1.0, '', ((0.0, 0.0), (3.0, 1.0)), 4.5, 11.0))
    words = "document.querySelector('.path-words')?.textContent"
    page.until(f"{words}.includes('4.5 m')")
    page.do('window.before = true')
    server.end()
    server.stop_server.close()
    page.until("document.querySelector('.over').textContent.includes('Connection lost')")
    server.port.asked.clear()
    server.open_stop_server()
    server.start('another life')
    page.until(f"window.before === undefined && {words}.startsWith('planning')")
    assert page.do("document.querySelector('.place-title').textContent").startswith('a rock')
    assert page.do("document.querySelector('.map .wanted circle') !== null")
    wait_until(lambda: [each[2:] for each in server.port.asked if each[0] == 'plan_path'])
    asked = [each for each in server.port.asked if each[0] == 'plan_path']
    assert [each[2:] for each in asked] == [(3.0, 1.0)]
    server.hub.put(PathPlanned(asked[0][1], 3.0, 1.0, '', ((0.0, 0.0), (3.0, 1.0)), 3.9, 9.0))
    page.until(f"{words}.includes('3.9 m')")


def test_a_lost_executive_is_shown_also_after_a_reload(page: Page, server: Server) -> None:
    server.hub.put(ExecutiveLost('It ended.'))
    page.until("document.querySelector('.over').textContent.includes('executive')")
    page.call('Page.reload')
    page.until("document.querySelector('.over').textContent.includes('executive')")


def test_a_briefly_silent_executive_is_shown_until_it_reports(page: Page, server: Server) -> None:
    over = "document.querySelector('.over')"
    server.hub.put(ExecutiveQuiet(True))
    page.until(f"{over}.textContent.includes('No message from the executive') && !{over}.hidden")
    server.hub.put(ExecutiveQuiet(False))
    page.until(f'{over}.hidden')


@pytest.mark.parametrize('lost', ['server', 'executive'])
def test_what_was_so_before_is_not_shown_as_now(page: Page, server: Server, lost: str) -> None:
    robot = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateReceived(replace(held_state('safe'), robot=robot), 1000.0))
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    age = "document.querySelector('.banner-safe .age').textContent"
    page.until(f"{age} === 'For 1 min 30 s.'")
    page.do('livePage.destination.choose(3, 1)')
    page.until("document.querySelector('.destination .against')?.innerText.includes('SAFE')")
    if lost == 'server':
        server.end()
    else:
        server.hub.put(ExecutiveQuiet(True))
    page.until(f"{age} === 'That is the last report.'")
    page.until(
        "document.querySelector('.request .left').textContent === 'That is the last report.'"
    )
    against = "document.querySelector('.destination .against').innerText"
    page.until(f"{against} === 'What prevents it now is not known.'")
    if lost == 'server':
        page.do("livePage.controls.line('look')")
        page.until("document.querySelector('.replies li')?.innerText.includes('did not answer')")
        server.start()
    else:
        server.hub.put(ExecutiveQuiet(False))
    page.until(f"{age} === 'For 1 min 30 s.'")
    page.until(f"{against}.includes('SAFE')")
