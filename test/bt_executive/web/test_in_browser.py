"""The live page in a browser, where there is one: goal, approval, edit, stop, reload, loss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from live_page import (
    CONFIG,
    HOSTILE,
    IN_BROWSER,
    REQUEST,
    Server,
    choose_language,
    held_state,
    jpeg,
    opened,
    write,
)
import pytest
from waiting import wait_until

from bench._browser import CHROMIUM, Browser, Page
from bt_executive.client.approvals import Resolve
from bt_executive.client.front_end_events import (
    AdapterSeen,
    ExecutiveLost,
    ExecutiveQuiet,
    FaultsSeen,
    PictureSeen,
    StateSeen,
    Waiting,
)
from bt_executive.client.requests import GoalRequest
from bt_executive.core.state import (
    BrainState,
    Pose,
    RobotState,
    Twist,
)
from bt_executive.web.serve import link
from rover_common.trace_event import TraceEvent

# The page's own font is fetched, allowed and readable, though the reader's may have come first.
FONTS_FOUND = """
document.fonts.load('16px "bt_executive Japanese"', '地').then((all) => all.length)
"""

pytestmark = IN_BROWSER


def test_a_goal_is_sent_and_told_in_two_tabs(page: Page, server: Server, browser: Browser) -> None:
    write(page, 'look around')
    wait_until(lambda: any(each[0] == 'start' for each in server.port.asked))
    started = [each[2] for each in server.port.asked if each[0] == 'start']
    assert [request.text for request in started] == ['look around']
    assert isinstance(started[0], GoalRequest)
    other = browser.page()
    opened(other, server)
    server.begin_goal(HOSTILE)
    for tab in (page, other):
        tab.until(f"document.querySelector('.head-goal h1').textContent === {HOSTILE!r}")
        assert tab.do('window.hacked') is None
        assert tab.errors == []
    other.close()


def test_a_request_is_edited_approved_and_rejected(page: Page, server: Server) -> None:
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.until("document.querySelector('.request .amounts')")
    assert '5 s, about 2.4 m straight ahead' in page.text()
    assert page.do('window.hacked') is None
    press = "[...document.querySelectorAll('.answers button')][{}].click()"
    assert page.do("document.querySelector('.arguments label').textContent") == 'duration_s'
    field = "document.querySelector('.arguments input')"
    name = "document.querySelector('.request .approve').textContent"
    for value, says, number in (
        ('2', 'Approve changed', 0),  # what stands in the field is what is approved
        ('5', 'Approve', 0),
        ('5', 'Approve', 1),
    ):
        page.until("!document.querySelector('.answers button').disabled")
        page.do(f"{field}.value = '{value}'; {field}.dispatchEvent(new Event('input'))")
        assert page.do(name) == says
        page.do(press.format(number))
        page.until("!document.querySelector('.answers button').disabled")
    answers = [each[1] for each in server.port.asked if each[0] == 'resolve']
    assert answers == [
        Resolve('edit', REQUEST['id'], arguments='{"duration_s":2}'),
        Resolve('approve', REQUEST['id']),
        Resolve('reject', REQUEST['id']),
    ]


@pytest.mark.parametrize('how', ['button', 'key', 'escape', 'ctrl'])
def test_a_stop_is_in_reach_and_confirmed_when_the_robot_stands(
    page: Page, server: Server, how: str
) -> None:
    if how == 'button':
        page.do("document.querySelector('.stop').click()")
    elif how == 'key':
        page.do("document.querySelector('.prompt').focus()")  # while one types, too
        page.key('F8', 'F8')
    elif how == 'escape':
        page.key('Escape', 'Escape')
        page.key('Escape', 'Escape')
    else:
        page.key(' ', 'Space', modifiers=2)
    wait_until(lambda: server.line.stops)
    page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
    server.hub.put(StateSeen(BrainState(robot=RobotState(at_rest=True)), 1000.0))
    page.until("document.querySelector('.stop-said.ok').textContent.startsWith('Stopped')")
    server.hub.put(StateSeen(BrainState(robot=RobotState(at_rest=False)), 1000.1))
    page.until("document.querySelector('.stop-said').hidden")  # it stands no longer


def shown_picture(page: Page, server: Server, *stamps: float) -> None:
    """Pictures of these times, each scored later than the one before."""
    server.begin_goal('look around')
    for number, stamp in enumerate(stamps, start=1):
        server.hub.put(PictureSeen(stamp, jpeg()))
        data = {'result': {'stamp': stamp, 'is_good': True}}
        told = TraceEvent(
            f's{number}', 999.0 + number / 10, 'RESULT', 's', 'look', score=0.9, data=data
        )
        server.hub.put(told)
    page.until(f"document.querySelectorAll('.thumb').length === {len(stamps)}")


def enlarged(page: Page) -> None:
    page.until("!document.querySelector('.screen img').hidden")
    page.do("document.querySelector('.screen img').click()")
    page.until("document.querySelector('.large img').naturalWidth")


def test_a_stop_is_in_reach_while_a_picture_is_enlarged(page: Page, server: Server) -> None:
    shown_picture(page, server, 99.5)
    enlarged(page)
    stop = page.do(
        '(() => { const at = document.querySelector(".stop").getBoundingClientRect();'
        ' return [at.x + at.width / 2, at.y + at.height / 2]; })()'
    )
    for kind in ('mousePressed', 'mouseReleased'):
        place = {'x': stop[0], 'y': stop[1], 'button': 'left', 'clickCount': 1}
        page.call('Input.dispatchMouseEvent', type=kind, **place)
    wait_until(lambda: server.line.stops)
    page.key('Escape', 'Escape')
    page.until("!document.querySelector('.large, .shade') && !document.querySelector('[inert]')")
    assert page.errors == []


def test_the_box_of_manual_mode_shows_what_is_after_what_was_wished(page: Page) -> None:
    box = 'livePage.controls.teleop.manual'
    assert page.do(f'{box}.focus(), {box}.click(), {box}.checked') is True
    page.until(f'!{box}.checked')  # nobody has switched it on


def test_the_buttons_that_drive_are_the_words_of_the_robots_file(
    page: Page, server: Server
) -> None:
    texts = "[...document.querySelectorAll('.pad button')].map((each) => each.textContent.trim())"
    assert page.do(texts) == ['Forward', 'Left', 'Right']
    page.do("document.querySelector('.pad button:last-child').click()")
    wait_until(lambda: any(each[0] == 'start' for each in server.port.asked))
    (request,) = [each[2] for each in server.port.asked if each[0] == 'start']
    assert (request.name, request.arguments) == ('turn_right', '{"duration_s": 2.0}')
    panels = 'new Controls(null, livePage.connection, null, [["back", ""], ["up", ""]]).panels'
    words = "(each) => [...each.querySelectorAll('.pad button')].map((one) => one.textContent)"
    assert page.do(f'{panels}.flatMap({words})') == [' Back', ' up']
    assert page.do('new Controls(null, livePage.connection, null, []).panels.length') == 2
    assert page.do("document.querySelector('.faults-panel').hidden") is True


def drives(server: Server) -> list[str]:
    """The motions that the page has held, in order."""
    return [each[1] for each in list(server.port.asked) if each[0] == 'drive']


def drive_by_hand(page: Page, server: Server) -> None:
    """Manual mode is on, and W is held."""
    server.hub.put(AdapterSeen('a', manual=True))
    page.until('livePage.controls.teleop.manual.checked')
    page.do('document.activeElement.blur()')
    page.call('Input.dispatchKeyEvent', type='keyDown', key='w', code='KeyW')
    wait_until(lambda: drives(server).count('move_forward') > 2)


def stands_still(page: Page, server: Server) -> None:
    """Nothing is held any more, and nothing more is told."""
    page.until('livePage.controls.teleop.held === null')
    wait_until(lambda: drives(server)[-1] == '')
    told = len(drives(server))
    page.do('new Promise((done) => setTimeout(done, 3 * HOLD_MS))')  # in which it would tell more
    assert len(drives(server)) == told


def test_a_key_that_is_let_go_in_a_text_field_drives_no_more(page: Page, server: Server) -> None:
    drive_by_hand(page, server)
    # a page whose field got the focus without an event, such as of an older browser
    page.do("addEventListener('focusin', (e) => e.stopImmediatePropagation(), true)")
    page.do("document.querySelector('.prompt').focus()")
    page.call('Input.dispatchKeyEvent', type='keyUp', key='w', code='KeyW')
    stands_still(page, server)


def test_a_key_that_is_let_go_with_ctrl_drives_no_more(page: Page, server: Server) -> None:
    drive_by_hand(page, server)
    page.call('Input.dispatchKeyEvent', type='keyUp', key='w', code='KeyW', modifiers=2)
    stands_still(page, server)


def test_nothing_drives_behind_an_enlarged_picture(page: Page, server: Server) -> None:
    shown_picture(page, server, 99.5)
    drive_by_hand(page, server)
    enlarged(page)
    stands_still(page, server)
    page.key('a', 'KeyA')
    stands_still(page, server)
    assert 'turn_left' not in drives(server)
    page.key('Escape', 'Escape')
    page.until("!document.querySelector('.large')")
    page.call('Input.dispatchKeyEvent', type='keyDown', key='a', code='KeyA')
    wait_until(lambda: 'turn_left' in drives(server))


def test_each_arrow_shows_the_next_picture_large(page: Page, server: Server) -> None:
    shown_picture(page, server, 99.5, 99.6, 99.7)
    enlarged(page)
    seen = [
        page.do(
            "(() => { document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }));"
            " return document.querySelector('.large img').src.split('/').at(-1); })()"
        )
        for _ in range(2)
    ]
    assert seen == ['99.600000.jpg', '99.500000.jpg']


def test_who_turns_to_a_text_field_drives_no_more(page: Page, server: Server) -> None:
    drive_by_hand(page, server)
    page.do("document.querySelector('.prompt').focus()")
    stands_still(page, server)
    again = {'key': 'w', 'code': 'KeyW', 'autoRepeat': True}  # it is still held
    page.call('Input.dispatchKeyEvent', type='keyDown', **again)
    page.do('document.activeElement.blur()')
    page.call('Input.dispatchKeyEvent', type='keyDown', **again)
    stands_still(page, server)


@pytest.mark.parametrize(('key', 'modifier'), [('Control', 2), ('Meta', 4)])
def test_ctrl_and_meta_end_a_held_motion(
    page: Page, server: Server, key: str, modifier: int
) -> None:
    drive_by_hand(page, server)
    page.call(
        'Input.dispatchKeyEvent', type='keyDown', key=key, code=f'{key}Left', modifiers=modifier
    )
    stands_still(page, server)


def test_a_lost_server_is_said_over_the_picture_and_it_comes_back(
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
    wait_until(lambda: server.line.stops)
    server.start()
    page.until("document.querySelector('.connection').textContent === 'connected'")
    page.until("document.querySelector('.over').hidden")
    assert page.do("document.querySelector('.head-goal h1').textContent") == 'look'
    assert page.do('document.activeElement.value') == 'look aro'
    page.do('document.activeElement.blur()')
    page.key(' ', 'Space')  # keys belong to the stage that is shown now
    page.until("document.querySelector('.go-live').getAttribute('aria-pressed') === 'false'")


def test_a_stop_is_confirmed_on_the_usual_way_if_its_own_is_closed(
    page: Page, server: Server
) -> None:
    server.door.close()
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
    assert server.line.stops == 1
    server.line.ok = False
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('not confirmed')")


def test_a_page_of_an_earlier_life_is_loaded_anew_and_goes_on(page: Page, server: Server) -> None:
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.until("document.querySelector('.request .amounts')")
    page.do('window.before = true')
    server.end()
    server.door.close()
    page.until("document.querySelector('.over').textContent.includes('Connection lost')")
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('not confirmed')")
    page.do("document.querySelector('.prompt').value = 'look aro'")
    page.do("document.querySelector('.prompt').focus()")
    page.do("livePage.controls.requests.drafts.get('ask-0a1b2c-1').word = 'too far'")
    server.open_door()
    server.start('another life')
    page.until("window.before === undefined && document.activeElement.className === 'prompt'")
    assert page.do("document.querySelector('.prompt').value") == 'look aro'
    assert page.do("document.querySelector('.answers span input').value") == 'too far'
    assert page.do("document.querySelector('.stop-said').textContent.includes('not confirmed')")
    page.until("document.querySelector('.connection').textContent === 'connected'")
    page.do('window.before = true')
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
    wait_until(lambda: server.line.stops == 2, 'it came on both ways')
    server.end()  # a line that is lost is no other life
    page.until("document.querySelector('.over').textContent.includes('Connection lost')")
    server.start('another life')
    page.until("document.querySelector('.connection').textContent === 'connected'")
    assert page.do('window.before') is True


def test_an_executive_that_is_gone_is_said_and_a_reload_knows_it(
    page: Page, server: Server
) -> None:
    server.hub.put(ExecutiveLost('It ended.'))
    page.until("document.querySelector('.over').textContent.includes('executive')")
    page.call('Page.reload')
    page.until("document.querySelector('.over').textContent.includes('executive')")


def test_an_executive_that_is_silent_for_a_moment_is_said_until_it_is_heard(
    page: Page, server: Server
) -> None:
    over = "document.querySelector('.over')"
    server.hub.put(ExecutiveQuiet(True))
    page.until(f"{over}.textContent.includes('No message from the executive') && !{over}.hidden")
    server.hub.put(ExecutiveQuiet(False))
    page.until(f'{over}.hidden')


@pytest.mark.parametrize('width', [1400, 900, 500])
def test_nothing_overflows_in_either_language(page: Page, server: Server, width: Any) -> None:
    server.begin_goal(f'{HOSTILE} {"x" * 300}')
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.size(width, 900)
    for code in ('ja', 'en'):
        choose_language(page, code)
        assert page.do('document.documentElement.scrollWidth <= innerWidth')
    assert page.do(FONTS_FOUND) == 1
    assert page.errors == []


def test_what_is_about_to_be_clicked_stays_while_the_run_goes_on(
    page: Page, server: Server
) -> None:
    server.begin_goal('first')
    told = TraceEvent('e2', 999.5, 'OBSERVE', 'New goal: second', data={'task_id': 'u'})
    server.hub.put(told)
    page.until("document.querySelectorAll('.goal-entry').length === 2")
    page.until("document.querySelectorAll('.goal-line').length === 2")
    page.do("window.kept = [...document.querySelectorAll('.goal-entry, .goal-line .jump')]")
    version = page.do('livePage.stage.model.version')
    for x in (1.0, 2.0):
        robot = RobotState(pose=Pose(x, 0.0, 0.0), pose_at=999.0)
        server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
        page.until(f'livePage.stage.model.data.poses.x.at(-1) === {x}')
    page.until(f'livePage.stage.head.drawnVersion > {version}')
    assert page.do('window.kept.length') == 4
    assert page.do('window.kept.every((each) => each.isConnected)')


def test_the_shown_time_is_that_of_the_goal_if_it_is_chosen(page: Page, server: Server) -> None:
    server.begin_goal('look')
    later = TraceEvent('e3', 999.5, 'OBSERVE', 'New goal: again', data={'task_id': 'v'})
    server.hub.put(later)
    page.until("document.querySelectorAll('.goal-entry').length === 2")
    page.do(
        "(() => { const s = document.querySelector('.timeline-panel select'); s.value = 'goal';"
        "s.dispatchEvent(new Event('change')); })()"
    )
    page.do('livePage.stage.clock.show(999.7)')
    page.until('livePage.stage.clock.range[0] === 999.5')
    page.do('livePage.stage.clock.show(999.2)')
    page.until('livePage.stage.clock.range[0] === 999')


def test_a_request_out_of_view_is_named_and_leads_there(page: Page, server: Server) -> None:
    page.size(500, 700)
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.until("document.querySelector('.request')")
    page.do('scrollTo(0, document.body.scrollHeight)')
    page.until("!document.querySelector('.asks').hidden")
    assert page.do('document.title') == '(1) bt_executive'
    page.do("document.querySelector('.asks').click()")
    page.until("document.querySelector('.asks').hidden")
    page.until("document.activeElement.className === 'approve'")


def test_the_link_of_an_earlier_server_opens_nothing(browser: Browser, server: Server) -> None:
    tab = browser.page()
    tab.open(link(server.number, 'old'))
    tab.until("document.body.innerText.includes('not the right one')")
    assert Path(CHROMIUM).exists()
    tab.close()


CONTRAST = """((element) => {
  const rgb = (text) => text.match(/[0-9.]+/g).map(Number);
  const light = (text) => rgb(text).slice(0, 3).map((each) => each / 255)
    .map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
  const style = (it) => getComputedStyle(it);
  let behind = element;
  while (rgb(style(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const both = [light(style(element).color), light(style(behind).backgroundColor)];
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
})"""  # of the text of an element to what is behind it, as WCAG counts it


HELD = [
    ('safe', 'cliff ahead', ('ask', 'reset')),
    ('charge', 'battery low: 18 %', None),
    ('pause', 'by Ada', ('ask', 'resume')),
    ('manual', 'by hand', ('set_manual', False)),
]


@pytest.mark.parametrize('width', [1400, 500])
@pytest.mark.parametrize(('kind', 'cause', 'ends'), HELD)
def test_what_holds_the_robot_is_in_view_with_what_ends_it(
    page: Page, server: Server, kind: str, cause: str, ends: Any, width: int
) -> None:
    page.size(width, 800, dark=width == 500)
    server.begin_goal('look around')
    if kind == 'manual':
        server.hub.put(AdapterSeen('a', True, 0, ''))
    else:
        server.hub.put(StateSeen(held_state(kind), 1000.0))
    page.until(f"document.querySelector('.banner-{kind}')")
    text = page.do(f"document.querySelector('.banner-{kind}').innerText")
    assert cause in text
    assert kind == 'manual' or '1 min 30 s' in text
    page.do('scrollTo(0, document.body.scrollHeight)')
    box = f"document.querySelector('.banner-{kind}').getBoundingClientRect()"
    assert page.do(f'{box}.top >= 0 && {box}.bottom <= innerHeight && {box}.width > 300')
    for part in ('strong', '.why', 'button'):
        it = f"document.querySelector('.banner-{kind} {part}')"
        assert page.do(f'{CONTRAST}({it})') >= 7.0
    button = f"document.querySelector('.banner-{kind} button')"
    if ends is None:
        assert page.do(f'{button}.hidden')
        assert f'{CONFIG.executive.battery.resume_pct:g} %' in text
        server.hub.put(FaultsSeen('rover', ('battery_low',)))
        page.until(f'!{button}.hidden')
        page.do(f'{button}.click()')
        wait_until(lambda: ('set_fault', 'rover', 'battery_low', False) in server.port.asked)
        return
    for _ in range(2):  # STOP is the first
        page.key('Tab', 'Tab')
    page.until(f'document.activeElement === {button}')
    page.do(f'{button}.click()')
    wait_until(lambda: any(each[: len(ends)] == ends for each in server.port.asked))
    assert page.errors == []


def test_a_pause_behind_safe_is_named_too_and_both_go_when_they_end(
    page: Page, server: Server
) -> None:
    paused = held_state('pause').hci
    server.hub.put(StateSeen(replace(held_state('safe'), hci=paused), 1000.0))
    page.until("document.querySelectorAll('.banner').length === 2")
    kinds = (
        "[...document.querySelectorAll('.banner strong')].map((each) => each.textContent).join()"
    )
    assert page.do(kinds) == 'SAFE,PAUSED'
    server.hub.put(StateSeen(held_state('pause'), 1000.0))
    page.until(f"{kinds} === 'PAUSED'")
    server.hub.put(StateSeen(BrainState(), 1000.0))
    page.until("document.querySelector('.banners').hidden")


def test_charts_draw_steps_and_leave_gaps_where_nothing_was_measured(
    page: Page, server: Server
) -> None:
    for at, percent in ((1.0, 5.0), (2.0, 5.0), (60.0, 91.0), (61.0, 90.0)):
        robot = RobotState(battery_at=at, battery_pct=percent)
        server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    page.until('livePage.stage.model.data.charge.value.length === 4')
    assert page.do('livePage.stage.model.data.charge.value') == [5, None, 91, 90]
    drawn = 'stepped([1, 2, 60, 61], [5, null, 91, 90], [], 62)'
    assert page.do(drawn) == [[1, 2, 2, 60, 61, 61, 62], [5, 5, None, 91, 91, 90, 90]]
    driven = 'stepped([1, 2, 3, 9], [0, 1, 1, 2], [false, false, false, true], null)'
    assert page.do(driven) == [[1, 2, 2, 3, 3, 9], [0, 0, 1, 1, None, 2]]
    assert page.errors == []


def test_a_distance_is_drawn_to_the_last_pose_and_not_to_now(page: Page, server: Server) -> None:
    for at in (1.0, 2.0, 3.0):
        robot = RobotState(pose=Pose(x=0.3 * at), pose_at=at)
        server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    robot = RobotState(pose=Pose(x=0.9), pose_at=3.0, ages={'pose': 7.0})
    server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    page.until('livePage.stage.model.poseAge === 7')
    page.until('livePage.stage.model.data.poses.ts.length >= 3')
    last = "livePage.stage.charts.series().find(([key]) => key === 'chart_distance')[1].at(-1)"
    ended = 'livePage.stage.model.ended'
    poses = 'livePage.stage.model.data.poses.ts.at(-1)'
    assert page.do(f'{last} <= Math.max({ended} - 7, {poses})')
    server.hub.put(StateSeen(BrainState(robot=replace(robot, ages={})), 1000.0))
    page.until('livePage.stage.model.poseAge === undefined')
    page.until(f'{last} >= {ended} - 0.001')


def test_whether_the_robot_stands_is_always_shown_and_a_stop_stays_in_the_messages(
    page: Page, server: Server
) -> None:
    motion = "document.querySelector('.head-goal .motion')"
    page.until(f"{motion}.innerText === 'motion not known'")
    drives = RobotState(
        pose=Pose(1.0), pose_at=999.0, at_rest=False, twist=Twist(0.24), distance_to_target=12.3
    )
    server.hub.put(StateSeen(BrainState(robot=drives), 988.0))
    page.until(f"{motion}.innerText === 'moves at 0.24 m/s for 12 s · 12 m to go'")
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
    stands = replace(drives, at_rest=True, twist=Twist(), distance_to_target=0.0)
    server.hub.put(StateSeen(BrainState(robot=stands), 997.0))
    page.until(f"{motion}.innerText === 'stands for 3 s'")
    page.until("document.querySelector('.replies').innerText.includes('Stopped: the robot')")
    assert page.do("document.querySelectorAll('.toast').length") == 0
    server.hub.put(StateSeen(BrainState(robot=replace(stands, ages={'status': 4.0})), 998.0))
    page.until(f"{motion}.innerText === 'motion not known for 2 s'")
    server.hub.put(ExecutiveQuiet(True))
    page.until(f"{motion}.innerText === 'motion not known'")


@pytest.mark.parametrize('width', [1400, 1024, 390])
def test_a_change_is_explained_and_approve_stays_where_it_is(
    page: Page, server: Server, width: int
) -> None:
    page.size(width, 844)
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.until(f"innerWidth === {width} && document.querySelector('.request .amounts')")
    approve = (
        "(() => { const box = document.querySelector('.request .approve').getBoundingClientRect();"
        ' return [box.left, box.top, box.width]; })()'
    )
    places = []
    for left in (3700, 65, 59, 5):
        page.do(
            "document.querySelector('.request').dataset.expires"
            f' = Date.now() / 1000 + {left}; livePage.controls.requests.count()'
        )
        places.append(page.do(approve))
    place = places[0]
    assert places == 4 * [place]
    field, meaning = (
        "document.querySelector('.arguments input')",
        "document.querySelector('.meaning')",
    )
    write_to = f"{field}.value = '{{}}'; {field}.dispatchEvent(new Event('input'))"
    page.do(write_to.format('2'))
    page.until(f"{meaning}.innerText === 'After your change: 2 s, about 0.97 m straight ahead'")
    assert page.do(approve) == place
    page.do(write_to.format('far'))
    page.until(f"{meaning}.matches('.bad') && {meaning}.innerText.includes('far')")
    page.do(write_to.format('5'))
    page.until(f'{meaning}.hidden')
    assert page.do("document.querySelector('.amounts.before')") is None
    assert page.do(approve) == place
