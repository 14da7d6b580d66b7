"""What stops the robot, keeps it from its goals, or drives it by hand from the page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from live_page import CONFIG, IN_BROWSER, Server, enlarged, held_state, shown_picture
import pytest
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ExecutiveQuiet,
    FaultsReceived,
    StateReceived,
    SteppingReceived,
)
from bt_executive.client.front_end_ports import StopResult
from bt_executive.core.robot_state import Pose, RobotState, Twist
from bt_executive.core.state import BrainState
from bt_executive.web.page_actions import STOPPED_SINCE

pytestmark = IN_BROWSER

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
    ('safe', 'cliff ahead', ('call_service', 'reset')),
    ('charge', 'battery low: 18 %', None),
    ('pause', 'by Ada', ('call_service', 'resume')),
    ('manual', 'by hand', ('set_manual', False)),
]


def test_what_holds_the_robot_is_in_view_with_what_ends_it(page: Page, server: Server) -> None:
    server.begin_goal('look around')
    for width in (1400, 500):
        page.size(width, 800, dark=width == 500)
        for kind, cause, ends in HELD:
            assert_held(page, server, kind, cause, ends)
            server.hub.put(StateReceived(BrainState(), 1000.0))
            server.hub.put(AdapterStatusReceived('a', False, 0, ''))
            server.hub.put(FaultsReceived('rover', ()))
            page.until("!document.querySelector('.banner')")
            page.do('scrollTo(0, 0)')
            server.port.asked.clear()
    assert page.errors == []


def assert_held(page: Page, server: Server, kind: str, cause: str, ends: Any) -> None:
    """That one thing that holds the robot is named, readable, and can be ended."""
    if kind == 'manual':
        server.hub.put(AdapterStatusReceived('a', True, 0, ''))
    else:
        server.hub.put(StateReceived(held_state(kind), 1000.0))
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
        server.hub.put(FaultsReceived('rover', ('battery_low',)))
        page.until(f'!{button}.hidden')
        page.do(f'{button}.click()')
        wait_until(lambda: ('set_fault', 'rover', 'battery_low', False) in server.port.asked)
        return
    page.do("document.querySelector('.stop').focus()")  # which is the first of the page
    page.key('Tab', 'Tab')
    page.until(f'document.activeElement === {button}')
    page.do(f'{button}.click()')
    wait_until(lambda: any(each[: len(ends)] == ends for each in server.port.asked))


def test_a_pause_behind_safe_is_named_too_and_both_go_when_they_end(
    page: Page, server: Server
) -> None:
    paused = held_state('pause').hci
    server.hub.put(StateReceived(replace(held_state('safe'), hci=paused), 1000.0))
    page.until("document.querySelectorAll('.banner').length === 2")
    kinds = (
        "[...document.querySelectorAll('.banner strong')].map((each) => each.textContent).join()"
    )
    assert page.do(kinds) == 'SAFE,PAUSED'
    server.hub.put(StateReceived(held_state('pause'), 1000.0))
    page.until(f"{kinds} === 'PAUSED'")
    server.hub.put(StateReceived(BrainState(), 1000.0))
    page.until("document.querySelector('.banners').hidden")


def test_a_stop_is_in_reach_and_confirmed_when_the_robot_stands(
    page: Page, server: Server
) -> None:
    for how in ('button', 'key', 'escape', 'ctrl'):
        if how == 'button':
            page.do("document.querySelector('.stop').click()")
        elif how == 'key':
            page.do("document.querySelector('.prompt').focus()")  # while one types, too
            page.key('F8', 'F8')
        elif how == 'escape':
            page.do('document.activeElement.blur()')
            page.key('Escape', 'Escape')
            page.key('Escape', 'Escape')
        else:
            page.key(' ', 'Space', modifiers=2)
        wait_until(lambda: server.stop_port.stops, how)
        page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
        server.hub.put(StateReceived(BrainState(robot=RobotState(at_rest=True)), 1000.0))
        page.until("document.querySelector('.stop-said.ok').textContent.startsWith('Stopped')")
        moves = RobotState(at_rest=False, moving=True)
        server.hub.put(StateReceived(BrainState(robot=moves), 1000.1))
        page.until("document.querySelector('.stop-said').hidden")  # it stands no longer
        server.stop_port.stops = 0


PRESSED = """((at, repeat = false) => {
  const event = new KeyboardEvent('keydown', { key: 'Escape', repeat });
  Object.defineProperty(event, 'timeStamp', { value: at });
  document.dispatchEvent(event);
})"""  # at a time in ms


def test_after_one_escape_the_page_asks_for_another(page: Page, server: Server) -> None:
    hint = "document.querySelector('.escape-hint')"
    again = f"{hint}.textContent === 'Esc again: STOP'"
    assert page.do(f"{hint}.textContent === '' && {hint}.ariaLive === 'assertive'")
    page.do(f'for (let each = 0; each < 9; each += 1) {PRESSED}(1e6 + 30 * each, each > 0)')
    assert page.do(f'{again} && {hint}.getBoundingClientRect().bottom <= innerHeight')
    assert not server.stop_port.stops  # one press, however long
    page.until(f"{hint}.textContent === ''")
    page.do(f'{PRESSED}(1e6 + 1501)')  # a first one again
    assert page.do(again)
    assert not server.stop_port.stops
    page.do(f'{PRESSED}(1e6 + 1501 + 1400)')
    wait_until(lambda: server.stop_port.stops)
    assert page.do(f"{hint}.textContent === ''")


def test_an_unconfirmed_stop_is_shown(page: Page, server: Server) -> None:
    page.do('STANDS_MS.within = 100')
    server.hub.put(StateReceived(BrainState(robot=RobotState(at_rest=False, moving=True)), 1000.0))
    page.until("document.querySelector('.motion').textContent.startsWith('moves')")
    page.do("document.querySelector('.stop').click()")
    said = "document.querySelector('.stop-said"
    page.until(f"{said}.bad')?.textContent.includes('nothing says that the robot stands')")
    server.hub.put(StateReceived(BrainState(robot=RobotState(at_rest=True)), 1000.1))
    page.until(f"{said}.ok')?.textContent.startsWith('Stopped')")


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
    wait_until(lambda: server.stop_port.stops)
    page.key('Escape', 'Escape')
    page.until("!document.querySelector('.large, .shade') && !document.querySelector('[inert]')")
    assert page.errors == []


def test_a_stop_uses_the_page_server_if_its_own_is_closed(page: Page, server: Server) -> None:
    server.stop_server.close()
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
    assert server.stop_port.stops == 1
    server.stop_port.said = StopResult(False, 'nobody answers')
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('not confirmed')")


def test_whether_the_robot_stands_is_always_shown_and_a_stop_stays_in_the_messages(
    page: Page, server: Server
) -> None:
    motion = "document.querySelector('.head-goal .motion')"
    page.until(f"{motion}.innerText === 'motion not known'")
    drives = RobotState(
        pose=Pose(1.0), pose_at=999.0, at_rest=False, twist=Twist(0.24), distance_to_target=12.3
    )
    server.hub.put(StateReceived(BrainState(robot=drives), 988.0))
    page.until(f"{motion}.innerText === 'moves at 0.24 m/s for 12 s · 12 m to go'")
    page.do("document.querySelector('.stop').click()")
    page.until("document.querySelector('.stop-said').textContent.includes('Waiting')")
    stands = replace(drives, at_rest=True, twist=Twist(), distance_to_target=0.0)
    server.hub.put(StateReceived(BrainState(robot=stands), 997.0))
    page.until(f"{motion}.innerText === 'stands for 3 s'")
    page.until("document.querySelector('.replies').innerText.includes('Stopped: the robot')")
    assert page.do("document.querySelectorAll('.toast').length") == 0
    server.hub.put(StateReceived(BrainState(robot=replace(stands, ages={'status': 4.0})), 998.0))
    page.until(f"{motion}.innerText === 'motion not known for 2 s'")
    server.hub.put(ExecutiveQuiet(True))
    page.until(f"{motion}.innerText === 'motion not known'")


def test_mode_motion_and_mast_are_in_view_also_when_the_page_is_scrolled(
    page: Page, server: Server
) -> None:
    mast = "document.querySelector('.head-goal .guarded')"
    server.hub.put(StateReceived(BrainState(), 1000.0))
    page.until(f"{mast}.innerText === 'mast not known'")
    parts: dict[str, Any] = {'mast': 'closed', 'mast_is_open': False}
    server.hub.put(StateReceived(BrainState(robot=RobotState(parts=parts)), 1000.1))
    page.until(f"{mast}.innerText === 'mast closed'")
    page.size(390, 844)  # a phone's
    box = f'{mast}.getBoundingClientRect()'
    page.until(f'{box}.width > 0 && {box}.right <= innerWidth && {box}.bottom < 200')
    page.size(1400, 900)
    page.until('innerWidth === 1400')
    robot = RobotState(pose=Pose(1.0), pose_at=999.0, at_rest=False, moving=True, parts=parts)
    server.hub.put(StateReceived(replace(held_state('safe'), robot=robot), 1000.0))
    strip = "document.querySelector('.status-strip')"
    page.until("document.querySelector('.banner-safe')")
    assert page.do(f'{strip}.hidden')
    page.do('scrollTo(0, document.body.scrollHeight)')
    page.until(f'!{strip}.hidden')
    for words in ('SAFE', 'moves', 'mast closed'):
        page.until(f'{strip}.innerText.includes({words!r})')
    top = f'{strip}.getBoundingClientRect().top'
    banners = "document.querySelector('.banners').getBoundingClientRect().bottom"
    assert page.do(f'Math.abs({top} - {banners}) < 2 && {top} > 0')
    page.do('livePage.stage.clock.show(livePage.stage.model.began)')  # a moment of before
    page.until(f"{strip}.innerText.includes('moves')")
    server.hub.put(ExecutiveQuiet(True))
    page.until(f"{strip}.innerText.includes('mast not known')")
    assert 'SAFE' not in page.do(f'{strip}.innerText')
    page.do('scrollTo(0, 0)')
    page.until(f'{strip}.hidden')
    page.until(f"{mast}.innerText === 'mast not known'")


@pytest.mark.parametrize('box', ['teleop.manual', 'step.box'])
def test_a_box_shows_what_is_after_what_was_requested(page: Page, box: str) -> None:
    box = f'livePage.controls.{box}'
    assert page.do(f'{box}.focus(), {box}.click(), {box}.checked') is True
    page.until(f'!{box}.checked')  # nobody has switched it on


def test_the_box_of_step_by_step_shows_what_another_client_switches(
    page: Page, server: Server
) -> None:
    for on in (True, False):
        server.hub.put(SteppingReceived(on, ()))
        page.until(f'livePage.controls.step.box.checked === {str(on).lower()}')


def test_the_drive_buttons_are_the_commands_of_the_robot_file(page: Page, server: Server) -> None:
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
    server.hub.put(AdapterStatusReceived('a', manual=True))
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


def test_a_held_motion_ends_with_whatever_ends_it(page: Page, server: Server) -> None:
    def press(kind: str, key: str, code: str, **more: Any) -> None:
        page.call('Input.dispatchKeyEvent', type=kind, key=key, code=code, **more)

    def again() -> None:
        page.do('document.activeElement.blur()')
        server.port.asked.clear()
        drive_by_hand(page, server)

    drive_by_hand(page, server)
    press('keyUp', 'w', 'KeyW', modifiers=2)  # with Ctrl
    stands_still(page, server)
    for key, modifier in (('Control', 2), ('Meta', 4)):
        again()
        press('keyDown', key, f'{key}Left', modifiers=modifier)
        stands_still(page, server)
        press('keyUp', key, f'{key}Left')
        press('keyUp', 'w', 'KeyW')
    again()
    page.do("document.querySelector('.prompt').focus()")
    stands_still(page, server)
    press('keyDown', 'w', 'KeyW', autoRepeat=True)  # it is still held
    page.do('document.activeElement.blur()')
    press('keyDown', 'w', 'KeyW', autoRepeat=True)
    stands_still(page, server)
    press('keyUp', 'w', 'KeyW')
    again()
    # a page whose field got the focus without an event, such as of an older browser
    page.do("addEventListener('focusin', (e) => e.stopImmediatePropagation(), true)")
    page.do("document.querySelector('.prompt').focus()")
    press('keyUp', 'w', 'KeyW')
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


def test_a_stop_ends_a_motion_that_is_held(page: Page, server: Server) -> None:
    drive_by_hand(page, server)
    page.key('F8', 'F8')
    stands_still(page, server)
    page.call('Input.dispatchKeyEvent', type='keyDown', key='w', code='KeyW', autoRepeat=True)
    stands_still(page, server)
    assert server.stop_port.stops


UNREACHED = """(() => {
  const [reach, lost] = [window.fetch, {}];
  window.fetch = (url, options) => {
    const first = url === '/act' && !lost[options.body];
    lost[options.body] = true;
    return first ? Promise.reject(new TypeError('lost')) : reach(url, options);
  };
})()"""  # the first attempt of each request


def test_what_was_lost_before_a_stop_is_not_sent_after_it(page: Page, server: Server) -> None:
    page.do(UNREACHED)
    page.do(
        "window.asked = ['look around', ':safe_stop'].map((each) => livePage.controls.line(each));"
        'livePage.stop()'
    )
    goal, safe_stop = page.do('Promise.all(asked)')
    assert not goal['ok']
    assert goal['text'].startswith('You pressed STOP after it')
    assert safe_stop['ok']
    assert page.do("livePage.controls.line('look around')")['ok']  # it is asked for anew
    assert [each[0] for each in server.port.asked].count('start') == 1


SLOW = """(() => {
  const reach = window.fetch;
  const held = new Promise((done) => { window.release = done; });
  window.fetch = async (url, options) => {
    if (url === '/act') await held;
    return reach(url, options);
  };
})()"""  # until the connection, or the server, is no longer slow


def test_what_arrives_after_a_stop_and_was_asked_before_it_is_not_carried_out(
    page: Page, server: Server
) -> None:
    page.do(SLOW)
    page.do("window.asked = livePage.controls.line('look around'); 0")
    page.key('F8', 'F8')
    wait_until(lambda: server.stop_port.stops)
    page.do('release()')
    late = page.do('window.asked')
    assert (late['ok'], late['text']) == (False, STOPPED_SINCE)
    assert page.do("livePage.controls.line('look around')")['ok']
    assert [each[0] for each in server.port.asked].count('start') == 1
