"""An answer that is constrained to a JSON Schema: schema, prompt, and the call or text in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.assembly_of_streamed_tool_calls import with_call
from bt_executive.planner.prompt_toolset_and_result_text import compact_json, describe
from rover_common.json_values import read_arguments
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import answer_of, is_cut_off, is_refusal

NEXT, TOOL, ARGUMENTS, ANSWER = 'next', 'tool', 'arguments', 'answer'
# The keywords that every server with schemas supports, and those that only some do.
_COMMON = frozenset({'type', 'enum', 'description'})
_BOUNDS = frozenset(
    {'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'pattern'}
    | {'minLength', 'maxLength', 'minItems', 'maxItems'}
)


def answer_schema(toolset: Sequence[ToolOffer], bounds: bool) -> dict[str, Any]:
    """Return the schema; objects are closed and have all of their keys, optional ones may be null.

    Args:
        toolset: The offered tools. Tools with the same arguments share a branch.
        bounds: Whether the server supports limits of numbers, texts and lists.
    """
    by_arguments: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for offer in toolset:
        arguments = closed_schema(offer.args_schema, bounds)
        by_arguments.setdefault(compact_json(arguments), ([], arguments))[0].append(offer.name)
    calls = [
        _closed({TOOL: {'type': 'string', 'enum': names}, ARGUMENTS: arguments})
        for names, arguments in by_arguments.values()
    ]
    return _closed({NEXT: {'anyOf': [*calls, _closed({ANSWER: {'type': 'string'}})]}})


def closed_schema(schema: Mapping[str, Any], bounds: bool) -> dict[str, Any]:
    """Return a schema in the subset of all servers: all keys required, no others allowed."""
    keywords = _COMMON | _BOUNDS if bounds else _COMMON
    closed = {key: each for key, each in schema.items() if key in keywords}
    if schema.get('type') == 'object' and not _takes_any_key(schema):
        required = schema.get('required', ())
        properties = {
            name: _or_null(closed_schema(each, bounds), name in required)
            for name, each in schema.get('properties', {}).items()
        }
        return {**closed, **_closed(properties)}
    if 'items' in schema:
        closed['items'] = closed_schema(schema['items'], bounds)
    return closed


def is_open(schema: Mapping[str, Any]) -> bool:
    """Return whether an object may have any keys, which strict servers refuse."""
    if schema.get('type') != 'object':
        return 'items' in schema and is_open(schema['items'])
    inner = schema.get('properties', {}).values()
    return _takes_any_key(schema) or any(is_open(each) for each in inner)


def _takes_any_key(schema: Mapping[str, Any]) -> bool:
    return not schema.get('properties') and schema.get('additionalProperties') is not False


def _or_null(schema: dict[str, Any], is_required: bool) -> dict[str, Any]:
    return schema if is_required else {'anyOf': [schema, {'type': 'null'}]}


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        'type': 'object',
        'properties': dict(properties),
        'required': list(properties),
        'additionalProperties': False,
    }


RULE = (
    f'Reply with one JSON object: {{"{NEXT}": {{"{TOOL}": NAME, "{ARGUMENTS}": {{…}}}}}} to call '
    f'a tool (null: left out), or {{"{NEXT}": {{"{ANSWER}": "…"}}}} to answer in words.'
)
HINT = f'Your last message was not carried out. {RULE}'


def constrained_messages(
    messages: Sequence[BaseMessage], toolset: Sequence[ToolOffer]
) -> list[BaseMessage]:
    """Return the conversation without calls: tools in the system message, results as text.

    A request without tools may hold no calls, and templates of small models render none. What
    changes least comes first, so that a server can use its prompt cache.
    """
    head = SystemMessage('\n'.join([*tool_lines(toolset), RULE, str(messages[0].content)]))
    return [head, *_turns(messages[1:])]


def tool_lines(toolset: Sequence[ToolOffer]) -> Iterator[str]:
    """Yield one line for each tool: name, arguments, description."""
    yield 'Tools:'
    for offer in toolset:
        yield f'- {offer.name}({_signature(offer.args_schema)}): {describe(offer)}'


def _signature(schema: Mapping[str, Any]) -> str:
    required = schema.get('required', ())
    return ', '.join(
        f'{name}{"" if name in required else "?"}: {_kind(each)}'
        for name, each in schema.get('properties', {}).items()
    )


def _kind(schema: Mapping[str, Any]) -> str:
    if 'enum' in schema:
        return '|'.join(str(each) for each in schema['enum'])
    low = schema.get('minimum', schema.get('exclusiveMinimum'))
    high = schema.get('maximum', schema.get('exclusiveMaximum'))
    span = '' if low is None and high is None else f' {_shown(low)}..{_shown(high)}'
    about = schema.get('description', '')
    return f'{schema.get("type", "any")}{span}{f" ({about})" if about else ""}'


def _shown(limit: float | None) -> str:
    return '' if limit is None else f'{limit:g}'


def _turns(messages: Sequence[BaseMessage]) -> Iterator[BaseMessage]:
    names: dict[str, str] = {}
    for each in messages:
        if isinstance(each, ToolMessage):
            name = names.get(each.tool_call_id, 'the tool')
            yield HumanMessage(f'Result of {name}: {each.content}')
        elif isinstance(each, AIMessage) and each.tool_calls:
            names |= {str(call['id']): call['name'] for call in each.tool_calls}
            call = each.tool_calls[0]  # only the first is executed
            yield AIMessage(
                compact_json({NEXT: {TOOL: call['name'], ARGUMENTS: call['args']}}),
            )
        else:
            yield each


def read_constrained(message: AIMessage) -> AIMessage:
    """Return the message with its call as a tool call, or with the text of its answer.

    A refusal and a truncated message are returned unchanged: their ending says why.

    Raises:
        ModelError: It is no such object, or part of one.
    """
    if is_refusal(message) or is_cut_off(message):
        return message
    try:
        whole = read_arguments(answer_of(message).strip())
    except (ValueError, RecursionError):
        raise _fault('it is not one whole JSON object') from None
    proposal = whole.get(NEXT)
    if set(whole) != {NEXT} or not isinstance(proposal, Mapping):
        raise _fault(f'it is not an object with the key {NEXT!r} alone')
    if set(proposal) == {ANSWER} and isinstance(proposal[ANSWER], str):
        return message.model_copy(update={'content': proposal[ANSWER]})
    tool, arguments = proposal.get(TOOL), proposal.get(ARGUMENTS)
    if set(proposal) != {TOOL, ARGUMENTS} or not isinstance(tool, str):
        raise _fault('it is neither a call nor an answer')
    if not isinstance(arguments, Mapping):
        raise _fault(f'the arguments of {tool:.60} are no object')
    return with_call(message, tool, compact_json(arguments))


def _fault(reason: str) -> ModelError:
    return ModelError(
        f'The answer of the model does not keep to its schema: {reason}. Nothing of it is carried '
        'out.',
        hint=HINT,
        unusable=True,
    )
