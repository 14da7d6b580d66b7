"""Entries of the journal in words: one line each, for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.console.log_line import LogLine as Said
from bt_executive.core import journal_records as kinds
from bt_executive.core.journal_records import Record
from bt_executive.core.readable import fields_in_words
from rover_common.call_text import call_in_words


def entry_in_words(record: Record) -> Said:
    """What an entry says."""
    match record:
        case kinds.LifeBegan():
            return Said('life', f'An executive started (process {record.pid}, {record.run_dir})')
        case kinds.LifeEnded():
            return Said('life', f'The executive ended: {record.how}')
        case kinds.GoalReceived():
            return Said('goal', _goal(record), 'bold')
        case kinds.GoalMoved():
            return Said('queue', _move(record))
        case kinds.GoalEnded():
            style = 'green' if record.outcome in ('reached', 'answered') else 'yellow'
            return Said('end', f'{record.outcome.replace("_", " ")}: {record.answer}', style)
        case kinds.BudgetUsed():
            return Said('used', _budget(record), 'dim')
        case kinds.Message():
            return Said('says', f'{record.speaker}: {record.content}', 'italic')
        case kinds.ModeChanged():
            style = 'bold red' if record.safety_reason else ''
            return Said(
                'mode', _because(record.mode, record.safety_reason or record.reason), style
            )
        case kinds.TraceReference():
            return Said('trace', record.event_id, 'dim')
    return _of_a_step(record)


def _of_a_step(record: Record) -> Said:
    match record:
        case kinds.Proposed():
            who = 'a human edits' if record.edited else f'{record.proposed_by} asks'
            return Said('asks', f'{who} {call_in_words(record.tool, record.arguments)}')
        case kinds.Judged() if record.allowed:
            return Said('verdict', f'{record.tool}: allowed', 'green')
        case kinds.Judged():
            words = f'{record.tool}: refused, {record.reason} (guard {record.guard})'
            return Said('verdict', words, 'yellow')
        case kinds.RoundEnded():
            return _round_end(record)
        case kinds.ApprovalAsked():
            call = call_in_words(record.tool, record.arguments)
            return Said('approval', f'{record.request_id} asks for {call}', 'bold magenta')
        case kinds.ApprovalChanged():
            words = _because(f'{record.request_id} {record.standing}', record.why or record.word)
            return Said('approval', words, 'magenta')
    return _of_a_call(record)


def _of_a_call(record: Record) -> Said:
    match record:
        case kinds.CallOpened():
            words = f'{record.session_id} {call_in_words(record.label, record.arguments)}'
            return Said('call', words, 'cyan')
        case kinds.CallChanged():
            words = f'{record.session_id} {record.happened} → {record.state}'
            return Said('call', _because(words, record.reason), 'cyan')
        case kinds.LeaseChanged():
            verb = 'takes' if record.held else 'gives back'
            return Said('lease', f'{record.call_id} {verb} {", ".join(record.resources)}', 'dim')
        case kinds.PermitChanged():
            verb = 'given' if record.given else 'withdrawn'
            return Said('permit', f'{record.motion or "any motion"} {record.number} {verb}', 'dim')
    return Said(type(record).__name__, fields_in_words(vars(record)))


def _goal(record: kinds.GoalReceived) -> str:
    title = call_in_words(record.tool, record.arguments) if record.tool else record.goal
    return f'{title} (priority {record.priority})' if record.priority else title


def _move(record: kinds.GoalMoved) -> str:
    words = f'{record.status.lower()}, number {record.position + 1} in the queue'
    return _because(words, record.reason)


def _budget(record: kinds.BudgetUsed) -> str:
    fields: dict[str, Any] = {
        'steps': record.steps,
        'refusals': record.refusals,
        'distance_m': record.distance_m,
        'energy_pct': record.energy_pct,
        'elapsed_s': record.elapsed_s,
    }
    return fields_in_words(fields)


def _round_end(record: kinds.RoundEnded) -> Said:
    data: Mapping[str, Any] = record.data if record.ok else {}
    what = fields_in_words(data) if record.ok else record.error_reason
    words = f'{what or "done"}; {_because(record.decision, record.decision_reason)}'
    return Said('result', words, '' if record.ok else 'yellow')


def _because(words: str, reason: str) -> str:
    return f'{words}: {reason}' if reason else words
