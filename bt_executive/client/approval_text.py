"""Requests that wait for approval, in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rover_common.call_text import format_call
from rover_common.finite_number import finite_number


def in_words(requests: Sequence[Mapping[str, Any]], now: float) -> str:
    """The requests that wait, as on the topic ~/approvals. `now`: system time in s."""
    return '\n'.join(_request_in_words(each, now) for each in requests) or 'No request waits.'


def requested_call(request: Mapping[str, Any]) -> str:
    """The call that a request is about, as it would be written."""
    arguments = request.get('arguments')
    return format_call(str(request.get('tool')), arguments if isinstance(arguments, dict) else {})


def seconds_left(request: Mapping[str, Any], now: float) -> float | None:
    """How long a request still waits; None if it does not say. `now`: system time in s."""
    expires = finite_number(request.get('expires_at'))
    return None if expires is None else expires - now


def _request_in_words(request: Mapping[str, Any], now: float) -> str:
    left = seconds_left(request, now)
    waits = '?' if left is None else f'{max(0.0, left):.0f} s'
    rows = [f'{request.get("id")}  {requested_call(request)}  {request.get("risk")}  {waits} left']
    if request.get('amounts_to'):
        rows.append(f'that is: {_flat(request["amounts_to"])}')
    rows.append(f'because: {_flat(request.get("reason") or "no reason given")}')
    return f'\n{" " * 12}'.join(rows)


def _flat(value: object) -> str:
    return ' '.join(str(value).split())
