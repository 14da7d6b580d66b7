"""Removes one rule of the product at a time, for as long as a case is played.

Nothing in the product knows of this: a function is replaced by one that lets everything pass. A
rule whose function is gone or has another name cannot be removed, which is an error.
`ALL` stands for every guard of the tree and every rule of the adapter together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any
from unittest import mock

from bench.guard.rule import NOTHING, PASSES, Rule, returns
from bench.guard.rules_of_gates import rules_of_gates
from bt_executive.approval.approval_registry import RequestState
from bt_executive.core import guards, modes
from bt_executive.core.call_states import CallInput, CallState
from bt_executive.core.goal_outcome import Ending
from bt_executive.core.guard_view_and_verdict import allows
from curiosity_adapter.adapter_error_codes import Cause
from gates.permit_rules import Unpermitted

ALL = 'every guard'
# The order of the tree's branches holds the same: without it no tool runs in another mode, either.
IMPLIED = ('mode_allows',)

LIKELY_OF_GUARDS = {
    'within_budget': ('sequences', 'loops'),
    'known_place': ('memory_and_history', 'injection'),
}


def _without_cause(cause: Cause) -> Callable[[Any], Any]:
    def by(original: Any) -> Any:
        def violations(*arguments: Any) -> Iterator[Any]:
            return (each for each in original(*arguments) if each.code is not cause)

        return violations

    return by


def _without_part(name: str) -> Callable[[Any], Any]:
    def by(original: Any) -> Any:
        def parts_allow(which: str, *arguments: Any) -> Any:
            return allows(which) if which == name else original(which, *arguments)

        return parts_allow

    return by


def _without_row(number: int) -> Callable[[Any], Any]:
    row = modes.MODES[number]
    return lambda original: lambda self, state: self is not row and original(self, state)


def _tree() -> Iterator[Rule]:
    core, check = (
        'bt_executive.core',
        'bt_executive.tree.behaviours.planning.ask_planner_and_check_proposal',
    )
    for name in guards.BUILT_IN:
        if name not in IMPLIED:
            by, families = returns(allows(name)), LIKELY_OF_GUARDS.get(name, ())
            yield Rule(f'guard {name}', 'tree', f'guard:{name}', by, families)
    for name in ('mast_closed', 'mast_open'):
        yield Rule(f'guard {name}', 'tree', f'{core}.guards:_parts_allow', _without_part(name))
    yield Rule(
        'arguments fit the schema',
        'tree',
        'bt_executive.skills.tool_registry:Tool.refuse_arguments',
        NOTHING,
        ('malformed_arguments', 'payloads'),
    )
    yield Rule(
        'only what is on offer',
        'tree',
        f'{check}:CheckProposal._unknown',
        lambda original: (
            lambda self, name: None if name in self.context.registry else original(self, name)
        ),
        ('own_interfaces',),
    )
    yield Rule(
        'guards hold while a tool runs',
        'tree',
        'bt_executive.tree.behaviours.tools.guards_resources_and_permit:Guard.update',
        lambda _original: lambda self: self.success(''),
        ('state_changes', 'starved_guards'),
    )
    yield Rule(
        'a human agrees', 'tree', 'bt_executive.tree.branch_conditions:needs_human', returns(False)
    )
    yield Rule(
        'an approval is of one situation',
        'tree',
        'bt_executive.tree.behaviours.operator.wait_for_approval_and_answers:describe_change '
        'bt_executive.approval.approval_registry:describe_change',
        NOTHING,
    )
    yield Rule(
        'an approval names its request',
        'tree',
        'bt_executive.approval.approval_registry:ApprovalRegistry.find',
        lambda original: (
            lambda self, name: original(
                self, name if name in self._entries else next(iter(self._entries), name)
            )
        ),
    )
    approvals, calls = 'bt_executive.approval.approval_registry', f'{core}.call_states'
    for name, where, by in (
        ('an approval is of one call', f'{approvals}:describe_other_call', NOTHING),
        ('an approval expires', f'{approvals}:ApprovalRegistry.expire', NOTHING),
        ('an approval is used once', f'{approvals}:replace', _never_used),
        ('a resource has one holder', f'{core}.call_table:Leases.conflicts', returns({})),
        ('a late answer is no success', f'{calls}:TRANSITIONS', _late_is_done),
        (
            'a status before the stop confirms nothing',
            f'{core}.stop_confirmation:StopConfirmation.confirmed_by',
            _any_status,
        ),
        (
            'only the operator lifts',
            f'{core}.reduce_operator_inputs:OF_AGENTS',
            lambda _original: ('stop', 'pause', 'resume', 'reset'),
        ),
        ('staleness makes SAFE', f'{core}.causes_of_safe:_stale', returns(False)),
    ):
        yield Rule(name, 'tree', where, by, ('approvals', 'modes', 'starved_guards', 'kills'))
    yield Rule(
        'tilt makes SAFE',
        'tree',
        f'{core}.causes_of_safe:causes_in_state',
        lambda original: (
            lambda *given: tuple(each for each in original(*given) if not each.startswith('tilt'))
        ),
    )
    for number, name in enumerate(('SAFE', 'CHARGE', 'STOP', 'PAUSE')):
        yield Rule(f'mode {name}', 'tree', f'{core}.modes:ModeRow.applies', _without_row(number))


def _never_used(original: Any) -> Any:
    def replaced(entry: Any, **changes: Any) -> Any:
        return entry if changes.get('state') is RequestState.USED else original(entry, **changes)

    return replaced


def _late_is_done(original: Any) -> Any:
    row = {**original[CallState.EXPIRED], CallInput.SUCCEED: CallState.SUCCEEDED}
    return {**original, CallState.EXPIRED: row}


def _any_status(_original: Any) -> Any:
    def confirmed_by(self: Any, robot: Any) -> bool:
        if self.pending is not None and robot.at_rest is not True:
            return False
        self.pending = None
        return True

    return confirmed_by


def _without_unpermitted(code: Unpermitted) -> Callable[[Any], Any]:
    """Let the other checks of a permit stand."""

    def by(original: Any) -> Any:
        def refusal(self: Any, motion: str, now: float, named: Any = None) -> Any:
            if code is Unpermitted.SILENT:
                with mock.patch.object(self._timeout, 'is_silent', return_value=False):
                    return original(self, motion, now, named)
            given = self.permit.motion if code is Unpermitted.NOT_GIVEN else motion
            return original(self, given, now, None if code is Unpermitted.ANOTHER else named)

        return refusal

    return by


def _manual_at_once(_original: Any) -> Any:
    return lambda self, wanted, _now: setattr(self, 'manual', wanted)


def _adapter() -> Iterator[Rule]:
    adapter = 'curiosity_adapter'
    limits = f'{adapter}.motion_guards:Limits'
    for cause in (Cause.TILT, Cause.BATTERY, Cause.KEEP_OUT, Cause.POSITION_UNKNOWN):
        rule_text = cause.name.lower().replace('_', ' ')
        yield Rule(
            f'adapter: {rule_text}', 'adapter', f'{limits}._violations', _without_cause(cause)
        )
    exclusivity, goals = (
        f'{adapter}.base_or_mast_exclusivity:Exclusivity',
        f'{adapter}.setpoint_motions:NavigationGoals',
    )
    proof = f'{adapter}.start_and_stop_requests:MotionRequests._has_no_effect'  # stops it, too
    for name, where, by in (
        ('length of a motion', f'{limits}._overlong', NOTHING),
        ('mast stowed', f'{adapter}.base_or_mast_exclusivity:Exclusivity._mast_refusal', NOTHING),
        ('mast only at rest', f'{exclusivity}.mast_hindrance {exclusivity}.begin_mast', NOTHING),
        ('permission', f'{adapter}.permit_and_deadman:Permission.refusal', NOTHING),
        ('a permit once', 'gates.permit_rules:PermitRules._is_used', returns(False)),
        ('withdrawal', f'{adapter}.permit_and_deadman:Permission.withdrawal', NOTHING),
        ('silence of the executive', f'{adapter}.permit_and_deadman:Permission.silence', NOTHING),
        ('young heartbeats', 'rover_common.message_order:HeartbeatFilter._age_reason', NOTHING),
        (
            'heartbeats in order',
            'rover_common.message_order:HeartbeatFilter._order_reason',
            NOTHING,
        ),
        ('unasked motion', f'{adapter}.motion_guards:MotionGuards.see {proof}', NOTHING),
        (
            'one motion at a time',
            f'{exclusivity}.motion_refusal {adapter}.motion_guards:MotionGuards.still_rolling',
            lambda _original: (
                lambda self, _goal=None: getattr(self, '_mast_refusal', lambda: None)()
            ),
        ),
        (
            'no manual mode beside an executive',
            f'{adapter}.permit_and_deadman:Deadman.set_manual',
            _manual_at_once,
        ),
        ('silence of the navigator', f'{goals}._watch_silence', NOTHING),
        ('a navigation goal once', f'{goals}._is_new_navigation', PASSES),
        ('an unknown state of the mast', f'{adapter}.mast_state:MastJoints.silence', NOTHING),
    ):
        yield Rule(f'adapter: {name}', 'adapter', where, by)
    for code in Unpermitted:
        where = 'gates.permit_rules:PermitRules.refusal'
        if code is not Unpermitted.USED:  # above
            name = f'gate: permit {code.name.lower().replace("_", " ")}'
            yield Rule(
                name, 'adapter', where, _without_unpermitted(code), ('strangers', 'messages')
            )
    yield Rule(
        'simulator: picture at rest, mast open',
        'adapter',
        'curiosity_sim.capture_guard:CaptureGuard.refusal',
        NOTHING,
    )


def _assembly() -> Iterator[Rule]:
    planner = 'bt_executive.planner'
    assembly = 'assembly_of_streamed_tool_calls'
    families = ('call_assembly', 'malformed_arguments', 'constrained')
    for name, where, by in (
        ('a call begins with its name, in order', f'{assembly}:_check_first', NOTHING),
        ('labels of one call', f'{assembly}:_check_labels', NOTHING),
        ('no piece twice', f'{assembly}:_check_duplicates', NOTHING),
        ('one ending', f'{assembly}:_ending_fields', returns({})),
        ('the calls of a message end it', 'model_message_reading:_check_calls', NOTHING),
        ('calls written as text', 'model_message_reading:is_call_as_text', returns(False)),
        ('one call of a message', 'model_message_reading:_with_refusals', _all_calls),
        ('an unreadable call is refused', 'model_message_reading:read_call_arguments', _lenient),
        ('a name is what it is', 'model_message_reading:_shown_name', _without_marks),
        ('half a message is none', 'model_message_reading:reports_ending', PASSES),
        ('an announced call must come', 'model_message_reading:announces_calls', returns(False)),
        ('a message that is cut off is none', 'model_message_reading:is_cut_off', returns(False)),
        ('an empty message is none', 'model_message_reading:is_blank', returns(False)),
        ('a constrained answer is one object', 'constrained_answer:read_arguments', _last_object),
        (
            'a constrained answer keeps to its schema',
            'model_requests_and_timeouts:read_constrained',
            _any_call,
        ),
    ):
        yield Rule(f'assembly: {name}', 'assembly', f'{planner}.{where}', by, families)


def _all_calls(_original: Any) -> Any:
    from bt_executive.planner.model_message_reading import Call

    return lambda proposals: tuple(Call(each) for each in proposals)


def _lenient(original: Any) -> Any:
    """Reads arguments as a lenient client does: the last of two, what is there of half a call."""
    import json

    from bt_executive.planner.model_message_reading import Arguments

    def read(raw: object, has_arguments: bool = False) -> Any:
        del has_arguments
        found = original(raw)
        if not found.fault:
            return found
        try:
            values = json.loads(raw if isinstance(raw, str) else json.dumps(raw))
        except ValueError:
            values = {}
        return Arguments(values if isinstance(values, dict) else {})

    return read


def _last_object(_original: Any) -> Any:
    """Read as a lenient client does: the last object, whatever is around it."""
    import json

    def read(text: str) -> Any:
        starts = [at for at in range(len(text)) if text.startswith('{"next"', at)]
        return json.JSONDecoder().raw_decode(text, starts[-1])[0] if starts else {}

    return read


def _any_call(original: Any) -> Any:
    import json

    from bt_executive.planner.assembly_of_streamed_tool_calls import with_call

    def read(message: Any) -> Any:
        try:
            proposal = json.loads(str(message.content))['next']
            return with_call(message, proposal['tool'], json.dumps(proposal.get('arguments', {})))
        except (ValueError, LookupError, TypeError):
            return original(message)

    return read


def _without_marks(_original: Any) -> Any:
    import unicodedata

    def shown(name: str) -> str:
        plain = unicodedata.normalize('NFKC', name)
        return ''.join(each for each in plain if each.isascii() and each.isprintable()).strip()

    return shown


def _outcomes() -> Iterator[Rule]:
    families = ('false_claims', 'less_than_asked')
    for name, where, by in (
        (
            'postconditions are measured',
            'tree.confirm_and_note_tool_results:_postcondition_doubt',
            returns(''),
        ),
        ('a drive is measured', 'core.timed_motion_check:DriveMeter.fault', NOTHING),
        ('a drive came as far as it says', 'core.timed_motion_check:DriveMeter.verdict', NOTHING),
        ('done_when is measured', 'tree.ending_of_active_goal:not_met', returns(())),
        ('a place is measured', 'tree.confirm_and_note_tool_results:_not_there', returns('')),
        ('a standstill is measured', 'tree.confirm_and_note_tool_results:stands', PASSES),
        (
            'the last act still holds',
            'tree.ending_of_active_goal:_as_it_is_now',
            lambda _original: lambda _context, history: history,
        ),
        (
            'what is not shown is claimed',
            'core.goal_outcome:_claimed',
            lambda _original: lambda answer, _missing: Ending('reached', answer),
        ),
        (
            'what the words ask for is done',
            'tree.ending_of_active_goal:unfinished_acts',
            returns(()),
        ),
        ('as much as the words ask for', 'core.requested_acts:_too_little', returns([])),
        ('the last of each act counts', 'core.goal_outcome:_latest_acts', returns({'an act': ''})),
    ):
        yield Rule(f'outcome: {name}', 'outcome', f'bt_executive.{where}', by, families)


def rules() -> tuple[Rule, ...]:
    """Return every rule that can be removed."""
    return (*_tree(), *_adapter(), *rules_of_gates(), *_assembly(), *_outcomes())


def rule_names() -> tuple[str, ...]:
    """Return the names of all rules."""
    return tuple(each.name for each in rules())


@contextmanager
def removed(name: str) -> Iterator[None]:
    """A rule does not hold in this block; none if `name` is empty."""
    if not name:
        yield
        return
    table: Mapping[str, Rule] = {each.name: each for each in rules()}
    if name == ALL:
        wanted = [each for each in table.values() if each.layer in ('tree', 'adapter')]
        wanted = [each for each in wanted if not each.name.startswith('mode ')]
    else:
        wanted = [table[name]]
    with ExitStack() as stack:
        for rule in wanted:
            for place in rule.without.split():
                stack.enter_context(_replaced(place, rule.by))
        yield


@contextmanager
def _replaced(place: str, by: Callable[[Any], Any]) -> Iterator[None]:
    module, _, path = place.partition(':')
    if module == 'guard':
        precondition = guards.BUILT_IN[path]
        original = precondition.read
        object.__setattr__(precondition, 'read', by(original))
        try:
            yield
        finally:
            object.__setattr__(precondition, 'read', original)
        return
    owner: Any = import_module(module)
    *outer, last = path.split('.')
    for each in outer:
        owner = getattr(owner, each)
    with mock.patch.object(owner, last, by(getattr(owner, last))):
        yield
