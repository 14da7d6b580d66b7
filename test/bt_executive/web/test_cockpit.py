"""The first window of the live page: what is in it, and how the rest is folded away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from live_page import (
    IN_BROWSER,
    IN_VIEW,
    REQUEST,
    Server,
    choose_language,
    held_state,
    jpeg,
    mouse,
)
import pytest
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_events import (
    PendingApprovals,
    PictureReceived,
    ServiceReply,
    StateReceived,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Mode, TasksState
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.trace_event import TraceEvent

pytestmark = IN_BROWSER

LEAST_PICTURE_PX = 70
SIZES = ((1400, 900), (1024, 768), (390, 844), (500, 900), (2560, 1300))  # px
ONE_SCREEN = (
    '.map .rover',
    '.screen img',
    '.mode',
    '.head-goal h1',
    '.prompt',
    '.stop',
    '.banner button',
    '.request .approve',
    '.request .reject',
)
# The part of the page that has the focus, or "unseen" if nothing shows that it has.
FOCUSED = """(() => {
  const it = document.activeElement;
  if (it === document.body) return 'body';
  if (getComputedStyle(it).outlineStyle === 'none') return 'unseen';
  const part = it.closest('.stop, .top, .head-goal, .panel, .prompt-row, .examples, .time-bar');
  return part ? part.className.replace('panel ', '') : it.className;
})()"""
FOCUS_IS_SEEN = """(() => {
  const it = document.activeElement;
  const { left, top, width, height } = it.getBoundingClientRect();
  return [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x, y])).some(([x, y]) => {
    const found = document.elementFromPoint(left + x * width, top + y * height);
    return it === document.body || (found && (it.contains(found) || found.contains(it)));
  });
})()"""  # whether a part of what has the focus is above all else
OVERLAPS = """(() => {
  const parts = ['.banners', '.top', '.head-goal', '.cockpit > *', '.prompt-row', '.parts > *'];
  const boxes = parts.flatMap((name) => [...document.querySelectorAll(name)])
    .filter((each) => each.offsetParent)
    .map((each) => [each.className, each.getBoundingClientRect()]);
  const found = [];
  for (const [one, a] of boxes) for (const [other, b] of boxes) {
    if (a === b) continue;
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 1 && high > 1) found.push(`${one} | ${other}`);
  }
  for (const each of document.querySelectorAll('button, select, h1, h2, h3, .badge, .caption')) {
    if (each.offsetParent && each.scrollWidth > each.clientWidth + 1 && !each.matches('h1')) {
      found.push(`${each.className} ${each.textContent.slice(0, 40)} is cut off`);
    }
  }
  return found;
})()"""  # rectangles of the page that cover each other, and texts that are cut off


def test_all_that_is_needed_to_drive_is_on_one_screen_and_nothing_overlaps(
    page: Page, server: Server
) -> None:
    server.begin_goal('東の明るい岩の横まで走って、写真を撮ってから、もとの場所へ戻って')
    robot = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateReceived(replace(held_state('safe'), robot=robot), 1000.0))
    server.hub.put(PictureReceived(99.0, jpeg(), live=True))
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.until("document.querySelector('.request')")
    page.do("TOAST_MS.ok = 6e5; livePage.say(true, 'one moment')")
    for code in ('ja', 'en'):
        choose_language(page, code)
        for width, height in SIZES:
            page.size(width, height, dark=code == 'ja')
            page.until(f"innerWidth === {width} && document.querySelector('.map .rover')")
            page.until(f'!({IN_VIEW})({list(ONE_SCREEN)}).length')
            assert page.do(OVERLAPS) == [], (code, width)
            assert page.do('document.documentElement.scrollWidth') <= width
            picture = page.do("document.querySelector('.screen').clientHeight")
            assert picture >= LEAST_PICTURE_PX, (code, width)
    assert page.errors == []


IS_WHOLE = """(name) => {
  const it = document.querySelector(name);
  const { left, right, top, bottom } = it.getBoundingClientRect();
  const points = [left + 8, right - 8].flatMap((x) => [top + 4, bottom - 4].map((y) => [x, y]));
  return points.every(([x, y]) => it.contains(document.elementFromPoint(x, y)));
}"""  # whether nothing covers a corner of it


def test_a_small_phone_shows_both_answers_and_the_way_to_now_as_a_whole(
    page: Page, server: Server
) -> None:
    server.begin_goal('look around')
    server.hub.put(StateReceived(held_state('safe'), 1000.0))
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.until("document.querySelector('.request')")
    page.size(360, 740)
    for code in ('ja', 'en'):
        choose_language(page, code)
        page.until("innerWidth === 360 && document.querySelector('.request')")
        for name in ('.request .approve', '.request .reject', '.go-live', '.stop'):
            page.until(f'({IS_WHOLE})({name!r})')
        assert page.do(OVERLAPS) == [], code


def test_the_camera_works_only_while_its_picture_is_seen(page: Page, server: Server) -> None:
    def asked() -> int:
        return sum(each[0] == 'request_camera' for each in list(server.port.asked))

    page.until(IS_THERE)  # before a picture has come: the embedded rover has a camera
    wait_until(lambda: asked() > 1)  # without a click
    page.do("document.querySelector('.camera-panel input').click()")
    before = asked()
    page.do('new Promise((done) => setTimeout(done, 1.5 * CAMERA_MS))')
    assert asked() == before
    page.call('Page.reload')
    page.until("document.querySelector('.camera-panel input')")
    assert page.do("document.querySelector('.camera-panel input').checked") is False  # remembered
    page.do("document.querySelector('.camera-panel input').click()")


def test_a_picture_that_is_followed_by_none_and_an_old_pose_are_not_shown_as_now(
    page: Page, server: Server
) -> None:
    old = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0, ages={'pose': 5.0})
    server.hub.put(StateReceived(replace(held_state('pause'), robot=old), 1000.0))
    server.hub.put(PictureReceived(99.0, jpeg(), live=True))
    page.until("document.querySelector('.caption').textContent === 'live'")
    page.until("getComputedStyle(document.querySelector('.map .rover')).opacity === '0.45'")
    assert page.do("document.querySelector('.over').hidden")
    server.behind_s = 500.0  # as if the page were opened long after the latest picture
    server.hub.put(PictureReceived(99.5, jpeg(), live=True))
    page.until("document.querySelector('.over').textContent.startsWith('This picture is 50')")
    server.behind_s = 0.0
    server.hub.put(PictureReceived(100.0, jpeg(), live=True))
    page.until("document.querySelector('.over').hidden")


def test_messages_go_and_stay_in_the_log(page: Page) -> None:
    page.do("TOAST_MS.bad = 50; livePage.say(false, 'It does not move.')")
    page.until("!document.querySelector('.toast')")
    page.do("livePage.say(true, 'one\\ntwo')")  # is read in no moment: it stays
    page.do('new Promise((done) => setTimeout(done, 100))')
    assert page.do("document.querySelector('.toast pre').textContent") == 'one\ntwo'
    page.do("document.querySelector('.toast button').click()")
    page.until("!document.querySelector('.toast')")
    assert page.do("document.querySelectorAll('.replies li').length") == 2
    # of the run's clock, which is that of the robot: here it stands, long before this machine's
    assert page.do("document.querySelector('.replies time').textContent") == '0.0 s'


def test_a_folded_panel_stays_so_and_what_was_answered_before_is_in_the_log_alone(
    page: Page, server: Server
) -> None:
    folded = "document.querySelector('.tree-panel').open"
    page.until(f'{folded} === true')
    page.do("document.querySelector('.tree-panel summary').click()")
    page.until("remembered('fold.tree-panel') === 'closed'")
    server.hub.put(ServiceReply('resolve', True, 'Request 1 is approved'))
    page.until("document.querySelector('.toast')?.innerText.includes('Request 1')")
    page.call('Page.reload')
    page.until("document.querySelector('.replies li')?.innerText === 'Request 1 is approved'")
    assert page.do("document.querySelector('.toast')") is None
    assert page.do(folded) is False
    page.do("document.querySelector('.tree-panel summary').click()")
    page.until("remembered('fold.tree-panel') === 'open'")
    server.hub.put(ServiceReply('resolve', True, 'Request 2 is approved'))
    page.until("document.querySelector('.toast')?.innerText.includes('Request 2')")
    page.size(390, 844)
    server.hub.put(ServiceReply('resolve', True, 'Request 3 is approved'))
    page.until("document.querySelector('.toast')?.innerText.includes('Request 3')")
    assert page.do("document.querySelectorAll('.toast').length") == 1


def test_a_refusal_stands_large_with_guard_reading_age_and_rule(
    page: Page, server: Server
) -> None:
    server.begin_goal('look around')
    rule = {'guards.mast_closed (robot.yaml)': '{"where": {"mast": ["closed"]}}'}
    data = {
        'guard': 'mast_closed',
        'arguments': {'duration_s': 3},
        'verdict': {'asked': {'mast_closed': 'open'}},
        'why': {'reading': 'status', 'age_s': 0.12, 'values': {'mast': 'open'}, 'rule': rule},
    }
    told = TraceEvent(
        'r1', 999.5, 'DECIDE', 'move_forward: Need to close mast', 'move_forward',
        ok=False, error_reason='Need to close mast', data=data,
    )  # fmt: skip
    server.hub.put(told)
    page.until("document.querySelector('.decision.refused')")
    large = page.do("document.querySelector('.decision.refused').innerText")
    for part in ('move_forward(duration_s=3)', 'mast_closed', 'Need to close mast', 'nothing yet'):
        assert part in large
    page.do("document.querySelector('.why summary').click()")
    server.hub.put(TraceEvent('r2', 999.6, 'DECIDE', 'mast_close: allowed', 'mast_close', ok=True))
    page.until(
        "document.querySelector('.decision.refused .then')?.innerText.includes('mast_close')"
    )
    opened = page.do("document.querySelector('.why').innerText")  # it stays open meanwhile
    for part in ('mast = open', '120 ms', 'guards.mast_closed (robot.yaml)', '"closed"'):
        assert part in opened
    page.do("document.querySelector('.why .link').click()")
    page.until("document.querySelector('.way')?.innerText.includes('mast = open')")
    assert 'guards.mast_closed (robot.yaml)' in page.do("document.querySelector('.way').innerText")


def test_what_is_pointed_at_stays_while_newer_decisions_come(page: Page, server: Server) -> None:
    def decide(name: str, at: float, tool: str, ok: bool) -> None:
        data = {} if ok else {'guard': 'mast_closed', 'why': {}}
        reason = '' if ok else 'Need to close mast'
        told = TraceEvent(
            name, at, 'DECIDE', f'{tool}: {reason or "allowed"}', tool,
            ok=ok, error_reason=reason, data=data,
        )  # fmt: skip
        server.hub.put(told)

    page.size(1400, 900)
    page.until('innerWidth === 1400')
    server.begin_goal('look around')
    decide('r1', 999.5, 'move_forward', ok=False)
    page.until("document.querySelector('.why summary')")
    page.do("window.why = document.querySelector('.why summary')")
    left, top = page.do('(({ left, top }) => [left, top])(why.getBoundingClientRect())')
    page.call('Input.dispatchMouseEvent', type='mouseMoved', x=left + 9, y=top + 9)
    page.until("why.matches(':hover')")
    heads = "[...document.querySelectorAll('.decision h3')].map((each) => each.innerText)"
    newer = "document.querySelector('.newer').style.visibility"
    assert page.do(newer) == 'hidden'
    for number, (tool, ok) in enumerate((('mast_close', True), ('turn_left', False))):
        decide(f'n{number}', 999.6 + number / 10, tool, ok)
        page.until(f"{heads}[0].includes('{tool}')")
        assert page.do(f'document.elementFromPoint({left + 9}, {top + 9}) === why')
        assert abs(page.do('why.getBoundingClientRect().top') - top) < 1
        assert page.do(newer) == 'visible'
    for kind in ('mousePressed', 'mouseReleased'):
        mouse(page, kind, (left + 9, top + 9))
    page.until('why.parentElement.open')
    page.do("document.querySelector('.newer').click()")
    assert page.do("document.querySelector('.now-panel .scroll').scrollTop") == 0
    assert page.do(newer) == 'hidden'
    assert page.errors == []


def test_every_part_is_reached_with_the_tab_key_and_stop_first(page: Page, server: Server) -> None:
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.until("document.querySelector('.request')")
    page.do('document.activeElement.blur()')
    reached: list[str] = []
    for _ in range(60):
        page.key('Tab', 'Tab')
        reached.append(page.do(FOCUSED))
        if reached[-1] == 'body':
            break  # behind the last of them
    assert reached[0] == 'stop'
    order = (
        'head-goal',
        'map-panel',
        'camera-panel',
        'now-panel',
        'prompt-row',
        'decisions-panel',
    )
    assert sorted(order, key=reached.index) == list(order)
    assert {*order, 'tree-panel', 'time-bar', 'queue-panel'} <= set(reached)
    assert 'unseen' not in reached


def test_what_has_the_focus_is_never_behind_a_bar(page: Page, server: Server) -> None:
    server.hub.put(StateReceived(held_state('safe'), 1000.0))
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.until("document.querySelector('.request') && document.querySelector('.banner-safe')")
    for size in ((1024, 768), (390, 844)):
        page.size(*size)
        page.until(f'innerWidth === {size[0]}')
        page.do('scrollTo(0, 0); document.activeElement.blur()')
        for _ in range(80):
            page.key('Tab', 'Tab')
            page.until(FOCUS_IS_SEEN)  # the strip of the scrolled page goes with the next frame
            if page.do('document.activeElement === document.body'):
                break  # behind the last of them


def test_refused_failed_ended_early_and_given_up_have_signs_of_their_own(
    page: Page, server: Server
) -> None:
    server.begin_goal('drive')
    ends = [('move_forward', False, 'FAILED'), ('turn_left', False, 'CANCELLED')]
    events: list[Any] = [
        ('DECIDE', 'turn_right', False, {'guard': 'mast_closed', 'arguments': {}}),
        *(
            (kind, tool, ok if kind == 'ERROR' else True, data)
            for tool, ok, code in ends
            for kind, data in (('DECIDE', {'arguments': {}}), ('ERROR', {'error_code': code}))
        ),
        ('DECIDE', 'abort', True, {'arguments': {}}),
        ('RESULT', 'abort', True, {}),
        ('DECIDE', 'look', True, {'arguments': {}}),
        ('RESULT', 'look', True, {}),
    ]
    for number, (kind, tool, ok, data) in enumerate(events):
        told = TraceEvent(
            f'n{number}', 999.1 + number / 100, kind, f'{tool}: x', tool, ok=ok, data=data
        )
        server.hub.put(told)
    signs = "[...document.querySelectorAll('.row-line.step .sign')].map((it) => it.textContent)"
    page.until(f'{signs}.length === 5')
    assert page.do(signs) == ['⊘', '✗', '■', '■', '✓']
    legend = page.do("document.querySelector('.decisions-panel .legend').innerText")
    for part in ('⊘refused', '✗failed', '■ended early'):
        assert part in legend.replace('\n', '')
    assert page.do("document.querySelector('.tree-panel .legend').innerText.includes('failed or')")


def test_the_queue_counts_what_waits_and_a_request_has_no_result_yet(
    page: Page, server: Server
) -> None:
    server.begin_goal('drive')
    tasks = TasksState(
        mode=Mode.EXEC, queue=(Task('t', 'drive'), Task('u', 'look')), active_task_id='t'
    )
    server.hub.put(StateReceived(BrainState(tasks=tasks), 1000.0))
    items = "[...document.querySelectorAll('.queue li')].map((it) => it.innerText)"
    page.until(f"{items}.join() === 'under way drive,look'")
    assert page.do("document.querySelector('.queue').start") == 0
    data = {'arguments': {'duration_s': 5}, 'approval': {**REQUEST, 'expiry_s': 60}}
    asked = TraceEvent('a', 999.5, 'DECIDE', 'needs approval', 'move_forward', data=data)
    server.hub.put(asked)
    page.until("document.querySelector('.row-line.asked .opener')")
    page.do("document.querySelector('.row-line.asked .opener').click()")
    page.until("document.querySelector('.way')")
    way = page.do("document.querySelector('.way').innerText")
    assert 'did not run' not in way
    assert 'moves the robot' in way
    server.hub.put(StateReceived(BrainState(tasks=replace(tasks, active_task_id=None)), 1000.0))
    page.until("document.querySelector('.queue').start === 1")


OTHER = load_config(default_folder() / 'robots' / 'pyrobosim')
IS_THERE = "document.querySelector('.camera-panel').checkVisibility()"
ROOM = """(() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const [all, map, now] = ['.cockpit', '.map-panel', '.now-panel'].map(box);
  return (map.width * map.height + now.width * now.height) / (all.width * all.height);
})()"""
WIDTHS = [1400, 1000, 500]


@pytest.mark.parametrize('server', [OTHER], indirect=True)
def test_there_is_no_empty_panel_and_its_room_is_used(page: Page, server: Server) -> None:
    page.until(f'!{IS_THERE}')
    for width in WIDTHS:
        page.size(width, 900)
        page.until(f'{ROOM} > 0.9')
    server.port.asked.clear()
    page.do('livePage.askForCamera()')
    wait_until(lambda: ('request_camera',) in server.port.asked)
    server.hub.put(PictureReceived(1.0, jpeg(), live=True))
    page.until(IS_THERE)
    assert page.errors == []
