"""Arguments into the fields of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bt_executive.skills.tool_registry import Registry

Configured = Callable[[Callable[[dict[str, Any]], None]], Any]


@pytest.fixture
def request_of(configured: Configured, lamp: Any) -> Callable[..., Any]:
    """The request of a skill whose entry is changed, for some arguments."""

    def make(entry: dict[str, Any], arguments: dict[str, Any]) -> Any:
        config = configured(lambda content: content['tools'].update(lamp=lamp(**entry)))
        return Registry(config)['lamp'].request(arguments)

    return make


def schema(**properties: Any) -> dict[str, Any]:
    return {'args': properties}


def test_an_argument_goes_to_the_field_of_its_name(request_of: Any) -> None:
    assert request_of({}, {'data': True}) == {'data': True}


def test_a_field_may_have_another_name_and_lie_deeper(request_of: Any) -> None:
    entry = schema(
        x='goal.pose.position.x', y={'field': 'goal.pose.position.y'}, frame='goal.frame_id'
    )
    assert request_of(entry, {'x': 1.0, 'y': 2.0, 'frame': 'map'}) == {
        'goal': {'pose': {'position': {'x': 1.0, 'y': 2.0}}, 'frame_id': 'map'}
    }


def test_an_absent_argument_takes_its_default_or_is_left_out(request_of: Any) -> None:
    entry = schema(data={'default': True}, level={})
    assert request_of(entry, {}) == {'data': True}
    assert request_of(entry, {'data': False}) == {'data': False}


def test_the_duration_of_a_motion_is_not_sent(request_of: Any) -> None:
    entry = schema(duration_s={'type': 'number'}, data={})
    entry['motion'] = {'stop': 'adapter.move_stop', 'duration_arg': 'duration_s'}
    assert request_of(entry, {'duration_s': 3.0, 'data': True}) == {'data': True}
