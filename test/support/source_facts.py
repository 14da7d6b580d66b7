"""What the project's modules import and define: each is parsed once in a run of the suite."""

from __future__ import annotations

import ast
from collections.abc import Iterator
import gc
from pathlib import Path
import pickle
from typing import NamedTuple

from once import made_once
import pytest
from source_folders import PARTS, ROOT

Names = tuple[tuple[str, int], ...]


class Import(NamedTuple):
    """A statement. `names`: dotted; `module`: after `from`, with the dots of a relative one."""

    line: int
    names: tuple[str, ...]
    module: str = ''


class Source(NamedTuple):
    """A module. `path`: below the root; `name`: dotted; `defined`: what it defines or assigns."""

    path: str
    package: str
    name: str
    has_docstring: bool
    imports: tuple[Import, ...]
    defined: Names

    @property
    def imported(self) -> set[str]:
        """All dotted names that it imports."""
        return {name for each in self.imports for name in each.names}


@pytest.fixture(scope='session')
def sources(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> list[Source]:
    """Every module of the project but its tests."""
    folder = made_once('sources', _write, tmp_path_factory, testrun_uid)
    found: list[Source] = pickle.loads((folder / 'sources').read_bytes())
    return found


def _write(folder: Path) -> None:
    folder.mkdir()
    gc.disable()  # the nodes of a tree are many, and go by themselves
    try:
        (folder / 'sources').write_bytes(pickle.dumps(list(_sources())))
    finally:
        gc.enable()


def _sources() -> Iterator[Source]:
    for package, folder in PARTS.items():
        for path in sorted(folder.rglob('*.py')):
            inside = path.relative_to(folder).with_suffix('').parts
            name = '.'.join((package, *inside)).removesuffix('.__init__')
            tree = ast.parse(path.read_text(encoding='utf-8'))
            imports, defined = facts_of(tree)
            has_docstring = ast.get_docstring(tree) is not None
            yield Source(
                path.relative_to(ROOT).as_posix(), package, name, has_docstring, imports, defined
            )


def facts_of(tree: ast.AST) -> tuple[tuple[Import, ...], Names]:
    """The imports of a module, and the names that it defines or assigns, each with its line."""
    imports: list[Import] = []
    defined: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            if isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
                defined.append((name, node.lineno))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.append((node.name, node.lineno))
        elif isinstance(node, ast.arg):
            defined.append((node.arg, node.lineno))
        elif isinstance(node, ast.alias) and node.asname:
            defined.append((node.asname, node.lineno))
        elif isinstance(node, ast.Import):
            imports.append(Import(node.lineno, tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.ImportFrom):
            module = '.' * node.level + (node.module or '')
            names = tuple(f'{module}.{alias.name}' for alias in node.names)
            imports.append(Import(node.lineno, names, module))
    return tuple(imports), tuple(defined)
