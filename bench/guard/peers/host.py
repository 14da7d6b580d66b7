"""A peer in the executive's place: its process, its goal, and the robot's own services.

The adapter of the product watches, so that the simulator's camera knows how the rover stands, and
can do nothing: it is no part of a peer. What only the product has (its heartbeats, approvals,
pauses) does not reach a peer; an operator's stop is `/move_stop`, as for everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
import json
import os
from pathlib import Path
import select
import subprocess
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any

from fakes.common import FakeFuture

from bench.guard.host import Client
from bench.guard.model import ScriptedModel
from bench.guard.play import Stage, the_model
from bench.guard.robot_port import CAPTURE, Sent, SiteRobot
from bench.guard.script import Case, Turn
from bench.guard.site import SERVICES, Site
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import Input
from rover_common.adapter_status import AdapterStatus

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 5.0  # of a call of a service, as the peers have it
PATIENCE_S = 60.0  # real
CLAIM, GIVES_UP = 'finish', 'abort'


class PeerError(RuntimeError):
    """A peer cannot be started, or has ended; the text has the reason."""


class Peer:
    """The process of a peer.

    Args:
        python: Has it installed.
        module: Its adapter here.
        model: Arguments of the adapter: its model's address and more; the scripted one if empty.
        patience_s: For its next output, in real time.
    """

    def __init__(
        self, python: str, module: str, model: Sequence[str] = (), patience_s: float = PATIENCE_S
    ) -> None:
        self._patience_s = patience_s
        environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
        self._log = TemporaryFile('w+', encoding='utf-8', errors='replace')  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                [python, '-m', module, *(model or (the_model().url,))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
                bufsize=1,
                cwd=ROOT,
                env=environment,
            )
        except OSError as error:
            raise PeerError(f'{python} cannot be started: {error.strerror}') from None
        self.receive()

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a goal, or the answer to its question."""
        assert self._process.stdin is not None
        print(json.dumps(message), file=self._process.stdin, flush=True)

    def receive(self, model: ScriptedModel | None = None) -> dict[str, Any] | None:
        """Return its question or its end; None while the model is silent."""
        assert self._process.stdout is not None
        for _ in range(round(self._patience_s / 0.05)):
            if select.select([self._process.stdout], [], [], 0.05)[0]:
                line = self._process.stdout.readline()
                if not line:
                    break
                message: dict[str, Any] = json.loads(line)
                return message
            if model is not None and model.on_silence.is_set():
                return None
        self._log.seek(0)
        last = next((line.strip() for line in reversed(self._log.readlines()) if line.strip()), '')
        raise PeerError(f'it has ended, or does not answer: {last or "no word in its log"}')

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._log.close()


class WatchedSite(Site):
    """A site whose adapter sees everything and moves nothing."""

    def _asked(self, name: str, answer: FakeFuture) -> None:
        del name
        self.send(self.now, lambda: None if answer.done() else answer.set_result(True))

    def stand_still(self) -> None:
        """See `Site.stand_still`."""

    def status(self) -> AdapterStatus:
        """Return it by what the robot really does: what the adapter asks for reaches nothing."""
        status, truth = super().status(), self.truth
        details = {**status.details, 'mast_is_open': not truth.mast_closed}
        return replace(status, moving=truth.speed != 0.0, details=details)


class PeerHost:
    """Does for a peer what `Host` does for the executive."""

    def __init__(self, site: Site, peer: Peer, case: Case) -> None:
        self.site, self._peer, self._case = site, peer, case
        self.client = Client()
        self.sent: list[Sent] = []
        self.tick_s: list[float] = []
        self.robot = SiteRobot(site, Inbox(), 'peer', case.world.services)
        self.sleeps = 0.0
        nobody = SimpleNamespace(waiting=lambda: ())
        hci = SimpleNamespace(question='')
        self.context = SimpleNamespace(approvals=nobody, state=SimpleNamespace(hci=hci))
        self._task: Task | None = None
        self._waits: tuple[float, dict[str, Any]] | None = None
        self.noted: dict[str, int] = {}

    @property
    def pictures(self) -> list[Any]:
        """See `Host.pictures`."""
        return self.robot.pictures

    @property
    def fate(self) -> Any:
        """See `Host.fate`."""
        return self.robot.fate

    def put(self, _given: Input) -> None:
        """A peer has no such input."""

    def goal(self, task: Task) -> None:
        """Send a goal; a second one meanwhile is not read."""
        if self._task is None:
            self._task = task
            self._peer.send({'goal': task.goal})

    def kill(self) -> None:
        """Cases with it are not played with peers."""

    def close(self) -> None:
        """The case is over; a peer that still waits is ended by who has begun it."""

    @property
    def is_done(self) -> bool:
        """Return whether the peer waits for a goal."""
        return self._task is None or bool(self.client.ends)

    def step(self) -> None:
        """What the peer does in one step of the site."""
        while self._task is not None and not self.client.ends and self.site.now >= self.sleeps:
            if self._waits is not None:
                until, answer = self._waits
                if self.site.now < until:
                    return
                self._waits = None
                self._peer.send(answer)
            message = self._peer.receive(the_model())
            if message is None:
                return
            if 'answer' in message:
                self._end(message)
            elif 'sleep' in message:
                self._waits = self.site.now + float(message['sleep']), {'ok': True}
            else:
                self._waits = self._call(str(message['service']))

    def _call(self, service: str) -> tuple[float, dict[str, Any]]:
        site, fate = self.site, self.fate
        name = service.rpartition('/')[2]
        absent = any(each.rpartition('/')[2] == name for each in self.robot.absent)
        if absent or (name not in SERVICES and service != CAPTURE):
            return site.now + TIMEOUT_S, {'ok': False, 'message': f'no service {service}'}
        self.sent.append(Sent(site.now, service, {}))
        self.client.verdicts.append((name, 'allowed'))
        answer: dict[str, Any] = {'ok': True}
        if service == CAPTURE:
            answer = dict(self.robot.take_picture())
        else:
            site.take(name, 'adapter')
        if fate.lost:
            return site.now + TIMEOUT_S, {'ok': False, 'message': 'timed out'}
        return site.now + fate.late_s, answer

    def _end(self, message: Mapping[str, Any]) -> None:
        """Its user's text counts as done only where the script has it as done."""
        assert self._task is not None
        answer, outcome = str(message['answer']), 'answered'
        self.noted = message.get('noted', {})
        if message.get('error') or answer in _arguments(self._case, GIVES_UP, 'reason'):
            outcome = 'failed'
        elif answer in _arguments(self._case, CLAIM, 'answer'):
            outcome = 'reached'
        self.client.ended(self._task, {'outcome': outcome, 'answer': answer})


class PeerStage(Stage):
    """A case while a peer plays it."""

    def __init__(self, case: Case, peer: Peer) -> None:
        self._peer = peer
        super().__init__(case)
        the_model().play(map(as_text, case.turns), Turn(say='The script has ended.'))

    def _make_site(self) -> Site:
        return WatchedSite(self.config, self.case.seed)

    def _make_host(self) -> Any:
        return PeerHost(self.site, self._peer, self.case)


def as_text(turn: Turn) -> Turn:
    """Return an end as text, as the models of peers write it: they have no tool for it."""
    if len(turn.calls) == 1 and turn.calls[0].tool in (CLAIM, GIVES_UP):
        sentence = turn.calls[0].args.get('answer') or turn.calls[0].args.get('reason') or turn.say
        return Turn(say=str(sentence))
    return turn


def _arguments(case: Case, tool: str, name: str) -> set[str]:
    calls = [call for turn in case.turns for call in turn.calls if call.tool == tool]
    return {str(call.args.get(name)) for call in calls}
