"""The live page in a browser, where there is one: goals, requests, languages, times, charts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from live_page import (
    HOSTILE,
    IN_BROWSER,
    REQUEST,
    Server,
    choose_language,
    enlarged,
    opened,
    shown_picture,
    write,
)
from waiting import wait_until

from bench._browser import Browser, Page
from bt_executive.client.front_end_events import PendingApprovals, StateReceived
from bt_executive.client.front_end_requests import ApprovalAnswer, GoalRequest
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState
from bt_executive.web.web_server import link
from rover_common.trace_event import TraceEvent

pytestmark = IN_BROWSER

# The page's own font is fetched, allowed and readable, though the reader's may have come first.
FONTS_FOUND = """
document.fonts.load('16px "bt_executive Japanese"', '地').then((all) => all.length)
"""


def test_a_goal_is_sent_and_shown_in_two_tabs(
    page: Page, server: Server, browser: Browser
) -> None:
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


def test_the_goal_that_goes_on_is_shown_when_others_have_ended(page: Page, server: Server) -> None:
    def end(name: str, at: float, goal: str, **data: bool) -> None:
        summary = {'goal': goal, 'outcome': 'interrupted', 'answer': 'by Ada'}
        ended = {'task_id': goal, 'goal_ended': summary, **data}
        server.hub.put(TraceEvent(name, at, 'ERROR', f'It ended: {goal}', ok=False, data=ended))

    def begin(name: str, at: float, goal: str) -> None:
        begun = {'task_id': goal}
        server.hub.put(TraceEvent(name, at, 'OBSERVE', f'New goal: {goal}', data=begun))

    begin('a1', 998.0, 'first')
    data = {'arguments': {}, 'proposed_by': 'planner'}
    server.hub.put(TraceEvent('a2', 998.1, 'DECIDE', 'allowed', 'look', ok=True, data=data))
    end('b1', 998.5, 'queued', waited=True)
    begin('c1', 998.6, 'urgent')
    end('c2', 998.8, 'urgent')
    page.until('livePage.stage.model.data.goals.length === 3')
    page.until('livePage.stage.model.data.goals[2].story.over')
    page.until("document.querySelector('.head-goal h1').textContent === 'first'")
    page.until("document.querySelector('.newest h3').textContent.includes('look')")
    for number, words in enumerate(('first', 'queued', 'urgent')):
        page.do(f'livePage.stage.head.choose(livePage.stage.model.data.goals[{number}])')
        page.until(f"document.querySelector('.head-goal h1').textContent === '{words}'")
    end('a3', 999.0, 'first')
    page.do('livePage.stage.clock.follow()')
    page.until("document.querySelector('.newest .end')")
    assert page.do("document.querySelector('.head-goal h1').textContent") == 'first'


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
    assert [each.split('-')[0] for each in seen] == ['99.600000', '99.500000']


def test_nothing_overflows_in_either_language(page: Page, server: Server) -> None:
    server.begin_goal(f'{HOSTILE} {"x" * 300}')
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    for code in ('ja', 'en'):
        choose_language(page, code)
        for width in (1400, 900, 500):
            page.size(width, 900)
            page.until(f'innerWidth === {width}')
            assert page.do('document.documentElement.scrollWidth <= innerWidth'), (code, width)
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
        server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
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


def test_the_link_of_an_earlier_server_opens_nothing(tab: Page, server: Server) -> None:
    tab.open(link(server.number, 'old'))
    tab.until("document.body.innerText.includes('not the right one')")


def test_charts_draw_steps_and_leave_gaps_where_nothing_was_measured(
    page: Page, server: Server
) -> None:
    for at, percent in ((1.0, 5.0), (2.0, 5.0), (60.0, 91.0), (61.0, 90.0)):
        robot = RobotState(battery_at=at, battery_pct=percent)
        server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
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
        server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
    robot = RobotState(pose=Pose(x=0.9), pose_at=3.0, ages={'pose': 7.0})
    server.hub.put(StateReceived(BrainState(robot=robot), 1000.0))
    page.until('livePage.stage.model.poseAge === 7')
    page.until('livePage.stage.model.data.poses.ts.length >= 3')
    last = "livePage.stage.charts.series().find(([key]) => key === 'chart_distance')[1].at(-1)"
    ended = 'livePage.stage.model.ended'
    poses = 'livePage.stage.model.data.poses.ts.at(-1)'
    assert page.do(f'{last} <= Math.max({ended} - 7, {poses})')
    server.hub.put(StateReceived(BrainState(robot=replace(robot, ages={})), 1000.0))
    page.until('livePage.stage.model.poseAge === undefined')
    page.until(f'{last} >= {ended} - 0.001')


def test_a_request_is_edited_approved_and_rejected(page: Page, server: Server) -> None:
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
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
        page.until("!document.querySelector('.approve').disabled")
        page.do(press.format(number))
        page.until("!document.querySelector('.answers button').disabled")
    answers = [each[1] for each in server.port.asked if each[0] == 'resolve']
    assert answers == [
        ApprovalAnswer('edit', REQUEST['id'], arguments='{"duration_s":2}'),
        ApprovalAnswer('approve', REQUEST['id']),
        ApprovalAnswer('reject', REQUEST['id']),
    ]


def test_requests_are_counted_have_their_own_answers_and_are_named_out_of_view(
    page: Page, server: Server
) -> None:
    ids = [f'ask-0a1b2c-{number}' for number in (1, 2, 3)]
    server.hub.put(PendingApprovals(tuple({**REQUEST, 'id': each} for each in ids), 1000.0))
    heads = "[...document.querySelectorAll('.request h3')].map((each) => each.textContent)"
    page.until(f'{heads}.length === 3')
    assert [head.partition(':')[0] for head in page.do(heads)] == [
        f'Needs your approval ({number}/3)' for number in (1, 2, 3)
    ]
    page.do("document.querySelectorAll('.request .approve')[1].click()")
    wait_until(lambda: any(each[0] == 'resolve' for each in server.port.asked))
    assert [each[1] for each in server.port.asked if each[0] == 'resolve'] == [
        ApprovalAnswer('approve', ids[1])
    ]
    page.size(500, 700)
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.until(f'{heads}.length === 1')
    page.do('scrollTo(0, document.body.scrollHeight)')
    page.until("!document.querySelector('.asks').hidden")
    assert page.do('document.title') == '(1) bt_executive'
    page.do("document.querySelector('.asks').click()")
    page.until("document.querySelector('.asks').hidden")
    page.until("document.activeElement.className === 'approve'")


def test_what_is_typed_and_pressed_at_a_request_stays_while_others_come_and_go(
    page: Page, server: Server
) -> None:
    one, other = ({**REQUEST, 'id': f'ask-0a1b2c-{number}'} for number in (1, 2))
    server.hub.put(PendingApprovals((one,), 1000.0))
    page.until("document.querySelector('.request')")
    page.do("document.querySelector('.request input').focus()")
    page.call('Input.insertText', text='too ')
    page.do("window.approve = document.querySelector('.request .approve')")
    for waiting in ((one, other), (other, one), (one,)):
        server.hub.put(PendingApprovals(waiting, 1000.0))
        page.until(f"document.querySelectorAll('.request').length === {len(waiting)}")
    page.call('Input.insertText', text='far')
    assert page.do("document.querySelector('.request input').value") == 'too far'
    assert page.do("approve === document.querySelector('.request .approve')")
    title = "document.querySelector('.request h3').textContent"
    assert page.do(title).startswith('Needs your approval: ')


def test_a_press_for_a_request_that_has_ended_approves_no_other_one(
    page: Page, server: Server
) -> None:
    one, other = ({**REQUEST, 'id': f'ask-0a1b2c-{number}'} for number in (1, 2))
    press = "document.querySelector('.request .approve').click()"

    def resolved() -> list[Any]:
        return [each[1] for each in server.port.asked if each[0] == 'resolve']

    server.hub.put(PendingApprovals((one, other), 1000.0))
    page.until("document.querySelectorAll('.request').length === 2")
    page.do('performance.now = () => 1e6')
    for waiting in ((other,), (one,)):  # it slides into the place, or has just come there
        server.hub.put(PendingApprovals(waiting, 1000.0))
        page.until("document.querySelectorAll('.request').length === 1")
        page.until(f"livePage.controls.requests.waiting[0].id === '{waiting[0]['id']}'")
        page.do(press)
        page.until("document.body.innerText.includes('has just taken the place of another one')")
    assert resolved() == []
    page.do('performance.now = () => 1e6 + 1001')
    page.do(press)
    wait_until(resolved)
    assert resolved() == [ApprovalAnswer('approve', one['id'])]


def test_a_change_is_explained_and_approve_stays_where_it_is(page: Page, server: Server) -> None:
    for width in (1400, 1024, 390):
        page.size(width, 844)
        server.hub.put(PendingApprovals((REQUEST,), 1000.0))
        page.until(f"innerWidth === {width} && document.querySelector('.request .amounts')")
        assert_change_is_explained(page, width)
        server.hub.put(PendingApprovals((), 1000.0))
        page.until("!document.querySelector('.request')")


def test_the_time_left_of_a_request_is_that_of_the_servers_clock(
    page: Page, server: Server
) -> None:
    """The browser may be on another machine, whose clock is set otherwise."""
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.until("document.querySelector('.request')")
    left = page.do("""(() => {
      const system = Date.now() / 1000 - 3600;
      livePage.hello({ life: livePage.life, read_only: false, clock: 0, system });
      document.querySelector('.request').dataset.expires = system + 45.4;
      livePage.controls.requests.count();
      return document.querySelector('.request .left').textContent;
    })()""")
    assert '45 s' in left


def assert_change_is_explained(page: Page, width: int) -> None:
    """That an edit of the waiting call is described, and moves nothing."""
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
    page.until(f"{meaning}.innerText === 'Changed: 2 s, about 0.97 m straight ahead'")
    assert page.do(approve) == place
    foot = 'getBoundingClientRect().bottom'
    assert page.do(f"{meaning}.{foot} <= document.querySelector('.now-panel .scroll').{foot}")
    page.do(write_to.format('far'))
    page.until(f"{meaning}.matches('.bad') && {meaning}.innerText.includes('far')")
    button = "document.querySelector('.request .approve')"
    assert page.do(f"{button}.disabled && {field}.ariaInvalid === 'true'")
    page.do(write_to.format('300'))
    assert page.do(f'{button}.disabled')  # what it comes to is not known yet
    page.until(f"{meaning}.matches('.bad') && {meaning}.innerText.includes('25')")
    assert page.do(f"{button}.disabled && {field}.ariaInvalid === 'true'")
    page.do(write_to.format('2'))
    page.until(f'!{button}.disabled')
    if width == 390:
        least = (
            "[...document.querySelectorAll('.request button')].map((each) => each.offsetHeight)"
        )
        assert min(page.do(least)) >= 44
        page.do(f"{field}.scrollIntoView({{ block: 'nearest' }})")
        box = f'{field}.getBoundingClientRect()'
        middle = f'{box}.left + {box}.width / 2, '
        for share in (0.1, 0.5, 0.9):
            point = f'{middle} {box}.top + {share} * {box}.height'
            assert page.do(f'document.elementFromPoint({point}) === {field}')
        page.do("document.querySelector('.now-panel .scroll').scrollTop = 0")
        page.do("livePage.say(true, 'Request 1 is approved')")
        toast = "document.querySelector('.toast').getBoundingClientRect()"
        assert page.do(f'{toast}.top >= document.querySelector(".time-bar").offsetTop')
        assert page.do(f'{toast}.right <= document.querySelector(".stop").offsetLeft')
    page.do(write_to.format('5'))
    page.until(f'{meaning}.hidden')
    assert page.do("document.querySelector('.amounts.before')") is None
    assert page.do(approve) == place
