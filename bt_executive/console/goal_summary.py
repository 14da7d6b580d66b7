"""A goal's summary as rows of title and text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.client.state_and_approval_text import format_model_usage


def summary_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return title and text of each row; a value that was not measured is a dash."""

    def number(key: str, format_spec: str) -> str:
        value = summary.get(key)
        return '–' if value is None else format(value, format_spec)

    return [
        ('Goal', str(summary.get('goal', '–'))),
        ('Outcome', str(summary.get('outcome', '–')).replace('_', ' ')),
        ('Answer', str(summary.get('answer', '–'))),
        ('Steps', f'{number("steps", ".0f")}, of which refused: {number("refusals", ".0f")}'),
        ('Distance', f'{number("distance_m", ".2f")} m'),
        (
            'Score',
            f'{number("first_score", ".2f")} at first, {number("last_score", ".2f")} at last',
        ),
        ('Wall time', f'{number("wall_s", ".1f")} s'),
        *_model_row(summary.get('model') or {}),
    ]


def _model_row(usage: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the row of the model's usage, if its provider reports it."""
    if not usage.get('input_tokens'):
        return []
    return [('Model', format_model_usage(usage))]
