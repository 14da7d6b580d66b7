"""A fleet's page without ROS: what a tile says, who may stop, and that no robot delays another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
import signal
import threading
from typing import Any

from axe import WITH_AXE, faults
from fakes.web import FakePagePort, FakeStopPort
from late_signal import Dying
from live_page import IN_BROWSER
from ports import next_port
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
import uvicorn
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_ports import StopResult
from bt_executive.core.goal_queue import Task
from bt_executive.core.state import BrainState, ReactState, TasksState
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.view.holds_on_goals import Hold
from bt_executive.view.shown_motion import Motion
from bt_executive.web import fleet_page, page_feed
from bt_executive.web.fleet_page import FleetParts, FleetStopPort, make_fleet_app
from bt_executive.web.fleet_tiles import Tile, Tiles
from bt_executive.web.operator_view import OperatorView
from bt_executive.web.page_access import Access
from bt_executive.web.page_feed import TOO_MANY
from bt_executive.web.stop_server import StopServer
from bt_executive.web.web_server import WebOptions, link, listen_on
from rover_common.config.settings import Config

READY = CurrentView(presence='ready')
DRIVES = BrainState(
    tasks=TasksState(queue=(Task('id', 'drive', received_at=60.0),), active_task_id='id'),
    react=ReactState(iter=3),
)
NAMES = ('rover_1', 'rover_2')
HELD_ESCAPE = """for (let repeat = 0; repeat < 9; repeat += 1) {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', repeat: repeat > 0 }));
}"""


class Fleet:
    """Two robots, their lines, and the routes."""

    def __init__(self, port: int = 8700, read_only: bool = False) -> None:
        self.access = Access('the-token', port, read_only)
        self.stop_ports = {name: FakeStopPort() for name in NAMES}
        self.also: list[str] = []
        self.stop_port = FleetStopPort(self.stop_ports, self.also.append)
        self.tiles = tuple(
            Tile(name, 'ready', mode='IDLE', standing='stands', status_max_age_s=0.1)
            for name in NAMES
        )
        self.looks = 0
        links = {name: link(port + 1, 'the-token') for name in NAMES}
        self.parts = FleetParts(
            self.access,
            lambda: self.tiles,
            links,
            lambda _: b'jpeg',
            self._look,
            self.stop_port,
            8999,
        )
        self.client = TestClient(
            make_fleet_app(self.parts), base_url=f'http://127.0.0.1:{port}', follow_redirects=True
        )

    def _look(self) -> None:
        self.looks += 1

    def enter(self) -> None:
        self.client.get('/', params={'token': 'the-token'})

    @property
    def headers(self) -> dict[str, str]:
        return {'origin': self.access.origins[0], 'x-csrf-token': self.access.csrf}


@pytest.fixture
def served() -> Iterator[Fleet]:
    made = Fleet()
    made.enter()
    yield made
    made.stop_port.close()


@pytest.mark.parametrize(
    ('desk', 'current', 'tile'),
    [
        (OperatorView(), CurrentView(), Tile('r', 'starting', silent_s=0)),
        (
            OperatorView(mode='EXEC', battery=80.0, motion=Motion('stands'), camera=3),
            CurrentView(presence='lost', lost_reason='killed'),
            Tile('r', 'lost', 'killed', 0),
        ),
        (
            OperatorView(mode='EXEC', battery=80.0, motion=Motion('stands')),
            CurrentView(presence='quiet'),
            Tile('r', 'quiet', silent_s=0),
        ),
        (OperatorView(mode='IDLE'), READY, Tile('r', 'ready', mode='IDLE')),
        (
            OperatorView(
                mode='SAFE',
                motion=Motion('moves'),
                battery=7.5,
                ages={'battery': 9},
                holds=(Hold('safe', 'tilt', 88.0),),
                queue=(('id', 'drive'), ('other', 'later')),
                active='id',
                requests=({}, {}),
                camera=2,
                status_max_age_s=1.5,
            ),
            replace(READY, state=DRIVES, now=100.0),
            Tile(
                'r',
                'ready',
                mode='SAFE',
                hold=Hold('safe', 'tilt', 88.0),
                hold_s=12,
                goal='drive',
                active=True,
                progress='step 3, 40 s',
                waiting=2,
                battery_pct=7.5,
                battery_age_s=9,
                standing='moves',
                status_max_age_s=1.5,
                picture=2,
                picture_age_s=5,
            ),
        ),
    ],
)
def test_a_tile_shows_nothing_of_before_as_if_it_were_now(
    desk: OperatorView, current: CurrentView, tile: Tile
) -> None:
    assert Tiles({'r': lambda: (desk, current)}).at(5.0) == (tile,)


@pytest.mark.parametrize(('clock', 'age_s'), [(11.0, None), (12.5, None), (12.6, 2), (70.0, 60)])
def test_an_old_picture_has_its_age(clock: float, age_s: int | None) -> None:
    desk = OperatorView(mode='IDLE', camera=3, camera_at=10.0)
    assert Tiles({'r': lambda: (desk, READY)}).at(clock)[0].picture_age_s == age_s


def test_a_tile_shows_the_duration_of_silence() -> None:
    current = [CurrentView(presence='lost')]
    tiles = Tiles({'r': lambda: (OperatorView(), current[0])})
    assert [tiles.at(clock)[0].silent_s for clock in (5.0, 6.5, 17.0)] == [0, 1, 12]
    current[0] = replace(READY, state=BrainState())
    assert tiles.at(18.0)[0].silent_s is None
    current[0] = CurrentView(presence='lost')
    assert tiles.at(20.0)[0].silent_s == 2, 'since the latest message, not since it was missed'


def test_a_robot_without_state_reports_is_silent() -> None:
    state = [BrainState()]
    tiles = Tiles({'r': lambda: (OperatorView(mode='IDLE'), replace(READY, state=state[0]))})
    assert [tiles.at(clock)[0].presence for clock in (5.0, 7.0)] == ['ready'] * 2
    assert tiles.at(8.0)[0] == Tile('r', 'quiet', silent_s=3)
    state[0] = BrainState()
    assert tiles.at(8.1)[0].presence == 'ready'


def test_a_stop_goes_to_the_robot_that_is_named_and_to_no_other(served: Fleet) -> None:
    answer = served.client.post('/stop/rover_2', headers=served.headers)
    assert answer.json() == {'ok': True, 'text': 'executive: stopping'}
    assert [line.stops for line in served.stop_ports.values()] == [0, 1]
    assert served.also == ['rover_2']


def test_a_stop_of_all_returns_the_result_of_each(served: Fleet) -> None:
    served.stop_ports['rover_2'].said = StopResult(False, 'nobody answers')
    answer = served.client.post('/stop', headers=served.headers).json()
    assert not answer['ok']
    assert answer['text'].startswith('rover_2: nobody answers')
    assert {name: each['ok'] for name, each in answer['robots'].items()} == {
        'rover_1': True,
        'rover_2': False,
    }


def test_a_robot_that_hangs_delays_no_other(served: Fleet) -> None:
    hangs = served.stop_ports['rover_1']
    hangs.may_answer.clear()
    waiting = threading.Thread(target=served.stop_port.stop)
    waiting.start()
    try:
        assert served.client.post('/stop/rover_2', headers=served.headers).json()['ok']
    finally:
        hangs.may_answer.set()
        waiting.join(30.0)
    assert served.stop_ports['rover_2'].stops == 2


@pytest.mark.parametrize(
    ('path', 'left_out', 'status', 'sentence'),
    [
        ('/stop/rover_3', '', 404, "no robot 'rover_3'; there are: rover_1, rover_2"),
        ('/stop/rover_1', 'x-csrf-token', 403, 'load it again'),
        ('/stop', 'origin', 403, 'Only the page of this server'),
    ],
)
def test_a_denied_stop_has_a_reason(
    served: Fleet, path: str, left_out: str, status: int, sentence: str
) -> None:
    headers = {name: value for name, value in served.headers.items() if name != left_out}
    answer = served.client.post(path, headers=headers)
    assert answer.status_code == status
    assert sentence in answer.text
    assert not any(line.stops for line in served.stop_ports.values())


@pytest.mark.parametrize('path', ['/', '/camera/rover_1'])
def test_without_the_link_nothing_is_shown(path: str) -> None:
    made = Fleet()
    assert made.client.get(path).status_code == 403
    made.enter()
    assert made.client.get(path).status_code == 200
    made.stop_port.close()


def test_a_read_only_page_stops_nothing() -> None:
    made = Fleet(read_only=True)
    made.enter()
    assert made.client.post('/stop', headers=made.headers).status_code == 403
    made.stop_port.close()


def test_the_feed_sends_links_and_tiles_and_requests_pictures(served: Fleet) -> None:
    headers = {'origin': served.access.origins[0]}
    with served.client.websocket_connect('ws://127.0.0.1:8700/feed', headers=headers) as feed:
        assert feed.receive_json()['hello']['links'].keys() == set(NAMES)
        assert [each['name'] for each in feed.receive_json()['fleet']] == [*NAMES]
        served.tiles = (Tile('rover_1', 'lost', 'killed', 3),)
        feed.send_text('{}')
        wait_until(lambda: served.looks)
        assert feed.receive_json()['fleet'][0]['silent_s'] == 3


def test_pages_beyond_the_limit_are_refused_and_may_come_later(
    served: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_feed, 'MAX_PAGES', 1)
    headers = {'origin': served.access.origins[0]}
    connect = partial(served.client.websocket_connect, 'ws://127.0.0.1:8700/feed', headers=headers)
    with connect() as first:
        first.receive_json()
        with connect() as second, pytest.raises(WebSocketDisconnect) as refused:
            second.receive_json()
        assert refused.value.code == TOO_MANY
    with connect() as third:
        assert 'hello' in third.receive_json()


def test_a_signal_ends_all_pages_and_each_leaves_the_graph(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports: list[Any] = []

    def make(*_: Any) -> Any:
        ports.append(FakePagePort())
        return ports[-1]

    number = signal.SIGTERM
    monkeypatch.setattr(
        fleet_page, 'print', lambda *_, **__: Dying(number) and None, raising=False
    )
    robots = [WebOptions(config, (), name) for name in NAMES]
    assert fleet_page.run_fleet(robots, 0, make, make, {})
    assert [('close',) in each.asked for each in ports] == [True] * 4


@pytest.fixture
def in_browser(tab: Page) -> Iterator[tuple[Fleet, Page]]:
    with ExitStack() as closing:
        number = next_port()
        made = Fleet(number)
        stop_server = StopServer(made.access, made.stop_port, lambda: None)
        closing.callback(stop_server.close)
        app = make_fleet_app(replace(made.parts, stop_server_port=stop_server.port))
        server = uvicorn.Server(uvicorn.Config(app, log_level='error'))
        listening = closing.enter_context(listen_on(number))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        tab.open(link(number, 'the-token'))
        tab.until('document.querySelectorAll(".tile").length === 2')
        yield made, tab
        server.should_exit = True
        thread.join(30.0)


@pytest.mark.process
@IN_BROWSER[1]
def test_stop_all_is_one_key_and_names_unconfirmed_robots(
    in_browser: tuple[Fleet, Page],
) -> None:
    made, page = in_browser
    page.do(HELD_ESCAPE)  # one press, however long
    made.stop_ports['rover_2'].said = StopResult(False, 'nobody answers')
    page.key('F8')
    page.until('document.querySelector(".stop-said.bad")')
    assert 'rover_2' in page.do('document.querySelector(".stop-said").textContent')
    page.until('document.querySelector(".tile-said.bad").textContent.includes("nobody answers")')
    page.until('document.querySelector(".tile-said.ok").textContent.startsWith("Stopped")')
    assert min(line.stops for line in made.stop_ports.values()) == 2  # on two ways


@pytest.mark.process
@IN_BROWSER[1]
def test_a_stop_before_the_first_tiles_is_said_to_be_received_if_it_is(
    in_browser: tuple[Fleet, Page],
) -> None:
    made, page = in_browser
    above = 'document.querySelector(".stop-said")'
    page.do('fleetPage.connection.over = true; fleetPage.connection.socket.close()')
    page.do('fleetPage.tiles.clear()')
    for said in (StopResult(False, 'nobody answers'), StopResult(True, 'stopping')):
        for line in made.stop_ports.values():
            line.said = said
        page.key('F8')
        begins = 'Every robot has received' if said.ok else 'The stop was not confirmed (rover_1: '
        page.until(f'{above}.textContent.startsWith("{begins}")')
        assert page.do(f'{above}.matches(".bad")') is not said.ok
        assert said.ok or 'nobody answers' in page.do(f'{above}.textContent')


@pytest.mark.process
@IN_BROWSER[1]
def test_robots_of_which_no_standstill_was_measured_are_named(
    in_browser: tuple[Fleet, Page],
) -> None:
    made, page = in_browser
    made.tiles = (made.tiles[0], replace(made.tiles[1], standing='unknown'))
    page.until('document.querySelectorAll(".tile-standing")[1].textContent.includes("not known")')
    page.do('STANDS_MS.within = 100')
    page.key('F8')
    page.until('document.querySelector(".tile-said.bad")?.textContent.includes("nothing says")')
    page.until('document.querySelector(".tile-said.ok")?.textContent.startsWith("Stopped")')
    above = 'document.querySelector(".stop-said")'
    page.until(f'{above}.matches(".bad") && {above}.textContent.startsWith("rover_2: The stop")')
    made.tiles = (made.tiles[0], replace(made.tiles[1], standing='stands'))
    page.until(f'{above}.hidden')


@pytest.mark.process
@IN_BROWSER[1]
def test_a_robot_that_falls_silent_keeps_nothing_of_before(
    in_browser: tuple[Fleet, Page],
) -> None:
    made, page = in_browser
    page.until('document.querySelector(".tile").innerText.includes("IDLE")')
    made.tiles = (Tile('rover_1', 'lost', 'killed', 3), made.tiles[1])
    page.until('document.querySelector(".tile.silent")')
    text = page.do('document.querySelector(".tile").innerText')
    assert 'IDLE' not in text
    assert 'No message for 3 s' in text
    assert 'motion not known' in text


@pytest.mark.process
@IN_BROWSER[1]
@WITH_AXE
def test_the_fleet_has_no_serious_fault(in_browser: tuple[Fleet, Page]) -> None:
    made, page = in_browser
    drives = replace(made.tiles[0], mode='EXEC', goal='drive', active=True, standing='moves')
    made.tiles = (
        *made.tiles,
        replace(drives, name='drives', progress='step 3, 40 s', waiting=2, battery_pct=80.0),
        replace(drives, name='safe', mode='SAFE', hold=Hold('safe', 'tilt', 88.0), hold_s=9),
        replace(drives, name='charge', mode='CHARGE', hold=Hold('charge', 'low'), picture=1),
        replace(drives, name='pause', hold=Hold('pause', 'Ada'), picture=1, picture_age_s=9),
        Tile('lost', 'lost', 'killed', 3),
        Tile('starting', 'starting', silent_s=3),
    )
    page.until(f'document.querySelectorAll(".tile").length === {len(made.tiles)}')
    made.stop_ports['rover_2'].said = StopResult(False, 'nobody answers')
    page.key('F8')
    page.until(
        'document.querySelector(".tile-said.bad") && document.querySelector(".tile-said.ok")'
    )
    assert faults(page) == []
