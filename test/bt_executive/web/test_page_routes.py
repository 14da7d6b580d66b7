"""Who may look and act: links, strangers, forged requests, read-only pages, hostile words."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
import uuid

import pytest
from starlette.requests import ClientDisconnect, Request

from bt_executive.client.front_end_events import PictureReceived

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>'
LIFE = 'life-1'
ORIGIN = 'http://127.0.0.1:8700'


def wish(do: str = 'line', **fields: Any) -> dict[str, Any]:
    return {'id': str(uuid.uuid4()), 'life': LIFE, 'do': do, **fields}


def test_the_link_becomes_a_cookie_that_scripts_cannot_read(served: Any) -> None:
    answer = served.client.get('/', params={'token': 'the-token'}, follow_redirects=False)
    assert (answer.status_code, answer.headers['location']) == (303, '/')
    assert 'HttpOnly' in answer.headers['set-cookie']
    assert not served.port.asked
    assert served.client.get('/').status_code == 200
    assert served.port.asked == [('request_camera',)]  # its first picture comes with the page


@pytest.mark.parametrize(
    'path', ['/', '/pictures/1.000000.jpg', '/camera.jpg', '/share/run', '/share/report']
)
def test_nothing_is_shown_without_the_token(served: Any, path: str) -> None:
    served.client.cookies.clear()
    answer = served.client.get(path)
    assert answer.status_code == 403 or answer.status_code == 404
    assert 'csrf' not in answer.text


def test_a_wrong_token_opens_nothing(served: Any) -> None:
    served.client.cookies.clear()
    assert served.client.get('/', params={'token': 'wrong'}).status_code == 403
    assert served.client.get('/').status_code == 403


def test_a_name_that_was_bound_to_this_machine_gets_nothing(served: Any) -> None:
    assert served.client.get('/', headers={'host': 'evil.example:8700'}).status_code == 403
    asked = served.client.get(
        '/', params={'token': 'the-token'}, headers={'host': 'evil.example:8700'}
    )
    assert asked.status_code == 403


@pytest.mark.parametrize('path', ['/act', '/stop'])
@pytest.mark.parametrize(
    'changed',
    [
        {'origin': 'http://evil.example'},
        {'origin': 'http://127.0.0.1:8701'},
        {'origin': 'null'},
        {'x_csrf_token': 'guessed'},
        {'host': 'evil.example:8700'},
    ],
)
def test_what_another_page_sends_is_refused(served: Any, path: str, changed: Any) -> None:
    headers = served.headers(**changed)
    answer = served.client.post(path, json=wish(text='drive'), headers=headers)
    assert answer.status_code == 403
    assert not served.port.asked


def test_without_the_cookie_nobody_acts(served: Any) -> None:
    served.client.cookies.clear()
    answer = served.client.post('/act', json=wish(text='drive'), headers=served.headers())
    assert answer.status_code == 403
    assert not served.port.asked


def test_a_goal_is_sent_under_the_id_of_its_request(served: Any) -> None:
    sent = wish(text='look around')
    answer = served.client.post('/act', json=sent, headers=served.headers())
    assert answer.json()['ok'] is True
    ((_, _, request),) = served.port.asked
    assert (request.text, request.goal_id) == ('look around', sent['id'])


@pytest.mark.parametrize('ok', [True, False])
def test_a_stop_is_sent_and_answered_with_its_result(served: Any, ok: bool) -> None:
    served.port.said = replace(served.port.said, ok=ok)
    answer = served.client.post('/stop', headers=served.headers())
    assert answer.json() == {'ok': ok, 'text': 'adapter: stands'}
    assert served.port.asked == [('call_service', 'stop'), 'stop line']


def test_a_stop_does_not_wait_for_its_body(served: Any) -> None:
    async def leave() -> dict[str, str]:
        return {'type': 'http.disconnect'}

    async def send(message: Any) -> None:
        answers.append(message)

    answers: list[Any] = []
    headers = served.headers(
        host='127.0.0.1:8700',
        cookie=f'{served.access.cookie}={served.access.token}',
        content_length='46',
    )
    scope = {
        'type': 'http',
        'method': 'POST',
        'path': '/stop',
        'query_string': b'',
        'headers': [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(served.client.app(scope, leave, send))
    assert answers[0]['status'] == 200
    assert served.port.asked == [('call_service', 'stop'), 'stop line']


def test_what_was_asked_before_a_stop_and_arrives_after_it_is_not_carried_out(
    served: Any,
) -> None:
    page = str(uuid.uuid4())
    served.client.post('/stop', headers=served.headers(x_page_stop=f'{page} 2'))
    sent = [wish(text='look around', page=page, number=number) for number in (1, 3)]
    late, new = (
        served.client.post('/act', json=each, headers=served.headers()).json() for each in sent
    )
    assert (late['ok'], new['ok']) == (False, True)
    assert [each[0] for each in served.port.asked if each != 'stop line'][1:] == ['start']


@pytest.mark.parametrize('path', ['/act', '/stop'])
def test_a_read_only_page_changes_nothing(read_only: Any, path: str) -> None:
    answer = read_only.client.post(path, json=wish(text='drive'), headers=read_only.headers())
    assert answer.status_code == 403
    assert 'read only' in answer.text
    assert not read_only.port.asked
    assert read_only.client.get('/').status_code == 200


def test_every_answer_carries_the_policy(served: Any) -> None:
    for path in ('/', '/static/page.js', '/static/none.js', '/camera.jpg'):
        headers = served.client.get(path).headers
        policy = headers['content-security-policy']
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert 'unsafe' not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers['x-content-type-options'] == 'nosniff'
        assert headers['cache-control'] == 'no-store'


def test_the_page_holds_no_script_and_nothing_of_elsewhere(served: Any) -> None:
    page = served.client.get('/').text
    assert '<script>' not in page
    assert ' on' not in page.replace(' only', '')
    assert 'http' not in page.replace('http-equiv', '')


@pytest.mark.parametrize(
    'name',
    ['../stage/data.py', '..%2f..%2fcli.py', '/etc/passwd', 'vendor/uPlot.LICENSE', 'live.js'],
)
def test_only_the_pages_own_files_are_given(served: Any, name: str) -> None:
    assert served.client.get(f'/static/{name}').status_code == 404


def test_a_request_that_is_too_long_is_refused(served: Any) -> None:
    answer = served.client.post('/act', content=b'x' * 200_000, headers=served.headers())
    assert answer.status_code == 413


def test_a_request_whose_page_leaves_in_the_middle_is_not_carried_out_and_raises_nothing(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(_: Request) -> bytes:
        raise ClientDisconnect

    monkeypatch.setattr(Request, 'body', leave)
    answer = served.client.post('/act', json=wish(text='drive'), headers=served.headers())
    assert answer.status_code == 400
    assert not served.port.asked


def test_the_live_picture_is_served_unchanged(served: Any) -> None:
    served.hub.put(PictureReceived(1.0, b'jpeg', live=True))
    answer = served.client.get('/camera.jpg')
    assert (answer.content, answer.headers['content-type']) == (b'jpeg', 'image/jpeg')


def test_the_run_can_be_downloaded_with_the_cookie(served: Any) -> None:
    served.enter()
    answer = served.client.get('/share/run')
    assert (answer.status_code, answer.content) == (200, b'run')
    assert answer.headers['content-disposition'] == 'attachment; filename="it.zip"'
    assert answer.headers['content-type'] == 'application/zip'
    assert "default-src 'none'" in answer.headers['content-security-policy']
    assert served.client.get('/share/..%2f..%2fetc').status_code == 404
    assert served.client.get('/share/other').status_code == 404
    refused = served.client.get('/share/film')
    assert (refused.status_code, refused.text) == (409, 'nothing yet')
    full = served.client.get('/share/report')
    assert (full.status_code, 'No space left on device' in full.text) == (507, True)
