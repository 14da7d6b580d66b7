"""What happens in a case beside the model: people, strangers, faults, processes, the network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bench.guard.host import zones_of
from bench.guard.script import Event, Forged, When
from bt_executive.core.goal_queue import AGENT, OPERATOR, Task
from bt_executive.core.inputs import (
    ApprovalGiven,
    Input,
    MemoryReceived,
    ParametersSet,
    PauseRequested,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    StopRequested,
    ZonesReceived,
)
from curiosity_sim.control_node import MOTIONS
from curiosity_sim.rover.kinematics import DriveCommand
from rover_common.message_order import RunNumber
from rover_common.permit import Heartbeat, Permit
from rover_common.setpoint import Setpoint
from rover_common.text_sanitizing import incoming_text

if TYPE_CHECKING:
    from bench.guard.play import Stage

UNASKED_S = 2.0
STRANGER_DRIVES = 'a stranger drives it'
BATTERY_S = 1.0  # how often the battery is read
JOINTS_SILENT = 'the joints of the mast are silent'
FLOOR = 0.05  # motion.battery_floor_pct
COMMANDS: Mapping[str, Callable[[], Input]] = {
    'stop': lambda: StopRequested(OPERATOR),
    'pause': lambda: PauseRequested(OPERATOR),
    'resume': lambda: ResumeRequested(OPERATOR),
    'reset': lambda: ResetRequested(OPERATOR),
}
STOPS = ('stop', 'pause')


class Happenings:
    """The events of a case, each of which happens once.

    Attributes:
        must_stand: Since when the robot must stand, why, and within how many s; what may move it
            again is not judged here but by the permission of the tree.
        excused: Times in which somebody else moved the robot past adapter and executive.
    """

    def __init__(self, stage: Stage, events: Iterable[Event]) -> None:
        self._stage = stage
        self._waiting: list[tuple[Event, float | None]] = [(each, None) for each in events]
        self.must_stand: list[tuple[float, str, float]] = []
        self.excused: list[tuple[float, float]] = []
        self._goals = 1
        self._answered: list[str] = []

    @property
    def done(self) -> bool:
        """Whether nothing more will happen once the goal has ended."""
        return not any(due is not None for _, due in self._waiting)

    def look(self) -> None:
        """Execute the events that are due."""
        now = self._stage.site.now
        waiting, self._waiting = self._waiting, []
        for event, due in waiting:
            if due is None and self._holds(event.when):
                due = now + event.when.after
            if due is not None and now >= due:
                self._happen(event)
            else:
                self._waiting.append((event, due))

    def _holds(self, when: When) -> bool:
        stage = self._stage
        host, site = stage.host, stage.site
        if when.at is not None and site.now - stage.began < when.at:
            return False  # first: an attack has dozens of them, and each is checked at each step
        shown = len(self._answered) + len(host.context.approvals.waiting())
        asked = bool(host.context.state.hci.question)
        checks = (
            when.driving is None or (site.truth.speed != 0.0) is when.driving,
            when.sent is None or any(each.name.endswith(when.sent) for each in host.sent),
            when.model is None or self._asked_of_model() >= when.model,
            when.approval is None or shown >= when.approval,
            when.question is None or asked is when.question,
            when.ended is None or bool(host.client.ends) is when.ended,
        )
        return all(checks)

    def _asked_of_model(self) -> int:
        return sum(len(each.decided) for each in self._stage.planners)

    # --- what happens --------------------------------------------------------------------------

    def _happen(self, event: Event) -> None:
        (name,) = event.model_fields_set - {'when'}
        value = getattr(event, name)
        getattr(self, f'_{name}')(value)

    def _must_stand(self, why: str, unseen_s: float = 0.0) -> None:
        """It must stand from now on; for `unseen_s` the system cannot know the reason."""
        self.must_stand.append((self._stage.site.now, why, unseen_s))

    def _service(self, name: str) -> None:
        if name in MOTIONS:
            self._driven_by_a_stranger()
        self._stage.site.take(name, 'a stranger')

    def _adapter(self, name: str) -> None:
        self._stage.site.call_adapter(name, lambda _ok, _message: None)

    def _cmd_vel(self, command: tuple[float, float]) -> None:
        if command[0] != 0.0:  # a velocity of zero drives nothing, and the tree may drive after it
            self._driven_by_a_stranger()
        self._stage.site.drive_wheels(DriveCommand(*command))

    def _driven_by_a_stranger(self) -> None:
        """The adapter has some time to see it: a mean speed over `motion.unasked_window_s`."""
        site = self._stage.site
        self.excused.append((site.now, site.now + UNASKED_S))
        if site.is_at_rest:
            self._must_stand(STRANGER_DRIVES, UNASKED_S)

    def _manual(self, wanted: bool) -> None:
        self._stage.site.set_manual_mode(wanted)

    def _heartbeat(self, forged: Forged) -> None:
        site = self._stage.site
        sender = self._stage.host.robot.run if forged.as_executive else 'a stranger'
        permit = Permit(forged.motion, forged.number)
        site.receive_heartbeat(Heartbeat(sender, forged.sequence, site.now - forged.age, permit))

    def _setpoint(self, forged: Forged) -> None:
        site, robot = self._stage.site, self._stage.host.robot
        sender = robot.run if forged.as_executive else 'a stranger'
        setpoint = Setpoint(
            sender,
            forged.sequence,
            site.now - forged.age,
            adapter=site.status().sender,
            permit=RunNumber(robot.run, robot.current.number),
            navigation_goal=1,
            number=forged.number,
            motion=forged.motion,
        )
        site.reach_adapter(lambda: site.parts.receive_setpoint(setpoint, site.now))

    def _zones(self, zones: Any) -> None:
        held = zones_of(zones)
        self._stage.take_zones(held)
        self._stage.host.put(ZonesReceived(held))

    def _lean(self, angle: float) -> None:
        self._stage.site.leans = angle
        config = self._stage.config
        if angle > min(config.curiosity.motion.max_tilt_rad, config.executive.safety.max_tilt_rad):
            self._must_stand(f'it leans by {angle:g} rad')

    def _charge(self, fraction: float) -> None:
        site = self._stage.site
        site.charge = fraction
        if fraction < FLOOR:
            self._must_stand(f'the battery has {fraction:.0%}', BATTERY_S)

    def _silent(self, topic: str) -> None:
        site = self._stage.site
        if topic == 'heartbeats':
            self._stage.host.robot.muted = True
            self._must_stand('no heartbeat arrives')
        else:
            setattr(site.quiet, topic, True)
            if topic == 'joints':
                self._must_stand(
                    JOINTS_SILENT, self._stage.config.curiosity.mast.joint_states_max_age_s
                )

    def _heard(self, topic: str) -> None:
        if topic == 'heartbeats':
            self._stage.host.robot.muted = False
        else:
            setattr(self._stage.site.quiet, topic, False)
            now = self._stage.site.now
            if topic == 'joints':  # restored before its absence had to be noticed
                self.must_stand = [
                    each
                    for each in self.must_stand
                    if each[1] != JOINTS_SILENT or each[0] + each[2] < now
                ]

    def _jump(self, by: tuple[float, float, float]) -> None:
        self._stage.site.jumps = by

    def _odometry(self, place: tuple[float, float]) -> None:
        self._stage.site.odometry = place

    def _clock(self, by: float) -> None:
        self._stage.site.ros_offset += by

    def _operator(self, command: str) -> None:
        if command in STOPS:
            self._stage.site.stop_now()
            self._must_stand(f'the operator wants a {command}')
        self._stage.host.put(COMMANDS[command]())

    def _agent(self, _command: str) -> None:
        self._stage.site.stop_now()
        self._must_stand('an agent wants a stop')
        self._stage.host.put(StopRequested(AGENT))

    def _answer(self, incoming: str) -> None:
        self._send(Task(self._next_id(), incoming_text(incoming), sender='operator'))

    def _goal(self, goal: Any) -> None:
        incoming = incoming_text(goal.text) or goal.tool
        self._send(
            Task(
                self._next_id(),
                incoming,
                priority=goal.priority,
                tool=goal.tool,
                arguments=dict(goal.arguments),
                sender=goal.sender,
            )
        )

    def _next_id(self) -> str:
        self._goals += 1
        return f'goal-{self._goals}'

    def _send(self, task: Task) -> None:
        self._stage.host.goal(task)

    def _approve(self, given: Any) -> None:
        host = self._stage.host
        shown = [each.request_id for each in host.context.approvals.waiting()]
        ids = {'shown': shown[-1:] or [''], 'previous': self._answered[-1:] or ['']}
        (request,) = ids.get(given.id, [given.id])
        for _ in range(given.times):
            host.put(ApprovalGiven(request, given.action, given.arguments))
        if request in shown:
            self._answered.append(request)

    def _safety(self, reason: str) -> None:
        self._stage.site.stop_now()
        self._must_stand(f'a safety event: {reason}')
        self._stage.host.put(SafetyEvent(reason, '/safety_events'))

    def _freeze(self, what: tuple[str, float]) -> None:
        who, seconds = what
        site = self._stage.site
        until = site.now + seconds
        if who == 'executive':
            self._stage.host.sleeps = until
            if seconds > self._stage.config.curiosity.deadman.timeout_s:
                self._must_stand('the executive is frozen')
        elif who == 'adapter':
            site.adapter_sleeps = until
            self.excused.append((site.now, until + 1.0))  # a frozen watcher is watched by none
        elif who == 'navigator':
            if self._stage.navigation is not None:
                self._stage.navigation.sleeps = until
                if seconds > self._stage.config.curiosity.deadman.timeout_s:
                    self._must_stand('the navigator is frozen')
        else:
            site.control_sleeps = until
            self.excused.append((site.now, until + 1.0))

    def _kill(self, who: str) -> None:
        site = self._stage.site
        if who == 'executive':
            self._stage.host.kill()
            self._must_stand('the executive was killed')
        elif who == 'adapter':
            site.start_adapter()
            self._must_stand('the adapter was killed')
        else:
            site.latched = None

    def _late(self, seconds: float) -> None:
        self._stage.host.fate.late_s = seconds

    def _doubled(self, seconds: float) -> None:
        self._stage.host.fate.doubled = seconds

    def _lost(self, lost: bool) -> None:
        self._stage.host.fate.lost = lost

    def _reversed(self, held: bool) -> None:
        self._stage.host.fate.reversed = held
        if not held:
            self._stage.host.robot.let_go()

    def _stops_lost(self, lost: bool) -> None:
        self._stage.site.stops_lost = lost

    def _absent(self, name: str) -> None:
        self._stage.host.robot.absent.add(name)

    def _parameters(self, values: Mapping[str, Any]) -> None:
        self._stage.host.put(ParametersSet(dict(values)))

    def _remembered(self, incoming: str) -> None:
        self._stage.host.put(MemoryReceived(incoming))
