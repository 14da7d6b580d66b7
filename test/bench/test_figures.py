"""Figures of measurements: what misses its target says by how much, and nothing is lost."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
import threading
from typing import Any

import pytest
from waiting import wait_until

from bench import __main__ as bench_main
from bench import _sizes
from bench._figures import FILE_VARIABLE, SHARE_VARIABLE, Figure, kept, report, table, trials


@pytest.mark.parametrize(
    ('figure', 'words'),
    [
        (Figure('tick', 0.12, 'ms', 0.15), 'tick: 0.12 ms (target ≤ 0.15 ms)'),
        (
            Figure('call', 2.2, 'ms', 1.0),
            'call: 2.2 ms (target ≤ 1 ms)  MISSED by 1.2 ms, 120%',
        ),
        (
            Figure('recall', 0.5, '', 0.75, 'at_least'),
            'recall: 0.5 (target ≥ 0.75)  MISSED by 0.25, 33%',
        ),
        (Figure('lost', 2.0, '', 0.0), 'lost: 2 (target ≤ 0)  MISSED by 2'),
        (Figure('kills', 232.0), 'kills: 232'),
        (Figure('page', math.nan, 's', 1.0), 'page: – (target ≤ 1 s)  MISSED: not measured'),
    ],
)
def test_a_figure_stands_beside_its_target(figure: Figure, words: str) -> None:
    assert str(figure) == words


def test_a_share_of_the_trials_is_never_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SHARE_VARIABLE, raising=False)
    assert trials(200) == 200
    monkeypatch.setenv(SHARE_VARIABLE, '0.05')
    assert (trials(200), trials(3)) == (10, 1)


def test_figures_of_every_process_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / 'figures'
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    assert report('tick', 0.1, 'ms', at_most=0.15)
    assert not report('reached', 3, at_least=4)
    assert [(each.name, each.met) for each in kept(file)] == [('tick', True), ('reached', False)]


@pytest.mark.process
def test_a_measurement_that_fails_or_hangs_has_missed_and_the_others_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page, results = tmp_path / 'numbers.md', tmp_path / 'results'
    begin, end = bench_main.BEGIN, bench_main.END
    page.write_text(f'before\n{begin}\nold\n{end}\nafter\n', 'utf-8')
    monkeypatch.setattr(bench_main, 'PAGE', page)
    monkeypatch.setattr(bench_main, 'RESULTS', results)
    monkeypatch.setattr(bench_main, '_commit', lambda: '12345678')
    monkeypatch.setattr(bench_main, 'names', lambda: ['breaks', 'hangs', 'works'])

    class Breaks:
        @staticmethod
        def run() -> bool:
            report('begun', 1)
            raise TimeoutError('not within 120 s')

    class Hangs:
        @staticmethod
        def run() -> bool:
            report('begun', 1)
            if child := os.fork():  # it hangs, too
                (tmp_path / 'child').write_text(str(child))
            threading.Event().wait()
            return True

    class Works:
        @staticmethod
        def run() -> bool:
            return report('works', 1, at_least=1)

    modules = {'bench.breaks': Breaks, 'bench.hangs': Hangs, 'bench.works': Works}
    monkeypatch.setattr('importlib.import_module', modules.__getitem__)
    assert bench_main.main(['--limit', '0.05']) == 1
    out, err = capfd.readouterr()
    assert 'works: 1 (target ≥ 1)' in out
    assert 'TimeoutError: not within 120 s' in err  # the end of its log
    assert out.endswith('missed: breaks, hangs\n')
    child = Path('/proc', (tmp_path / 'child').read_text())
    wait_until(lambda: not child.exists() or 'Z' in (child / 'stat').read_text().split()[2])
    found = json.loads((results / '12345678.json').read_text('utf-8'))
    assert {name: each['met'] for name, each in found.items()} == {
        'breaks': False,
        'hangs': False,
        'works': True,
    }
    text = page.read_text('utf-8')
    assert text.startswith(f'before\n{begin}\n| measurement |')
    assert text.endswith(f'{end}\nafter\n')
    assert '| `works` | works | 1 | ≥ 1 |  | 12345678 |' in text
    assert '| ran to its end (it failed) | – | ≥ 1 | MISSED: not measured |' in text
    assert '| ran to its end (killed after 0.05 min) | – | ≥ 1 | MISSED: not measured |' in text
    assert 'old' not in text


def test_the_newest_of_each_measurement_is_shown_and_older_ones_stay(tmp_path: Path) -> None:
    results = tmp_path / 'results'
    results.mkdir()
    for commit, names in {'bbb': {'call': 2, 'tick': 1}, 'aaa': {'tick': 3}}.items():
        text = json.dumps({name: {'at': f'2026-11-0{day}'} for name, day in names.items()})
        (results / f'{commit}.json').write_text(text, 'utf-8')
    found = {name: each['at'][-1] for name, each in bench_main.newest(results).items()}
    assert found == {'call': '2', 'tick': '3'}


def test_all_measurements_together_are_to_end_in_time() -> None:
    known = bench_main.names()
    assert set(_sizes.SECONDS) == set(known)
    assert set(_sizes.SHARES) <= set(known)
    assert sum(_sizes.SECONDS.values()) < 60.0 * _sizes.WITHIN_MIN
    assert _sizes.in_order(['guard_bench', 'ratios', 'kills']) == [
        'ratios',
        'kills',
        'guard_bench',
    ]


def test_a_measurement_for_which_no_time_is_left_has_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ('BENCH_SHARE', 'BENCH_FIGURES', 'XDG_STATE_HOME', 'ROS_DOMAIN_ID'):
        monkeypatch.setenv(name, '1')  # main sets them
    kept_results: dict[str, Any] = {}
    monkeypatch.setattr(bench_main, '_keep', kept_results.__setitem__)
    monkeypatch.setattr(bench_main, '_commit', lambda: '12345678')
    assert bench_main.main(['--within', '1e-9', 'ratios']) == 1
    (figure,) = kept_results['ratios']['figures']
    assert figure['name'] == 'ran to its end (not begun: no time was left)'


def test_the_table_of_the_docs_is_that_of_the_results() -> None:
    text = bench_main.PAGE.read_text('utf-8')
    rows = text.partition(bench_main.BEGIN)[2].partition(bench_main.END)[0].strip()
    assert rows.splitlines() == list(table(bench_main.newest(bench_main.RESULTS)))
