"""Everything that is wrong with the registry of tools, found at start and listed at once.

The shape of the entries (missing keys, wrong types) is checked by `bt_executive.settings`; this
is about what the entries refer to: endpoints, interface types, fields, preconditions, resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
import difflib

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from bt_executive.kernel.guards import PRECONDITION_NAMES
from bt_executive.settings import Config, Endpoint, Skill
from bt_executive.skills.endpoints import find_endpoint
from bt_executive.skills.request import field_of, sent_arguments
from bt_executive.skills.shape import Interface, Resolve, Shape, fits, type_at

INTERNAL_TOOLS = frozenset(
    {
        'abort',
        'ask_operator',
        'finish',
        'list_nodes',
        'list_services',
        'list_topics',
        'read_topic',
        'speak',
        'wait',
    }
)
ERROR_CODES = frozenset({'CANCELLED', 'FAILED', 'LOST', 'REJECTED', 'TIMED_OUT', 'UNAVAILABLE'})
_KINDS = {'ros2_service': 'service', 'ros2_action': 'action'}
_A_KIND = {'service': 'a service', 'action': 'an action', 'topic': 'a topic'}


def faults(config: Config, resolve: Resolve | None = None) -> list[str]:
    """Sentences, each with the skill's name; empty if the registry can be used.

    `resolve` tells the fields of an interface type; without it no type is looked at.
    """
    found = [
        f'{name}: {fault}'
        for name, skill in config.skills.skills.items()
        for fault in _skill_faults(config, name, skill, resolve)
    ]
    for name in config.tool_costs.tools:
        if name not in config.skills.skills:
            found.append(
                f'tool_costs.yaml names {name!r}, which is no skill; remove it or add the skill.'
            )
    return found


def _skill_faults(
    config: Config, name: str, skill: Skill, resolve: Resolve | None
) -> Iterator[str]:
    yield from _unknown('precondition', skill.preconditions, PRECONDITION_NAMES)
    yield from _unknown('resource', skill.resources_required, config.skills.resources)
    if not skill.result.code or skill.result.codes:
        known = ERROR_CODES | set(skill.result.codes.values())
        yield from _unknown('error_map: code', skill.error_map, known)
    schema_faults = list(_schema_faults(skill))
    yield from schema_faults
    if skill.interface_type == 'internal':
        yield from _unknown('internal skill', [name], INTERNAL_TOOLS)
        if skill.endpoint:
            yield 'an internal skill has no endpoint; remove it or change interface_type.'
        return
    endpoint = find_endpoint(config, skill.endpoint)
    yield from _endpoint_faults('endpoint', skill.endpoint, endpoint, _KINDS[skill.interface_type])
    if skill.motion:
        stop = find_endpoint(config, skill.motion.stop)
        yield from _endpoint_faults('motion.stop', skill.motion.stop, stop, 'service')
    if endpoint is None or resolve is None:
        return
    try:
        interface = resolve(endpoint.type)
    except LookupError as error:
        yield f'{error.args[0]}.'
    else:
        yield from _field_faults(skill, endpoint, interface, schema_known=not schema_faults)


def _unknown(what: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    choices = sorted(known)
    for name in names:
        if name not in choices:
            close = difflib.get_close_matches(name, choices, n=1)
            hint = f'did you mean {close[0]!r}?' if close else f'known are {", ".join(choices)}.'
            yield f'{what} {name!r} is not known; {hint}'


def _schema_faults(skill: Skill) -> Iterator[str]:
    schema = skill.args_schema
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f'args_schema is not a JSON Schema: {error.message}.'
        return
    if schema.get('type') != 'object':
        yield 'args_schema must have type: object.'
    arguments = schema.get('properties', {})
    argument = skill.motion.duration_arg if skill.motion else ''
    if argument and argument not in arguments:
        yield f'motion.duration_arg {argument!r} is not in args_schema.'
    if skill.destination:
        for key, name in skill.destination:
            if name not in schema.get('required', ()):
                yield f'destination.{key} is {name!r}, which args_schema does not require.'
    for name in skill.fields:
        if name not in arguments:
            yield f'fields names argument {name!r}, which is not in args_schema.'


def _endpoint_faults(
    key: str, given: str | Endpoint, endpoint: Endpoint | None, kind: str
) -> Iterator[str]:
    if endpoint is None:
        yield (
            f'{key} is {given!r}, which topics.yaml does not have; '
            'name a key of it, or write { name: /x, type: package/srv/Type }.'
        )
    elif endpoint.kind != kind:
        found = f'{_A_KIND[endpoint.kind]} ({endpoint.type})'
        yield f'{key} {endpoint.name} is {found}, not {_A_KIND[kind]}.'


def _field_faults(
    skill: Skill, endpoint: Endpoint, interface: Interface, schema_known: bool
) -> Iterator[str]:
    arguments = sent_arguments(skill) if schema_known else {}
    for name, schema in arguments.items():
        path = field_of(skill, name)
        found = type_at(interface.request, path)
        if found is None:
            yield (
                f'argument {name!r} has no field {path!r} in {endpoint.type}, which has '
                f'{_names(interface.request)}; name the field below `fields`.'
            )
        elif not fits(schema.get('type') if isinstance(schema, Mapping) else None, found):
            wanted = found if isinstance(found, str) else 'a message'
            yield f'argument {name!r} is {schema["type"]}, but field {path!r} is {wanted}.'
    result = skill.result
    paths = {'ok': result.ok, 'reason': result.reason, 'code': result.code}
    paths |= {f'json_fields.{name}': name for name in result.json_fields}
    for key, path in paths.items():
        if path and type_at(interface.response, path) is None:
            yield (
                f'result.{key} is {path!r}, which {endpoint.type} does not answer; it answers '
                f'{_names(interface.response)}.'
            )


def _names(shape: Shape) -> str:
    return ', '.join(shape) or 'nothing'
