"""Makes the choices of OpenAI's protocol readable: one answer, calls with text as arguments."""

from __future__ import annotations

from collections.abc import Mapping
import json
from typing import Any

from rover_common.llm.model_errors import UNREADABLE, ModelError


def choices_in(value: Mapping[str, Any] | None) -> list[Any]:
    """The answers of OpenAI's protocol; a second one is refused, which would be joined to it."""
    choices = (value or {}).get('choices')
    found = choices if isinstance(choices, list) else []
    if len(found) > 1:
        raise _several()
    return found


def refuse_another(choice: Any) -> None:
    """Refuses what is no answer, and an answer that is not the first one."""
    if not isinstance(choice, dict):
        raise unreadable('an answer in it is no object')
    if choice.get('index') not in (0, None):
        raise _several()


def _several() -> ModelError:
    return unreadable('it holds several answers to one question')


def repair_choice(choice: Any) -> None:
    """Mends an answer of OpenAI's protocol, or refuses one that a client library would cut."""
    refuse_another(choice)
    for message in (choice.get('delta'), choice.get('message')):
        calls = message.get('tool_calls') if isinstance(message, dict) else None
        if not calls:
            continue
        if message is not choice.get('delta') and isinstance(choice.get('delta'), dict):
            raise unreadable('calls stand beside the piece that was due')
        if not isinstance(calls, list):
            raise unreadable('its calls are no list')
        for call in calls:
            _repair_call(call)


def _repair_call(call: Any) -> None:
    function = call.get('function') if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise unreadable('a call in it names no function')
    call.setdefault('index', None)
    arguments = function.get('arguments')
    if arguments is not None and not isinstance(arguments, str):
        function['arguments'] = json.dumps(arguments)  # what is no object the tree refuses


def unreadable(why: str) -> ModelError:
    """Return the fault of an answer that cannot be read."""
    return ModelError(f'The answer of the model cannot be read: {why}.', hint=UNREADABLE)
