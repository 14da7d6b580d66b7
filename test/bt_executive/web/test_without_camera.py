"""The page of a robot of which no camera is known: no panel for it, until a picture comes."""

from __future__ import annotations

from live_page import CONFIG, IN_BROWSER, Server, jpeg
import pytest
from waiting import wait_until

from bench._browser import Page
from bt_executive.client.front_end_events import PictureReceived
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder

pytestmark = IN_BROWSER

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


@pytest.mark.parametrize('server', [CONFIG], indirect=True)
def test_the_embedded_rover_has_one_from_the_start(page: Page, server: Server) -> None:
    page.until(IS_THERE)
