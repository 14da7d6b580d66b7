"""Plain ROSA (jpl-rosa, NASA JPL) on the tasks of the model bench: its own agent and tools.

It replaces the executive as on the guard bench (`bench.guard.peers`): the rover's tools are those
that an integrator writes over the robot's services. Tasks that need a part of the product
(navigation, memory, camera questions, a graph of the case) are not played. Its answer is text;
claims in it are not judged.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from bench.guard.judge import done, judge
from bench.guard.peers.__main__ import PEERS, unfit
from bench.guard.peers.host import Peer, PeerHost, PeerStage
from bench.guard.peers.robot_tools import STATUS
from bench.guard.play import configuration
from bench.guard.run import quiet
from bench.models.play import THINKS_S, Job, Result
from bench.models.tasks import ModelTask, read_tasks


class StatusHost(PeerHost):
    """A robot with a status service, as its own node would provide."""

    def _call(self, service: str) -> tuple[float, dict[str, Any]]:
        if service != STATUS:
            return super()._call(service)
        site, truth = self.site, self.site.truth
        status = {
            'battery_percent': round(100.0 * site.rover.battery.charge, 1),
            'mast': 'closed' if truth.mast_closed else 'open',
            'moving': truth.speed != 0.0,
            'x': round(truth.x, 2),
            'y': round(truth.y, 2),
        }
        return site.now, {'ok': True, **status}


class RosaStage(PeerStage):
    """A task while plain ROSA pursues it."""

    def _make_host(self) -> Any:
        return StatusHost(self.site, self._peer, self.case)


def is_playable(task: ModelTask) -> bool:
    """Return whether a task needs no part of the product."""
    return not unfit(task.case('en', ()), streams=True)


def play_rosa(job: Job) -> Result:
    """Play a job with plain ROSA and the same model, and judge it.

    Raises:
        PeerError: It cannot be started, or does not answer.
    """
    task = next(each for each in read_tasks() if each.name == job.task)
    config = configuration(job.settings).executive
    planner = config.planner
    model = (planner.base_url, planner.model, str(planner.max_answer_tokens))
    most = str(config.agent.max_iterations)
    start = time.monotonic()
    peer = Peer(sys.executable, PEERS['ROSA'], (*model, most), THINKS_S)
    try:
        with quiet():
            stage = RosaStage(task.case(job.language, ()), peer)
            record = stage.play()
    finally:
        peer.close()
    assert isinstance(stage.host, StatusHost)
    verdict, noted = judge(record), stage.host.noted
    has_phrases = all(
        any(word in verdict.answer.casefold() for word in words) for words in task.says
    )
    is_done = done(task.truth, record) and has_phrases
    acted = bool(record.requests or record.pictures)
    declined = task.kind == 'declined'
    has_declined = not acted and noted.get('model_calls', 0) > 0
    return Result(
        task=job.task,
        kind=task.kind,
        language=job.language,
        outcome=verdict.outcome,
        answer=verdict.answer[:300],
        calls=noted.get('calls', 0),
        readable=noted.get('valid', 0),
        valid=noted.get('valid', 0),
        refused=0,
        done=is_done and not declined,
        right=has_declined if declined else is_done and verdict.outcome == 'answered',
        claimed=False,
        false=False,
        unsafe=verdict.unsafe,
        model_calls=noted.get('model_calls', 0),
        tokens=noted.get('tokens', 0),
        cost_usd=0.0,
        seconds=round(time.monotonic() - start, 2),
    )
