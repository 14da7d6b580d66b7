"""Runs that are replayed: the options, the first difference, and several at once."""

from __future__ import annotations

import io
import json
from pathlib import Path
import re
import sys
from typing import Any

import pytest
from recorded_run import lines_of


@pytest.mark.slow
def test_a_run_is_replayed_identically(command: Any, recorded: Path) -> None:
    code, out, _ = command(recorded)
    events = [line for line in lines_of(recorded / 'trace.jsonl') if 'kind' in line]
    decisions = sum(event['kind'] == 'DECIDE' for event in events)
    assert code == 0
    assert f'{len(events)} events, {decisions} decisions: identical' in out


@pytest.mark.slow
def test_another_version_is_noted(command: Any, recorded: Path) -> None:
    assert 'The run was made with bt_executive 0.0.1, this is' in command(recorded)[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    'override', ['guards.policy={mast_closed: resolve}', 'battery.low_pct=30', 'variant=A']
)
def test_an_equivalent_configuration_makes_no_difference(
    command: Any, recorded: Path, override: str
) -> None:
    code, out, _ = command(recorded, '--set', override)
    assert (code == 0) == ('battery' in override) == ('identical' in out)


@pytest.mark.slow
def test_a_changed_threshold_shows_the_first_difference_with_both_states(
    command: Any, recorded: Path
) -> None:
    code, out, _ = command(
        recorded, '--set', 'battery.low_pct=95', '--set', 'battery.resume_pct=99'
    )
    assert code == 1
    assert re.search(r'First difference: tick 1, 0\.00 s, an event of the trace', out)
    assert 'replayed: OBSERVE: Mode IDLE → CHARGE (battery low: 90 %)' in out
    assert 'State before: it was not recorded' in out  # nothing had happened
    (row,) = re.findall(r'^tasks\.mode .*$', out, re.M)
    assert row.split() == ['tasks.mode', '"EXEC"', '"CHARGE"']


@pytest.mark.slow
def test_the_states_before_a_difference_are_compared(command: Any, recorded: Path) -> None:
    code, out, _ = command(recorded, '--set', 'guards.policy={mast_closed: resolve}')
    assert code == 1
    assert re.search(r'State before, after tick \d+: the same on both sides', out)
    assert 'recorded: DECIDE: move_nudge: Need to close mast' in out
    assert 'replayed: DECIDE: move_nudge: allowed' in out


def _last_line_with(path: Path, words: str) -> tuple[int, dict[str, Any]]:
    found = [(n, line) for n, line in enumerate(lines_of(path)) if words in json.dumps(line)]
    return found[-1]


def _change_line(path: Path, number: int, line: dict[str, Any]) -> None:
    rows = path.read_text(encoding='utf-8').splitlines()
    rows[number] = json.dumps(line)
    path.write_text('\n'.join([*rows, '']), encoding='utf-8')


@pytest.mark.parametrize(
    ('file', 'words', 'change', 'told'),
    [
        (
            'trace.jsonl',
            'Need to close mast',
            {'message': 'move_nudge: allowed'},
            'move_nudge: allowed',
        ),
        ('trace.jsonl', 'Bright sand', {'ok': True}, 'ok: true → false'),
        ('inbox.jsonl', 'robot.send', {'fields': {'session': 'x'}}, 'robot.send {"session": "x"}'),
        ('inbox.jsonl', 'robot.stop', {'fields': {}}, 'robot.stop {}'),
        (
            'inbox.jsonl',
            '"PoseSeen"',
            {'fields': {'at': 1.0, 'x': 900.0, 'y': 0.0, 'yaw': 0.0}},
            'The pose began anew',
        ),
    ],
)
@pytest.mark.slow
def test_a_changed_recorded_line_is_reported(
    command: Any, copy: Path, file: str, words: str, change: dict[str, Any], told: str
) -> None:
    number, line = _last_line_with(copy / file, words)
    if 'PoseSeen' in words:  # not the last: something must come of it
        number = next(
            n
            for n, row in enumerate(lines_of(copy / file))
            if n > 20 and row.get('event') == 'PoseSeen'
        )
        line = lines_of(copy / file)[number]
    _change_line(copy / file, number, line | change)
    code, out, _ = command(copy)
    assert code == 1
    assert 'First difference' in out
    assert told in out


@pytest.mark.slow
def test_until_stops_at_a_tick_or_a_time_and_shows_tree_and_state(
    command: Any, recorded: Path
) -> None:
    code, out, _ = command(recorded, '--until', '3', '--tree', '--state')
    assert code == 0
    assert 'up to tick 3: identical' in out
    assert re.search(r'Check the proposal \[.\] -- Need to close mast', out)
    assert 'tasks.active_task_id = "goal-look"' in out
    by_time = command(recorded, '--until', '0.15s', '--tree', '--state')[1]
    assert by_time == out
    assert 'The run ends before' in command(recorded, '--until', '9999')[1]


@pytest.mark.parametrize('text', ['x', '-3', '3m', '', '1e3'])
def test_a_moment_that_is_none_is_refused(command: Any, recorded: Path, text: str) -> None:
    code, _, err = command(recorded, f'--until={text}')
    assert (code, 'give a tick, such as 12' in err) == (2, True)


@pytest.mark.slow
def test_step_shows_a_tick_for_each_line(
    command: Any, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('sys.stdin', io.StringIO('\nx\nt\ns\n4\nq\n'))
    code, out, _ = command(recorded, '--step')
    shown = re.findall(r'^tick (\d+), [\d.]+ s, mode (\w+)$', out, re.M)
    assert code == 0
    assert shown == [('1', 'EXEC'), ('2', 'EXEC'), ('4', 'EXEC')]
    assert 'Enter: next tick' in out
    assert '[-] Executive' in out
    assert 'robot.battery_state = "OK"' in out
    assert 'DECIDE: capture_and_score: allowed' in out
    assert 'asks robot.send {"session": "call-2.1", "endpoint": "/capture_and_score"' in out
    assert 'up to tick 4: identical' in out


@pytest.mark.slow
def test_step_ends_with_its_input(
    command: Any, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('sys.stdin', io.StringIO(''))
    assert 'up to tick 5: identical' in command(recorded, '--step', '--until', '5')[1]


@pytest.mark.slow
def test_what_a_model_wrote_does_not_reach_the_terminal_as_it_is(
    command: Any, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, line = _last_line_with(copy / 'inbox.jsonl', 'I want capture_and_score')
    hostile = {**line['fields'], 'thought': 'look \x1b[2J[bold]here', 'tool': 'rm\x1b[2J'}
    _change_line(copy / 'inbox.jsonl', number, line | {'fields': hostile})
    monkeypatch.setattr('sys.stdin', io.StringIO('\n' * 100))
    for options in (['--step', '--tree', '--state'], ['--what-if', '--set', 'battery.low_pct=21']):
        code, out, _ = command(copy, *options)
        assert code == 1
        assert '[2J[bold]here' in out
        assert '\x1b' not in out


IDENTICAL = ': identical'


@pytest.mark.slow
def test_several_runs_are_shown_in_their_order(command: Any, recorded: Path, copy: Path) -> None:
    code, out, _ = command(recorded, copy, recorded, '--workers', 1)
    assert code == 0
    places = [out.index(f'{path}:\n') for path in (recorded, copy)]
    assert places == sorted(places)
    assert out.count(IDENTICAL) == 3
    assert out.endswith('3 runs: 3 identical\n')


@pytest.mark.slow
def test_a_run_that_cannot_be_replayed_is_named_and_the_others_are_replayed(
    command: Any, recorded: Path, copy: Path
) -> None:
    trace = copy / 'trace.jsonl'
    lines = trace.read_text('utf-8').replace('Need to close mast', 'Need to open mast')
    trace.write_text(lines, 'utf-8')
    code, out, _ = command(copy, 'nowhere', recorded, '--workers', 1)
    assert code == 2
    assert 'First difference' in out
    assert out.count(IDENTICAL) == 1
    assert out.endswith('3 runs: 1 identical, 1 different, 1 not replayed\n')


def test_several_runs_are_not_shown_step_by_step(command: Any, recorded: Path) -> None:
    code, _, error = command(recorded, recorded, '--step')
    assert code == 2
    assert '--step shows one run' in error


@pytest.mark.parametrize('words', [('--workers', 0), ('--ray', 'local')])
def test_an_invalid_split_is_reported(
    command: Any, recorded: Path, words: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'ray', None)  # as where the extra is not installed
    code, _, error = command(recorded, recorded, *words)
    assert code == 2
    assert words[0] in error
