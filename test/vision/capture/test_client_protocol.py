"""What clients of each version read, byte for byte, and what they say first."""

from __future__ import annotations

import json
from typing import Any

from known import known
import pytest

from rover_vision.capture.client_protocol import (
    ChatRequest,
    WireError,
    capture_frame,
    event_frame,
    read_body,
    read_capability_result,
    read_hello,
)
from rover_vision.capture.connected_clients import Hello, Offer, Source
from rover_vision.capture.pending_looks import CaptureRequest, Send

SCREEN = {
    'vision_source_id': 'vision_source:main',
    'capability_id': 'vision.capture',
    'kind': 'desktop',
    'label': 'メイン画面',
    'aliases': ['画面'],
    'default_for': ['visual'],
    'required_permissions': ['observe_desktop'],
}
SAID = {
    'type': 'hello',
    'client_id': 'console-1',
    'caps': [{'id': 'camera.ptz', 'version': '1'}, {'id': 'vision.capture', 'version': '1'}],
    'vision_sources': [SCREEN],
    'event_subscriptions': ['assistant_message'],
}
OFFERS = {Source.DESKTOP: Offer('vision_source:main', 'メイン画面')}


def hello(**changes: Any) -> Hello:
    return known(read_hello(json.dumps(SAID | changes), 'unit_id'))


def older(dialect: str) -> Hello:
    said = {'type': 'hello', 'client_id': 'console-1', 'caps': ['vision.desktop']}
    return known(read_hello(json.dumps(said | {'dialect': dialect}), 'unit_id'))


def frame(of: Hello) -> str:
    request = CaptureRequest('an-id', Source.DESKTOP, 'chat', timeout_s=5.0)
    return capture_frame(Send(1, request, of, 5.0))


@pytest.mark.parametrize('dialect', ['unit_id', 'event_id'])
def test_older_clients_are_asked_with_the_one_field_that_they_read(dialect: str) -> None:
    assert frame(older(dialect)) == (
        f'{{"{dialect}": 0, "type": "vision.capture_request", "data": {{"request_id": "an-id", '
        '"source": "desktop", "mode": "still", "purpose": "chat", "timeout_ms": 5000}}'
    )


def test_clients_since_2026_05_are_asked_for_a_source_that_they_named() -> None:
    assert frame(hello()) == (
        '{"event_id": 0, "type": "vision.capture_request", "data": {"request_id": "an-id", '
        '"capability_id": "vision.capture", "vision_source_id": "vision_source:main", '
        '"source_kind": "desktop", "source_label": "メイン画面", "mode": "still", '
        '"timeout_ms": 5000}}'
    )


def test_what_is_said_to_a_user_has_another_name_since_2026_05() -> None:
    data = {'system_text': '[desktop_watch] a', 'message': 'Hm.'}
    told = known(event_frame('desktop_watch', data, 7, hello()))
    assert json.loads(told) == {
        'event_id': 7,
        'type': 'assistant_message',
        'data': {'source_kind': 'wake', **data},
    }
    assert event_frame('desktop_watch', data, 7, hello(event_subscriptions=None)) == told
    assert event_frame('desktop_watch', data, 7, hello(event_subscriptions=['other'])) is None


def test_its_hello_names_what_can_be_captured() -> None:
    assert hello().offers == OFFERS
    assert hello().sources == {Source.DESKTOP}
    camera = SCREEN | {'kind': 'camera', 'vision_source_id': 'vision_source:room'}
    second = SCREEN | {'vision_source_id': 'vision_source:second'}
    both = hello(vision_sources=[SCREEN, camera, second])
    assert both.sources == {Source.DESKTOP, Source.CAMERA}
    assert both.offers[Source.DESKTOP] == OFFERS[Source.DESKTOP]


@pytest.mark.parametrize(
    'changes',
    [
        {'caps': [{'id': 'vision.capture', 'version': '2'}]},
        {'caps': [{'id': 'camera.ptz', 'version': '1'}]},
        {'caps': [{'id': ['vision.capture'], 'version': {}}, 7]},
        {'vision_sources': []},
        {'vision_sources': 7},
        {'vision_sources': [7, {}, SCREEN | {'kind': ['desktop']}]},
        {'vision_sources': [SCREEN | {'kind': 'virtual'}]},
        {'vision_sources': [SCREEN | {'vision_source_id': ''}]},
        {'vision_sources': [SCREEN | {'capability_id': 'camera.ptz'}]},
    ],
    ids=repr,
)
def test_a_hello_without_a_source_of_ours_is_of_a_client_that_is_never_asked(
    changes: dict[str, Any],
) -> None:
    assert hello(**changes).sources == frozenset()


def test_a_hello_with_half_a_character_is_none() -> None:
    named = SAID | {'client_id': 'console-\N{GRINNING FACE}'}
    for said in (json.dumps(named), json.dumps(named, ensure_ascii=False)):
        assert read_hello(said, 'unit_id') is not None
    for half in ('\ud83d', '\ude00'):
        assert read_hello(json.dumps(SAID | {'client_id': half}), 'unit_id') is None
        source = SCREEN | {'label': half}
        assert read_hello(json.dumps(SAID | {'vision_sources': [source]}), 'unit_id') is None


def test_an_answer_to_another_capability_is_none() -> None:
    body = {'request_id': 'a', 'client_id': 'b', 'capability_id': 'camera.ptz', 'result': {}}
    with pytest.raises(WireError, match=r'camera\.ptz'):
        read_capability_result(json.dumps(body).encode(), 5)
    fitting = body | {'capability_id': 'vision.capture', 'result': {'error': 'capture skipped'}}
    assert read_capability_result(json.dumps(fitting).encode(), 5).error == 'capture skipped'


def test_nobody_chats_under_the_id_of_the_robots_own_camera() -> None:
    """What is kept under it is published as what the robot saw: `vision/picture`."""
    assert read_body(ChatRequest, b'{"client_id":"rover-2"}').client_id == 'rover-2'
    for client_id in ('rover', ' rover '):
        with pytest.raises(WireError, match=r"client_id: .*'rover' is the robot's own camera"):
            read_body(ChatRequest, json.dumps({'client_id': client_id}).encode())
