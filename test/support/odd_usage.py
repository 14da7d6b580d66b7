"""A model server that tells no counts of tokens, but anything else in their place."""

from __future__ import annotations

from collections.abc import Iterator
import json
from types import SimpleNamespace
from typing import Any

import model_protocols
import model_server
import pytest

COUNTS = ('eval_count', 'prompt_eval_count', 'total_duration')
ODD: tuple[Any, ...] = (
    -5,
    -(10**30),
    10**30,
    1.5,
    float('nan'),
    '1200',
    'many',
    '',
    None,
    True,
    [],
    [1],
    {'a': 1},
)


def each_odd(patch: pytest.MonkeyPatch, whole: bool) -> Iterator[Any]:
    """Gives one odd value after another, which the servers tell then.

    `whole`: in the place of all counts together, not of each.
    """
    for odd in ODD:

        def dumps(value: Any, odd: Any = odd, **options: Any) -> str:
            return json.dumps(_oddly(value, odd, whole), **options)

        for module in (model_protocols, model_server):
            patch.setattr(module, 'json', SimpleNamespace(dumps=dumps, loads=json.loads))
        yield odd


def _oddly(value: Any, odd: Any, whole: bool) -> Any:
    if not isinstance(value, dict):
        return value
    made = {name: _oddly(each, odd, whole) for name, each in value.items()}
    made |= {name: odd for name in COUNTS if name in made}
    if 'usage' in made:
        nested = {
            'prompt_tokens_details': {'cached_tokens': odd},
            'completion_tokens_details': odd,
            'cache_creation': odd,
            'cache_read_input_tokens': odd,
        }
        made['usage'] = odd if whole else {**dict.fromkeys(made['usage'] or {}, odd), **nested}
    return made
