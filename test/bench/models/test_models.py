"""The model bench: its tasks, what it counts, and one task of each kind played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from model_server import ModelServer, status
import pytest
from warm import WarmPopen

from bench.guard.play import the_model
from bench.guard.script import Turn, WireCall
from bench.models import __main__ as command
from bench.models.plain_rosa import is_playable
from bench.models.play import Job, Result, has_right_shape, play_job
from bench.models.report import as_table, figure_texts, read, write
from bench.models.tasks import LANGUAGES, read_tasks
from rover_common.errors import UsageError

SHARES = {'reading': 20, 'acting': 20, 'guarded': 10, 'declined': 10}
OFFLINE = ('planner.provider=offline', 'planner.model=""', 'planner.base_url=""')


def result(**changes: Any) -> Result:
    given: dict[str, Any] = {
        'task': 'a',
        'kind': 'acting',
        'language': 'en',
        'outcome': 'reached',
        'answer': '',
        'calls': 2,
        'readable': 2,
        'valid': 1,
        'refused': 1,
        'done': True,
        'right': True,
        'claimed': False,
        'false': False,
        'unsafe': (),
        'model_calls': 3,
        'tokens': 900,
        'cost_usd': 0.5,
        'seconds': 2.0,
    }
    return Result(**{**given, **changes})


@pytest.mark.slow
def test_there_are_sixty_tasks_in_three_languages() -> None:
    tasks = read_tasks()
    assert Counter(each.kind for each in tasks) == SHARES
    assert len({each.name for each in tasks}) == 60
    texts = [getattr(each, language) for each in tasks for language in LANGUAGES]
    assert len(set(texts)) == 180
    for each in tasks:
        assert bool(each.says) == (each.kind == 'reading')
        has_truth = any(value is not None for value in vars(each.truth).values())
        assert has_truth == (each.kind in ('acting', 'guarded'))


@pytest.mark.parametrize(
    ('arguments', 'fits'),
    [({}, True), ({'s': 3e15}, True), ({'s': None}, True), ({'s': 'x'}, False), ({'t': 1}, False)],
)
def test_a_shape_has_names_and_types_and_no_limits(arguments: dict[str, Any], fits: bool) -> None:
    seconds = {'type': 'number', 'maximum': 25}
    schema = {'type': 'object', 'properties': {'s': seconds}, 'additionalProperties': False}
    assert has_right_shape(schema, arguments) is fits


def test_the_figures_are_counted_and_compared(tmp_path: Path, capsys: Any) -> None:
    results = [result(), result(kind='declined', right=False, false=True, claimed=True, calls=0)]
    write(tmp_path / 'a.json', 'one', results)
    assert read(tmp_path / 'a.json') == ('one', results)
    row = figure_texts(results)
    assert row['acting: reached'] == '1 of 1'
    assert row['to be declined: nothing acted'] == '0 of 1'
    assert row['reached, it says, and was not'] == '1 of 2'
    assert row['told as claimed'] == '1 of 2'
    assert row['tokens per task'] == '900'
    assert command.main(['--compare', *[str(tmp_path / 'a.json')] * 2]) == 0
    assert '| | one (a) |' in capsys.readouterr().out
    assert as_table({'x': {'a': '1'}, 'y': {'b': '2'}}).splitlines()[2:] == [
        '| a | 1 |  |',
        '| b |  | 2 |',
    ]


@pytest.mark.parametrize('text', ['', '[]', '{"format": 1, "results": [{}]}'])
def test_a_file_without_results_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / 'x.json').write_text(text)
    with pytest.raises(UsageError, match='holds no results'):
        read(tmp_path / 'x.json')


@pytest.mark.parametrize('count', range(181))
def test_a_part_of_the_tasks_has_each_kind_and_language_by_its_share(count: int) -> None:
    kinds: dict[str, str] = {each.name: each.kind for each in read_tasks()}
    chosen = list(command.evenly(list(kinds), LANGUAGES, count))
    size = count or 180
    assert len(set(chosen)) == len(chosen) == size
    spoken = Counter(language for _, language in chosen)
    assert all(abs(spoken[each] - size / 3) < 1 for each in LANGUAGES)
    played = Counter(kinds[task] for task, _ in chosen)
    assert all(abs(played[kind] - size * share / 60) <= 1 for kind, share in SHARES.items())


def test_a_model_that_cannot_be_had_is_told(capsys: Any) -> None:
    assert command.main(['--set', 'planner.provider=llamacpp', '--set', 'planner.model=x']) == 2
    assert 'bt-executive model-bench: executive.yaml' in capsys.readouterr().err


@pytest.mark.ros
@pytest.mark.parametrize(
    ('task', 'outcome', 'refused'),
    [
        ('charge', 'answered', 0),
        ('raise_and_shoot', 'reached', 0),
        ('mast_out_left', 'reached', 1),
        ('into_the_crater', 'gave_up', 1),
    ],
)
def test_a_task_is_played_and_judged_by_the_physics(task: str, outcome: str, refused: int) -> None:
    found = play_job(Job(task, 'en', OFFLINE))
    assert (found.outcome, found.refused) == (outcome, refused)
    assert found.right
    assert not found.false
    assert not found.unsafe
    assert found.calls == found.readable == found.valid > 0


@pytest.mark.process
def test_a_server_that_answers_nothing_has_declined_nothing() -> None:
    server = ModelServer()
    server.always = status(500)
    settings = ('planner.provider=openai', 'planner.model=m', 'planner.retry.attempts=1')
    found = play_job(Job('dig', 'en', (*settings, f'planner.base_url={server.url}/v1')))
    server.close()
    assert (found.outcome, found.model_calls, found.calls) == ('failed', 0, 0)
    assert not found.right


def test_plain_rosa_plays_what_needs_nothing_of_the_executive() -> None:
    played = {each.name: each.kind for each in read_tasks() if is_playable(each)}
    assert Counter(played.values()) == {'reading': 7, 'acting': 17, 'guarded': 9, 'declined': 10}
    assert not played.keys() & {'topics', 'cairn', 'ahead', 'there', 'mast_out_there'}


@pytest.mark.process
def test_plain_rosa_plays_a_task_with_its_own_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    said = (
        Turn(calls=(WireCall(tool='get_status'),)),
        Turn(calls=(WireCall(tool='move_forward', args={'duration_s': 2}),)),
        Turn(say='The battery is at 73 %.'),
    )
    model = the_model()
    monkeypatch.setattr('bench.guard.peers.host.subprocess.Popen', WarmPopen)
    monkeypatch.setattr(model, 'play', lambda *_given: type(model).play(model, said))
    settings = ('planner.provider=openai', f'planner.base_url={model.url}')
    found = play_job(Job('charge', 'en', settings, plain_rosa=True))
    assert (found.outcome, found.right) == ('answered', True)
    assert (found.calls, found.valid, found.model_calls) == (2, 2, 3)
    assert 'move_forward was begun with the mast out' not in found.unsafe  # it is closed here
