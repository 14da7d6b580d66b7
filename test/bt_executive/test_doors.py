"""Every door reads what a reader sees: each class of unseen signs, wherever text comes in."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path
import shutil
from types import SimpleNamespace
from typing import Any
import uuid

from conversations import Diary
import pytest

from bt_executive.client.front_end_requests import GoalRequest, ServiceRequest
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.console_line_order_goals_and_exit import Repl
from bt_executive.core.stop_and_question_phrases import recognise
from bt_executive.mcp_server.mcp_request_handlers import _visible
from bt_executive.web.page_actions import PageActions
from embodied_nav import service_messages
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.errors import ConfigError
from rover_common.text_sanitizing import incoming_text
from rover_vision.capture.client_protocol import ChatRequest
from rover_vision.watch.watch_settings import WatchChange, WatchSettings

VOCABULARY = Vocabulary(load_config())
UNSEEN = {
    'byte order mark': '\ufeff',
    'zero width space': '\u200b',
    'joiner': '\u200d',
    'soft hyphen': '\u00ad',
    'right to left': '\u202e',
    'isolate': '\u2067',
    'control': '\x01',
    'NUL': '\0',
    'escape sequence': '\x1b[31m',
    'C1': '\x85',
    'line separator': '\u2028',
    'no-break space': '\u00a0',
    'ideographic space': '\u3000',
    'Hangul filler': '\u3164',
    'Braille blank': '\u2800',
    'selector': '\ufe0f',
    'tag': '\U000e0073',
    'replacement': '\ufffd',
    'half of a pair': '\udcff',
    'noncharacter': '\ufffe',
    'private': '\ue000',
}


NO_YAML = ('NUL', 'control', 'escape sequence', 'half of a pair')  # YAML refuses them


class Page:
    """The way to the executive, noted."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.asked.append(arguments[-1])


def console(text: str) -> Any:
    diary = Diary()
    repl = Repl(VOCABULARY, diary, diary, lambda: 0.0, one_at_a_time=False)
    repl.handle_executive_ready()
    repl.handle_line(text)
    sent: list[Any] = [each[1] if isinstance(each, tuple) else each for each in diary.sent]
    sent = [each.text if isinstance(each, GoalRequest) else each for each in sent]
    return sent[0] if sent else None if diary.said else 'no sentence'


def page(text: str) -> Any:
    port = Page()
    wish = {'id': str(uuid.uuid4()), 'life': 'x', 'do': 'line', 'text': text}
    done = PageActions('x', VOCABULARY, port).handle(json.dumps(wish).encode())
    if not port.asked:
        return None if done.text and not done.ok else 'no sentence'
    return port.asked[0].text if isinstance(port.asked[0], GoalRequest) else port.asked[0]


def mcp(text: str) -> Any:
    return _visible({'goal': text})['goal'] or None


def mcp_in_a_list(text: str) -> Any:
    """As the names of joints, or of whatever else a learned robot takes."""
    return _visible({'named': [{'name': text}, 1, None]})['named'][0]['name'] or None


def chat(text: str) -> Any:
    return ChatRequest(client_id='c', input_text=text).input_text or None


def target(text: str) -> Any:
    return WatchChange(target=text).applied(WatchSettings(True, 5, None)).target


def recall(text: str) -> Any:
    asked = SimpleNamespace(text=text, method='', max_age_s=0.0)
    return service_messages.query_of(asked, None, 1.0, 'map', 0).text or None


def remember(text: str) -> Any:
    asked = SimpleNamespace(name=text, caption='', elsewhere=True, x=0.0, y=0.0, source='', key='')
    try:
        return service_messages.remembered_from_ros(asked, None, 1.0, 'map', 0).name
    except ValueError:
        return None


DOORS: dict[str, Callable[[str], Any]] = {
    'console': console,
    'page': page,
    'MCP': mcp,
    'MCP, in a list': mcp_in_a_list,
    'chat': chat,
    'watch': target,
    'recall': recall,
    'remember': remember,
}


@pytest.mark.parametrize('door', DOORS)
def test_a_goal_is_read_as_it_is_seen(door: str) -> None:
    read = DOORS[door]
    for sign, mark in UNSEEN.items():
        if mark == '\udcff' and door in ('page', 'chat', 'watch'):
            continue  # no JSON brings halves; the sign in their place is in the table
        assert read(f'{mark}find the Bishop{mark}') == 'find the Bishop', sign
        assert read(mark * 2) is None, sign


@pytest.mark.parametrize(
    'command', [':safe_stop', ':stop', '：pause', 'stop', '止まれ', ':Safe-Stop']
)
@pytest.mark.parametrize('door', ['console', 'page'])
def test_a_stop_is_a_stop(door: str, command: str) -> None:
    wanted = VOCABULARY.parse(command)
    assert isinstance(wanted, ServiceRequest)
    for sign, given in UNSEEN.items():
        mark = '\ufffd' if given == '\udcff' else given
        for text in (
            f'{mark}{command}',
            f'{mark} {mark}{command}{mark}',
            f'\ufeff{mark}{command}',
        ):
            assert DOORS[door](text) == wanted.service, sign
            assert VOCABULARY.stop_or_release(text) == wanted.service, sign


@pytest.mark.parametrize('words', [':safe_stop', 'safe stop', ':stop', 'stop', '止まれ', '停'])
def test_the_words_of_a_goal_that_stop_do_so_wherever_they_come_from(words: str) -> None:
    for sign, mark in UNSEEN.items():
        assert recognise(incoming_text(f'{mark}{words}{mark}')).kind == 'stop', sign


def test_files_are_read_as_they_are_seen(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(default_folder(), tmp_path / 'config'))
    file = folder / 'thresholds.yaml'
    before, text = load_config(folder).thresholds, file.read_text(encoding='utf-8')
    signs = ''.join(f'# {mark}\n' for sign, mark in UNSEEN.items() if sign not in NO_YAML)
    file.write_text(f'{signs}{text}', encoding='utf-8')
    assert load_config(folder).thresholds == before


@pytest.mark.parametrize('mark', ['\ufeff', '\u200b', '\u202e', '\x01', '\u00ad'])
def test_what_is_set_is_read_as_it_is_seen_and_a_text_is_as_it_is_written(mark: str) -> None:
    config = load_config(overrides=[f'{mark}battery.low_{mark}pct={mark}25{mark}'])
    assert config.executive.battery.low_pct == 25.0
    with pytest.raises(ConfigError, match='a character that nobody can see: remove it'):
        load_config(overrides=[f'{mark}planner.mo{mark}del={mark}gpt{mark}'])
    with pytest.raises(ConfigError, match='unknown key'):
        load_config(overrides=[f'planner.m\u043edel{mark}=gpt'])
