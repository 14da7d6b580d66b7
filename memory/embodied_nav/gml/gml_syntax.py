"""The syntax of GML: text parsed to a graph, or to an error with a line; values written as lines.

The form is that of networkx, which reads it back: a list repeats its key, a number with an
exponent has a point, and what is not ASCII is a numeric character reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
import json
from pathlib import Path
import re
from typing import Any

from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import LONGEST_NAME
from embodied_nav.store.memory_store import MemoryStore
from rover_common.errors import MemoryStoreError
from rover_common.extras import needs_extra
from rover_common.text_sanitizing import sanitize_line

# Keys in the store: the paths of rovers, and what is not interpreted of a file.
PATHS, KEPT, OTHERS = 'ways', 'kept of nodes', 'other edges'
MOST_BYTES = 500_000_000
# Raised by networkx for text that is GML and no graph.
NOT_AS_BUILT = (ValueError, TypeError, LookupError, AttributeError, OverflowError)

_LINE = re.compile(r'\((\d+), (\d+)\)')
_HEAD = re.compile(r'^\s*graph\s*\[', re.MULTILINE)
_MANY = re.compile(r'^\s*multigraph\s+[01]\s*$', re.MULTILINE)
# Outside of strings; networkx parses 1.e308 only.
_POINTLESS = re.compile(r'"[^"]*"|(?<![\w.+-])(?P<whole>[+-]?\d+)(?P<power>[eE][+-]?\d+)(?![\w.])')


# What is no character by itself: other programs write two of them for one beyond 0xFFFF.
_SURROGATES = re.compile(r'(?:&#(?:0*5[5-7]\d{3}|x0*[dD][89a-fA-F][\da-fA-F]{2});)+')
_REFERENCE = re.compile(r'&#(?:(\d+)|x(\w+));')
_NOT_PLAIN = re.compile('[^ -~]|[&"]')
_KEY = re.compile('[A-Za-z][0-9A-Za-z_]*')
_ONE = '"_networkx_list_start"'  # before the only value of a list


@dataclass(frozen=True)
class Places:
    """The contents of a file: nodes with their parents, and the paths of rovers or drones.

    Attributes:
        path: Of the file, as it was read.
        kept: Node → attributes that are not interpreted, and are exported as they were read.
        others: Edges that are not interpreted, the same: start, end, attributes.
    """

    nodes: tuple[Node, ...]
    paths: tuple[tuple[str, str], ...] = ()
    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    others: tuple[tuple[str, str, dict[str, Any]], ...] = ()
    path: Path | None = None


def uninterpreted(
    store: MemoryStore,
) -> tuple[
    list[tuple[str, str]], dict[str, dict[str, Any]], list[tuple[str, str, dict[str, Any]]]
]:
    """Return the paths, the kept attributes and the other edges of all files imported so far."""
    paths, kept, others = map(store.meta, (PATHS, KEPT, OTHERS))
    return (
        [(one, other) for one, other in json.loads(paths or '[]')],
        json.loads(kept or '{}'),
        [(one, other, data) for one, other, data in json.loads(others or '[]')],
    )


class Text:
    """The text of a file, for errors that name a line of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.stat().st_size > MOST_BYTES:
                raise self.fault(f'it is larger than {MOST_BYTES // 1_000_000} MB')
            self.text = path.read_bytes().decode('utf-8-sig')
        except OSError as error:
            raise self.fault(error.strerror or str(error)) from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b'\n') + 1
            raise self.fault('it is not UTF-8 text', line) from None

    def fault(self, why: str, line: int | None = None) -> MemoryStoreError:
        """Return the error that says what is wrong and where."""
        where = f', line {line}' if line else ''
        return MemoryStoreError(f'{str(self.path)!r}{where} cannot be read: {why}.')

    def line_of(self, node_id: str) -> int:
        """Return the line with a node's label; if it is written differently, that of the graph.

        A label that spans several lines is parsed with a blank for each line break.
        """
        written = r'\s+'.join(map(re.escape, node_id.split()))
        found = re.search(rf'label\s+"\s*{written}\s*"', self.text) or _HEAD.search(self.text)
        return self.text.count('\n', 0, found.start()) + 1 if found else 1

    def graph(self) -> Any:
        """Return the graph with all of its edges, also if it is not declared as a multigraph.

        Raises:
            MemoryStoreError: The text is no GML; file, line and reason.
        """
        networkx = networkx_library()
        head = _HEAD.search(self.text)
        if head is None:
            raise self.fault('it has no "graph [", so it is no GML file', 1)
        text = _MANY.sub('', self.text)  # a line that is left empty keeps the count of lines
        text = text[: head.end()] + ' multigraph 1' + text[head.end() :]
        text = _SURROGATES.sub(_as_characters, _POINTLESS.sub(_with_point, text))
        try:
            return _all_labelled(networkx.parse_gml(text, label='label'), networkx)
        except networkx.NetworkXError as error:
            found = _LINE.search(str(error))
            raise self.fault(str(error).rstrip('.'), int(found[1]) if found else self._end()) \
                from None  # fmt: skip
        except NOT_AS_BUILT as error:
            why = f'it is not built as a GML file is ({type(error).__name__}: {error})'
            raise self.fault(why, self._end()) from None
        except RecursionError:
            raise self.fault('its brackets are nested too deeply', 1) from None

    def _end(self) -> int:
        return self.text.count('\n') + 1


def _with_point(found: re.Match[str]) -> str:
    return f'{found["whole"]}.{found["power"]}' if found['whole'] else found[0]


def _as_characters(found: re.Match[str]) -> str:
    """Return references to surrogates as those to characters: U+FFFD for one that is alone."""
    codes = [int(ten or sixteen, 10 if ten else 16)
             for ten, sixteen in _REFERENCE.findall(found[0])]  # fmt: skip
    units = ''.join(map(chr, codes)).encode('utf-16', 'surrogatepass')
    return ''.join(f'&#{ord(each)};' for each in units.decode('utf-16', 'replace'))


def _all_labelled(graph: Any, networkx: Any) -> Any:
    """Return the graph with a label for each node whose label is blank: an id is not empty."""
    blank = [each for each in graph if not sanitize_line(str(each), LONGEST_NAME)]
    free = (each for each in map('node_{}'.format, count()) if each not in graph)
    return networkx.relabel_nodes(graph, dict(zip(blank, free, strict=False))) if blank else graph


def networkx_library() -> Any:
    """Return the library, imported where it is needed.

    Raises:
        MemoryStoreError: It is missing; which extra brings it.
    """
    try:
        import networkx
    except ImportError:
        raise MemoryStoreError(needs_extra('A GML file', 'memory')) from None
    return networkx


def record(kind: str, attributes: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a node or an edge."""
    yield f'  {kind} ['
    for key, value in attributes.items():
        yield from _lines(key, value, '    ')
    yield '  ]'


def is_value(value: Any) -> bool:
    """Return whether a value can be written."""
    if isinstance(value, Mapping):
        return all(_KEY.fullmatch(str(key)) and is_value(each) for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return all(is_value(each) for each in value)
    return isinstance(value, (str, int, float))


def _lines(key: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield f'{indent}{key} ['
        for inner, each in value.items():
            yield from _lines(str(inner), each, f'{indent}  ')
        yield f'{indent}]'
    elif isinstance(value, (list, tuple)):
        if not value:
            yield f'{indent}{key} "[]"'
        if len(value) == 1:
            yield f'{indent}{key} {_ONE}'
        for each in value:
            yield from _lines(key, each, indent)
    else:
        yield f'{indent}{key} {_scalar(value)}'


def _scalar(value: str | float) -> str:
    if isinstance(value, str):
        return '"' + _NOT_PLAIN.sub(lambda found: f'&#{ord(found[0])};', value) + '"'
    if isinstance(value, int):
        return str(int(value))
    text = repr(float(value)).upper()
    if text in ('INF', 'NAN'):
        return f'+{text}'
    mantissa, sign, exponent = text.partition('E')
    return text if not sign or '.' in mantissa else f'{mantissa}.{sign}{exponent}'
