"""What a changed call would come to is read as the executive reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import json
from typing import Any
import uuid

import pytest

from bt_executive.client.typed_commands import Vocabulary
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState
from bt_executive.view.current_view import CurrentView
from bt_executive.web.page_actions import ChangedCalls, PageActions
from rover_common.config.load import load_config
from rover_common.errors import UsageError

CONFIG = load_config()
ID = 'ask-0a1b2c-1'


def waiting(tool: str, robot: RobotState | None = None) -> Callable[[], CurrentView]:
    state = BrainState(robot=robot) if robot else None
    view = replace(CurrentView(), requests=({'id': ID, 'tool': tool},), state=state)
    return lambda: view


@pytest.mark.parametrize(
    ('tool', 'arguments', 'words'),
    [
        ('move_forward', {'duration_s': 2}, '2 s, about 0.97 m straight ahead'),
        ('navigate_to', {'x': 3, 'y': 4, 'heading': None}, '5.0 m or more, from x 0.0 m'),
        ('mast_open', {}, ''),
        ('a_tool_of_another_file', {'how': 1}, ''),
    ],
)
def test_the_effect_of_an_edit_is_described_like_the_request(
    tool: str, arguments: dict[str, Any], words: str
) -> None:
    robot = RobotState(pose=Pose(), pose_at=1.0)
    told = ChangedCalls(CONFIG, waiting(tool, robot)).describe(ID, arguments)
    assert told.startswith(words)
    assert bool(told) == bool(words)


@pytest.mark.parametrize(
    'robot', [None, RobotState(), RobotState(pose_at=1.0, ages={'pose': 9.0})]
)
def test_without_a_pose_no_distance_is_described(robot: RobotState | None) -> None:
    told = ChangedCalls(CONFIG, waiting('navigate_to', robot)).describe(ID, {'x': 3, 'y': 4})
    assert told == 'to x 3.0 m, y 4.0 m'


@pytest.mark.parametrize('arguments', [{'duration_s': 'long'}, {'speed': 1}, {'duration_s': -1}])
def test_an_invalid_edit_is_refused_before_it_is_sent(
    arguments: dict[str, Any],
) -> None:
    with pytest.raises(UsageError):
        ChangedCalls(CONFIG, waiting('move_forward')).describe(ID, arguments)


def test_a_request_that_waits_no_more_has_no_change() -> None:
    with pytest.raises(UsageError, match='does not wait'):
        ChangedCalls(CONFIG, CurrentView).describe(ID, {})


@pytest.mark.parametrize(
    ('text', 'ok', 'answer'),
    [('{"duration_s": 2}', True, '2 s'), ('{"duration_s": NaN}', False, ''), ('2', False, '')],
)
def test_a_page_asks_for_it_and_nothing_is_sent_to_the_robot(
    text: str, ok: bool, answer: str
) -> None:
    class Port:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    change = ChangedCalls(CONFIG, waiting('move_forward')).describe
    actions = PageActions('x', Vocabulary(CONFIG), Port(), change=change)
    wish = {'id': str(uuid.uuid4()), 'life': 'x', 'do': 'change', 'request': ID, 'text': text}
    done = actions.handle(json.dumps(wish).encode())
    assert done.ok is ok
    assert done.text.startswith(answer)
