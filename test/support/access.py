"""What a node may do in the ROS graph, as SROS2's policy files say it and as the graph shows it.

Both are the same kind of value: for each verb (`topics publish`, `services reply`, `actions call`
…) the expressions that are allowed. An expression is relative to the profile's namespace, begins
with ~ below the node's own name, or with / where no namespace holds; * stands for anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
import re
from typing import TypeAlias
from xml.etree import ElementTree

from rclpy.node import Node

Access: TypeAlias = dict[tuple[str, str], frozenset[str]]

# Of every node, in no namespace.
GLOBAL = frozenset({'/parameter_events', '/rosout', '/diagnostics'})
ACTION = re.compile(r'(.+)/_action/\w+')
STREAM = re.compile(r'(.+_streams)/_\w+_\d+')  # a viewer's, numbered by the executive
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
VERBS = (
    ('topics', 'publish'),
    ('topics', 'subscribe'),
    ('services', 'reply'),
    ('services', 'request'),
    ('actions', 'execute'),
    ('actions', 'call'),
)


def access_in_graph(observer: Node, node: str) -> Access:
    """What a node of the root namespace does in the graph right now."""
    ask: dict[tuple[str, str], Callable[..., list[tuple[str, list[str]]]]] = {
        ('topics', 'publish'): observer.get_publisher_names_and_types_by_node,
        ('topics', 'subscribe'): observer.get_subscriber_names_and_types_by_node,
        ('services', 'reply'): observer.get_service_names_and_types_by_node,
        ('services', 'request'): observer.get_client_names_and_types_by_node,
    }
    names = {verb: [name for name, _types in call(node, '/')] for verb, call in ask.items()}
    served, called = (names['services', verb] for verb in ('reply', 'request'))
    names['actions', 'execute'] = _actions(served)
    names['actions', 'call'] = _actions(called)
    return _without_empty(
        (verb, (_expression(name, node) for name in found if not ACTION.fullmatch(name)))
        for verb, found in names.items()
    )


def access_in_file(path: Path) -> tuple[str, str, Access]:
    """Enclave, node and what is allowed to it.

    Raises:
        AssertionError: The file is not built as SROS2's policy.xsd says, or denies something.
    """
    policy = ElementTree.parse(path).getroot()
    assert (policy.tag, policy.attrib) == ('policy', {'version': '0.2.0'}), path
    (enclaves,) = policy
    (enclave,) = enclaves
    (profiles,) = enclave
    (profile,) = profiles
    assert [each.tag for each in (enclaves, enclave, profiles, profile)] == [
        'enclaves',
        'enclave',
        'profiles',
        'profile',
    ]
    assert profile.attrib['ns'] == '/', path
    allowed: Access = {}
    for rules in profile:
        ((verb, permission),) = rules.attrib.items()
        assert permission == 'ALLOW', f'{path}: what is not allowed is denied anyway'
        assert (rules.tag, verb) in VERBS, f'{path}: {rules.tag} {verb}'
        assert {rule.tag for rule in rules} == {rules.tag.removesuffix('s')}, path
        allowed[rules.tag, verb] = frozenset(rule.text or '' for rule in rules)
    return enclave.attrib['path'], profile.attrib['node'], allowed


def policy_text(enclave: str, node: str, access: Access) -> str:
    """The policy file that allows this and nothing else."""
    lines = [
        '<policy version="0.2.0">',
        '  <enclaves>',
        f'    <enclave path="{enclave}">',
        '      <profiles>',
        f'        <profile ns="/" node="{node}">',
    ]
    for kind, verb in VERBS:
        if (kind, verb) in access:
            lines += [f'          <{kind} {verb}="ALLOW">']
            tag = kind.removesuffix('s')
            lines += [f'            <{tag}>{name}</{tag}>' for name in sorted(access[kind, verb])]
            lines += [f'          </{kind}>']
    lines += ['        </profile>', '      </profiles>', '    </enclave>', '  </enclaves>']
    return HEAD + '\n'.join([*lines, '</policy>', ''])


def difference(wanted: Access, found: Access) -> str:
    """What is in one of them only, in words; empty if they are equal."""
    lines = []
    for verb in VERBS:
        more, less = found.get(verb, frozenset()), wanted.get(verb, frozenset())
        lines += [f'{" ".join(verb)} {name}: not allowed' for name in sorted(more - less)]
        lines += [f'{" ".join(verb)} {name}: allowed for nothing' for name in sorted(less - more)]
    return '\n'.join(lines)


def _actions(services: Iterable[str]) -> list[str]:
    return [match[1] for name in services if (match := ACTION.fullmatch(name))]


def _expression(name: str, node: str) -> str:
    """A full name as a policy says it, so that a namespace stands in one place."""
    if name in GLOBAL:
        return name
    name = STREAM.sub(r'\1/*', name)
    own = f'/{node}/'
    return f'~/{name.removeprefix(own)}' if name.startswith(own) else name.removeprefix('/')


def _without_empty(
    found: Iterable[tuple[tuple[str, str], Iterable[str]]],
) -> Access:
    sets = ((verb, frozenset(names)) for verb, names in found)
    return {verb: names for verb, names in sets if names}
