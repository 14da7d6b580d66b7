"""What a run leaves behind, recorded from the real tree."""

from __future__ import annotations

from dataclasses import replace
import json
from pathlib import Path
import shutil
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
import pytest
from recorded_run import RecordedRun, jpeg, lines_of
from same_configuration import content_of
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import GoalCancelled, StopRequested
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.report.report_html import make_page
from bt_executive.store.run_configuration_and_metadata import RunMetadata
from bt_executive.store.run_file_lines_and_damage import read_lines
from bt_executive.store.run_folder_formats import TREE, VERSIONS, trace_schema
from bt_executive.store.run_folder_writer import RunFolder
from bt_executive.store.tree_and_state_changes import LETTERS
from bt_executive.tree.subtrees_on_demand import fully_planted
from bt_executive.view.goals_of_a_run import read_goals
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent

DOCS = Path(__file__).resolve().parents[3] / 'docs'
STATUSES = {letter: status for status, letter in LETTERS.items()}


@pytest.fixture(scope='module')
def run(
    tmp_path_factory: pytest.TempPathFactory, bench: MakeBench, propose: Propose
) -> RecordedRun:
    """Two goals: a refusal and two captures; then a single one."""
    it = bench(
        propose('capture_and_score'),
        propose('move_nudge'),
        propose('capture_and_score'),
        Answer('Bright sand.'),
        Answer('Nothing to do.'),
        overrides=['planner.base_url=https://me:secret@host/v1?key=secret'],
    )
    folder = tmp_path_factory.mktemp('runs') / 'run'
    run = RecordedRun(folder, it, overrides=['planner.base_url=https://me:secret@host'])
    it.goal('look')
    run.until_ended([0.2, 0.9])
    it.goal('rest')
    run.until_ended()
    run.close()
    return run


def files(run: RecordedRun) -> Path:
    return run.folder.folder


@pytest.mark.slow
def test_the_trace_has_the_events_of_the_executive(run: RecordedRun) -> None:
    header, *events = lines_of(files(run) / 'trace.jsonl')
    assert (header['schema'], header['version']) == ('bt_executive.trace', '1.0')
    assert [event['event_id'] for event in events] == [e.event_id for e in run.bench.events]


def test_the_names_of_the_formats_are_those_of_the_runs_that_people_have() -> None:
    parts = ('trace', 'tree', 'inbox', 'pictures', 'goals')
    assert list(VERSIONS) == [f'bt_executive.{part}' for part in parts]


@pytest.mark.slow
def test_the_documented_schema_is_that_of_the_code_and_of_the_files(run: RecordedRun) -> None:
    jsonschema = pytest.importorskip('jsonschema')
    written = json.loads((DOCS / 'trace.schema.json').read_text(encoding='utf-8'))
    assert written == trace_schema(), 'write docs/trace.schema.json again, see docs/trace.md'
    for line in lines_of(files(run) / 'trace.jsonl'):
        jsonschema.validate(line, written)


def test_the_tree_can_be_rebuilt_at_each_tick(run: RecordedRun) -> None:
    (process,) = read_lines(files(run) / 'tree.jsonl', TREE).processes
    with fully_planted(run.bench.executive.root) as root:
        nodes = _parents_first(root)
    assert [node['name'] for node in process.header['nodes']] == [node.name for node in nodes]
    statuses, ticks = [Status.INVALID] * len(nodes), iter(process.entries)
    pending: dict[str, Any] | None = next(ticks)
    rebuilt = 0
    for number, state in enumerate(run.states):
        if pending is not None and pending['ts'] <= 100.0 + 0.1 * (number + 1) + 1e-6:
            for index, letter in pending.get('status', {}).items():
                statuses[int(index)] = STATUSES[letter]
            pending, rebuilt = next(ticks, None), rebuilt + 1
        assert statuses == [state[id(node)][0] for node in nodes]
    assert rebuilt == len(process.entries) > 5
    assert any(status is Status.RUNNING for status, _ in run.states[0].values())


def _parents_first(node: Behaviour) -> list[Behaviour]:
    return [node, *(below for child in node.children for below in _parents_first(child))]


def test_scored_pictures_are_kept_with_stamp_and_score(run: RecordedRun) -> None:
    _, *entries = lines_of(files(run) / 'pictures.jsonl')
    assert [entry['score'] for entry in entries] == [0.2, 0.9]
    for entry in entries:
        assert (files(run) / entry['file']).read_bytes() == jpeg(int(255 * entry['score']))
    assert (files(run) / 'first.jpg').read_bytes() == jpeg(51)
    assert (files(run) / 'last.jpg').read_bytes() == jpeg(229)


def test_the_summary_has_every_goal(run: RecordedRun) -> None:
    summary = json.loads((files(run) / 'summary.json').read_text())
    assert [goal['goal'] for goal in summary['goals']] == ['look', 'rest']
    assert (summary['goals'][0]['refusals'], summary['goals'][0]['last_score']) == (1, 0.9)
    assert {'outcome', 'answer', 'steps', 'distance_m', 'wall_s', 'model'} <= set(summary)


@pytest.mark.slow
def test_a_goal_that_ends_while_it_waits_is_in_the_summary_and_on_the_page(
    tmp_path: Path, bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'))
    run = RecordedRun(tmp_path, it)
    it.goal('look')
    it.goal('rest')
    it.status()
    run.tick(3)
    it.inbox.put(StopRequested('the operator'))
    run.tick(3)
    run.close()
    summary = json.loads((tmp_path / 'summary.json').read_text())
    ends = [('look', 'interrupted'), ('rest', 'interrupted')]
    assert [(goal['goal'], goal['outcome']) for goal in summary['goals']] == ends
    goals = read_goals(read_recording(tmp_path).processes)
    assert [(goal.text, goal.outcome) for goal in goals] == ends
    make_page(read_recording(tmp_path))


@pytest.mark.slow
def test_a_goal_that_waits_leaves_the_active_goals_first_picture(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, RunMetadata('r', load_config(None)))
    folder.emit(TraceEvent('r-0', 100.0, 'OBSERVE', 'New goal: look', data={'task_id': 'a'}))
    why = {'task_id': 'b', 'waits_for': 'pause by the operator'}
    for stamp in (101.0, 102.0):
        folder.add_picture(stamp, jpeg(int(stamp)))
        scored = TraceEvent(f'r-{stamp}', stamp, 'RESULT', 'scored', score=0.5)
        result = {'result': {'stamp': stamp, 'is_good': True}}
        folder.emit(replace(scored, tool_name='capture_and_score', ok=True, data=result))
        folder.emit(TraceEvent(f'w-{stamp}', stamp, 'OBSERVE', 'Goal waits: rest', data=why))
    folder.close(20.0)
    assert (tmp_path / 'first.jpg').read_bytes() == jpeg(101)
    assert (tmp_path / 'last.jpg').read_bytes() == jpeg(102)


@pytest.mark.slow
def test_a_waiting_goal_that_ends_leaves_the_active_goals_first_picture(
    tmp_path: Path, bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), propose('capture_and_score'), Answer('done'))
    run = RecordedRun(tmp_path, it)
    it.goal('look')
    run.tick()
    it.goal('rest')
    run.tick()
    it.inbox.put(GoalCancelled('goal-rest', 'not wanted'))
    run.until_ended([0.2])
    run.until_ended([0.9])
    run.close()
    assert (tmp_path / 'first.jpg').read_bytes() != (tmp_path / 'last.jpg').read_bytes()


@pytest.mark.slow
def test_the_configuration_loads_again_and_holds_no_secret(run: RecordedRun) -> None:
    again = load_config(files(run) / 'config')
    config = run.bench.context.config
    assert again.executive.planner.base_url == 'https://***@host/v1?***'
    planner = config.executive.planner.model_copy(
        update={'base_url': again.executive.planner.base_url}
    )
    executive = config.executive.model_copy(update={'planner': planner})
    assert content_of(again) == content_of(config.model_copy(update={'executive': executive}))
    facts = json.loads((files(run) / 'run.json').read_text())
    assert facts['overrides'] == ['planner.base_url=https://***@host']
    text = ''.join(path.read_text() for path in files(run).rglob('*.[yj][as]*'))
    assert 'secret' not in text


@pytest.mark.slow
@pytest.mark.parametrize('world', ['default', 'dunes', 'crater'])
def test_every_world_is_written_down(tmp_path: Path, world: str) -> None:
    config = load_config(None, [f'rover.world={world}'])
    RunFolder(tmp_path, RunMetadata('r', config)).close(20.0)
    assert content_of(load_config(tmp_path / 'config')) == content_of(config)


def test_inputs_are_recorded_beside_the_trace(run: RecordedRun) -> None:
    _, *entries = lines_of(files(run) / 'inbox.jsonl')
    assert {'PoseSeen', 'BatterySeen'} <= {entry['event'] for entry in entries}
    (place, *_) = (entry for entry in entries if entry['event'] == 'PoseSeen')
    assert {'x', 'y', 'yaw'} <= place['fields'].keys()


@pytest.mark.slow
def test_another_process_in_the_same_folder_adds_to_it(
    run: Any, bench: MakeBench, tmp_path: Path
) -> None:
    folder = shutil.copytree(files(run), tmp_path / 'run')
    it = bench(Answer('Back again.'))
    second = RecordedRun(folder, it, run_id='run.2')
    it.goal('again')
    second.until_ended()
    second.close()
    summary = json.loads((folder / 'summary.json').read_text())
    assert [goal['goal'] for goal in summary['goals']] == ['look', 'rest', 'again']
    for name in ('trace.jsonl', 'tree.jsonl', 'inbox.jsonl'):
        headers = [line for line in lines_of(folder / name) if 'schema' in line]
        assert [header['run_id'] for header in headers] == ['run.1', 'run.2']


@pytest.mark.slow
def test_pictures_are_bounded_in_number_and_size(
    tmp_path: Path, bench: MakeBench, propose: Propose
) -> None:
    limits = ['recording.max_pictures=2', 'recording.max_pictures_mb=1.0']
    it = bench(*[propose('capture_and_score')] * 3, Answer('done'), overrides=limits)
    run = RecordedRun(tmp_path, it)
    it.goal('look')
    run.until_ended([0.1, 0.2, 0.3])
    run.close()
    _, *entries = lines_of(tmp_path / 'pictures.jsonl')
    assert [entry['file'] is None for entry in entries] == [False, False, True]
    assert len(list((tmp_path / 'pictures').iterdir())) == 2
    assert (tmp_path / 'last.jpg').read_bytes() == jpeg(76)


@pytest.mark.parametrize(
    'odd',
    [{'stamp': 'now'}, {'stamp': None}, {'stamp': 1e999}, {'is_good': 'rather'}, {'score': 1e999}],
    ids=str,
)
@pytest.mark.slow
def test_an_answer_that_resembles_a_score_has_no_picture(
    tmp_path: Path, bench: MakeBench, propose: Propose, odd: Any
) -> None:
    it = bench(propose('capture_and_score'), Answer('done'))
    run = RecordedRun(tmp_path, it, odd=odd)
    it.goal('look')
    run.until_ended([0.5])
    run.close()
    assert it.reporter.endings[0]['outcome'] == 'reached'
    assert not (tmp_path / 'pictures.jsonl').exists()


def test_an_unwritable_folder_is_reported_and_the_robot_continues(
    tmp_path: Path, bench: MakeBench, propose: Propose
) -> None:
    (tmp_path / 'file').write_text('')
    it = bench(propose('capture_and_score'), Answer('done'))
    run = RecordedRun(tmp_path / 'file' / 'run', it)
    it.goal('look')
    run.until_ended([0.9])
    run.close()
    assert it.reporter.endings[0]['outcome'] == 'reached'
    told = run.folder.faults()
    assert any('trace.jsonl cannot be written (Not a directory)' in each for each in told)
    assert not any('None' in each for each in told)
    assert len(set(told)) == len(told) <= 7, 'one sentence for each file'
    assert run.folder.faults() == []


def test_values_without_json_are_reported_and_the_rest_is_recorded(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, RunMetadata('r', load_config(None)))
    folder.emit(TraceEvent('r-1', 1.0, 'OBSERVE', 'odd', data={'value': object()}))
    folder.emit(TraceEvent('r-2', 1.0, 'OBSERVE', 'plain'))
    folder.close(20.0)
    assert lines_of(tmp_path / 'trace.jsonl')[-1]['event_id'] == 'r-2'
