"""Which ticks leave lines, and what is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded_run import RecordedExecutive, RecordedFolder, lines_of
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer, Notice, Proposal, StreamChunk
from bt_executive.core.inputs import ApprovalGiven, BatteryReceived, SafetyEvent, ZonesReceived
from bt_executive.core.state import BrainState
from bt_executive.core.store_port import InputLine
from bt_executive.store.run_configuration_and_metadata import RunMetadata
from bt_executive.store.tick_recorder import RecordKind, TickRecorder
from bt_executive.store.tree_and_state_changes import flat_state, state_changes
from rover_common.clocks import Now, Standstill
from rover_common.config.settings import KeepOutZone

PIT = KeepOutZone(name='pit', polygon=((1.0, 1.0), (2.0, 1.0), (2.0, 2.0)))


class Recorded:
    """A bench whose ticks are recorded."""

    def __init__(self, folder: Path, it: TreeBench) -> None:
        self.it = it
        self.folder = RecordedFolder(folder, RunMetadata('bench', it.context.config))
        RecordedExecutive(it, self.folder)

    def lines(self) -> list[dict[str, Any]]:
        """The lines of inbox.jsonl, without its header."""
        self.folder.close(20.0)
        return lines_of(self.folder.folder / 'inbox.jsonl')[1:]


@pytest.fixture
def idle(tmp_path: Path, bench: MakeBench) -> Recorded:
    it = Recorded(tmp_path, bench(overrides=['safety.required=[]']))
    it.it.tick(3, after=0.1)
    return it


@pytest.mark.slow
def test_an_idle_executive_leaves_no_lines(idle: Recorded) -> None:
    before = idle.folder.recorder.tick_count
    idle.it.tick(100, after=0.1)
    assert idle.folder.recorder.tick_count == before


@pytest.mark.slow
def test_telemetry_leaves_its_own_lines_and_no_others(idle: Recorded) -> None:
    for _ in range(10):
        idle.it.inbox.put(BatteryReceived(idle.it.now, 90.0))
        idle.it.tick(3, after=0.1)
    lines = idle.lines()
    seen = [number for number, line in enumerate(lines) if line['event'] == 'BatterySeen']
    assert {line['event'] for line in lines[seen[1] :]} == {'BatterySeen'}
    assert len(seen) == 10


@pytest.mark.slow
def test_a_tick_that_only_time_has_brought_about_has_a_line(idle: Recorded) -> None:
    idle.it.status()
    idle.it.tick(after=0.1)
    idle.it.tick(20, after=0.1)  # the adapter is silent: SAFE
    lines = idle.lines()
    stopped = next(line['steady'] for line in lines if line['event'] == 'robot.stop')
    (safe, *_) = (line for line in lines if line['steady'] == stopped)
    assert safe['event'] == 'tick.quiet'
    assert safe['fields']['steady'] == pytest.approx(stopped - 0.1)


@pytest.mark.slow
def test_two_ticks_at_the_same_time_are_distinguished(idle: Recorded) -> None:
    for percent in (90.0, 80.0):
        idle.it.inbox.put(BatteryReceived(idle.it.now, percent))
        idle.it.tick(after=0.0)
    first, second = (line for line in idle.lines() if line['event'] == 'BatterySeen')
    assert first['steady'] == second['steady']
    assert ('again' in first, second['again']) == (False, True)


@pytest.mark.slow
def test_what_passes_through_the_ports_is_there(
    tmp_path: Path, bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), Answer('Bright.'))
    it.planner.tells = [StreamChunk('text', 'hm'), Notice('slow', ok=False)]
    run = Recorded(tmp_path, it)
    it.goal('look')
    it.status()
    it.tick(2, after=0.1)
    it.robot.answer('/capture_and_score', ok=True, score=0.9, is_good=True, debug='{}')
    it.tick(3, after=0.1)
    lines = run.lines()
    by_name = {line['event']: line['fields'] for line in lines}
    assert by_name['planner.start']['goal'] == 'look'
    assert by_name['planner.news'] == {'sentence': 'slow', 'ok': False}
    assert by_name['robot.ready'] == {'endpoint': '/capture_and_score', 'ready': True}
    assert by_name['robot.send']['endpoint'] == '/capture_and_score'
    assert by_name['planner.give']['data']['score'] == 0.9
    assert by_name['planner.poll'] == {'kind': 'Answer', 'text': 'Bright.'}
    assert 'hm' not in json.dumps(lines)


@pytest.mark.slow
def test_what_is_no_finite_number_stays_so(tmp_path: Path, bench: MakeBench) -> None:
    it = bench(Proposal('1', 'move_forward', {'duration_s': float('nan')}))
    run = Recorded(tmp_path, it)
    it.goal('look')
    it.inbox.put(ZonesReceived((PIT,)))
    it.tick(2, after=0.1)
    lines = run.lines()
    (polled, *_) = (line['fields'] for line in lines if line['event'] == 'planner.poll')
    assert polled['arguments']['duration_s'] != polled['arguments']['duration_s']
    (zones,) = (line['fields'] for line in lines if line['event'] == 'ZonesSeen')
    assert zones['zones'][0]['name'] == 'pit'
    assert run.folder.faults() == []


@pytest.mark.slow
def test_dropped_events_are_counted_in_the_tick_that_sees_it(idle: Recorded) -> None:
    for _ in range(1005):
        idle.it.inbox.put(ApprovalGiven('ask-1', 'approve'))
    assert idle.it.inbox.dropped == 5
    idle.it.tick(2, after=0.1)
    (told,) = (line for line in idle.lines() if line['event'] == 'inbox.dropped')
    assert told['fields'] == {'count': 5}


def test_what_comes_between_two_ticks_is_no_part_of_one() -> None:
    lines: list[InputLine] = []
    recorder = TickRecorder()
    recorder.write = lines.extend
    recorder.record(RecordKind.FAULT, {'sentence': 'too early'})
    recorder.begin_tick(Now.at(1.0))
    recorder.record(RecordKind.FAULT, {'sentence': 'in time'})
    recorder.end_tick(BrainState(), changed=False)
    recorder.record_inputs([SafetyEvent('too late', 'nobody')])
    assert [line.value for line in lines] == [{'sentence': 'in time'}]
    assert recorder.tick_count == 1


def test_a_standstill_of_the_executive_is_recorded_once() -> None:
    lines: list[InputLine] = []
    recorder = TickRecorder()
    recorder.write = lines.extend
    for seconds in (1.0, 2.0):
        recorder.begin_tick(Now(seconds, seconds, seconds, standstills=(Standstill(1.0, 0.5),)))
        recorder.end_tick(BrainState(), changed=False)
    assert [line.event for line in lines] == ['clock.awake_since']


def test_the_changes_of_the_state_add_up_to_it(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_nudge'), Answer('Done.'))
    it.goal('go')
    told: dict[str, Any] = {}
    before: BrainState | None = None
    for _ in range(5):
        it.status()
        it.tick(after=0.1)
        told |= state_changes(before, it.context.state)
        before = it.context.state
        assert told == flat_state(before)
    assert told['react.stop_reason'] == 'claimed'
    assert 'skills.registry' not in told
