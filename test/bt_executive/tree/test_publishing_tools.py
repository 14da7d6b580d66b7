"""Tools that publish, through the whole tree: done is what was measured, and only that."""

from __future__ import annotations

from typing import Any

import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import StopRequested

DIM = '/lamp/brightness'
TOOL = f'topic: {{name: {DIM}, type: std_msgs/msg/UInt8}}, set: {{data: 7}}, timeout_s: 5.0'
PUBLISHED = {'published_on': DIM}


@pytest.fixture
def publishing(bench: MakeBench, propose: Propose) -> Any:
    """A robot of which `dim` is asked; `more`: keys of the tool."""

    def make(more: str = '') -> TreeBench:
        it = bench(
            propose('dim'), Answer('It is dark.'), overrides=[f'robot.tools.dim={{{TOOL}{more}}}']
        )
        it.robot.replies = {DIM: PUBLISHED}
        it.status(mast='open', moving=False)
        it.goal('dim the lamp')
        return it

    return make


SEEN = ', postcondition: {mast: closed}'


def test_what_was_only_published_is_a_claim(publishing: Any) -> None:
    it = publishing()
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [DIM]
    assert it.planner.results[0].ok
    assert it.planner.results[0].data['published_on'] == DIM
    ending = it.reporter.endings[0]
    assert ending['outcome'] == 'claimed'
    assert 'it was published, and nothing measures what came of it' in ending['missing']


def test_it_is_done_when_it_is_measured(publishing: Any) -> None:
    it = publishing(SEEN)
    it.until(lambda: it.robot.names)
    it.pass_time(3.0)
    assert not it.planner.results, 'published is not done'
    it.status(mast='closed')
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [DIM]
    assert it.planner.results[0].data == {**PUBLISHED, 'mast': 'closed'}
    assert it.reporter.endings[0]['outcome'] == 'reached'


def test_it_has_failed_when_it_is_not_measured_in_time(publishing: Any) -> None:
    it = publishing(SEEN)
    it.until(lambda: it.reporter.endings)
    assert it.robot.names == [DIM]
    result = it.planner.results[0]
    assert (result.ok, result.error_reason) == (
        False,
        'Published, but after 5 s mast is open',
    )
    assert it.reporter.endings[0]['outcome'] == 'claimed'


@pytest.mark.slow
def test_nobody_is_told_what_nobody_subscribes_to(publishing: Any) -> None:
    it = publishing()
    it.robot.absent = {DIM}
    it.until(lambda: it.planner.results)
    assert it.robot.names == []
    assert it.planner.results[0].error_reason.startswith(f'Topic {DIM} has no subscriber (waited')


def test_a_guard_ends_the_wait_for_what_is_measured(publishing: Any) -> None:
    it = publishing(SEEN + ', guards: [mast_open]')
    it.until(lambda: it.robot.names)
    it.status(mast='half', mast_is_open=False)
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].data['refused_by'] == 'mast_open'


def test_a_stop_ends_the_wait_for_what_is_measured(publishing: Any) -> None:
    it = publishing(SEEN)
    it.until(lambda: it.robot.names)
    it.inbox.put(StopRequested('operator'))
    it.until(lambda: it.reporter.endings)
    assert it.robot.names.count(DIM) == 1
    assert it.reporter.endings[0]['outcome'] == 'interrupted'
