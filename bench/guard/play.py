"""Plays one case on the site of this process and hands back what really happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
import shutil
import tempfile
import time
from typing import Any

from fakes.core import ScriptedPlanner

from bench.guard.happenings import Happenings
from bench.guard.host import Host, zones_of
from bench.guard.lockstep import Lockstep, as_outputs
from bench.guard.model import MODEL, ScriptedModel
from bench.guard.navigation import Navigation
from bench.guard.script import Case
from bench.guard.site import STEP_S, Request, Site, Truth
from bench.guard.witness import witness
from bt_executive.core.executive_ports import Planner
from bt_executive.core.goal_queue import Task
from bt_executive.planner.configured_planner import make_planner
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.process.standard_streams import accept_every_text
from rover_common.text_sanitizing import incoming_text

GOAL = 'goal-1'
SETTLE_S = 3.0  # duration of a case after its goal
WARM_UP_S = 1.5
# Waits between two tries are real time and nothing that is judged; the rest is as shipped.
SETTINGS = (
    'planner.provider=openai',
    f'planner.model={MODEL}',
    'planner.retry.first_wait_s=0.01',
    'planner.retry.longest_wait_s=0.02',
    'planner.request.max_bytes=200000',
    'curiosity.rover.rocks=0',
)


@dataclass(frozen=True)
class Record:
    """The record of a case: the robot's side, and the reports to the client.

    Attributes:
        track: What the robot did, step by step, from the goal on.
        requests: At the robot's own services.
        sent: Names and arguments of what left the tree.
        ends: Goal → the summary that its client got.
        zones: Time → the zones that held from then on, by name and polygon.
        wanted: Since when the robot had to stand, why, and for how long nobody could know.
    """

    case: Case
    track: Sequence[Truth]
    requests: Sequence[Request]
    sent: Sequence[Any]
    pictures: Sequence[Any]
    ends: Mapping[str, Mapping[str, Any]]
    verdicts: Sequence[tuple[str, str]]
    reported_twice: Sequence[str]
    zones: Sequence[tuple[float, Any]]
    wanted: Sequence[tuple[float, str, float]]
    excused: Sequence[tuple[float, float]]
    files: Sequence[str]
    tick_s: Sequence[float] = field(default=(), compare=False)
    decided_s: Sequence[float] = field(default=(), compare=False)
    real_s: float = field(default=0.0, compare=False)


@cache
def configuration(settings: tuple[str, ...]) -> Config:
    """The shipped configuration with these overrides, read once."""
    return load_config(None, [*SETTINGS, *settings])


@cache
def the_model() -> ScriptedModel:
    """The hostile model of this process."""
    accept_every_text()
    return ScriptedModel()


def play(case: Case) -> Record:
    """Plays a case from its begin to its end."""
    return Stage(case).play()


class Stage:
    """A case while it is played."""

    def __init__(self, case: Case) -> None:
        self.case = case
        model = the_model()
        model.play(case.turns)
        where = f'planner.base_url={model.url}'
        x, y, yaw = case.world.start
        start = (
            f'curiosity.rover.start.x={x}',
            f'curiosity.rover.start.y={y}',
            f'curiosity.rover.start.yaw_rad={yaw}',
        )
        self.config = configuration((where, *start, *case.world.settings))
        self.site = site = self._make_site()
        if case.world.mast == 'closed':
            mast = self.config.curiosity.mast
            site.rover.mast.positions[mast.tilt_joint] = mast.closed_tilt_rad
        site.charge = case.world.charge
        for topic in case.world.silent:
            setattr(site.quiet, topic, True)
        self.navigation = Navigation(site) if case.world.navigates else None
        kills = any(each.kill == 'executive' for each in case.events)
        self._folder = Path(tempfile.mkdtemp(prefix='guard-')) if kills else None
        self.planners: list[Lockstep] = []
        self.zones: list[tuple[float, Any]] = []
        zones = zones_of(case.world.zones)
        self.host = self._make_host()
        self.host.robot.muted = 'heartbeats' in case.world.silent
        self.take_zones(zones)
        self.happenings = Happenings(self, case.events)

    def _make_site(self) -> Site:
        return Site(self.config, self.case.seed)

    def _make_host(self) -> Host:
        world = self.case.world
        return Host(self.config, self.site, world, self._planner, self.navigation, self._folder)

    def _planner(self) -> Planner:
        case, model = self.case, the_model()
        if case.level == 'proposal':
            planner = Lockstep(
                lambda wake: ScriptedPlanner(as_outputs(case.turns), wake), model.on_silence
            )
        else:
            planner = Lockstep(lambda wake: make_planner(self.config, wake), model.on_silence)
        self.planners.append(planner)
        return planner

    def take_zones(self, zones: Any) -> None:
        """Zones are reported on the topic."""
        self.site.set_zones(zones)
        if self.navigation is not None:
            self.navigation.parts.keep_out.update(zones)
        held = (*self.config.executive.keep_out, *zones)
        self.zones.append((self.site.now, held))

    def play(self) -> Record:
        """Plays the case."""
        began_real = time.perf_counter()
        case, site = self.case, self.site
        self._witnessed = witness().mark()
        try:
            self._pass(WARM_UP_S)
            site.requests.clear()
            site.track.clear()
            self.began = site.now
            self.host.goal(self._task())
            ended_at = None
            while site.now - self.began < case.seconds:
                self._step()
                self.happenings.look()
                if self.host.client.ends.get(GOAL) and ended_at is None:
                    ended_at = site.now
                settled = ended_at is not None and site.now - ended_at >= SETTLE_S
                if settled and self.happenings.done:
                    break
            return self._record(time.perf_counter() - began_real)
        finally:
            self.host.close()
            site.close()
            if self.navigation is not None:
                self.navigation.close()
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _pass(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self._step()

    def _step(self) -> None:
        self.site.step()
        if self.navigation is not None:
            self.navigation.step()
        self.host.step()
        robot = self.host.robot
        for planner in self.planners:
            if robot.sent and robot.sent[-1].at == self.site.now:
                planner.note_decided()

    def _task(self) -> Task:
        case = self.case
        return Task(
            task_id=GOAL,
            goal=incoming_text(case.task) or case.tool,
            tool=case.tool,
            arguments=dict(case.arguments),
            done_when=case.done_when,
            received_at=self.site.now,
            sender=case.sender,
        )

    def _record(self, real_s: float) -> Record:
        host, happenings = self.host, self.happenings
        return Record(
            case=self.case,
            track=tuple(self.site.track),
            requests=tuple(self.site.requests),
            sent=tuple(host.sent),
            pictures=tuple(host.pictures),
            ends=dict(host.client.ends),
            verdicts=tuple(host.client.verdicts),
            reported_twice=tuple(host.client.reported_twice),
            zones=tuple(self.zones),
            wanted=tuple(happenings.must_stand),
            excused=tuple(happenings.excused),
            files=tuple(witness().since(self._witnessed)),
            tick_s=tuple(host.tick_s),
            decided_s=tuple(each for planner in self.planners for each in planner.decided),
            real_s=real_s,
        )
