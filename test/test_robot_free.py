"""The executive knows no robot: its code, strings included, names no part of one.

Prose (comments and docstrings) may give an example.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
import re

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
EXECUTIVE = ROOT / 'bt_executive'
OF_A_ROBOT = re.compile(r'mast|curiosity', re.IGNORECASE)
ALLOWED = {
    'launching/system_processes.py': 'the table of its processes, named as such',
    'core/stop_and_question_phrases.py': 'what an operator may call the robot: "stop the rover!"',
    'console/doctor.py': 'the interface package curiosity_rosa_demo, named by spec 1',
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_words(text: str) -> Iterator[tuple[int, str]]:
    """Each name and each string of a module with its line; docstrings are prose."""
    tree = ast.parse(text)
    prose = set(map(_docstring_of, ast.walk(tree)))
    for node in ast.walk(tree):
        for field in ('id', 'attr', 'name', 'arg', 'module', 'asname'):
            word = getattr(node, field, None)
            if isinstance(word, str):
                yield getattr(node, 'lineno', 0), word
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in prose
        ):
            yield node.lineno, node.value


def _docstring_of(node: ast.AST) -> int:
    """The identity of the constant that is a node's docstring; 0: it has none."""
    if not isinstance(node, DOCUMENTED) or ast.get_docstring(node) is None:
        return 0
    (first, *_) = node.body
    return id(first.value) if isinstance(first, ast.Expr) else 0


def found_in(path: Path) -> list[str]:
    name = path.relative_to(EXECUTIVE).as_posix()
    text = path.read_text(encoding='utf-8')
    if not OF_A_ROBOT.search(text):
        return []  # parsed is only what has such a word
    words = code_words(text) if path.suffix == '.py' else enumerate(text.splitlines(), 1)
    return [f'{name}:{line}: {word!r:.80}' for line, word in words if OF_A_ROBOT.search(word)]


def test_no_part_and_no_name_of_a_robot_stands_in_the_executive() -> None:
    files = [path for path in sorted(EXECUTIVE.rglob('*')) if path.suffix in ('.py', '.html')]
    assert len(files) > 150
    found = {path.relative_to(EXECUTIVE).as_posix(): found_in(path) for path in files}
    assert {name for name, words in found.items() if words} == set(ALLOWED), [
        word for name, words in found.items() if name not in ALLOWED for word in words
    ]


def test_a_name_and_a_string_are_found_and_prose_is_not() -> None:
    text = """'The mast.'\ndef f(mast):  # mast\n    'mast'\n    return 'Need to close mast'\n"""
    assert [(line, word) for line, word in code_words(text) if OF_A_ROBOT.search(word)] == [
        (2, 'mast'),
        (4, 'Need to close mast'),
    ]
