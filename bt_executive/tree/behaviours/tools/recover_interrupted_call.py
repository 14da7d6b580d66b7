"""Find out what became of the tool that was under way when the executive ended."""

from __future__ import annotations

from dataclasses import replace
import math
from typing import TypeGuard

from bt_executive.core.call_states import CallInput, CallState
from bt_executive.core.call_table import ServerCall
from bt_executive.core.configured_guards import holds
from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.odometer import JUMP_M, JUMP_M_S
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.tools.recover_interrupted_members import (
    GoesOn,
    RecoverMembers,
    not_known,
)
from bt_executive.tree.call_answers import CallResult, result_of
from bt_executive.tree.checkpoint_writer import PROGRESS_S
from bt_executive.tree.context_roles import ToolAccess
from bt_executive.tree.state_between_ticks import Recovery
from bt_executive.tree.tool_confirmation import CONFIRM_WAIT_S, current_parts

# Of ROS time: so long a run may last behind what was saved of it, and its drive behind the run.
UNSAVED_S = 10.0
UNKNOWN_ENDS = frozenset({CallState.LOST, CallState.TIMED_OUT, CallState.CANCELLED})


class RecoverCall(Leaf[ToolAccess]):
    """SUCCESS when it is known, as far as it can be; then the round has the tool's result.

    An action that its server still has gives its own result. What else can be known is told by
    the tool's postcondition, or by how far the robot has moved; what cannot be known is told as
    lost. What drives was stopped first (`ConfirmStop`). Nothing is sent again.

    FAILURE when a composite has not ended: what is left of it is the proposal of a new round,
    which is checked, and asked for, as any other.
    """

    def __init__(self, name: str, context: ToolAccess) -> None:
        super().__init__(name, context)
        self._since = self._until = 0.0
        self._heard_at = math.inf  # when the last server had had its last word
        self._members: RecoverMembers | None = None

    def initialise(self) -> None:
        """For so long it waits for what may still be seen or told."""
        context, recovery = self.context, self.context.recovery
        self._since, self._heard_at = context.now.steady, math.inf
        self._until = self._since + context.config.executive.guards.server_wait_s
        if recovery is not None:
            self._members = RecoverMembers(context, recovery, self._by_its_own)

    def update(self) -> Status:
        """Waits for the servers' last words, then looks."""
        recovery = self.context.recovery
        if recovery is None or self.context.round.result is not None:
            return self.success('known')
        if self._members is not None:
            self._members.cut_short(self._waited_s)
        for server_call_id in recovery.server_call_ids:
            call = self.context.calls.get(server_call_id)
            if call is not None and not call.ended and not self._is_mute(call):
                if self.context.now.steady < self._until:
                    self.context.wake_at(steady=self._until)
                return self.running(f'waiting for {call.label}')
        self._heard_at = min(self._heard_at, self.context.now.steady)
        found = self._find_out(recovery) if self._pose_is_known(recovery) else None
        if found is None:
            if self.context.now.steady < self._until:
                self.context.wake_at(steady=self._until)
            return self.running('finding out what became of it')
        self._count_driven(recovery)
        if isinstance(found, GoesOn):
            return self._go_on(found)
        result = self._in_words(found)
        self.context.round = replace(
            self.context.round, result=result, error_code=found.code or None
        )
        return self.success(result.error_reason or 'done')

    def _is_mute(self, call: ServerCall) -> bool:
        """Whether its server, which may stand still, does not even say whether it has the goal."""
        if call.state is not CallState.SENT or self.context.now.steady < self._until:
            return False
        reason = f'{call.label} does not say what became of it'
        return self.context.calls.apply(call.server_call_id, CallInput.LOSE, reason=reason)

    @property
    def _waited_s(self) -> float:
        return self.context.now.steady - self._since

    def _go_on(self, found: GoesOn) -> Status:
        """The tool is proposed again, with what is done of it."""
        tool = self.context.round.tool
        said = f'{tool} goes on after the restart: {found.words}'
        self.context.go_on_with(found.composites)
        self.context.tracer.emit('OBSERVE', said, tool_name=tool)
        return self.failure(said)

    def _find_out(self, recovery: Recovery) -> CallResult | GoesOn | None:
        """None: more may be seen in a moment."""
        context, tool = self.context, self.context.proposed_tool
        if context.now.steady < self._until and context.stops.pending is not None:
            return None
        if tool is None:  # what it was is not known any more; how far it came is
            gone = self._by_pose(recovery)
            reason = f'{gone.words}; there is no tool {context.round.tool} any more'
            return replace(gone, result=replace(gone.result, error_reason=reason))
        if self._members is None or tool.skill.plan is None:
            found = self._by_its_own(tool, self._main(recovery, tool))
            by_pose = _is_lost(found) and tool.drives and not tool.skill.postcondition
            return self._by_pose(recovery) if by_pose else found
        shown_by = max(self._until, self._heard_at + CONFIRM_WAIT_S)
        context.wake_at(steady=shown_by)
        all_of_it = self._members.look(tool, self._waited_s, context.now.steady >= shown_by)
        if not _is_lost(all_of_it) or not tool.drives:
            return all_of_it
        moved = self._by_pose(recovery)
        return not_known(
            f'{all_of_it.words}; {moved.words}', {**all_of_it.result.data, **moved.result.data}
        )

    def _by_its_own(self, tool: Tool, call: ServerCall | None) -> CallResult | None:
        """What its server says, or what it was to bring about shows; None: more may be seen."""
        says_it = tool.skill.motion is None and not tool.waits_for_postcondition
        if call is not None and says_it and call.state not in UNKNOWN_ENDS:
            return result_of(tool, call)
        if tool.skill.postcondition:
            return self._by_postcondition(tool)
        return not_known('its result is lost', {})

    def _main(self, recovery: Recovery, tool: Tool) -> ServerCall | None:
        """The call that the tool consists of, if it has ended: in this run or before."""
        for call in recovery.calls:
            if tool.endpoint is not None and call.label == tool.endpoint.name:
                return self.context.calls.get(call.server_call_id) or call
        return None

    def _by_postcondition(self, tool: Tool) -> CallResult | None:
        """Whether what the tool is to bring about is so."""
        where, parts = tool.skill.postcondition, current_parts(self.context)
        data = {field: parts.get(field) for field in where}
        if holds(where, self.context.config.robot.types, parts):
            return CallResult(ToolResult(ok=True, data={**data, 'seen_after_a_restart': True}))
        if self.context.now.steady < self._until:
            return None
        seen = ', '.join(
            f'{field} is {value}' for field, value in data.items() if value is not None
        )
        return not_known(seen or f'{", ".join(data)}: not known', data)

    def _pose_is_known(self, recovery: Recovery) -> bool:
        """Whether it can be counted how far the robot came, or that is not worth more waiting."""
        late = self.context.now.steady >= self._until
        return late or recovery.pose is None or self.context.state.robot.pose_at is not None

    def _count_driven(self, recovery: Recovery) -> None:
        """Counts how far the robot came at least, whatever became of the tool."""
        moved = self._moved_m(recovery)
        if moved is None:
            return
        if moved > self._reach_m(recovery):  # measured is nothing, so it is assumed
            self._assume_driven(recovery)
        else:
            self.context.count_driven(moved)

    def _assume_driven(self, recovery: Recovery) -> None:
        """Counts how far it can have been driven at the speed that the tool has.

        Where none is known, what was not saved of it was driven as fast as can be.
        """
        context, tool = self.context, self.context.proposed_tool
        if tool is not None and not tool.drives:
            return
        speed = self._speed_m_s(0.0)
        if speed and tool is not None:
            proposal = context.round.proposal
            whole_s = tool.motion_seconds(proposal.arguments if proposal else {})
            context.count_driven(speed * min(recovery.lasted_s + PROGRESS_S, whole_s))
        else:
            context.count_unsaved(JUMP_M_S * PROGRESS_S)

    def _moved_m(self, recovery: Recovery) -> float | None:
        """How far the pose is from where the robot was at the first call; None: not known."""
        robot, before = self.context.state.robot, recovery.pose
        if robot.pose_at is None or before is None:
            return None
        return math.dist((robot.pose.x, robot.pose.y), (before.x, before.y))

    def _reach_m(self, recovery: Recovery) -> float:
        """How far the robot can have been driven: beyond it its pose began anew, for example."""
        most = self.context.config.executive.guards.drive_most
        return max(JUMP_M, most * self._speed_m_s(JUMP_M_S) * (recovery.lasted_s + UNSAVED_S))

    def _speed_m_s(self, unknown: float) -> float:
        """That of the tool, which may be gone, or `unknown`."""
        tool = self.context.proposed_tool
        return tool.skill.motion.speed_m_s if tool and tool.skill.motion else unknown

    def _by_pose(self, recovery: Recovery) -> CallResult:
        """Says how far the robot was driven, and not whether it reached where it was to go.

        A robot that is not seen to stand may still move: right after its start its adapter owes
        it a stop, whatever it does.
        """
        robot, before = self.context.state.robot, recovery.pose
        still = 'stands' if robot.at_rest is True else 'may still move'
        moved = self._moved_m(recovery)
        if moved is None or before is None:
            return not_known(f'how far the robot moved is not known; it {still}', {})
        if moved > self._reach_m(recovery):
            words = (
                f'how far the robot moved is not known: it is {moved:.1f} m away, further than it '
                f'can have been driven, so its pose began anew or somebody moved it; it {still}'
            )
            return not_known(words, {})
        turned = math.remainder(robot.pose.yaw - before.yaw, math.tau)
        data = {'moved_m': round(moved, 2), 'turned_rad': round(turned, 2)}
        words = f'the robot moved {moved:.1f} m, turned {turned:.2f} rad, and {still}'
        return not_known(words, data)

    def _in_words(self, found: CallResult) -> ToolResult:
        """The result; of what is not known with why."""
        if not _is_lost(found):
            return found.result
        why = f'The executive was restarted while {self.context.round.tool} was under way'
        return replace(found.result, error_reason=f'{why}; {found.words}')


def _is_lost(found: CallResult | GoesOn | None) -> TypeGuard[CallResult]:
    return isinstance(found, CallResult) and found.code == CallError.RESTARTED.value
