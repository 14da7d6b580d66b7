"""No page has a serious or critical fault of accessibility, as axe-core judges it in Chromium."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from axe import LIGHT, WITH_AXE, faults
from live_page import IN_BROWSER, REQUEST, Server, choose_language, held_state, jpeg
import pytest

from bench import report_page
from bench._browser import Page
from bt_executive.client.front_end_events import (
    ExecutiveLost,
    FaultsReceived,
    PathPlanned,
    PathReceived,
    PendingApprovals,
    PictureReceived,
    PlacesRecalled,
    StateReceived,
)
from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState, Mode, TasksState
from bt_executive.report.report_html import make_page
from embodied_nav.graph_visualizer import write_page
from embodied_nav.nodes_of_forest import Node
from rover_common.trace_event import TraceEvent

pytestmark = [*IN_BROWSER, WITH_AXE]


def test_the_cockpit_has_no_serious_fault(page: Page, server: Server) -> None:
    assert faults(page) == []  # nothing has happened yet
    choose_language(page, 'ja')
    server.begin_goal('look around')
    robot = RobotState(pose=Pose(1.0, 0.0, 0.0), pose_at=999.0, parts={'mast': 'open'})
    server.hub.put(StateReceived(replace(held_state('safe'), robot=robot), 1000.0))
    server.hub.put(PictureReceived(99.0, jpeg()))
    result = {'result': {'stamp': 99.0, 'is_good': True}}
    server.hub.put(TraceEvent('s', 999.1, 'RESULT', 's', 'look', ok=True, score=0.5, data=result))
    data = {'guard': 'mast_closed', 'verdict': {'asked': {'mast_closed': 'open'}}}
    said = 'Need to close mast'
    server.hub.put(
        TraceEvent('r', 999.5, 'DECIDE', said, 'drive', ok=False, error_reason=said, data=data)
    )
    server.hub.put(PlacesRecalled((('rock', 4.0, 2.0),)))
    server.hub.put(PendingApprovals((REQUEST,), 1000.0))
    page.do("livePage.say(false, 'It does not move.'); livePage.say(true, 'one\\ntwo')")
    page.do('livePage.destination.choose(3, 1)')
    page.until("livePage.destination.wanted && document.querySelector('.request')")
    key = page.do('livePage.destination.wanted.id')
    server.hub.put(PathPlanned(key, 3.0, 1.0, '', ((0.0, 0.0), (3.0, 1.0)), 4.5, 11.0))
    page.until("document.querySelector('.why') && document.querySelector('.thumb')")
    assert faults(page) == []
    for kind in ('charge', 'pause'):
        server.hub.put(StateReceived(replace(held_state(kind), robot=robot), 1000.0))
        page.until(f"document.querySelector('.banner-{kind}')")
        assert faults(page, '.banners') == [], kind  # the rest is the same


def test_the_cockpit_has_no_serious_fault_while_it_works(page: Page, server: Server) -> None:
    server.begin_goal('drive to the rock')
    robot = RobotState(pose_at=999.0, at_rest=False, moving=True, distance_to_target=4.0)
    tasks = TasksState(mode=Mode.EXEC, queue=(Task('t', 'drive'),), active_task_id='t')
    server.hub.put(StateReceived(BrainState(robot=robot, tasks=tasks), 1000.0))
    data = {'arguments': {'x': 3, 'y': 1}}
    server.hub.put(TraceEvent('d', 999.5, 'DECIDE', 'allowed', 'drive', ok=True, data=data))
    server.hub.put(PathReceived(((0.0, 0.0), (3.0, 1.0))))
    server.hub.put(FaultsReceived('rover', ('tilt',)))
    page.until("document.querySelector('.map .plan') && document.querySelector('.decision')")
    assert faults(page) == []
    page.do('STANDS_MS.within = 0; livePage.stop()')
    page.until("document.querySelector('.stop-said.bad')")
    page.do('livePage.stage.clock.show(999.2)')  # a moment of before
    page.until("document.querySelector('.go-live').getAttribute('aria-pressed') === 'false'")
    assert page.do("document.querySelector('.stop-said.bad').checkVisibility()")
    assert faults(page) == []
    server.hub.put(ExecutiveLost('killed'))
    page.until("document.querySelector('.connection.bad')")
    assert faults(page) == []


def test_the_report_has_no_serious_fault(
    tab: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_page, 'GOALS', 2)
    monkeypatch.setattr(report_page, 'STEPS', 4)
    monkeypatch.setattr(report_page, 'NODES', 12)
    path = tmp_path / 'report.html'
    path.write_text(make_page(report_page.long_run(tmp_path)), 'utf-8')
    tab.open(path.as_uri())
    tab.until("document.documentElement.dataset.ready === 'yes'")
    assert faults(tab) == []


@pytest.mark.skipif(not find_spec('plotly'), reason='plotly is not installed')
def test_the_memorys_page_has_no_serious_fault(tab: Page, tmp_path: Path) -> None:
    path = tmp_path / 'memory.html'
    rock = Node(node_id='1', name='rock', label='rock', position=(1.0, 2.0, 0.0), last_seen=1.0)
    write_page(path, [rock], 'a <memory>')
    tab.open(path.as_uri())
    tab.until("document.querySelector('#forest svg')")
    assert tab.do('document.title') == 'a ‹memory›'
    assert faults(tab, schemes=LIGHT) == []
