"""A plain ReAct loop for peers that are tools without a loop: as a client of MCP has one.

Each call of a message is carried out, in order; a tool that fails or does not exist answers with
its error, and the model goes on. Calls with malformed arguments are answered, not carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import inspect
import json
from typing import Any
from urllib.request import Request, urlopen

from pydantic import validate_call

MOST_TURNS = 60
PATIENCE_S = 30.0


def pursue(goal: str, url: str, tools: Mapping[str, Callable[..., Any]]) -> str:
    """Pursue a goal with these tools; return the model's last text."""
    messages: list[dict[str, Any]] = [{'role': 'user', 'content': goal}]
    for _ in range(MOST_TURNS):
        message = _ask(url, messages, tools)
        messages.append(message)
        calls = message.get('tool_calls') or []
        if not calls:
            return str(message.get('content') or '')
        for call in calls:
            result = _carry_out(call['function'], tools)
            messages.append({'role': 'tool', 'tool_call_id': call['id'], 'content': result})
    raise RuntimeError(f'no end after {MOST_TURNS} messages')


def _ask(url: str, messages: list[Any], tools: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    offered = [
        {'type': 'function', 'function': {'name': name, 'description': inspect.getdoc(each)}}
        for name, each in tools.items()
    ]
    body = {'model': 'guard-bench', 'messages': messages, 'tools': offered}
    request = Request(
        f'{url}/chat/completions',
        json.dumps(body).encode(),
        {'Content-Type': 'application/json'},
    )
    with urlopen(request, timeout=PATIENCE_S) as answer:
        message: dict[str, Any] = json.loads(answer.read())['choices'][0]['message']
    return message


def _carry_out(function: Mapping[str, Any], tools: Mapping[str, Callable[..., Any]]) -> str:
    tool = tools.get(function['name'])
    if tool is None:
        return f'Error: there is no tool {function["name"]!r}'
    try:
        return str(validate_call(tool)(**json.loads(function['arguments'] or '{}')))
    except Exception as error:  # of a tool: the model gets it
        return f'Error: {error}'
