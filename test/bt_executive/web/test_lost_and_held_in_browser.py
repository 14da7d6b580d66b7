"""A page without its server or executive, or held in the past: nothing old is taken for now."""

from __future__ import annotations

from dataclasses import replace

from live_page import IN_BROWSER, REQUEST, Server, held_state
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ExecutiveLost,
    ExecutiveQuiet,
    PathPlanned,
    PendingApprovals,
    StateReceived,
)
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Mode, TasksState
from rover_common.trace_event import TraceEvent

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


def test_of_a_lost_executive_nothing_is_said_to_be_empty_off_or_ended(
    page: Page, server: Server
) -> None:
    queue = "document.querySelector('.queue').textContent"
    end = "document.querySelector('.decision.end .label').textContent"
    step = "document.querySelector('.stepping input')"
    server.begin_goal('look')
    server.hub.put(StateReceived(BrainState(), 1000.0))
    page.until(f"{queue} === 'The queue is empty.' && !{step}.indeterminate")
    server.hub.put(ExecutiveLost('it is silent'))
    page.until(f"{queue} === 'The queue is not known.'")
    assert page.do(f'{step}.indeterminate && {step}.disabled')
    page.until(f"{end}.startsWith('Goal last known')")
    assert page.errors == []


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


WAITS_FOR_ALL_DATA = """(() => {
  const [seen, made] = [[], window.made];
  const note = () => seen.push([made.name, made.socket.readyState === WebSocket.OPEN]);
  made.open = () => {}; // it stays as it is left
  made.lose();
  made.socket = { readyState: WebSocket.OPEN, close() {} };
  for (const text of ['{"hello": {}}', '{"beat": 1}']) {
    made.take(text);
    note();
    made.heard -= 2 * SILENCE_MS;
    made.look();
    note();
  }
  return seen;
})()"""  # a connection after a greeting and after a beat, at once and after a silence


def test_a_page_waits_longer_for_all_data_and_shows_nothing_as_now_before(page: Page) -> None:
    on = '{ message() {}, state: (name) => { made.name = name; } }'
    page.do(f'void (window.made = new Connection({on}))')
    page.until("made.name === 'connected'")
    states = [['lost', True], ['lost', True], ['connected', True], ['lost', False]]
    assert page.do(WAITS_FOR_ALL_DATA) == states


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


def test_a_silent_executive_is_shown_until_it_reports_and_a_lost_one_after_a_reload(
    page: Page, server: Server
) -> None:
    over = "document.querySelector('.over')"
    server.hub.put(ExecutiveQuiet(True))
    page.until(f"{over}.textContent.includes('No message from the executive') && !{over}.hidden")
    server.hub.put(ExecutiveQuiet(False))
    page.until(f'{over}.hidden')
    server.hub.put(ExecutiveLost('It ended.'))
    page.until("document.querySelector('.over').textContent.includes('executive')")
    page.call('Page.reload')
    page.until("document.querySelector('.over').textContent.includes('executive')")


def test_what_was_so_before_is_not_shown_as_now(page: Page, server: Server) -> None:
    robot = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateReceived(replace(held_state('safe'), robot=robot), 1000.0))
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    age = "document.querySelector('.banner-safe .age').textContent"
    left = "document.querySelector('.request .left').textContent"
    against = "document.querySelector('.destination .against')?.innerText"
    page.until(f"{age} === 'For 1 min 30 s.'")
    page.do('livePage.destination.choose(3, 1)')
    for lost in ('executive', 'server'):
        page.until(f"{against}.includes('SAFE')")
        if lost == 'server':
            server.end()
        else:
            server.hub.put(ExecutiveQuiet(True))
        page.until(f"{age} === 'That is the last report.'")
        page.until(f"{left} === 'That is the last report.'")
        page.until(f"{against} === 'What prevents it now is not known.'")
        if lost == 'server':
            page.do("livePage.controls.line('look')")
            log = "document.querySelector('.replies li')?.innerText"
            page.until(f"{log}.includes('did not answer')")
            server.start()
        else:
            server.hub.put(ExecutiveQuiet(False))
        page.until(f"{age} === 'For 1 min 30 s.'")
    page.until(f"{against}.includes('SAFE')")


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


def test_whatever_is_done_returns_the_page_to_now(page: Page, server: Server) -> None:
    server.begin_goal('look around')
    server.hub.put(AdapterStatusReceived('a', manual=True))
    page.until('livePage.controls.teleop.manual.checked')
    page.until(FOLLOWS)
    for act, script in ACTS.items():
        server.hub.put(PendingApprovals((), 1000.0))  # the last one may be answered
        page.until("!document.querySelector('.request')")
        server.hub.put(PendingApprovals((REQUEST,), 1000.0))
        page.until("document.querySelector('.request .approve:enabled')")
        held_at(page, 999.5)
        page.do(f'(() => {{ {script} }})()')
        page.until(FOLLOWS)
        assert page.errors == [], act


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


def test_the_head_shows_the_drive_that_was_cut_and_not_what_waited_behind_it(
    page: Page, server: Server
) -> None:
    server.begin_goal('drive')
    for at, task_id, goal in ((999.8, 't', 'drive'), (999.801, 'u', 'take a picture')):
        ended = {'outcome': 'failed', 'answer': 'Safety event: cliff', 'goal': goal}
        data = {'goal_ended': ended, 'task_id': task_id}
        server.hub.put(TraceEvent(f'r{task_id}', at, 'ERROR', 'x', ok=False, data=data))
    page.until("document.querySelectorAll('.goal-entry').length === 2")
    server.hub.put(StateReceived(BrainState(), 1000.0))
    page.until('livePage.stage.model.ended >= 1000')
    assert page.do("document.querySelector('.head-goal h1').textContent") == 'drive'
