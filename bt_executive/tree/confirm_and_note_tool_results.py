"""The result of a tool: confirmed by measurements where there are some, traced, and scored.

Also that of a tool whose round ends before it is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

from py_trees.common import Status

from bt_executive.core.done_when import Measurement
from bt_executive.core.error_codes import BATTERY_CRITICAL, SAFETY_VIOLATION, CallError
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.goal_outcome import NOT_CONFIRMED, Role, not_confirmed
from bt_executive.core.guards import holds
from bt_executive.core.motion_shown_by_poses import NOISE_M
from bt_executive.core.reduce_robot_inputs import with_young_values
from bt_executive.core.state import Decision, DecisionType, SkillResult
from bt_executive.core.value_formatting import format_value, result_sentence
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import ToolLeaf
from bt_executive.tree.context_roles import GoalAccess, ReadAccess, ToolAccess
from bt_executive.tree.driven_before_restart import count_driven_before, moved_by_pose
from rover_common.config.settings import PartValue
from rover_common.dataclass_replace import replace

UNKNOWN_PLACE = "the robot's place is not known"
CONFIRM_WAIT_S = 2.0  # for a measurement that confirms a reported success
NOT_SHOWN = 'its server says that it is done, but {doubt}'  # without a measurement in time
ITS_RESULT_IS_LOST = 'its result is lost'


def doubt_of_round(context: ReadAccess) -> str:
    """Return why no measurement confirms the success of the round's server; empty: one does."""
    tool, this = context.proposed_tool, context.round
    if not this.ran or tool is None or this.proposal is None or not this.outcome.ok:
        return ''
    return why_not_confirmed(context, tool, this.proposal.arguments, this.outcome)


def may_still_be_seen(context: ReadAccess) -> bool:
    """Return whether a confirming state may still arrive; motions were measured already."""
    tool, until = context.proposed_tool, (context.round.ended_at or 0.0) + CONFIRM_WAIT_S
    if tool is None or context.now.steady >= until:
        return False
    if tool.skill.motion is not None or tool.skill.topic is not None:
        return False
    context.wake_at(steady=until)
    return True


def why_not_confirmed(
    context: ReadAccess, tool: Tool, arguments: Mapping[str, Any], result: ToolResult
) -> str:
    """Return why no measurement confirms the success of a tool; empty: one does.

    Empty, too, where nothing can be measured: then its server's word counts.
    """
    if tool.skill.motion is not None:
        unknown = tool.skill.motion.speed_m_s > 0.0 and result.data.get('driven_m') is None
        return 'how far the robot came was not measured' if unknown else ''
    if tool.stops:
        return '' if stands(context) else 'it is not known that the robot stands'
    if tool.skill.topic is not None and not tool.skill.postcondition:
        return 'it was published, and nothing measures what came of it'
    if tool.skill.postcondition:
        return _postcondition_doubt(context, tool)
    if tool.skill.plan is not None:
        return _doubt_of_last_member(context, result)
    destination = tool.destination(arguments)
    return '' if destination is None else _not_there(context, tool, destination)


def _doubt_of_last_member(context: ReadAccess, result: ToolResult) -> str:
    """Return why what the last act of a composite brought about is not measured; empty: it is.

    An earlier one may have been undone on purpose. What was published, and where a drive has come,
    was judged when that member ended.
    """
    done = [(name, context.registry.get(name)) for name in result.data.get('done', ())]
    acts = (each for each in reversed(done) if role_of(each[1]) is Role.ACT)
    name, member = next(acts, ('', None))
    if member is None or (member.skill.topic is not None and not member.skill.postcondition):
        return ''
    own = ToolResult(ok=True, data=result.data.get(name) or {})
    doubt = why_not_confirmed(context, member, {}, own)
    return f'{name}: {doubt}' if doubt else ''


def as_shown(
    context: ReadAccess, tool: Tool, arguments: Mapping[str, Any], result: ToolResult
) -> tuple[ToolResult, str]:
    """Return the result of a composite's member, and why a possible measurement is missing.

    What nothing could show stands in the result.
    """
    doubt = why_not_confirmed(context, tool, arguments, result)
    if doubt and (tool.skill.topic is None or tool.waits_for_postcondition):
        return result, doubt
    return replace(result, data={**result.data, NOT_CONFIRMED: doubt}) if doubt else result, ''


def role_of(tool: Tool | None) -> Role:
    """Return the role of a tool; see `Role`."""
    if tool is None:
        return Role.ACT
    if tool.skill.reads_only or not tool.skill.acts:
        return Role.READ
    is_own = tool.skill.interface_type == 'internal'
    is_control = is_own and not (tool.skill.steps or tool.skill.plan)
    return Role.CONTROL if is_control else Role.ACT


def measured(
    context: ReadAccess, *, driven_m: float, score: float | None, is_good: bool | None
) -> Measurement:
    """Return the recent values of robot and goal. Distance in m, score 0 to 1."""
    robot = context.state.robot
    located = context.pose_is_current()
    has_charge = robot.battery_at is not None and not robot.battery_stale
    values = {
        **current_parts(context),
        'at_rest': stands(context),
        'battery_pct': robot.battery_pct if has_charge else None,
        'driven_m': driven_m if located else None,
        'is_good': is_good,
        'score': score,
    }
    return Measurement(values, (robot.pose.x, robot.pose.y) if located else None)


def current_parts(context: ReadAccess) -> dict[str, PartValue | None]:
    """Return the parts of the robot's state; those of a silent adapter are unknown."""
    reports, fields = context.adapter_alive(), context.config.robot.from_topics
    parts = with_young_values(context.state.robot, context.now, fields).parts.items()
    return {name: each for name, each in parts if reports or name in fields}


def has_postcondition(context: ReadAccess, tool: Tool) -> bool:
    """Return whether the tool's postcondition is measured to hold."""
    return not _postcondition_doubt(context, tool)


def stands(context: ReadAccess) -> bool | None:
    """Return whether the robot stands, and no stop waits for that; None: not known."""
    robot = context.state.robot
    if robot.stands is None or not context.adapter_alive():
        return None
    return robot.stands and not robot.stopping


def _postcondition_doubt(context: ReadAccess, tool: Tool) -> str:
    where, parts = tool.skill.postcondition, current_parts(context)
    if not any(field in parts for field in where):
        return f'{", ".join(where)}: not known'
    if holds(where, context.config.robot.types, parts):
        return ''
    return ', '.join(f'{field} is {format_value(parts.get(field))}' for field in where)


def _not_there(context: ReadAccess, tool: Tool, destination: tuple[float, float]) -> str:
    named, robot = tool.skill.destination, context.state.robot
    if named is None or not context.pose_is_current():
        return UNKNOWN_PLACE
    far = math.dist(destination, (robot.pose.x, robot.pose.y))
    return '' if far <= named.within_m else f'the robot is {far:.2g} m from the place'


class AwaitPostcondition(ToolLeaf[ToolAccess]):
    """SUCCESS when the postcondition holds; FAILURE when it does not within the tool's time."""

    def __init__(self, name: str, context: ToolAccess, tool: Tool) -> None:
        super().__init__(name, context)
        self._tool = tool
        self._until = 0.0

    def initialise(self) -> None:
        """Starts the time limit, when the message is sent."""
        self._until = self.context.now.steady + self._tool.skill.timeout_s

    def update(self) -> Status:
        """Compares the state with the postcondition; what was seen is put into the result."""
        context, tool = self.context, self._tool
        missing = why_not_confirmed(context, tool, {}, ToolResult(ok=True))
        if not missing:
            parts = context.state.robot.parts
            seen = {field: parts.get(field) for field in tool.skill.postcondition}
            published = context.round.result or ToolResult(ok=True)
            result = replace(published, data={**published.data, **seen})
            context.round = replace(context.round, result=result)
            return self.success('seen')
        if context.now.steady < self._until:
            context.wake_at(steady=self._until)
            return self.running(f'published; {missing}')
        reason = f'Published, but after {tool.skill.timeout_s:g} s {missing}'
        return self.failed(CallError.TIMED_OUT, reason)


def trace_result(context: GoalAccess, tool: str, result: ToolResult, code: str | None) -> None:
    """Emit the trace event at the end of a tool.

    `code`: of a failure; see `Round.code`.
    """
    context.note_reported(tool)
    context.tracer.emit(
        'RESULT' if result.ok else 'ERROR',
        f'{tool}: {result_sentence(result)}',
        tool_name=tool,
        ok=result.ok,
        error_reason=result.error_reason or None,
        score=result.score,
        data={'result': dict(result.data), **({} if result.ok else {'error_code': code})},
    )


def note_abort(context: GoalAccess, reason: str) -> None:
    """Note that SAFE ends the active goal and its running tool."""
    if context.task is None:
        return
    decision = Decision(DecisionType.ABORT, reason)
    context.replace(react=replace(context.state.react, decision=decision))
    if context.round.ran:
        is_lost = context.state.robot.battery_state == 'LOST'
        cut_off(context, decision, BATTERY_CRITICAL if is_lost else SAFETY_VIOLATION)
        context.new_round()


def with_distance(context: GoalAccess, result: ToolResult) -> ToolResult:
    """Return the result of a drive that has failed with `driven_m`, by poses; None: not known."""
    tool, asked, robot = context.proposed_tool, context.round.asked, context.state.robot
    if result.ok or asked is None or tool is None or not (tool.drives and tool.motion_to_permit):
        return result
    path_m, driven_m = context.measure_tool().get('distance_m'), None
    if path_m is not None and asked.pose_at is not None and context.pose_is_current():
        straight_m = math.dist((asked.pose.x, asked.pose.y), (robot.pose.x, robot.pose.y))
        if straight_m <= path_m + 2.0 * NOISE_M:  # else the pose has jumped
            driven_m = round(max(path_m, straight_m), 2)
    return replace(result, data={**result.data, 'driven_m': driven_m})


def note_preempted(context: GoalAccess) -> ToolResult:
    """Keep and return the result of a tool that was preempted before its round was evaluated."""
    reason = context.round.outcome.error_reason or 'It was done when it was preempted'
    return cut_off(context, Decision(DecisionType.REPLAN, reason), CallError.CANCELLED.value)


def cut_off(context: GoalAccess, decision: Decision, code: str) -> ToolResult:
    """End a round before it was evaluated.

    A question of the tree itself is no step of the goal, unless the operator has answered it.

    `code`: of a tool that had not ended by itself. Returns the result; what no measurement
    confirms stands in it.
    """
    _give_up_recovery(context)
    proposal, result = context.round.proposal, context.round.outcome
    code = context.round.code or code
    if proposal is None:
        return result
    tool = context.registry.get(proposal.tool)
    if tool is not None and result.ok:
        doubt = why_not_confirmed(context, tool, proposal.arguments, result)
        result = not_confirmed(result, doubt) if doubt else result
    has_begun, owed = context.round.ran or context.round.is_rest, context.round.owed
    if owed is not None and result.ok:
        note_answer(context, proposal, result)
    if not has_begun or owed is not None:
        return result
    context.progress.history.append((proposal, result))
    context.note_score(result)
    if tool is None or tool.skill.acts:
        context.progress.steps += 1
    trace_result(context, proposal.tool, result, code)
    metrics = dict(context.round.metrics or context.measure_tool())
    last = SkillResult('CANCELLED', code, decision.reason, metrics)
    if result.ok:
        last = SkillResult('SUCCESS', metrics=metrics)
    context.replace(skills=replace(context.state.skills, last_result=last))
    return result


def note_answer(context: GoalAccess, question: Proposal, result: ToolResult) -> None:
    """Note what the operator has answered to a question of the tree: it counts in the goal."""
    context.progress.monitor.reset()
    context.progress.history.append((question, result))


def with_answer(owed: ToolResult, result: ToolResult) -> ToolResult:
    """Return the result that the planner waits for, with the answer to the tree's question."""
    return replace(owed, data={**owed.data, 'operator_says': result.data.get('answer', '')})


def restarted_during(tool: str, known: str) -> str:
    """Return the reason of a result that a restart has lost; `known`: of its outcome."""
    return f'The executive was restarted while {tool} was under way; {known}'


def _give_up_recovery(context: GoalAccess) -> None:
    """Count and note what is known of a tool whose outcome was not found after a restart."""
    recovery, this = context.recovery, context.round
    if recovery is None or recovery.call_id != this.call_id or this.result is not None:
        return
    count_driven_before(context, recovery)
    if this.last_word is not None:
        return
    tool, result = context.proposed_tool, this.outcome
    known, data = ITS_RESULT_IS_LOST, dict(result.data)
    if tool is None or tool.drives:
        known, moved = moved_by_pose(context, recovery)
        data |= moved
    done = [f'{member}: done' for member in data.get('done', ())]
    reason = restarted_during(this.tool, ', '.join((*done, known)))
    context.fail(
        CallError.RESTARTED.value, reason, replace(result, error_reason=reason, data=data)
    )
    context.end_tool()
