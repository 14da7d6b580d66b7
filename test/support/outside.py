"""What may happen to an executive: words, proposals, answers, statuses and configurations."""

from __future__ import annotations

from typing import Any

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer, PlannerFailure, PlannerOutput, Proposal

WORDS = [
    ('look around', 'normal'),
    ('do not stop until it is bright', 'normal'),
    ('止まらずに進んで', 'normal'),
    ('不要停', 'normal'),
    ('new goal: find the sun', 'normal'),
    ('stop', 'stop'),
    ('止まれ', 'stop'),
    ('停下', 'stop'),
    ('pause', 'pause'),
    ('ちょっと待って', 'pause'),
    ('继续', 'resume'),
]
VALID: list[tuple[str, dict[str, Any]]] = [
    ('move_nudge', {}),
    ('move_nudge', {}),
    ('mast_close', {}),
    ('mast_open', {}),
    ('mast_rotate', {}),
    ('capture_and_score', {}),
    ('get_status', {}),
    ('move_stop', {}),
    ('speak', {'text': 'hello'}),
    ('wait', {'seconds': 1.5}),
    ('ask_operator', {'question': 'where to?'}),
    ('move_forward', {'duration_s': 4.0}),
    ('turn_left', {'duration_s': 0.3}),
]
LONG: list[tuple[str, dict[str, Any]]] = [
    ('turn_left', {'duration_s': 20.0}),
    ('move_forward', {}),
    ('mast_close', {}),
]
INVALID: list[tuple[str, dict[str, Any]]] = [
    ('move_forward', {'duration_s': float('nan')}),
    ('turn_left', {'duration_s': float('-inf')}),
    ('move_forward', {'duration_s': -1}),
    ('move_forward', {'duration_s': 'long'}),
    ('move_nudge', {'speed': 9}),
    ('rm -rf /', {}),
    ('x' * 1000, {'x': ['y', None]}),
    ('', {}),
]
ENDINGS: list[PlannerOutput] = [
    Answer('Bright sand.'),
    Answer(''),
    PlannerFailure('the model is gone'),
    Proposal('end', 'finish', {'answer': 'done'}),
    Proposal('end', 'abort', {'reason': 'too dark'}),
]
GOOD: dict[str, Any] = {
    'success': True,
    'message': '',
    'ok': True,
    'score': 0.9,
    'is_good': True,
    'debug': '',
}
REFUSED: dict[str, Any] = {
    'success': False,
    'message': 'Move in progress',
    'ok': False,
    'error_reason': 'no',
}
GARBAGE: list[dict[str, Any]] = [
    {},
    {'success': 'maybe', 'score': 'high'},
    {'debug': '{', 'message': '[1, 2'},
]
SETUPS = [
    (),
    (),
    ('variant=A',),
    ('approval.mode=always', 'approval.expiry_s=4.0'),
    ('guards.policy={mast_closed: resolve, standing_still: resolve, mast_open: resolve}',),
    ('safety.required=[battery, tf]', 'agent.max_iterations=4', 'planner.timeout_s=5.0'),
    ('keep_out=[{name: pit, polygon: [[8, -9], [12, -9], [12, 9], [8, 9]]}]',),
]
OURS = {CallInput.SEND, CallInput.CANCEL, CallInput.EXPIRE}
SERVER_WORDS = [each for each in CallInput if each not in OURS]
MASTS: list[dict[str, Any]] = [
    {'mast_is_open': False, 'mast': 'closed'},
    {'mast_is_open': False, 'mast': 'closed'},
    {'mast_is_open': True, 'mast': 'open'},
    {'mast_is_open': True, 'mast': 'between'},
    {'mast_is_open': None, 'mast': 'unknown'},
    {'mast_is_open': 'yes', 'mast': 3},
]
