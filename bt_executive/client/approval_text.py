"""Requests that wait for approval, as text for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rover_common.call_text import format_call
from rover_common.finite_number import finite_number


def format_requests(requests: Sequence[Mapping[str, Any]], now: float) -> str:
    """Format the requests of the topic ~/approvals. `now`: system time in s."""
    return '\n'.join(_format_request(request, now) for request in requests) or 'No request waits.'


def requested_call(request: Mapping[str, Any]) -> str:
    """Return the call of a request, as it is written in code."""
    arguments = request.get('arguments')
    return format_call(str(request.get('tool')), arguments if isinstance(arguments, dict) else {})


def remaining_s(request: Mapping[str, Any], now: float) -> float | None:
    """Return the time in s until a request expires; None: not given. `now`: system time in s."""
    expires_at = finite_number(request.get('expires_at'))
    return None if expires_at is None else expires_at - now


def _format_request(request: Mapping[str, Any], now: float) -> str:
    remaining = remaining_s(request, now)
    time_left = '?' if remaining is None else f'{max(0.0, remaining):.0f} s'
    call, risk = requested_call(request), request.get('risk')
    rows = [f'{request.get("id")}  {call}  {risk}  {time_left} left']
    if request.get('amounts_to'):
        rows.append(f'that is: {_one_line(request["amounts_to"])}')
    rows.append(f'because: {_one_line(request.get("reason") or "no reason given")}')
    return f'\n{" " * 12}'.join(rows)


def _one_line(value: object) -> str:
    return ' '.join(str(value).split())
