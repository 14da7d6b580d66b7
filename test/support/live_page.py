"""The live page in a browser: its server without ROS, a tab, and what is done there."""

from __future__ import annotations

from collections.abc import Iterator
import io
import threading
import time
from typing import Any

from fakes.web import FakePagePort, FakeStopPort
from PIL import Image
from ports import next_port
import pytest
import uvicorn
from waiting import wait_until

from bench._browser import CHROMIUM, Browser, Page, running_browser
from bt_executive.client.front_end_events import ExecutiveReady, PictureReceived
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.core.state import BrainState, HCIState, Mode, TasksState, UserInterruptType
from bt_executive.core.surroundings_state import WorldState
from bt_executive.web.effects_of_edited_calls import ChangedCalls
from bt_executive.web.operator_view import OperatorViewFold
from bt_executive.web.page_access import Access
from bt_executive.web.page_actions import PageActions
from bt_executive.web.page_feed import Hub, PageFeeds
from bt_executive.web.page_routes import PageParts, make_app
from bt_executive.web.page_snapshots_and_patches import LivePageData
from bt_executive.web.stop_server import StopServer
from bt_executive.web.stops_of_pages import StopsOfPages
from bt_executive.web.web_server import link, listen_on
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

IN_BROWSER = [
    pytest.mark.process,
    pytest.mark.skipif(not CHROMIUM, reason='chromium is not installed'),
]
IN_VIEW = """(names) => names.filter((name) => {
  const it = document.querySelector(name);
  if (!it) return true;
  const box = it.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const top = document.elementFromPoint(x, y);
  return !(box.width && box.height && top && (it.contains(top) || top.contains(it)));
})"""  # those of the names whose middle is not seen, in view and above all else
HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">'
CONFIG = load_config()
REQUEST: dict[str, Any] = {
    'id': 'ask-0a1b2c-1',
    'tool': 'move_forward',
    'arguments': {'duration_s': 5},
    'amounts_to': '5 s, about 2.4 m straight ahead',
    'risk': 'moves the robot',
    'reason': HOSTILE,
    'expires_at': 4e9,
}


class Server:
    """A server on a port of its own, which can be ended and started again."""

    def __init__(self, config: Config = CONFIG) -> None:
        self.number, self._config = next_port(), config
        self.port, self.stop_port = FakePagePort(), FakeStopPort()
        self.behind_s = 0.0  # by so much older is what comes now
        self.access = Access('token', self.number)
        self.hub = Hub(
            LivePageData('run', config, lambda: 1000.0),
            OperatorViewFold(lambda: time.monotonic() - self.behind_s, config),
        )
        self.stops = StopsOfPages()
        self.open_stop_server()
        self.start()

    def open_stop_server(self) -> None:
        self.stop_server = StopServer(self.access, self.stop_port, lambda: None, self.stops)

    def start(self, server_id: str = 'life') -> None:
        changes = ChangedCalls(self._config, lambda: self.hub.stage.current).describe
        vocabulary = Vocabulary(self._config)
        actions = PageActions(server_id, vocabulary, self.port, change=changes, stops=self.stops)
        feeds = PageFeeds(self.hub, self.access, self.port, server_id)
        stop_server = self.stop_server.port
        parts = PageParts(
            self.access,
            self.hub,
            actions,
            self.port,
            feeds,
            stop_server,
            self.stop_port,
            stops=self.stops,
        )
        config = uvicorn.Config(make_app(parts), log_level='error', timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        listening = listen_on(self.number)
        run = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        run.start()
        self._thread = run
        wait_until(lambda: self._server.started)

    def end(self) -> None:
        self._server.should_exit = True
        self._thread.join(30.0)

    def begin_goal(self, words: str) -> None:
        told = TraceEvent('e1', 999.0, 'OBSERVE', f'New goal: {words}', data={'task_id': 't'})
        self.hub.put(told)


@pytest.fixture(scope='session')
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with running_browser(tmp_path_factory.mktemp('browser')) as made:
        yield made


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """`request.param`: the configuration, if it is not the shipped one."""
    made = Server(getattr(request, 'param', CONFIG))
    made.hub.put(ExecutiveReady())
    yield made
    made.end()
    made.stop_server.close()


@pytest.fixture(scope='session')
def one_tab(browser: Browser) -> Iterator[Page]:
    made = browser.page()
    yield made
    made.close()


@pytest.fixture
def tab(one_tab: Page) -> Iterator[Page]:
    """The same for all tests of a process: to make one takes half as long as to load the page."""
    yield one_tab
    one_tab.leave()


@pytest.fixture
def page(server: Server, tab: Page) -> Page:
    opened(tab, server)
    return tab


def opened(tab: Page, server: Server) -> None:
    tab.open(link(server.number, 'token'))
    tab.until("document.querySelector('.connection').textContent === 'connected'")


def jpeg() -> bytes:
    data = io.BytesIO()
    Image.new('RGB', (64, 64), (120, 90, 60)).save(data, 'JPEG')
    return data.getvalue()


def shown_picture(page: Page, server: Server, *stamps: float) -> None:
    """Pictures of these times, each scored later than the one before."""
    server.begin_goal('look around')
    for number, stamp in enumerate(stamps, start=1):
        server.hub.put(PictureReceived(stamp, jpeg()))
        data = {'result': {'stamp': stamp, 'is_good': True}}
        told = TraceEvent(
            f's{number}', 999.0 + number / 10, 'RESULT', 's', 'look', ok=True, score=0.9, data=data
        )
        server.hub.put(told)
    page.until(f"document.querySelectorAll('.thumb').length === {len(stamps)}")


def enlarged(page: Page) -> None:
    page.until("!document.querySelector('.screen img').hidden")
    page.do("document.querySelector('.screen img').click()")
    page.until("document.querySelector('.large img').naturalWidth")


def write(page: Page, words: str) -> None:
    page.do("document.querySelector('.prompt').focus()")
    page.call('Input.insertText', text=words)
    page.key('Enter', 'Enter')
    page.do("document.querySelector('.prompt').form.requestSubmit()")


def mouse(page: Page, kind: str, place: tuple[float, float]) -> None:
    """Do one thing with the mouse, a `kind` of the DevTools protocol, at a place (px)."""
    page.call(
        'Input.dispatchMouseEvent', type=kind, x=place[0], y=place[1], button='left', clickCount=1
    )


def choose_language(page: Page, code: str) -> None:
    page.do(
        f"(() => {{ const s = document.querySelector('.top select'); s.value = '{code}';"
        "s.dispatchEvent(new Event('change')); })()"
    )
    page.until(f"document.documentElement.lang === '{code}'")


def held_state(kind: str) -> BrainState:
    """A state in which something keeps the robot from its goals since 90 s."""
    hci = HCIState()
    mode, reason, world = Mode.IDLE, 'pause by Ada', WorldState()
    if kind == 'safe':
        mode, reason = Mode.SAFE, 'safety event: cliff ahead'
        world = WorldState(safety_reason='cliff ahead')
    elif kind == 'charge':
        mode, reason = Mode.CHARGE, 'battery low: 18 %'
    else:
        hci = HCIState(user_interrupt=UserInterruptType.PAUSE, interrupt_payload={'source': 'Ada'})
    tasks = TasksState(mode=mode, preempt_reason=reason, held_since=910.0)
    return BrainState(tasks=tasks, hci=hci, world=world)
