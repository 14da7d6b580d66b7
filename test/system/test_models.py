"""The demo with a model behind HTTP, and a user whose model cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from model_server import ModelServer, status
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.system]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def model_of(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Command line arguments for a provider at the server."""

    def arguments(provider: str) -> list[str]:
        monkeypatch.setenv('OPENAI_API_KEY', 'sk-test')
        monkeypatch.setenv('ANTHROPIC_API_KEY', 'sk-test')
        settings = {
            'planner.provider': provider,
            'planner.model': 'test-model',
            'planner.base_url': server.base_url(provider),
        }
        return [word for each in settings.items() for word in ('--set', '='.join(each))]

    return arguments


def test_the_demo_ends_bright_with_a_model_behind_http(
    start: Any, server: ModelServer, model_of: Callable[[str], list[str]]
) -> None:
    """The other protocols go through the same planner: test/bt_executive/planner/contract/."""
    half_way = ('--set', 'rover.start.x=2.6')
    run = start('demo', *model_of('anthropic'), *half_way)
    assert run.finish() == 0, run.output
    assert run.summary['last_score'] >= 0.8
    model = run.summary['model']
    assert model['calls'] == len(server.asked)
    assert model['input_tokens'] == 1200 * model['calls']
    assert 'sk-test' not in run.output
    assert 'sk-test' not in (run.run_dir / 'trace.jsonl').read_text(encoding='utf-8')


def test_while_no_model_can_be_had_the_rover_stands_and_obeys(
    start: Any, server: ModelServer, model_of: Callable[[str], list[str]]
) -> None:
    server.always = status(500)
    run = start('up', *model_of('openai'))
    run.wait_for_output('ready')
    run.write('look for a bright picture\n')
    run.wait_for_event(kind='ERROR', ok=False)
    run.write(':stop\n:quit\n')
    run.finish()
    assert not run.events(kind='DECIDE', ok=True)
    errors = [event['message'] for event in run.events(kind='ERROR')]
    assert any('openai failed (HTTP 500)' in each for each in errors), errors


def test_without_a_key_nothing_starts(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('OPENAI_API_KEY', raising=False)
    run = start('demo', '--set', 'planner.provider=openai', '--set', 'planner.model=gpt-4.1-mini')
    assert run.finish() == 2
    assert 'set the environment variable OPENAI_API_KEY' in run.output
    assert not run.events()
