"""What another configuration's guards say of the proposals of a recorded run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded_run import RecordedRun
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ApprovalGiven, BatteryReceived, ParametersSet
from bt_executive.replay.recorded_run import open_run
from bt_executive.replay.what_if_other_configuration import Comparison, compare
from bt_executive.store.run_configuration_and_metadata import FOLDER
from rover_common.config.load import load_config

PIT = 'keep_out=[{name: pit, polygon: [[%s, -9], [99, -9], [99, 99], [%s, 99]]}]'


def what_if(folder: Path, *overrides: str) -> Comparison:
    run = open_run(folder)
    found = compare(run, load_config(folder / FOLDER, overrides))
    assert found.difference is None
    return found


def rulings(folder: Path, *overrides: str) -> list[tuple[str, str, str]]:
    found = what_if(folder, *overrides)
    return [(row.proposal.tool, str(row.recorded), str(row.now)) for row in found.proposals]


def differing(folder: Path, *overrides: str) -> list[tuple[str, str]]:
    return [(tool, now) for tool, recorded, now in rulings(folder, *overrides) if recorded != now]


@pytest.mark.slow
def test_the_runs_own_configuration_rules_as_it_did(recorded: Path) -> None:
    found = rulings(recorded)
    assert all(was == now for _, was, now in found)
    assert ('move_nudge', *['refused by mast_closed: Need to close mast'] * 2) in found


@pytest.mark.slow
def test_a_limit_of_tool_calls_refuses_all_that_come_after(recorded: Path) -> None:
    assert [tool for tool, _ in differing(recorded, 'agent.max_iterations=3')] == [
        'move_forward',
        'capture_and_score',
    ]


@pytest.mark.slow
def test_a_precondition_that_the_tree_satisfies_itself_is_allowed(recorded: Path) -> None:
    found = differing(recorded, 'guards.policy={mast_closed: resolve}')
    assert found == [('move_nudge', 'allowed')]


@pytest.mark.slow
def test_a_keep_out_zone_stops_a_tool_that_runs_into_it(recorded: Path) -> None:
    (drive,) = (
        now for tool, now in differing(recorded, PIT % (3.8, 3.8)) if tool == 'move_forward'
    )
    assert drive.startswith("allowed; then stopped: Path comes too near to keep-out zone 'pit'")


@pytest.mark.slow
def test_a_battery_threshold_applies_to_recorded_readings(recorded: Path) -> None:
    found = differing(recorded, 'battery.low_pct=89.65', 'battery.resume_pct=95')
    assert ('mast_close', 'refused by mode_allows: No tool runs in mode CHARGE') in found
    assert 'allowed' in rulings(recorded, 'battery.low_pct=89.65', 'battery.resume_pct=95')[0][2]


@pytest.mark.slow
def test_another_variant_has_other_tools(recorded: Path) -> None:
    found = dict(differing(recorded, 'variant=A'))
    assert found['mast_close'].startswith("refused by catalogue: No tool 'mast_close'")
    assert found['move_nudge'] == 'allowed'


@pytest.mark.slow
def test_who_asks_a_human_would_ask_one(recorded: Path) -> None:
    found = differing(recorded, 'approval.mode=always')
    assert ('capture_and_score', 'allowed, if a human agrees') in found
    assert 'move_nudge' not in dict(found)  # refused before anybody is asked


@pytest.fixture
def asked(bench: MakeBench, propose: Propose, tmp_path: Path) -> Path:
    """A run in which a human agrees once and refuses once."""
    it = bench(
        propose('capture_and_score'),
        propose('get_status'),
        Answer('Enough.'),
        overrides=['approval.mode=always'],
    )
    run = RecordedRun(tmp_path, it)
    it.goal('look')
    it.status()
    run.tick(2)
    for action in ('approve', 'reject'):
        (request,) = it.context.approvals.waiting()
        it.inbox.put(ApprovalGiven(request.request_id, action, word='so be it'))
        run.tick(1)
        if it.robot.sent:
            it.robot.answer('/capture_and_score', ok=True, score=0.2, is_good=False, debug='{}')
        it.status()
        run.tick(2)
    it.executive.shut_down()
    run.close()
    return tmp_path


@pytest.mark.slow
def test_a_human_who_was_asked_is_asked_again_or_not(asked: Path) -> None:
    rejected = 'refused by human_approval: Rejected by the operator: so be it'
    assert rulings(asked) == [
        ('capture_and_score', *['allowed, if a human agrees'] * 2),
        ('get_status', rejected, rejected),
    ]
    assert differing(asked, 'approval.mode=never') == [
        ('capture_and_score', 'allowed'),
        ('get_status', 'allowed'),
    ]


@pytest.mark.slow
def test_what_an_earlier_goal_of_the_run_has_read_binds_here_too(
    bench: MakeBench, propose: Propose, tmp_path: Path
) -> None:
    look_up, drive = propose('recall', text='rock'), propose('navigate_to', x=9.0, y=0.0)
    it = bench(look_up, Answer('a sign'), drive, Answer('Enough.'))
    run = RecordedRun(tmp_path, it)
    it.robot.replies = {
        '/memory/recall': {'ok': True, 'error_code': '', 'reason': '', 'places': []}
    }
    for goals, goal in enumerate(('what is there?', 'tidy up'), 1):
        it.goal(goal)
        while len(it.reporter.endings) < goals:
            it.status(mast_is_open=False, mast='closed', moving=False)
            run.tick(1)
    it.executive.shut_down()
    run.close()
    refused = 'refused by known_place: Nobody named the place x 9, y 0'
    (_, (tool, recorded, now)) = rulings(tmp_path)
    assert tool == 'navigate_to'
    assert recorded.startswith(refused)
    assert now == recorded
    assert differing(tmp_path, 'guards.places=never') == [('navigate_to', 'allowed')]


def test_a_parameter_that_does_not_fit_is_noted_for_each_process(
    bench: MakeBench, tmp_path: Path
) -> None:
    for number, limit in enumerate((45.0, 46.0), 1):
        it = bench(Answer('Enough.'))
        recorded = RecordedRun(tmp_path, it, run_id=f'run.{number}')
        it.inbox.put(ParametersSet({'executive.battery.low_pct': limit}))
        it.goal('look')
        recorded.until_ended()
        it.executive.shut_down()
        recorded.close()
    run = open_run(tmp_path)
    notes = compare(run, run.configuration(['battery.resume_pct=40'])).notes
    assert len(notes) == 2


@pytest.mark.slow
def test_nothing_is_followed_that_was_not_recorded(
    bench: MakeBench, propose: Propose, tmp_path: Path
) -> None:
    """A battery that would have been low at first is charged later on, as it was recorded."""
    it = bench(propose('capture_and_score'), propose('get_status'), Answer('Enough.'))
    run = RecordedRun(tmp_path, it)
    it.inbox.put(BatteryReceived(it.now, 30.0))
    it.goal('look')
    run.until_ended([0.2])
    run.close()
    assert differing(tmp_path, 'battery.low_pct=40') == []


@pytest.mark.slow
def test_the_table_marks_differences_and_states_its_limits(command: Any, recorded: Path) -> None:
    code, out, _ = command(recorded, '--what-if', '--set', 'guards.policy={mast_closed: resolve}')
    (row,) = [line.rstrip() for line in out.splitlines() if line.startswith('≠')]
    assert code == 1
    assert row.endswith('allowed')
    assert 'move_nudge()' in row
    assert 'refused by mast_closed: Need to close mast' in row
    assert 'no forecast' in out
    code, out, _ = command(recorded, '--what-if', '--set', 'goal.max_wall_s=800')
    assert (code, 'all with the recorded verdict' in out, 'forecast' in out) == (0, True, False)


@pytest.mark.slow
def test_what_if_needs_another_configuration(command: Any, recorded: Path) -> None:
    code, _, err = command(recorded, '--what-if')
    assert (code, 'needs another configuration' in err) == (2, True)
    code, _, err = command(recorded, '--what-if', '--set', 'goal.max_wall_s=800', '--step')
    assert (code, 'a table of the whole run' in err) == (2, True)
    code, _, err = command(recorded, '--what-if', '--set', 'goal.max_wall_m=800')
    assert (code, 'unknown key' in err) == (2, True)
