"""The first window of the live page: what is in it, and how the rest is folded away."""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any

from live_page import (
    HOSTILE,
    IN_BROWSER,
    REQUEST,
    Server,
    choose_language,
    held_state,
    jpeg,
)
import pytest
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_events import (
    Answered,
    PathPlanned,
    PictureSeen,
    PlacesRecalled,
    PlanSeen,
    StateSeen,
    Waiting,
)
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Mode, Task, TasksState
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
IN_VIEW = """(names) => names.filter((name) => {
  const it = document.querySelector(name);
  if (!it) return true;
  const box = it.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const top = document.elementFromPoint(x, y);
  return !(box.width && box.height && top && (it.contains(top) || top.contains(it)));
})"""  # those of the names whose middle is not seen, in view and above all else
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


WRONG_NAMES = """(() => {
  const map = document.querySelector('.map').getBoundingClientRect();
  const boxes = (names) => [...document.querySelectorAll(names)]
    .map((each) => [each, each.getBoundingClientRect()]);
  const cover = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const marks = boxes('.map .pin, .map .place circle, .map .rover');
  const isWrong = (box) => box.right > map.left && box.left < map.right
    && (box.left < map.left || box.right > map.right
      || marks.some(([, mark]) => cover(box, mark)));
  return boxes('.map .place text, .map .light-name')
    .filter(([, box]) => isWrong(box)).map(([each]) => each.textContent);
})()"""  # names on the map that are cut off, or stand on a mark


LIGHT_IS_FREE = """(() => {
  const name = document.querySelector('.map .light-name');
  if (name.getAttribute('visibility') === 'hidden') return true;
  const a = name.getBoundingClientRect();
  return [...document.querySelectorAll('.map .place text, .map .pin, .map .rover')]
    .map((each) => each.getBoundingClientRect())
    .every((b) => b.right < a.left || b.left > a.right || b.bottom < a.top || b.top > a.bottom);
})()"""  # whether the name of the good light stands on nothing


def test_all_that_is_needed_to_drive_is_on_one_screen_and_nothing_overlaps(
    page: Page, server: Server
) -> None:
    server.begin_goal('東の明るい岩の横まで走って、写真を撮ってから、もとの場所へ戻って')
    robot = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateSeen(replace(held_state('safe'), robot=robot), 1000.0))
    server.hub.put(PictureSeen(99.0, jpeg(), live=True))
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.until("document.querySelector('.request')")
    page.do("TOAST_MS.ok = 6e5; livePage.say(true, 'one moment')")
    for code in ('ja', 'en'):
        choose_language(page, code)
        for width, height in SIZES:
            for dark in (True, False):
                page.size(width, height, dark)
                page.until(f"innerWidth === {width} && document.querySelector('.map .rover')")
                page.until(f'!({IN_VIEW})({list(ONE_SCREEN)}).length')
                assert page.do(OVERLAPS) == [], (code, width, dark)
                assert page.do('document.documentElement.scrollWidth') <= width
                picture = page.do("document.querySelector('.screen').clientHeight")
                assert picture >= LEAST_PICTURE_PX, (code, width)
    assert page.errors == []


def test_the_camera_works_only_while_its_picture_is_seen(page: Page, server: Server) -> None:
    def asked() -> int:
        return sum(each[0] == 'want_camera' for each in list(server.port.asked))

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
    server.hub.put(StateSeen(replace(held_state('pause'), robot=old), 1000.0))
    server.hub.put(PictureSeen(99.0, jpeg(), live=True))
    page.until("document.querySelector('.caption').textContent === 'live'")
    page.until("getComputedStyle(document.querySelector('.map .rover')).opacity === '0.45'")
    assert page.do("document.querySelector('.over').hidden")
    server.behind_s = 500.0  # as if the page were opened long after the latest picture
    server.hub.put(PictureSeen(99.5, jpeg(), live=True))
    page.until("document.querySelector('.over').textContent.startsWith('This picture is 50')")
    server.behind_s = 0.0
    server.hub.put(PictureSeen(100.0, jpeg(), live=True))
    page.until("document.querySelector('.over').hidden")


def test_a_panel_that_was_folded_stays_so(page: Page) -> None:
    folded = "document.querySelector('.tree-panel').open"
    page.until(f'{folded} === true')
    page.do("document.querySelector('.tree-panel summary').click()")
    page.until("remembered('fold.tree-panel') === 'closed'")
    page.call('Page.reload')
    page.until(f'{folded} === false')
    page.do("document.querySelector('.tree-panel summary').click()")
    page.until("remembered('fold.tree-panel') === 'open'")


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


def test_what_was_answered_before_a_page_is_in_its_log_alone(page: Page, server: Server) -> None:
    server.hub.put(Answered('resolve', True, 'Request 1 is approved'))
    page.until("document.querySelector('.toast')?.innerText.includes('Request 1')")
    page.call('Page.reload')
    page.until("document.querySelector('.replies li')?.innerText === 'Request 1 is approved'")
    assert page.do("document.querySelector('.toast')") is None
    server.hub.put(Answered('resolve', True, 'Request 2 is approved'))
    page.until("document.querySelector('.toast')?.innerText.includes('Request 2')")
    page.size(390, 844)
    server.hub.put(Answered('resolve', True, 'Request 3 is approved'))
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


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a place of the map is in the window, px."""
    box = "document.querySelector('.map').getBoundingClientRect()"
    view = 'livePage.stage.map'
    found = page.do(f'[{box}.left + {view}.x({x}), {box}.top + {view}.y({y})]')
    return found[0], found[1]


def mouse(page: Page, kind: str, place: tuple[float, float]) -> None:
    page.call(
        'Input.dispatchMouseEvent', type=kind, x=place[0], y=place[1], button='left', clickCount=1
    )


def test_a_click_on_the_map_shows_what_a_drive_takes_before_it_is_asked_for(
    page: Page, server: Server
) -> None:
    robot = RobotState(
        pose=Pose(0.0, 0.0, 0.0), pose_at=999.0, parts={'mast': 'open', 'mast_is_open': True}
    )
    server.hub.put(StateSeen(replace(held_state('pause'), robot=robot), 1000.0))
    page.until("document.querySelector('.map .rover')")
    place = at(page, 3.0, 1.0)
    mouse(page, 'mousePressed', place)
    mouse(page, 'mouseReleased', place)
    page.until("document.querySelector('.destination:not([hidden]) .go')")
    wait_until(lambda: any(each[0] == 'plan_path' for each in server.port.asked))
    _, key, x, y = next(each for each in server.port.asked if each[0] == 'plan_path')
    assert (x, y) == pytest.approx((3.0, 1.0), abs=0.1)
    server.hub.put(PathPlanned('of another page', x, y, HOSTILE))
    server.hub.put(PathPlanned(key, x, y, '', ((0.0, 0.0), (2.0, 2.0), (x, y)), 4.5, 11.0))
    page.until("document.querySelector('.path-words')?.textContent.includes('4.5 m')")
    shown = page.do("document.querySelector('.destination').innerText")
    for part in ('path 4.5 m', '11.0 s', 'Need to close mast', 'mast_closed', 'PAUSED: Ada'):
        assert part in shown
    assert page.do("document.querySelector('.map .wanted polyline').points.length") == 3
    page.size(390, 844)  # a phone's
    page.until(f'!({IN_VIEW})({["." + name for name in ("go", "leave")]}).length')
    page.size(1400, 900)
    assert not any(each[0] == 'start' for each in server.port.asked)
    here = RobotState(pose=Pose(1.0, 1.0, 0.0), pose_at=999.5)
    busy = TasksState(mode=Mode.EXEC, queue=(Task('t', 'drive'),), active_task_id='t')
    server.hub.put(StateSeen(BrainState(robot=here, tasks=busy), 1000.0))
    page.until("document.querySelector('.path-words').textContent.includes('line 2.0 m')")
    server.hub.put(
        StateSeen(replace(held_state('pause'), robot=replace(robot, pose=Pose(0.5))), 1000.0)
    )
    page.until(f'livePage.destination.wanted.id !== {key!r}')  # planned anew, from where it stands
    page.until("document.querySelector('.path-words').textContent.startsWith('planning')")
    key = page.do('livePage.destination.wanted.id')
    none = PathPlanned(key, x, y, 'it is in a rock', is_impossible=True)
    server.hub.put(none)
    go = "document.querySelector('.destination .go')"
    page.until(f'{go}.disabled')
    why = "document.querySelector('#why-not-go').textContent"
    assert page.do(why) == 'no path was found'
    page.do(f'{go}.click()')
    assert not any(each[0] == 'start' for each in server.port.asked)
    mouse(page, 'mousePressed', place)
    mouse(page, 'mouseReleased', place)
    page.until(f'!{go}.disabled')  # another place: its path is being planned
    assert page.do(why) == ''
    page.do("document.querySelector('.destination .helper').click()")
    page.do("document.querySelector('.destination .go').click()")
    wait_until(lambda: sum(each[0] == 'start' for each in server.port.asked) == 2)
    tools = [each[2].name for each in server.port.asked if each[0] == 'start']
    assert sorted(tools) == ['mast_close', 'navigate_to']
    page.until("document.querySelector('.destination').hidden")


def test_a_drive_from_before_the_page_is_shown_with_its_destination(
    page: Page, server: Server
) -> None:
    task = Task('t', 'drive', received_at=990.0)
    tasks = TasksState(mode=Mode.EXEC, queue=(task,), active_task_id='t')
    robot = RobotState(pose=Pose(0.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateSeen(BrainState(robot=robot, tasks=tasks), 1000.0))
    server.hub.put(PlanSeen(((0.0, 0.0), (2.0, 2.0), (3.0, 1.0))))
    page.until("document.querySelector('.map .target')")
    shown = "document.querySelector('.newest').innerText"
    page.until(f"{shown}.startsWith('The goal was under way')")
    assert page.do('livePage.stage.model.data.goals[0].story.began') == 990.0
    server.hub.put(PlanSeen(()))
    page.until("!document.querySelector('.map .target')")
    begun = TraceEvent('e', 990.0, 'OBSERVE', 'New goal: drive', data={'task_id': 't'})
    server.hub.put(begun)
    page.until(f"{shown} === 'Nothing decided yet.'")


def test_a_recalled_place_is_a_mark_that_is_chosen_with_the_keyboard_and_says_what_it_is(
    page: Page, server: Server
) -> None:
    server.hub.put(PlacesRecalled(((HOSTILE, 4.0, 2.0),)))
    page.until("document.querySelector('.map .place.memory .pin')")
    page.do("document.querySelector('.map .place.memory').focus()")
    page.key('Enter', 'Enter')
    title = "document.querySelector('.destination h3')?.textContent"
    page.until(f"{title}?.startsWith('</script>')")
    wait_until(lambda: ('plan_path', 4.0, 2.0) in [(e[0], *e[2:]) for e in server.port.asked])
    assert page.do('window.hacked === undefined')


@pytest.mark.parametrize('size', [(390, 844), (1400, 900), (2560, 1300)])
def test_names_on_the_map_are_whole_and_beside_the_marks(
    page: Page, server: Server, size: tuple[int, int]
) -> None:
    page.size(*size)
    robot = RobotState(pose=Pose(0.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    page.until("document.querySelector('.map .rover')")
    server.hub.put(PlacesRecalled((('Red Anvil', 9.9, -7.4), ('A far rock', 14.0, -8.0))))
    page.until(f"innerWidth === {size[0]} && document.querySelectorAll('.map .pin').length >= 2")
    wrong = page.do(WRONG_NAMES)
    assert wrong == []
    edges = "document.querySelector('.map').getBoundingClientRect()"
    low, high = page.do(
        f'[{edges}.bottom - 20, {edges}.top + 30].map((y) => '
        f'livePage.stage.map.world(0, y - {edges}.top)[1])'
    )
    names = tuple((f'A stone {x}', float(x), y) for x in (6, 10) for y in (low, high))
    server.hub.put(PlacesRecalled(names))
    page.until("document.querySelectorAll('.map .pin').length >= 4")
    assert page.do(LIGHT_IS_FREE)


def test_the_keyboard_alone_points_at_the_map_and_goes_there(page: Page, server: Server) -> None:
    robot = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    page.until("document.querySelector('.map .rover')")
    page.do("document.querySelector('.tools [aria-pressed]').focus()")
    page.key('Tab', 'Tab')  # the next one after the map's buttons
    outline = 'getComputedStyle(document.activeElement).outlineStyle'
    assert page.do(f"document.activeElement.matches('.map') && {outline}") == 'solid'
    for key in ('ArrowRight', 'ArrowRight', 'ArrowUp'):
        page.key(key, key)
    x, y = page.do('livePage.stage.map.cross.at')
    assert (x > 1.0, y > 0.0) == (True, True)
    assert f'x {x:.2f} m, y {y:.2f} m' in page.do("document.querySelector('.map-keys').innerText")
    page.key('Enter', 'Enter')
    wait_until(lambda: ('plan_path', x, y) in [(e[0], *e[2:]) for e in server.port.asked])
    page.key('Escape', 'Escape')  # away from the destination, back on the map
    page.until("document.activeElement.matches('.map') && !document.querySelector('.wanted')")
    page.key('Enter', 'Enter')
    page.until("document.activeElement.matches('.place-title')")
    for _ in range(2):  # what helps against an objection, then what goes there
        page.key('Tab', 'Tab')
    page.until("document.activeElement.matches('.go')")
    page.do('document.activeElement.click()')
    wait_until(lambda: any(each[0] == 'start' for each in server.port.asked))
    page.until("document.activeElement.matches('.map')")
    page.key('Escape', 'Escape')
    assert page.do("document.querySelector('.map .cross-at')") is None
    assert page.errors == []


def test_the_keyboard_skips_to_the_map_and_goes_from_place_to_place(
    page: Page, server: Server
) -> None:
    robot = RobotState(pose=Pose(0.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    server.hub.put(PlacesRecalled(((HOSTILE, 400.0, 2.0),)))
    page.until("document.querySelector('.map .place.memory')")
    page.do('document.activeElement.blur()')
    skipped = []
    for _ in range(4):
        page.key('Tab', 'Tab')
        skipped.append(page.do('document.activeElement.textContent'))
    assert skipped[1:] == ['Goal or :command', 'Decision', 'Map']
    skips = "document.querySelector('.skips')"
    assert page.do(f'getComputedStyle({skips}).clipPath') == 'none'
    assert page.do(f'{skips}.getBoundingClientRect().top') >= 0
    page.do('document.activeElement.click()')
    assert page.do("document.activeElement.matches('.map')")
    assert page.do('document.querySelector(\'.map [tabindex="0"]\')') is None
    places = page.do('livePage.stage.map.marks.map(({ x, y }) => [x, y])')
    places.sort(key=lambda place: math.hypot(*place))  # from the robot
    for place in places:
        page.key('n', 'KeyN')
        assert page.do('livePage.stage.map.cross.at') == place
        seen = page.do(f'[livePage.stage.map.x({place[0]}), livePage.stage.map.width]')
        assert 0 < seen[0] < seen[1]
    assert '</script>' in page.do("document.querySelector('.map-keys').innerText")
    page.key('Enter', 'Enter')
    page.until("document.querySelector('.place-title')?.textContent.startsWith('</script>')")
    wait_until(lambda: ('plan_path', 400.0, 2.0) in [(e[0], *e[2:]) for e in server.port.asked])
    robot_in_view = page.do(
        'livePage.stage.map.x(0) >= 0 && livePage.stage.map.x(0) <= livePage.stage.map.width'
    )
    assert robot_in_view
    page.key('Escape', 'Escape')
    page.key('N', 'KeyN')
    assert page.do('livePage.stage.map.cross.at') == places[-2]


def test_every_part_is_reached_with_the_tab_key_and_stop_first(page: Page, server: Server) -> None:
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.until("document.querySelector('.request')")
    page.do('document.activeElement.blur()')
    reached: list[str] = []
    for _ in range(60):
        page.key('Tab', 'Tab')
        reached.append(page.do(FOCUSED))
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


@pytest.mark.parametrize('size', [(1024, 768), (390, 844)])
def test_what_has_the_focus_is_never_behind_a_bar(
    page: Page, server: Server, size: tuple[int, int]
) -> None:
    server.hub.put(StateSeen(held_state('safe'), 1000.0))
    server.hub.put(Waiting((REQUEST,), 1000.0))
    page.until("document.querySelector('.request') && document.querySelector('.banner-safe')")
    page.size(*size)
    page.until(f'innerWidth === {size[0]}')
    page.do('document.activeElement.blur()')
    for _ in range(80):
        page.key('Tab', 'Tab')
        page.until(FOCUS_IS_SEEN, 5.0)  # the strip of the scrolled page goes with the next frame


def test_a_drag_measures_and_else_moves_the_map(page: Page) -> None:
    page.until("document.querySelector('.map').getBoundingClientRect().width > 0")
    page.do("document.querySelector('.tools [aria-pressed]').click()")
    begin, end = at(page, -1.0, 0.0), at(page, 2.0, 0.0)
    mouse(page, 'mousePressed', begin)
    mouse(page, 'mouseMoved', end)
    mouse(page, 'mouseReleased', end)
    assert page.do("document.querySelector('.map .ruler text').textContent").startswith('3.0')
    page.do("document.querySelector('.tools [aria-pressed]').click()")
    assert page.do("document.querySelector('.map .ruler')") is None
    mouse(page, 'mousePressed', begin)
    mouse(page, 'mouseMoved', end)
    mouse(page, 'mouseReleased', end)
    moved = at(page, -1.0, 0.0)
    assert moved[0] - begin[0] == pytest.approx(end[0] - begin[0], abs=2.0)


def test_a_rock_that_is_driven_over_is_a_mark_and_one_that_is_solid_prevents_a_drive(
    page: Page, server: Server
) -> None:
    server.hub.put(StateSeen(BrainState(robot=RobotState(pose_at=999.0)), 1000.0))
    page.until("document.querySelector('.map .rover')")
    assert page.do("document.querySelectorAll('.map circle.flat').length") == 3
    assert page.do("document.querySelectorAll('.map circle.rock').length") == 0
    legend = page.do("document.querySelector('.map-panel .legend-box').textContent")
    assert 'driven over' in legend
    assert 'driven around' not in legend
    shown = "document.querySelector('.destination').innerText"
    page.do("livePage.destination.choose(10, -8, 'Red Anvil')")
    page.until(f"{shown}.includes('Red Anvil lies flat: the robot drives over it.')")
    key = page.do('livePage.destination.wanted.id')
    server.hub.put(PathPlanned(key, 10.0, -8.0, '', ((0.0, 0.0), (10.0, -8.0)), 60.0, 200.0))
    page.until(f"{shown}.includes('60 m to a place 12.8 m away: it turns in circles')")
    page.do(
        'livePage.stage.model.data.world.places.push('
        "{ kind: 'rock', name: 'Gatekeeper', x: 4, y: 2, size: 1.5 })"
    )
    page.do('livePage.destination.choose(5, 2)')
    against = "document.querySelector('.destination .against').innerText"
    page.until(f"{against}.includes('Gatekeeper is in the way: the drive stops before it.')")
    page.do('livePage.destination.choose(0, 2)')
    page.until(f"{shown}.includes('x 0.00 m') && !{shown}.includes('Gatekeeper')")
    assert page.errors == []


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


@pytest.mark.parametrize('size', [(1400, 900), (1024, 628), (500, 800)])
def test_the_map_keeps_its_size_when_a_goal_begins_and_its_legend_opens(
    page: Page, server: Server, size: tuple[int, int]
) -> None:
    page.size(*size)
    robot = RobotState(pose=Pose(0.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    page.until(f"innerWidth === {size[0]} && document.querySelector('.map .rover')")
    box = (
        "(() => { const { width, height } = document.querySelector('.map')"
        '.getBoundingClientRect(); return [width, height]; })()'
    )
    before = page.do(box)
    page.do("document.querySelector('.map-panel .legend-box').open = true")
    page.until("document.querySelector('.legend-box > p').getBoundingClientRect().height > 0")
    assert page.do(box) == before
    prompt = "document.querySelector('.prompt').getBoundingClientRect().bottom"
    assert page.do(f"{prompt} <= document.querySelector('.time-bar').getBoundingClientRect().top")
    if size[0] > 760:
        page.do('(livePage.controls.examples.hidden = true)')
        assert page.do(box) == before


def test_names_on_the_map_do_not_stand_on_each_other(page: Page, server: Server) -> None:
    robot = RobotState(pose=Pose(0.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateSeen(BrainState(robot=robot), 1000.0))
    places = tuple((f'A stone of {number}', 4.0 + 0.2 * number, 3.0) for number in range(6))
    server.hub.put(PlacesRecalled(places))
    page.until("document.querySelectorAll('.map .pin').length === 6")
    names = page.do(
        "[...document.querySelectorAll('.map .place text')]"
        '.map((it) => it.getBoundingClientRect())'
        '.map((box) => [box.left, box.right, box.top, box.bottom])'
    )
    for number, (left, right, top, bottom) in enumerate(names):
        for other in names[:number]:
            assert right < other[0] or left > other[1] or bottom < other[2] or top > other[3]
    assert 1 <= page.do("document.querySelectorAll('.map .place.memory text').length") < 6


def test_the_queue_counts_what_waits_and_a_request_has_no_result_yet(
    page: Page, server: Server
) -> None:
    server.begin_goal('drive')
    tasks = TasksState(
        mode=Mode.EXEC, queue=(Task('t', 'drive'), Task('u', 'look')), active_task_id='t'
    )
    server.hub.put(StateSeen(BrainState(tasks=tasks), 1000.0))
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
    server.hub.put(StateSeen(BrainState(tasks=replace(tasks, active_task_id=None)), 1000.0))
    page.until("document.querySelector('.queue').start === 1")
