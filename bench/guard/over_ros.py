"""Plays a sample of the cases over real processes and DDS, and compares both judgements.

Executive and adapter are processes of their own. The robot is here: its simulated body and its
control node, with their real services and topics, so that the same judge reads the same physics.
The model is the same server. Real time passes, so a machine that is busy makes stops later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
import json
from pathlib import Path
import signal
import tempfile
from types import SimpleNamespace
from typing import Any

from bt_executive_interfaces.action import ExecuteGoal
from geometry_msgs.msg import Twist
from std_msgs.msg import String
from std_srvs.srv import SetBool

from bench.guard.host import Client
from bench.guard.judge import Verdict, judge
from bench.guard.play import GOAL, Record, Stage, the_model
from bench.guard.robot_port import Sent
from bench.guard.ros_system import RosSystem
from bench.guard.run import play_one, quiet
from bench.guard.script import Case, Turn
from bench.guard.site import STEP_S, Request, Silence, Truth
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    Input,
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
)
from curiosity_sim.control_node import MOTIONS
from curiosity_sim.rover.kinematics import DriveCommand
from curiosity_sim.rover.mast import Mast
from rover_common.geometry.planar_motion import Pose2D
from rover_common.ros.keep_out_messages import zones_to_ros

SETTLED_S = 3.0  # what the adapter takes for a motion when the rover is put back has ended by then
TOOLS = frozenset(
    {
        *('move_forward', 'turn_left', 'turn_right', 'move_nudge', 'move_stop', 'get_status'),
        *('mast_open', 'mast_close', 'mast_rotate', 'wait', 'finish', 'abort'),
    }
)
EVENTS = frozenset(
    {
        *('service', 'adapter', 'cmd_vel', 'manual', 'zones', 'charge', 'operator', 'safety'),
        *('freeze', 'kill', 'goal'),
    }
)
REQUESTS: dict[type[Input], str] = {
    StopRequested: 'stop',
    PauseRequested: 'pause',
    ResumeRequested: 'resume',
    ResetRequested: 'reset',
}


def plays_over_ros(case: Case) -> bool:
    """Return whether all of a case can be brought about from outside of the processes."""
    world = case.world
    happens = {name for event in case.events for name in event.model_fields_set - {'when'}}
    named = {call.tool for turn in case.turns for call in turn.calls}
    asks = any(e.when.sent or e.when.approval or e.when.question for e in case.events)
    is_startable = all(
        e.freeze is None or e.freeze[0] in ('executive', 'adapter') for e in case.events
    )
    is_startable &= all(event.kill in (None, 'executive', 'adapter') for event in case.events)
    bare = not (world.settings or world.navigates or world.graph or world.services)
    bare &= not (world.remembered or world.silent)
    is_covered = case.hostile or named <= TOOLS
    is_short = not any(turn.fault in ('silence', 'endless') for turn in case.turns)
    no_picture = case.truth.pictures is None and 'capture_and_score' not in named
    return (
        case.level == 'wire'
        and happens <= EVENTS
        and bare
        and is_startable
        and is_covered
        and is_short
        and no_picture
        and not asks
    )


def sample(cases: Sequence[Case], count: int) -> list[Case]:
    """Return so many pairs, from each family as many, that can be played over ROS."""
    fit = {each.name for each in cases if plays_over_ros(each)}
    pairs: dict[str, list[str]] = {}
    for case in cases:
        name = case.name.rpartition('.')[0]
        if case.hostile and {f'{name}.hostile', f'{name}.benign'} <= fit:
            pairs.setdefault(case.family, []).append(name)
    chosen: list[str] = []
    for row in range(max(map(len, pairs.values()), default=0)):
        chosen += [names[row * 7 % len(names)] for names in pairs.values() if row < len(names)]
    wanted = list(dict.fromkeys(chosen))[:count]
    return [each for each in cases if each.name.rpartition('.')[0] in wanted]


class RosSite:
    """Does for `Happenings` what `Site` does, at the real services and topics of a robot."""

    def __init__(self, system: RosSystem, case: Case) -> None:
        self.system = system
        self.requests: list[Request] = []
        self.quiet = Silence()
        self.track = system.rover.track
        self.rover = system.rover.body
        self.rover.mast, self.rover.command = Mast(), DriveCommand()
        self.rover.pose = Pose2D(*case.world.start)
        self._strange: Counter[str] = Counter()
        self._seen = Counter(system.control.asked)
        self._frozen: list[tuple[float, str]] = []

    @property
    def now(self) -> float:
        """Time of the physics, which keeps step with steady time."""
        return self.system.rover.passed

    @property
    def truth(self) -> Truth:
        """What the robot really does."""
        return self.system.rover.truth

    @property
    def is_at_rest(self) -> bool:
        """Whether the wheels stand still."""
        return bool(self.truth.speed == 0.0 and self.rover.command.speed == 0.0)

    def __setattr__(self, name: str, value: Any) -> None:
        """Apply the case's values to the robot."""
        if name == 'charge':
            self.rover.battery.weak_charge = value
        elif name == 'adapter_sleeps':
            self.freeze('curiosity_adapter', value)
        else:
            super().__setattr__(name, value)

    def step(self) -> None:
        """Wait for `STEP_S`."""
        until = self.now + STEP_S - 1e-9
        self.system.until(lambda: self.now >= until, 'time passes')
        for name, count in self.system.control.asked.items():
            for _ in range(count - self._seen[name]):
                is_strange = self._strange[name] > 0
                self._strange[name] -= is_strange
                sender = 'a stranger' if is_strange else 'adapter'
                self.requests.append(Request(name, sender, self.truth))
            self._seen[name] = count
        for at, who in [each for each in self._frozen if self.now >= each[0]]:
            self._frozen.remove((at, who))
            self.system.signal(who, signal.SIGCONT)

    def freeze(self, who: str, until: float) -> None:
        """Suspend a process until then."""
        self.system.signal(who, signal.SIGSTOP)
        self._frozen.append((until, who))

    def take(self, name: str, sender: str) -> None:
        """A stranger calls one of the robot's own services."""
        assert sender == 'a stranger'
        self._strange[name] += 1
        self.system.call(f'/{name}')

    def call_adapter(self, name: str, _done: Any) -> None:
        """A stranger calls one of the adapter's services."""
        self.system.call(f'/adapter/{name}')

    def drive_wheels(self, command: DriveCommand) -> None:
        """A stranger publishes a velocity."""
        message = Twist()
        message.linear.x, message.angular.z = command.linear, command.angular
        self.system.wheels.publish(message)

    def set_manual_mode(self, wanted: bool) -> None:
        """A stranger switches manual mode."""
        self.system.until(self.system.manual.service_is_ready, 'manual mode')
        self.system.manual.call_async(SetBool.Request(data=wanted))

    def set_zones(self, zones: Any) -> None:
        """Publish the zones on the latched topic."""
        self.system.zones.publish(zones_to_ros(zones))

    def stop_now(self) -> None:
        """The executive's own callback does that."""

    def start_adapter(self) -> None:
        """The adapter is killed and started again."""
        self.system.kill('curiosity_adapter')
        self.system.start('curiosity_adapter')

    def close(self) -> None:
        """Ends what the case has begun: nothing stays suspended, nothing drives."""
        for _, who in self._frozen:
            self.system.signal(who, signal.SIGCONT)
        self.charge = 0.9
        self.set_zones(())
        self.system.call('/move_stop')
        self.system.ask('resume')
        self.system.reset()


class RosHost:
    """Does for `Happenings` what `Host` does, at the executive's services and action."""

    def __init__(self, site: RosSite) -> None:
        self.site, self.client = site, Client()
        self.robot = SimpleNamespace(muted=False, sent=[])
        self.sent: list[Any] = []
        self.pictures: list[Any] = []
        self.tick_s: list[float] = []
        nobody = SimpleNamespace(waiting=lambda: ())
        state = SimpleNamespace(hci=SimpleNamespace(question=''))
        self.context = SimpleNamespace(approvals=nobody, state=state)
        self._goal = ''

    def __setattr__(self, name: str, value: Any) -> None:
        """Apply the case's values to the process."""
        if name == 'sleeps':
            self.site.freeze('executive', value)
        else:
            super().__setattr__(name, value)

    def put(self, given: Input) -> None:
        """Call a service of the executive at once."""
        system = self.site.system
        if isinstance(given, SafetyEvent):
            system.events.publish(String(data=given.reason))
        elif type(given) in REQUESTS:
            system.ask(REQUESTS[type(given)])

    def goal(self, task: Task) -> None:
        """Send a goal."""
        goal = ExecuteGoal.Goal(
            goal=task.goal,
            tool=task.tool,
            arguments=json.dumps(dict(task.arguments)) if task.tool else '',
            priority=task.priority,
            done_when=task.done_when,
            sender=task.sender,
        )
        if task.task_id == GOAL:
            self._goal = self.site.system.pursue_goal(goal)
        else:
            self.site.system.offer(goal)

    def step(self) -> None:
        """Read what the client was given."""
        end = self.site.system.ends.get(self._goal)
        if end is not None:
            self.client.ends[GOAL] = {'outcome': end.outcome, 'answer': end.answer}

    def kill(self) -> None:
        """The executive is killed and started again."""
        self.site.system.kill('executive')
        self.site.system.start('executive')

    def close(self) -> None:
        """End the case; its goal ends by itself, or with the stop of `RosSite.close`."""
        if not self.client.ends:
            self.site.system.ask('stop')


class RosStage(Stage):
    """A case while it is played over ROS."""

    def __init__(self, case: Case, system: RosSystem) -> None:
        self._system = system
        super().__init__(case)
        asked = the_model()
        self.planners: list[Any] = [SimpleNamespace(decided=asked.asked)]

    def _make_site(self) -> Any:
        return RosSite(self._system, self.case)

    def _make_host(self) -> Any:
        return RosHost(self.site)  # type: ignore[arg-type]

    def _pass(self, seconds: float) -> None:
        super()._pass(seconds + SETTLED_S)

    def _step(self) -> None:
        self.site.step()
        self.host.step()

    def _record(self, real_s: float) -> Record:
        begun = [
            Sent(each.truth.at, f'/adapter/{each.name}', {})
            for each in self.site.requests
            if each.name in MOTIONS and each.sender == 'adapter'
        ]
        # What left the tree cannot be seen from outside: a motion that was begun did. Nor can what
        # the executive asks of the operating system: here it is this process that starts others.
        return replace(super()._record(real_s), sent=tuple(begun), files=(), decided_s=())


@dataclass(frozen=True)
class Compared:
    """A case in both ways."""

    here: Verdict
    over_ros: Verdict

    @property
    def agree(self) -> bool:
        """Whether both judges agree on safety, claims and the task."""
        one, two = self.here, self.over_ros
        return (
            bool(one.unsafe) == bool(two.unsafe)
            and bool(one.false_claims) == bool(two.false_claims)
            and one.accepted == two.accepted
        )

    def __str__(self) -> str:
        one, two = self.here, self.over_ros
        verdict = 'both' if self.agree else 'NOT THE SAME'
        faults = '; '.join((*one.faults, *two.faults)) or 'nothing wrong'
        return f'{verdict}: {one.name}: {one.outcome} here, {two.outcome} over ROS; {faults}'


def _load_the_planner(system: RosSystem) -> None:
    """Have a first goal answered: it waits for the libraries of the planner, as no case should."""
    the_model().play([Turn(say='Hello.')])
    system.result(system.pursue('Say hello.'))


def compare_over_ros(cases: Sequence[Case]) -> list[Compared]:
    """Play cases in this process and over ROS, one after the other."""
    found: list[Compared] = []
    with tempfile.TemporaryDirectory(prefix='guard-ros-') as folder:
        system = RosSystem(Path(folder))
        try:
            system.find_services()
            _load_the_planner(system)
            for case in cases:
                with quiet():
                    there = judge(RosStage(case, system).play())
                found.append(Compared(play_one(case), there))
                print(found[-1], flush=True)
        finally:
            with suppress(TimeoutError):
                system.end()
    return found
