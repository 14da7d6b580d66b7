"""Identifiers keep to docs/glossary.md: a word in code font in its last column is in none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
import re

import pytest
from source_facts import Names, Source, facts_of
from source_folders import ROOT

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


def refused_in(name: str, refused: Mapping[str, str]) -> str | None:
    """Return the refused word that is a part of a name, in the singular or plural."""
    for match in PART.finditer(name):
        part = match[0].lower()
        for word in (part, part.removesuffix('s')):
            if word in refused:
                return word
    return None


def found_in(defined: Names, refused: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    """Yield (name, line, refused word) of a module."""
    words = {name: refused_in(name, refused) for name in {name for name, _ in defined}}
    for name, line in defined:
        if (word := words[name]) is not None:
            yield name, line, word


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
    assert [name for name, *_ in found_in(facts_of(ast.parse(code))[1], refused)] == names


def test_names_are_those_of_the_glossary(sources: list[Source]) -> None:
    refused = refused_words(GLOSSARY.read_text(encoding='utf-8'))
    left = {(package, name) for package, names in LEFT.items() for name in names}
    allowed = {(prefix, name) for prefix, names in ALLOWED.items() for name in names}
    faults = []
    seen: set[tuple[str, str]] = set()
    for source in sources:
        for name, line, word in found_in(source.defined, refused):
            stays = {
                each for each in allowed if source.path.startswith(each[0]) and each[1] == name
            }
            stays = stays or ({(source.package, name)} & left)
            seen |= stays
            if not stays:
                faults.append(
                    f'{source.path}:{line}: {name}: write {refused[word]!r} for {word!r}'
                )
    assert not faults, '\n'.join(faults)
    assert not left - seen, f'these are replaced: remove them from LEFT: {sorted(left - seen)}'
    assert not allowed - seen, f'remove them from ALLOWED: {sorted(allowed - seen)}'
