"""Go to what is remembered: recall, drive, look, then confirm or retract.

The tool's own guards, which stand around all of this, hold to its end. The drive has those of its
own tool besides, and no permission to move before and after it.
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from bt_executive.core.executive_ports import ToolResult
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.memory.choose_viewpoint import ChooseViewpoint
from bt_executive.tree.behaviours.memory.report_visit import BeginVisit, ReportVisit
from bt_executive.tree.behaviours.memory.step_call import StepCall
from bt_executive.tree.behaviours.memory.visit import GONE, Visit, place_of
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import EndPermit, Guard
from bt_executive.tree.branch_conditions import Condition
from bt_executive.tree.context import Context
from bt_executive.tree.subtrees_on_demand import Branch, Otherwise
from bt_executive.tree.tree_shapes import (
    force_success,
    reactive_fallback,
    reactive_sequence,
    sequence_with_memory,
)


def go_to_remembered(context: Context, tool: Tool) -> Behaviour:
    """Build the subtree of the tool; its steps are tools that the entry names."""
    steps = {step: context.registry[name] for step, name in tool.skill.steps.items()}
    drive, visit = steps['drive'], Visit()

    def apply_recall(result: ToolResult, _code: str) -> None:
        visit.place = place_of(result.data) if result.ok else None

    def apply_look(result: ToolResult, code: str) -> None:
        visit.seen, visit.code, visit.look_fields = result.ok, code, dict(result.data)
        visit.description = result.error_reason or str(result.data.get('reason', ''))

    def apply_drive(_result: ToolResult, _code: str) -> None:
        """Ignores the result of the drive: the look that follows shows the distance."""

    def apply_confirmation(result: ToolResult, _code: str) -> None:
        visit.judgement = 'confirmed' if result.ok else f'not confirmed: {result.error_reason}'

    def apply_retraction(result: ToolResult, _code: str) -> None:
        visit.judgement = 'retracted' if result.ok else f'not retracted: {result.error_reason}'

    return sequence_with_memory(
        'Go to what is remembered',
        BeginVisit('What is looked for', context, visit),
        StepCall(
            'Recall where it is', context, steps['recall'], visit.recall_arguments, apply_recall
        ),
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
                    StepCall('Drive there', context, drive, lambda: visit.drive, apply_drive),
                ),
            ),
        ),
        force_success(
            'Whatever is seen',
            StepCall(
                'Look whether it is there',
                context,
                steps['look'],
                visit.look_arguments,
                apply_look,
            ),
        ),
        force_success(
            'Whatever the memory says',
            reactive_fallback(
                'Confirm or retract',
                Branch(
                    'It is there',
                    Condition('Seen there?', context, lambda _: 'yes' if visit.seen else None),
                    StepCall(
                        'Confirm it',
                        context,
                        steps['confirm'],
                        visit.judge_arguments,
                        apply_confirmation,
                    ),
                ),
                Branch(
                    'It is gone',
                    Condition('Gone?', context, lambda _: GONE if visit.code == GONE else None),
                    StepCall(
                        'Retract it',
                        context,
                        steps['retract'],
                        visit.judge_arguments,
                        apply_retraction,
                    ),
                ),
            ),
        ),
        ReportVisit('Tell what came of it', context, visit),
    )
