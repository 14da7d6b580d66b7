"""A page's server without ROS: what the pages ask for is written down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from errno import ENOSPC
import os

from fakes.web import FakePagePort
from live_page import browser, one_tab, page, server, tab  # noqa: F401  # fixtures
import pytest
from starlette.testclient import TestClient

from bt_executive.client.front_end_ports import StopResult
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.web.operator_view import OperatorViewFold
from bt_executive.web.page_access import Access
from bt_executive.web.page_actions import PageActions
from bt_executive.web.page_feed import Hub, PageFeeds
from bt_executive.web.page_routes import PageParts, make_app
from bt_executive.web.page_snapshots_and_patches import LivePageData
from bt_executive.web.stops_of_pages import StopsOfPages
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import RecordingError

TOKEN, PORT, DOOR, LIFE = 'the-token', 8700, 8999, 'life-1'
HOST = f'127.0.0.1:{PORT}'


class BothPorts(FakePagePort):
    """Page port and stop port, so that the order of what is asked of them is seen."""

    said = StopResult(True, 'adapter: stands')

    def stop(self) -> StopResult:
        self.asked.append('stop line')
        return self.said


def share(kind: str) -> tuple[str, bytes]:
    if kind == 'film':
        raise RecordingError('nothing yet')
    if kind == 'report':
        raise OSError(ENOSPC, os.strerror(ENOSPC))
    return 'it.zip', kind.encode()


@pytest.fixture(scope='session')
def config() -> Config:
    return load_config(None)


@dataclass
class Served:
    """A server, and a browser that has opened its link unless it is a stranger's."""

    port: BothPorts
    hub: Hub
    access: Access
    client: TestClient
    actions: PageActions

    def enter(self) -> None:
        self.client.get('/', params={'token': self.access.token})

    def headers(self, **other: str) -> dict[str, str]:
        own = {'origin': f'http://{HOST}', 'x-csrf-token': self.access.csrf}
        return own | {name.replace('_', '-'): value for name, value in other.items()}


def serve(config: Config, read_only: bool = False) -> Served:
    port = BothPorts()
    access = Access(TOKEN, PORT, read_only)
    hub = Hub(LivePageData('run', config, lambda: 100.0), OperatorViewFold(lambda: 100.0))
    stops = StopsOfPages()
    actions = PageActions(LIFE, Vocabulary(config), port, hub.stage.knows_goal, stops=stops)
    feeds = PageFeeds(hub, access, port, LIFE)
    app = make_app(PageParts(access, hub, actions, port, feeds, DOOR, port, share, stops))
    return Served(port, hub, access, TestClient(app, base_url=f'http://{HOST}'), actions)


@pytest.fixture
def served(config: Config) -> Iterator[Served]:
    made = serve(config)
    with made.client:
        made.enter()
        made.port.asked.clear()  # but for what each page that opens begins
        yield made


@pytest.fixture
def read_only(config: Config) -> Iterator[Served]:
    made = serve(config, read_only=True)
    with made.client:
        made.enter()
        made.port.asked.clear()  # but for what each page that opens begins
        yield made
