"""The demo from start to end, in both variants and with goals that are hard or out of reach."""

from __future__ import annotations

import json
import sys
from typing import Any

import cv2
from kept_run import KeptRun
from known import known
from lean import HALF_WAY
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
import pytest
from readers_clone import demo_of_the_reader

from bt_executive.replay.recorded_run import open_run
from bt_executive.replay.replay_of_process import replay
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.report.report_html import make_page
from bt_executive.report.report_page_data import page_data

pytestmark = [pytest.mark.ros, pytest.mark.system]


def position(run: Any, **fields: Any) -> int:
    """Where in the trace the first such event stands."""
    return int(run.events().index(run.events(**fields)[0]))


def test_the_demo_is_refused_once_handles_it_and_ends_bright(
    tmp_path_factory: pytest.TempPathFactory, testrun_uid: str
) -> None:
    """With all its parts, as `make demo` starts it, and with small pictures."""
    demo = demo_of_the_reader(tmp_path_factory, testrun_uid)
    run = KeptRun(demo.run)
    refused = position(run, kind='DECIDE', error_reason='Need to close mast', ok=False)
    closed = position(run, kind='RESULT', tool_name='mast_close', ok=True)
    moved = position(run, kind='RESULT', tool_name='move_nudge', ok=True)
    opened = position(run, kind='RESULT', tool_name='mast_open', ok=True)
    assert refused < closed < moved < opened
    captures = run.events(kind='RESULT', tool_name='capture_and_score', ok=True)
    assert captures[-1]['data']['result']['is_good'] is True

    summary = run.summary
    assert summary['outcome'] == 'reached'
    assert summary['last_score'] >= 0.8 > summary['first_score']
    assert summary['refusals'] >= 1
    assert summary['distance_m'] > 3.0
    first, last = (
        known(cv2.imread(str(run.run_dir / f'{name}.jpg'))).mean() for name in ('first', 'last')
    )
    assert last > 1.5 * first

    assert_that_it_is_replayed_identically(run)

    for words in ('refused, Need to close mast', 'Outcome', 'Distance', f'runs/{demo.run.name}'):
        assert words in demo.printed
    assert '\x1b' not in demo.printed


def assert_that_it_is_replayed_identically(run: Any) -> None:
    recorded = open_run(run.run_dir)
    moments = list(replay(recorded, recorded.config))
    assert [each.difference for each in moments if each.difference] == []
    decided = {event['event_id'] for event in run.events(kind='DECIDE')}
    compared = {event['event_id'] for each in moments for event in each.tick.events}
    assert decided <= compared


def test_variant_a_has_no_mast_tools_and_ends_bright(start: Any) -> None:
    run = start('demo', '--record', '--set', 'variant=A', *HALF_WAY)
    assert run.finish() == 0, run.output
    assert not run.events(tool_name='mast_open')
    assert not run.events(tool_name='mast_close')
    assert not run.events(error_reason='Need to close mast')
    assert run.summary['last_score'] >= 0.8
    assert_that_the_run_was_recorded(run)


def assert_that_the_run_was_recorded(run: Any) -> None:
    """The folder gives the page that the last line of the output names, and an MCAP file."""
    last_line = run.output.splitlines()[-1]
    command = f'{sys.executable} -m bt_executive report {run.run_dir}'
    assert last_line.endswith(f'as a page: {command}')
    recording = read_recording(run.run_dir)
    assert recording.notes == ()
    told = page_data(recording)
    assert told.goals[0].story.answer == run.summary['answer']
    captures = run.events(tool_name='capture_and_score', kind='RESULT')
    assert make_page(recording).count('data:image/jpeg') == len(captures)
    with (run.run_dir / 'recording.mcap').open('rb') as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        heard = [
            json.loads(message.data)['event_id']
            for *_, message in reader.iter_decoded_messages(topics=['/trace/events'])
        ]
        topics = {channel.topic for channel in known(reader.get_summary()).channels.values()}
    assert heard == [event['event_id'] for event in run.events()]
    assert {'/tf', '/scan', '/joint_states', '/capture/image_raw/compressed'} <= topics


def test_a_goal_that_is_given_up_is_told_and_ends_with_1(start: Any) -> None:
    run = start('demo', '--set', 'agent.max_iterations=1')
    assert run.finish() == 1
    assert run.summary['outcome'] == 'gave_up'
    assert 'gave up' in run.output
