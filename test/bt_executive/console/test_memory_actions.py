"""`bt-executive memory` in the words of a user."""

from __future__ import annotations

from pathlib import Path
import re

from public_forest import PUBLIC_FOREST
import pytest

from bt_executive.cli import main
from bt_executive.console import memory_actions
from embodied_nav.observation import Observation
from embodied_nav.spatial_memory import open_memory


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(['memory', *arguments])
    return int(ended.value.code or 0)


@pytest.fixture
def store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    graph = tmp_path / 'graph.gml'
    graph.write_text(PUBLIC_FOREST, encoding='utf-8')
    where = str(tmp_path / 'memory.sqlite')
    assert run('import', str(graph), '--store', where) == 0
    said = capsys.readouterr().out
    assert '5 nodes' in said
    assert 'words' not in said  # they would be forgotten with this process
    return where


def test_the_table_says_how_long_ago_each_thing_was_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = open_memory(':memory:')
    for name, stamp in (('rock', 2e9), ('dune', 0.0), ('hill', 1e12)):
        memory.observe(Observation(name=name, position=(stamp / 1e8, 0.0, 0.0), stamp=stamp))
    monkeypatch.setattr('time.time', lambda: 2e9 + 90.0)
    assert memory_actions.show(memory) == 0
    rows = [' '.join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert '0 rock 20.0 0.0 area_3_cluster_1 90 s ago' in rows
    assert '0 dune 0.0 0.0 area_3_cluster_1 at an unknown time' in rows
    assert '0 hill 10000.0 0.0 at an unknown time' in rows, 'the clock was set back'


@pytest.mark.slow
def test_a_question_is_answered(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run('ask', 'where is the desk?', '--store', store) == 0
    said = capsys.readouterr().out
    assert said.startswith('FOUND: desk_1 at (2.5, 2.0) m')
    assert 'chair_1 is 1.5 m west of desk_1' in said
    assert re.search(r'^- desk_1 \(2\.5, 2\.0\) m, \d+%, in desk_area: \w', said, re.M), said
    assert run('ask', 'a swimming pool', '--store', store) == 1
    assert capsys.readouterr().out.startswith('ABSENT')


@pytest.mark.slow
def test_what_is_there_is_shown_and_counted(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run('show', '--store', store) == run('stats', '--store', store) == 0
    said = capsys.readouterr().out
    assert 'desk_area' in said
    assert 'level 1: 1' in said


@pytest.mark.slow
def test_areas_are_built_and_everything_goes_out(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run('build', '--store', store) == 0
    assert run('export', str(tmp_path / 'out.gml'), '--store', store) == 0
    assert run('export', str(tmp_path / 'out.html'), '--store', store) == 0
    assert '1 areas' in capsys.readouterr().out
    assert (tmp_path / 'out.html').stat().st_size > (tmp_path / 'out.gml').stat().st_size


@pytest.mark.parametrize(
    ('arguments', 'sentence'),
    [
        (['ask'], 'memory ask needs a QUESTION'),
        (['export'], 'memory export needs a FILE'),
        (['stats', 'x'], 'memory stats takes nothing more'),
        (['stats'], 'There is no memory'),
        (['ask', 'x', '--near', 'here'], "--near takes X,Y in m, not 'here'"),
        (['ask', 'x', '--near', 'nan,1'], "--near takes X,Y in m, not 'nan,1'"),
        (
            ['ask', 'x', '--method', 'LLM_HIERARCHICAL'],
            'set memory.model.provider or planner.provider',
        ),
        (['import', 'none.gml'], 'No such file'),
        (['import', '~no-such-user/x.gml'], "'~no-such-user/x.gml' names no file or folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = str(tmp_path / 'none.sqlite') if arguments[0] != 'stats' else ''
    store = ['--store', where] if where else []
    if arguments[0] == 'ask' and '--near' not in arguments and '--method' not in arguments:
        store = []
    assert run(*arguments, *store) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize('ending', ['gml', 'html'])
@pytest.mark.slow
def test_what_cannot_be_written_is_named(
    store: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / 'none' / f'out.{ending}'
    assert run('export', str(out), '--store', store) == 2
    sentence = f'{out} cannot be written (No such file or directory): name another FILE.'
    assert sentence in capsys.readouterr().err


def test_a_file_that_cannot_be_read_leaves_no_store(tmp_path: Path) -> None:
    (damaged := tmp_path / 'damaged.gml').write_text('grap', encoding='utf-8')
    assert run('import', str(damaged), '--store', str(tmp_path / 'new' / 'memory.sqlite')) == 2
    assert [*tmp_path.iterdir()] == [damaged]


def test_an_empty_file_is_no_memory_and_stays_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty := tmp_path / 'empty').touch()
    assert run('stats', '--store', str(empty)) == 2
    assert 'There is no memory' in capsys.readouterr().err
    assert not empty.stat().st_size


@pytest.mark.slow
def test_a_store_in_the_users_folder_is_found_and_a_question_is_no_path(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('HOME', str(Path(store).parent))
    assert run('ask', '~where is the desk?', '--store', '~/memory.sqlite') == 0
    assert capsys.readouterr().out.startswith('FOUND: desk_1')
