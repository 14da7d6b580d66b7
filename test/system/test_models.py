"""A user whose model is behind HTTP, cannot be had, and is back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lean import IN_THE_LIGHT
from model_server import ModelServer, status
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]
LOOK_S = 0.05  # reads a file


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def at_the_server(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Command line arguments for a model at the server.

    The other protocols go through the same planner: test/bt_executive/planner/contract/.
    """
    monkeypatch.setenv('ANTHROPIC_API_KEY', 'sk-test')
    settings = {
        'planner.provider': 'anthropic',
        'planner.model': 'test-model',
        'planner.base_url': server.base_url('anthropic'),
    }
    return [f'--set={key}={value}' for key, value in settings.items()]


def messages(events: list[dict[str, Any]]) -> str:
    return '\n'.join(event['message'] for event in events)


def test_while_no_model_can_be_had_the_rover_stands_and_then_the_goal_ends_bright(
    start: Any, server: ModelServer, at_the_server: list[str]
) -> None:
    refused = []

    def refuse(*request: Any) -> None:
        refused.append(request)
        status(500)(*request)

    server.always = refuse
    run = start('up', *at_the_server, *IN_THE_LIGHT)
    run.wait_for_output('ready')
    run.write('look for a bright picture\n')
    wait_until(
        lambda: 'anthropic failed (HTTP 500)' in messages(run.events(kind='ERROR')),
        lambda: f'the failure is reported:\n{run.output}',
        look_s=LOOK_S,
    )
    run.write(':stop\n')
    wait_until(run.goal_ends, 'the goal is over', look_s=LOOK_S)
    assert not run.events(kind='DECIDE', ok=True)

    server.always = None
    run.write(':demo\n:quit\n:tool wait {"seconds": 1}\n')
    assert run.finish() == 1, run.output  # the first goal was stopped
    assert not run.events(tool_name='wait'), 'quit ends what comes after it'
    assert run.summary['last_score'] >= 0.8
    model = run.summary['model']
    unheard = len(server.asked) - len(refused) - model['calls']
    assert unheard in (0, 1), 'the stop may have cut one off'
    assert model['input_tokens'] == 1200 * model['calls']
    assert 'sk-test' not in run.output
    assert 'sk-test' not in (run.run_dir / 'trace.jsonl').read_text(encoding='utf-8')


def test_without_a_key_nothing_starts(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('OPENAI_API_KEY', raising=False)
    run = start('demo', '--set', 'planner.provider=openai', '--set', 'planner.model=gpt-4.1-mini')
    assert run.finish() == 2
    assert 'set the environment variable OPENAI_API_KEY' in run.output
    assert not run.events()
