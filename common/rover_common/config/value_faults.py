"""What is wrong with a value of the configuration, in a sentence with what to write."""

from __future__ import annotations

from typing import Any

from rover_common.config.key_lookup import unknown_key

# For kinds of faults of which pydantic's message does not have the remedy.
REMEDIES = {
    'bool_type': 'Write true or false',
    'tuple_type': 'Write it as a list, like [a, b]',
    'dict_type': 'Write keys with values, like { a: b }',
    'model_type': 'Write keys with values, like { a: b }',
    'string_type': 'Write a text',
    'finite_number': 'Write a finite number',
}


def fault_sentence(key: tuple[str, ...], fault: Any) -> str:
    """Returns what is wrong with the value of a key, from an error of pydantic."""
    dotted = '.'.join(key) or 'the file'
    if fault['type'] == 'missing':
        return f'key {dotted!r} is missing; add it.'
    if fault['type'] == 'extra_forbidden':
        return unknown_key(dotted)
    message = REMEDIES.get(fault['type']) or fault['msg'].removeprefix('Value error, ')
    if fault['type'] == 'invalid_key':
        return f'key {fault["input"]!r:.200} is no text: write it in quotes.'
    if isinstance(fault['input'], dict) and fault['type'] == 'value_error':
        return f'{dotted!r}: {message}.' if key else f'{message}.'  # it names what is wrong itself
    return f'{dotted!r} is {fault["input"]!r:.200}: {message[0].lower()}{message[1:]}.'
