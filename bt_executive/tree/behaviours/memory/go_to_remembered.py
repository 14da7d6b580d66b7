"""Goes to what is remembered: recall, drive, look, then confirm or retract.

The tool's own guards, which stand around all of this, hold to its end. The drive has those of its
own tool besides, and no permission to move before and after it. Before anything acts for such a
tool, the memory is asked whether it finds the target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.core.drive_destinations import RememberedPlace, View, is_in_view, viewpoint
from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import (
    ToolLeaf,
    force_success,
    reactive_fallback,
    reactive_sequence,
    sequence_with_memory,
)
from bt_executive.tree.behaviours.tools.call_server import CallServer
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import (
    EndPermit,
    Guard,
    end_permits,
)
from bt_executive.tree.behaviours.tools.satisfy_precondition import SatisfyPrecondition
from bt_executive.tree.branch_conditions import Condition, why_no_approval
from bt_executive.tree.context import Context
from bt_executive.tree.context_roles import ReadAccess, RoundAccess, ToolAccess
from bt_executive.tree.subtrees_on_demand import Branch, Otherwise
from rover_common.dataclass_replace import replace
from rover_common.errors import ConfigError
from rover_common.json_values import finite_number

Arguments = Callable[[], Mapping[str, Any]]
Apply = Callable[[ToolResult, str], None]
UNITS = {'x': 'm', 'y': 'm', 'distance_m': 'm'}
LOOKED_AT = ('x', 'y', 'distance_m')  # of a look; without a distance, it has no position
GONE = 'MEMORY_GONE'  # the place was in view, and the thing was not there


@dataclass
class Visit:
    """A visit to a remembered place. Each step reads the results of the previous ones.

    Attributes:
        text: The requested thing.
        place: The result of the recall.
        drive: Arguments of the drive; empty: the place is in view.
        seen: The latest look saw it.
        code: The error code of a look that did not see it.
        description: The sentence of the look.
        look_fields: The fields of its result.
        judgement: The sentence of the memory about it.
    """

    text: str = ''
    place: RememberedPlace | None = None
    drive: dict[str, Any] = field(default_factory=dict)
    seen: bool = False
    code: str = ''
    description: str = ''
    look_fields: dict[str, Any] = field(default_factory=dict)
    judgement: str = ''

    def begin(self, text: str) -> None:
        """Resets the visit for a new text."""
        self.text, self.place, self.drive = text, None, {}
        self.seen, self.code, self.description, self.judgement = False, '', '', ''
        self.look_fields = {}

    def recall_arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of the recall."""
        return {'text': self.text}

    def look_arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of a look at the place."""
        return {'id': self.place.place_id if self.place else ''}

    def judge_arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of the memory's judgement on the look."""
        return {**self.look_arguments(), 'reason': self.description}

    def apply_recall(self, result: ToolResult, _code: str) -> None:
        """Notes the place of a recall."""
        self.place = place_of(result.data) if result.ok else None

    def apply_look(self, result: ToolResult, code: str) -> None:
        """Notes what a look has shown."""
        self.seen, self.code, self.look_fields = result.ok, code, dict(result.data)
        self.description = result.error_reason or str(result.data.get('reason', ''))

    def position(self, place: RememberedPlace) -> tuple[float, float]:
        """Returns where the look saw it, or looked for it, m in the world frame.

        It may have been moved since the recall, whose position counts if the look has none.
        """
        x, y, distance = (finite_number(self.look_fields.get(each)) for each in LOOKED_AT)
        if x is None or y is None or distance is None or distance < 0.0:
            return place.x, place.y
        return x, y

    def judged(self, word: str) -> Apply:
        """Returns what notes whether the memory has `confirmed` or `retracted` the place."""

        def apply_judgement(result: ToolResult, _code: str) -> None:
            self.judgement = word if result.ok else f'not {word}: {result.error_reason}'

        return apply_judgement


def place_of(data: Mapping[str, Any]) -> RememberedPlace | None:
    """Return the first place of a recall; None: it has none with a position."""
    places = data.get('places')
    first = places[0] if isinstance(places, (list, tuple)) and places else None
    if not isinstance(first, Mapping):
        return None
    x, y, radius = (finite_number(first.get(key)) for key in ('x', 'y', 'radius_m'))
    if x is None or y is None:
        return None
    name, place_id = str(first.get('name', '')), str(first.get('id', ''))
    named = first.get('named') is True
    return RememberedPlace(place_id, name, x, y, max(radius or 0.0, 0.0), named)


class _VisitLeaf(ToolLeaf[RoundAccess]):
    def __init__(self, name: str, context: RoundAccess, visit: Visit) -> None:
        super().__init__(name, context)
        self._visit = visit


class ChooseViewpoint(_VisitLeaf):
    """SUCCESS with the drive's arguments in the visit and as the round's step, for its guards.

    No drive is needed if the place is in view already. FAILURE if the memory found no place, or
    the robot's pose is not known.
    """

    def __init__(self, name: str, context: RoundAccess, drive: Tool, visit: Visit) -> None:
        super().__init__(name, context, visit)
        self._drive = drive

    def update(self) -> Status:
        context, place, robot = self.context, self._visit.place, self.context.state.robot
        if place is None:
            return self.failed(CallError.FAILED, 'The memory gave no place')
        if not context.pose_is_current():
            return self.failed(CallError.FAILED, 'Where the robot stands is not known')
        here, memory = robot.pose.planar, context.config.executive.memory
        view = View(memory.view_m, memory.half_view_rad, memory.standoff_m)
        label = f'{place.name} at x {place.x:.1f} m, y {place.y:.1f} m'
        if is_in_view(here, place, view):
            self._visit.drive = {}
            where = 'the robot is there' if place.named else 'in view from here'
            context.tracer.emit('OBSERVE', f'Recalled: {label}, {where}')
            return self.success(where)
        there = viewpoint(here, place, view)
        self._visit.drive = self._arguments(there.x, there.y, None if place.named else there.yaw)
        step = Proposal(context.round.call_id, self._drive.name, self._visit.drive)
        context.round = replace(context.round, step=step)
        point = f'x {there.x:.1f} m, y {there.y:.1f} m'
        plan = f'driving to {point}' if place.named else f'looking from {point}'
        context.tracer.emit('OBSERVE', f'Recalled: {label}; {plan}')
        return self.success(plan)

    def _arguments(self, x: float, y: float, heading: float | None) -> dict[str, float]:
        """Returns the arguments of the drive; None as the heading (rad): any."""
        named = self._drive.skill.destination
        if named is None:
            return {}
        arguments = {named.x: round(x, 3), named.y: round(y, 3)}
        known = self._drive.skill.args_schema.get('properties', {})
        if heading is not None and 'heading' in known:
            arguments['heading'] = round(heading, 3)
        return arguments


class BeginVisit(_VisitLeaf):
    """Always SUCCESS. Resets the previous visit."""

    def update(self) -> Status:
        proposal = self.context.round.proposal
        self._visit.begin(str(proposal.arguments.get('text', '')) if proposal else '')
        return self.success(self._visit.text)


class ReportVisit(_VisitLeaf):
    """SUCCESS if the thing was seen, with its position, else FAILURE with the description."""

    def update(self) -> Status:
        visit, context = self._visit, self.context
        sentence = ': '.join(filter(None, (visit.description, visit.judgement)))
        context.tracer.emit('OBSERVE', sentence)
        result = ToolResult(visit.seen, '' if visit.seen else sentence, self._data(), UNITS)
        code = None if visit.seen else visit.code
        context.round = replace(context.round, result=result, error_code=code, step=None)
        return self.success(sentence) if visit.seen else self.failure(sentence)

    def _data(self) -> dict[str, Any]:
        place, fields = self._visit.place, self._visit.look_fields
        if place is None:
            return {}
        x, y = self._visit.position(place)
        data = {'name': place.name, 'x': round(x, 2), 'y': round(y, 2)}
        data |= {key: fields[key] for key in ('distance_m', 'looks') if key in fields}
        return {**data, 'seen_there': self._visit.seen}


class StepCall(CallServer):
    """As `CallServer`, with arguments that the tree chooses.

    Args:
        arguments: Returns the arguments, when the call is made.
        apply: Takes the result, good or bad, and its error code.
    """

    def __init__(
        self, name: str, context: ToolAccess, tool: Tool, arguments: Arguments, apply: Apply
    ) -> None:
        if tool.endpoint is None:  # the registry has checked that there is one
            raise ConfigError(f'robot.yaml: {tool.name} calls no server.')
        super().__init__(name, context, tool, tool.endpoint)
        self._arguments, self._apply = arguments, apply

    def arguments(self) -> Mapping[str, Any]:
        return self._arguments()

    def initialise(self) -> None:
        """Clears the result of the previous step."""
        super().initialise()
        self.context.round = replace(self.context.round, result=None, error_code=None)

    def update(self) -> Status:
        """As `CallServer`; passes the result on, or why nothing was sent, and ends its permit."""
        status = super().update()
        if status is not Status.RUNNING:
            end_permits(self.context, self.context.round.call_id, status)
            this, ok = self.context.round, status is Status.SUCCESS
            result = this.result or ToolResult(ok=False, error_reason=self.feedback_message)
            self._apply(result, '' if ok else this.error_code or '')
        return status


def go_to_remembered(context: Context, tool: Tool) -> Behaviour:
    """Build the subtree of the tool; its steps are tools that the entry names."""
    steps = {step: context.registry[name] for step, name in tool.skill.steps.items()}
    drive, visit = steps['drive'], Visit()

    def call(title: str, step: str, arguments: Arguments, apply: Apply) -> StepCall:
        return StepCall(title, context, steps[step], arguments, apply)

    def ignore_drive(_result: ToolResult, _code: str) -> None:
        """Ignores the result of the drive: the look that follows shows the distance."""

    return sequence_with_memory(
        'Go to what is remembered',
        BeginVisit('What is looked for', context, visit),
        call('Recall where it is', 'recall', visit.recall_arguments, visit.apply_recall),
        ChooseViewpoint('Choose from where to look', context, drive, visit),
        Otherwise(
            'Be where it is in view',
            Condition('In view from here?', context, lambda _: None if visit.drive else 'yes'),
            EndPermit(
                'Drive, and end',
                context,
                reactive_sequence(
                    'Drive while it is allowed',
                    *(Guard(context, precondition) for precondition in drive.preconditions),
                    call('Drive there', 'drive', lambda: visit.drive, ignore_drive),
                ),
            ),
        ),
        force_success(
            'Whatever is seen',
            call('Look whether it is there', 'look', visit.look_arguments, visit.apply_look),
        ),
        force_success(
            'Whatever the memory says',
            reactive_fallback(
                'Confirm or retract',
                Branch(
                    'It is there',
                    Condition('Seen there?', context, lambda _: 'yes' if visit.seen else None),
                    call(
                        'Confirm it', 'confirm', visit.judge_arguments, visit.judged('confirmed')
                    ),
                ),
                Branch(
                    'It is gone',
                    Condition('Gone?', context, lambda _: GONE if visit.code == GONE else None),
                    call(
                        'Retract it', 'retract', visit.judge_arguments, visit.judged('retracted')
                    ),
                ),
            ),
        ),
        ReportVisit('Tell what came of it', context, visit),
    )


class FindTarget(SatisfyPrecondition):
    """Asks the memory; SUCCESS if it finds the target, else FAILURE with its reason.

    Args:
        recalls: Tool whose target the memory finds → its step that asks the memory.
    """

    def __init__(self, name: str, context: ToolAccess, recalls: Mapping[str, Tool]) -> None:
        super().__init__(name, context, next(iter(recalls.values())))
        self._rounds: RoundAccess = context
        self._recalls = recalls

    def initialise(self) -> None:
        """Selects the step of the proposed tool."""
        super().initialise()
        self.tool = self._recalls[self.context.round.tool]

    def update(self) -> Status:
        """As `SatisfyPrecondition`; the result of the memory is put into the round."""
        status = super().update()
        if status is Status.FAILURE:
            read, reason = self.read, self.feedback_message
            if read is None:
                reason = f'{self.tool.name}: {reason.removesuffix("; waiting")}'
            code = read.code if read and read.code else CallError.UNAVAILABLE.value
            self._rounds.fail(code, reason, read.result if read else None)
        return status

    def arguments(self) -> Mapping[str, Any]:
        """Returns the text of the proposal."""
        proposal = self.context.round.proposal
        return {'text': proposal.arguments.get('text', '')} if proposal else {}


def nothing_to_find(context: ReadAccess, recalls: Mapping[str, Tool]) -> str | None:
    """Return why the memory need not be asked before the tool is checked; None: it must be.

    It must be asked if a precondition does not hold: planner or tree would act to satisfy it, for
    a target that may not be known. Otherwise the tool's own first step asks; so it does where a
    human is to agree before anything is called for the tool.
    """
    proposal, tool = context.round.proposal, context.proposed_tool
    if proposal is None or tool is None or tool.name not in recalls:
        return 'its target needs no memory'
    if tool.refuse_arguments(proposal.arguments) is not None:
        return 'its arguments are refused'
    if why_no_approval(context) is None:
        return 'a human is asked first'
    view = context.guards.view()
    if not all(each.read(view).allowed for each in ALWAYS_ASKED):
        return 'nothing may run'
    if all(each.read(view).allowed for each in tool.preconditions):
        return 'its first step asks'
    return None
