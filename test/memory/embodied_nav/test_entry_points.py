"""The three programs of spec 5."""

from __future__ import annotations

from pathlib import Path

import html5lib
from public_forest import PUBLIC_FOREST
import pytest

from embodied_nav import experiment, generate_semantic_forest, graph_visualizer
from embodied_nav.gml.gml_import import read_gml


@pytest.fixture
def forest(tmp_path: Path) -> str:
    path = tmp_path / 'topological_graph.gml'
    path.write_text(PUBLIC_FOREST, encoding='utf-8')
    return str(path)


def test_experiment_answers(forest: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert experiment.main([forest, '--ask', 'where is the desk?', '--near', '2,2']) == 0
    output = capsys.readouterr().out
    assert 'FOUND: <<desk_1>>' in output
    assert '(2.5, 2.0, 0.0) m in desk_area' in output


def test_a_forest_is_generated(forest: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_semantic_forest.main([forest]) == 0
    out = Path(forest).with_name('enhanced_semantic_graph.gml')
    assert str(out) in capsys.readouterr().out
    assert sum(node.kind == 'cluster' for node in read_gml(out).nodes) == 1


@pytest.mark.slow
def test_the_page_is_whole_and_holds_no_markup_of_others(
    forest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(forest)
    path.write_text(path.read_text().replace('a desk &#38;', '&#60;script&#62;x'), 'utf-8')
    assert graph_visualizer.main([forest]) == 0
    page = Path(capsys.readouterr().out.strip()).read_text(encoding='utf-8')
    ours = page[page.rindex('Plotly.newPlot') :]
    assert '<script>x' not in ours
    assert 'http' not in ours.split('addEventListener')[0].replace('http://www.w3.org', '')
    for word in ('level 0 (4)', 'level 1 (1)', 'Last seen', 'search', 'desk_1'):
        assert word in ours
    head = page[:2000] + ours
    assert html5lib.parse(head) is not None


@pytest.mark.parametrize('main', [experiment.main, graph_visualizer.main])
def test_a_damaged_file_is_one_sentence(
    main: object, forest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(forest).write_text('graph [ node [ id 1', encoding='utf-8')
    assert main([forest]) == 2  # type: ignore[operator]
    assert 'line 2 cannot be read' in capsys.readouterr().err
