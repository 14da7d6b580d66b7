"""Describes trace events: one sentence per event, for console, page, report and film. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rover_common.call_text import format_call
from rover_common.trace_event import TraceEvent

ENDINGS = frozenset({'finish', 'abort'})  # their arguments are repeated by the goal's end
DIGITS = 6  # significant, of numbers in the arguments of a call

Label = Literal['sees', 'thinks', 'decides', 'asks', 'acts', 'says', 'asks you', 'result', 'error']
Mood = Literal['', 'allowed', 'refused', 'failed', 'scored']


@dataclass(frozen=True)
class Sentence:
    """The sentence of an event. `mood`: its result, for highlighting."""

    label: Label
    text: str
    mood: Mood = ''


def describe_event(event: TraceEvent) -> Sentence:
    """Return the sentence of an event."""
    match event.kind:
        case 'DECIDE' if event.tool_name is not None:
            return _verdict(event, event.tool_name)
        case 'DECIDE':
            return Sentence('decides', event.message)
        case 'RESULT' if event.tool_name is not None:
            return _result(event, event.tool_name)
        case 'RESULT':
            return Sentence('result', event.message)
        case 'HYPOTHESIZE':
            return Sentence('thinks', event.message)
        case 'OBSERVE':
            return Sentence('decides' if 'mode' in (event.data or {}) else 'sees', event.message)
        case 'ACT' if event.data and 'spoken' in event.data:
            return Sentence('says', str(event.data['spoken']))
        case 'ACT' if event.data and 'question' in event.data:
            return Sentence('asks you', str(event.data['question']))
        case 'ACT':
            return Sentence('acts', event.message)
        case 'ERROR' if event.tool_name is not None:
            return _result(event, event.tool_name)
    return Sentence('error', event.message + _unless_repeated(event.error_reason, event.message))


def _verdict(event: TraceEvent, tool: str) -> Sentence:
    data = event.data or {}
    edited = ', as the operator changed it' if data.get('edited') is True else ''
    request = f'{_proposer(data)} asks for {_call(tool, data)}{edited}'
    if event.ok is None:
        return Sentence('asks', f'{request}: {event.message}')
    if event.ok:
        return Sentence('asks', f'{request}: allowed', 'allowed')
    guard = f' (guard {data["guard"]})' if data.get('guard') else ''
    return Sentence(
        'asks', f'{request}: refused, {event.error_reason or event.message}{guard}', 'refused'
    )


def _result(event: TraceEvent, tool: str) -> Sentence:
    message = event.message if event.message.startswith(tool) else f'{tool}: {event.message}'
    if event.ok is False:
        return Sentence(
            'result', message + _unless_repeated(event.error_reason, message), 'failed'
        )
    return Sentence('result', message, 'scored' if event.score is not None else '')


def _proposer(data: dict[str, Any]) -> str:
    return str(data.get('proposed_by', 'planner'))


def _call(tool: str, data: dict[str, Any]) -> str:
    arguments = data.get('arguments')
    if tool in ENDINGS or not isinstance(arguments, dict) or not arguments:
        return tool
    return format_call(tool, {name: _rounded(value) for name, value in arguments.items()})


def _rounded(value: Any) -> Any:
    """Round numbers for the log; a request for approval shows the exact value."""
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return float(f'{value:.{DIGITS}g}') if isinstance(value, float) else value


def _unless_repeated(reason: str | None, message: str) -> str:
    return f': {reason}' if reason and reason not in message else ''
