from __future__ import annotations

from collections.abc import Callable
from typing import Any

from console_views import ASKED
import pytest

from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.completion import Suggestion, suggestions
from bt_executive.view.current_view import CurrentView
from rover_common.config.load import load_config


@pytest.fixture(scope='module')
def fitting() -> Callable[..., list[str]]:
    words = Vocabulary(load_config())
    return lambda line, view=ASKED: [each.text for each in suggestions(line, words, view)]


@pytest.mark.parametrize(
    ('line', 'fits'),
    [
        (':re', [':resume', ':reset', ':reject', ':recall', ':remember']),
        ('：ste', [':step']),
        ('：stx', []),
        ('：sta', [':state', ':status']),
        (':mast_', [':mast_open', ':mast_close', ':mast_rotate']),
        (':help', []),
        (':approve ', ['ask-0a1b2c']),
        (':edit ask-0', ['ask-0a1b2c']),
        (':reject　as', ['ask-0a1b2c']),
        (':tool turn', ['turn_left', 'turn_right']),
        (':stop ', []),
        ('demo', ['demo_ground_texture']),
        ('', []),
        ('go to the', []),
    ],
)
def test_what_fits(fitting: Any, line: str, fits: Any) -> None:
    assert fitting(line) == fits


def test_no_request_no_id(fitting: Any) -> None:
    assert fitting(':approve ', CurrentView()) == []


def test_a_suggestion_takes_the_place_of_the_last_word_and_explains_itself() -> None:
    words = Vocabulary(load_config())
    (found,) = suggestions(':tool turn_l', words, CurrentView())
    assert found == Suggestion('turn_left', 6, words.tools['turn_left'].description)
