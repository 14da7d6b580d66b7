"""The map of the live page: marks, names, what a drive takes, pointing with mouse and keys."""

from __future__ import annotations

from dataclasses import replace
import math

from live_page import (
    HOSTILE,
    IN_BROWSER,
    IN_VIEW,
    Server,
    held_state,
    mouse,
)
import pytest
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_events import (
    PathPlanned,
    PathReceived,
    PlacesRecalled,
    StateReceived,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Mode, TasksState
from rover_common.trace_event import TraceEvent

pytestmark = IN_BROWSER

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


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a place of the map is in the window, px."""
    box = "document.querySelector('.map').getBoundingClientRect()"
    view = 'livePage.stage.map'
    found = page.do(f'[{box}.left + {view}.x({x}), {box}.top + {view}.y({y})]')
    return found[0], found[1]


def test_a_click_on_the_map_shows_what_a_drive_takes_before_it_is_asked_for(
    page: Page, server: Server
) -> None:
    robot = RobotState(
        pose=Pose(0.0, 0.0, 0.0), pose_at=999.0, parts={'mast': 'open', 'mast_is_open': True}
    )
    server.hub.put(StateReceived(replace(held_state('pause'), robot=robot), 1000.0))
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
    server.hub.put(StateReceived(BrainState(robot=here, tasks=busy), 1000.0))
    page.until("document.querySelector('.path-words').textContent.includes('line 2.0 m')")
    server.hub.put(
        StateReceived(replace(held_state('pause'), robot=replace(robot, pose=Pose(0.5))), 1000.0)
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
    server.hub.put(StateReceived(BrainState(robot=robot, tasks=tasks), 1000.0))
    server.hub.put(PathReceived(((0.0, 0.0), (2.0, 2.0), (3.0, 1.0))))
    page.until("document.querySelector('.map .target')")
    shown = "document.querySelector('.newest').innerText"
    page.until(f"{shown}.startsWith('The goal was under way')")
    assert page.do('livePage.stage.model.data.goals[0].story.began') == 990.0
    server.hub.put(PathReceived(()))
    page.until("!document.querySelector('.map .target')")
    begun = TraceEvent('e', 990.0, 'OBSERVE', 'New goal: drive', data={'task_id': 't'})
    server.hub.put(begun)
    page.until(f"{shown} === 'Nothing decided yet.'")


def test_a_recalled_place_is_a_described_mark_for_the_keyboard(page: Page, server: Server) -> None:
    server.hub.put(PlacesRecalled(((HOSTILE, 4.0, 2.0),)))
    page.until("document.querySelector('.map .place.memory .pin')")
    page.do("document.querySelector('.map .place.memory').focus()")
    page.key('Enter', 'Enter')
    title = "document.querySelector('.destination h3')?.textContent"
    page.until(f"{title}?.startsWith('</script>')")
    wait_until(lambda: ('plan_path', 4.0, 2.0) in [(e[0], *e[2:]) for e in server.port.asked])
    assert page.do('window.hacked === undefined')


def test_names_on_the_map_are_whole_beside_the_marks_and_not_on_each_other(
    page: Page, server: Server
) -> None:
    robot = RobotState(pose=Pose(0.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
    page.until("document.querySelector('.map .rover')")
    places = tuple((f'A stone of {number}', 4.0 + 0.2 * number, 3.0) for number in range(6))
    server.hub.put(PlacesRecalled(places))
    page.until("document.querySelectorAll('.map .pin').length === 6")
    boxes = page.do(
        "[...document.querySelectorAll('.map .place text')]"
        '.map((it) => it.getBoundingClientRect())'
        '.map((box) => [box.left, box.right, box.top, box.bottom])'
    )
    for number, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:number]:
            assert right < other[0] or left > other[1] or bottom < other[2] or top > other[3]
    assert 1 <= page.do("document.querySelectorAll('.map .place.memory text').length") < 6
    for size in ((390, 844), (1400, 900), (2560, 1300)):
        page.size(*size)
        server.hub.put(PlacesRecalled((('Red Anvil', 9.9, -7.4), ('A far rock', 14.0, -8.0))))
        page.until(
            f"innerWidth === {size[0]} && document.querySelectorAll('.map .pin').length === 2"
        )
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


def test_a_click_on_a_destination_counts_while_the_robot_drives(
    page: Page, server: Server
) -> None:
    def drive(to: float) -> None:
        robot = RobotState(pose=Pose(to, 0.0, 0.0), pose_at=999.0, distance_to_target=9.0 - to)
        server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
        page.until(f'livePage.stage.model.poseAt(1e9)?.x === {to}')

    drive(1.0)
    page.do("void livePage.destination.choose(6, 1.5, 'the rock')")
    for number, button in enumerate(('go', 'leave')):
        it = f"document.querySelector('.destination .{button}')"
        page.until(f'{it} && !{it}.disabled')
        page.do(f"{it}.scrollIntoView({{ block: 'center' }})")
        place = page.do(
            f'(({{ left, top }}) => [left + 5, top + 5])({it}.getBoundingClientRect())'
        )
        mouse(page, 'mousePressed', place)
        words = page.do("document.querySelector('.path-words').textContent")
        drive(2.0 + number)
        page.until(f"document.querySelector('.path-words').textContent !== {words!r}")
        mouse(page, 'mouseReleased', place)
        page.until("document.querySelector('.destination').hidden")
        page.do("void livePage.destination.choose(6, 1.5, 'the rock')")
    assert [each[0] for each in server.port.asked].count('start') == 1


def test_the_keyboard_alone_points_at_the_map_and_goes_there(page: Page, server: Server) -> None:
    robot = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
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
    server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
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
    server.hub.put(StateReceived(BrainState(robot=RobotState(pose_at=999.0)), 1000.0))
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


def test_the_map_keeps_its_size_when_a_goal_begins_and_its_legend_opens(
    page: Page, server: Server
) -> None:
    robot = RobotState(pose=Pose(0.0, 0.0, 0.0), pose_at=999.0)
    server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
    box = (
        "(() => { const { width, height } = document.querySelector('.map')"
        '.getBoundingClientRect(); return [width, height]; })()'
    )
    prompt = "document.querySelector('.prompt').getBoundingClientRect().bottom"
    legend = "document.querySelector('.legend-box > p')"
    for size in ((1400, 900), (1024, 628), (500, 800)):
        page.do("document.querySelector('.map-panel .legend-box').open = false")
        page.do('(livePage.controls.examples.hidden = false)')
        page.size(*size)
        page.until(f"innerWidth === {size[0]} && document.querySelector('.map .rover')")
        before = page.do(box)
        page.do("document.querySelector('.map-panel .legend-box').open = true")
        page.until(f'{legend}.getBoundingClientRect().height > 0')
        assert page.do(box) == before
        bar = "document.querySelector('.time-bar').getBoundingClientRect().top"
        assert page.do(f'{prompt} <= {bar}')
        if size[0] > 760:
            page.do('(livePage.controls.examples.hidden = true)')
            assert page.do(box) == before
