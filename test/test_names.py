"""Identifiers keep to docs/glossary.md: a word in code font in its last column is in none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
import re

import pytest
from source_folders import PARTS, ROOT

pytestmark = pytest.mark.slow

GLOSSARY = ROOT / 'docs' / 'glossary.md'
ROW = re.compile(r'\| \*\*(?P<term>[^*|]+)\*\*[^|]*\| .* \| (?P<refused>[^|]*) \|')
CODE = re.compile(r'`([a-z]+)`')
PART = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+')

# Names with a refused word that stay, by the beginning of their path, and why.
CONFIGURATION, CASES = 'a key of the configuration', 'a key of case files'
STORED, SERVICE = 'a field of the store and of recorded runs', 'a field of a ROS service'
MCP = 'a session of MCP'
ALLOWED: Mapping[str, Mapping[str, str]] = {
    'bt_executive/core/robot_state.py': {'adapter_life': STORED, 'heard_beat': STORED},
    'bt_executive/core/trace.py': {'lives': STORED},
    'bt_executive/mcp_server/': {
        'SESSION': MCP,
        '_session_ended': MCP,
        'end_session': MCP,
        'session': MCP,
        'sessions': MCP,
    },
    'bench/guard/': {'say': CASES, 'heard': CASES, '_heard': CASES},
    'vision/rover_vision/watch/': {'TellWhen': SERVICE, 'tell_when': SERVICE},
    'common/rover_common/config/settings/': {
        'say': CONFIGURATION,
        'sessions': CONFIGURATION,
        'tells': CONFIGURATION,
    },
}
# Names that are still to be replaced, by package. Nothing is added to this table.
LEFT: Mapping[str, frozenset[str]] = {
    'bt_executive': frozenset(('_facts', 'adapter_life', 'facts', 'facts_now', 'said', 'say')),
    'curiosity_adapter': frozenset(('said',)),
    'bench': frozenset(('says',)),
}


def refused_words(glossary: str) -> dict[str, str]:
    """Return the words in code font of the last column, each with the term in the first."""
    rows = (match for line in glossary.splitlines() if (match := ROW.fullmatch(line)))
    return {word: match['term'] for match in rows for word in CODE.findall(match['refused'])}


def identifiers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names that a module defines or assigns, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname, node.lineno


def refused_in(name: str, refused: Mapping[str, str]) -> str | None:
    """Return the refused word that is a part of a name, in the singular or plural."""
    for match in PART.finditer(name):
        part = match[0].lower()
        for word in (part, part.removesuffix('s')):
            if word in refused:
                return word
    return None


def found_in(tree: ast.AST, refused: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """Yield (name, line, refused word) of a module."""
    for name, line in identifiers(tree):
        if (word := refused_in(name, refused)) is not None:
            yield name, line, word


def is_listed(path: str) -> bool:
    """Return whether names are allowed in this file."""
    return path.startswith(tuple(ALLOWED))


def is_allowed(path: str, name: str) -> bool:
    """Return whether a name of this file stays."""
    return any(path.startswith(prefix) and name in ALLOWED[prefix] for prefix in ALLOWED)


def test_the_glossary_names_words_to_refuse() -> None:
    refused = refused_words(GLOSSARY.read_text(encoding='utf-8'))
    assert refused['beat'] == 'heartbeat'
    assert refused['session'] == 'call'


@pytest.mark.parametrize(
    ('code', 'names'),
    [
        ('def told(): pass', ['told']),
        ('class HeardPlan: pass', ['HeardPlan']),
        ('def receive(last_beats): pass', ['last_beats']),
        ('self._told_at = 1', ['_told_at']),
        ('TOLD_S: float = 1.0', ['TOLD_S']),
        ('for said in messages: pass', ['said']),
        ('from a import b as life', ['life']),
        ('import heartbeat', []),
        ('upbeat = heartbeats = told.value', []),
        ('print(said)', []),
        ('essays, lifetime = away, halfway', []),
    ],
)
def test_a_refused_word_is_found_as_a_part_of_a_name(code: str, names: list[str]) -> None:
    refused = dict.fromkeys(('told', 'heard', 'beat', 'said', 'life', 'way', 'say'), 'report')
    assert [name for name, *_ in found_in(ast.parse(code), refused)] == names


@pytest.mark.parametrize('package', PARTS)
def test_names_are_those_of_the_glossary(package: str) -> None:
    refused = refused_words(GLOSSARY.read_text(encoding='utf-8'))
    left, seen, faults = LEFT.get(package, frozenset()), set[str](), []
    for file in sorted(PARTS[package].rglob('*.py')):
        path = file.relative_to(ROOT).as_posix()
        for name, line, word in found_in(ast.parse(file.read_text(encoding='utf-8')), refused):
            if not is_allowed(path, name):
                seen.add(name)
                if name not in left:
                    faults.append(f'{path}:{line}: {name}: write {refused[word]!r} for {word!r}')
    assert not faults, '\n'.join(faults)
    assert not left - seen, f'these are replaced: remove them from LEFT: {sorted(left - seen)}'


def test_what_is_allowed_is_still_there() -> None:
    refused = refused_words(GLOSSARY.read_text(encoding='utf-8'))
    found = {
        (path, name)
        for root in PARTS.values()
        for file in root.rglob('*.py')
        if is_listed(path := file.relative_to(ROOT).as_posix())
        for name, *_ in found_in(ast.parse(file.read_text(encoding='utf-8')), refused)
    }
    gone = [
        f'{prefix}: {name}'
        for prefix, names in ALLOWED.items()
        for name in names
        if not any(path.startswith(prefix) and name == other for path, other in found)
    ]
    assert not gone, f'remove them from ALLOWED: {gone}'
