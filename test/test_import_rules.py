"""Who may import what: the folders of the design, and nothing that is not declared."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from configparser import ConfigParser
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
import re
import sys

import pytest
from source_folders import PACKAGES, PARTS, ROOT

pytestmark = pytest.mark.slow

# A folder imports from lower floors only, and from none beside it.
FLOORS = {
    'bt_executive/__main__.py': 7,
    'bt_executive/cli.py': 6,
    'bt_executive/commands': 5.5,
    'launch': 6,
    'bench': 6,
    'bt_executive/ros': 5,
    'bt_executive/console': 5,
    'bt_executive/web': 5,
    'bt_executive/replay': 5,
    'bt_executive/mcp_server': 5,
    'bt_executive/report': 5,
    'bt_executive/tree': 4,
    'bt_executive/launching': 4,
    'bt_executive/view': 4,
    'bt_executive/planner': 3,
    'bt_executive/skills': 3,
    'bt_executive/approval': 3,
    'bt_executive/store': 3,
    'bt_executive/client': 3,
    'bt_executive/plugins': 2.5,
    'bt_executive/core': 2,
    'adapter/curiosity_adapter': 2,
    'adapter/curiosity_navigation': 2,
    'sim': 2,
    'viz': 2,
    'memory': 2,
    'vision': 2,
    'adapter/gates': 1.5,  # the other adapters stand on it
    'common': 1,
    'bt_executive/__init__.py': 1,
}
LANGUAGE_MODELS = {
    'anthropic',
    'langchain',
    'langchain_anthropic',
    'langchain_core',
    'langchain_ollama',
    'langchain_openai',
    'langsmith',
    'rosa',
}
# Extras, imported only by who wants them.
NOT_SET_UP = ('xllamacpp', 'ray')  # of the extras local and ray, which `make setup` leaves out
OPTIONAL = (
    'rosa',
    'rover',
    'anthropic',
    'ollama',
    'langgraph',
    'memory',
    'memory-postgres',
    'memory-page',
    'mcp',
    'foxglove',
    'web',
    'vision',
)  # extras, imported only by who wants them
# Interface packages and tf2 come with ROS; on PyPI each has a distribution of its own.
OF_ROS = re.compile(
    r'rclpy|curiosity_rosa_demo|.*_(msgs|srvs|interfaces)|tf2_ros|py_trees_ros|ament_index_python'
    r'|launch|launch_ros|rosidl_adapter'
)

# Code that is handed to another interpreter as a text, and what it imports of ours.
BLOCK = re.compile(r'"""(.*?)"""|\'\'\'(.*?)\'\'\'', re.DOTALL)
IMPORT = re.compile(rf'^from ((?:{"|".join(PARTS)})(?:\.[\w.]+)?) import ([\w, ]+)$', re.MULTILINE)


@cache
def modules() -> tuple[tuple[str, str, set[str]], ...]:
    """Every module as (its path below the root, its dotted name, all dotted names it imports)."""
    return tuple(_modules())


def _modules() -> Iterator[tuple[str, str, set[str]]]:
    for package, folder in PARTS.items():
        for path in sorted(folder.rglob('*.py')):
            inside = path.relative_to(folder).with_suffix('').parts
            name = '.'.join((package, *inside)).removesuffix('.__init__')
            yield path.relative_to(ROOT).as_posix(), name, imports_of(path)


def imports_of(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}: relative imports are not used here'
            found |= {f'{node.module}.{alias.name}' for alias in node.names}
    return found


def product() -> list[tuple[str, str, set[str]]]:
    """The modules of our packages: without `bench` and `launch`."""
    return [each for each in modules() if each[1].split('.')[0] in PACKAGES]


def tops(imported: set[str]) -> set[str]:
    return {name.split('.')[0] for name in imported}


def breaking(rule: Callable[[str, str, set[str]], object]) -> list[str]:
    """Modules that a rule (path, name, imports → broken) finds at fault."""
    return [path for path, name, imported in product() if rule(path, name, imported)]


def is_border(path: str) -> bool:
    packages = (
        'adapter/gates/',
        'bt_executive/',
        'common/rover_common/',
        'sim/curiosity_sim/',
        'vision/rover_vision/',
    )
    borders = tuple(f'{package}ros/' for package in packages)
    return path.startswith(borders) or path.endswith('_node.py')


def test_only_the_borders_import_ros() -> None:
    assert not breaking(
        lambda path, _, imported: not is_border(path) and 'rclpy' in tops(imported)
    )


def test_only_the_planner_and_the_port_know_language_models() -> None:
    folders = ('bt_executive/planner/', 'common/rover_common/llm/')
    assert not breaking(
        lambda path, _, imported: not path.startswith(folders) and tops(imported) & LANGUAGE_MODELS
    )


def test_only_the_stores_saver_knows_langgraph() -> None:
    found = breaking(lambda _path, _name, imported: 'langgraph' in tops(imported))
    assert found == ['bt_executive/store/langgraph_saver.py']


def test_only_simulation_and_vision_handle_pictures() -> None:
    assert not breaking(
        lambda path, _, imported: (
            not path.startswith(('sim/', 'vision/')) and 'cv2' in tops(imported)
        )
    )


def test_every_module_stands_in_a_folder_of_a_floor() -> None:
    assert not [path for path, *_ in modules() if not box_of(path)]


def test_imports_go_to_lower_floors_only() -> None:
    files = {name: path for path, name, _ in modules()}
    wrong = [
        f'{path}:{line} imports {imported}: {other} is on floor {FLOORS[other]}, {box} on floor '
        f'{FLOORS[box]}, and imports go downwards only'
        for path, box in ((path, box_of(path)) for path, *_ in modules())
        for line, imported in lines_of(path, files)
        if box and (other := box_of(imported)) not in (None, box) and FLOORS[other] >= FLOORS[box]
    ]
    assert not wrong, '\n'.join(wrong)


def test_every_folder_says_what_it_is_for() -> None:
    for folder in FLOORS:
        for path in (ROOT / folder).glob('**/__init__.py'):
            assert ast.get_docstring(ast.parse(path.read_text(encoding='utf-8'))), path


def box_of(path: str) -> str | None:
    """The folder of FLOORS in which a file stands; None for what is not ours."""
    found = [box for box in FLOORS if path == box or path.startswith(f'{box}/')]
    return max(found, key=len, default=None)


def lines_of(path: str, files: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Line and file of each import of our own modules; `files` by module."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding='utf-8'))):
        if isinstance(node, ast.ImportFrom):
            names = [*(f'{node.module}.{alias.name}' for alias in node.names), str(node.module)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name in files:
                yield node.lineno, files[name]
                break


def test_everything_imported_is_declared() -> None:
    setup = ConfigParser()
    setup.read(ROOT / 'setup.cfg', encoding='utf-8')
    extras = setup['options.extras_require']
    lines = setup['options']['install_requires'].strip().splitlines()
    lines += [line for name in OPTIONAL for line in extras[name].split()]
    declared = {re.split(r'[\[<>=~]', line)[0] for line in lines}
    known = {*sys.stdlib_module_names, *PACKAGES, *NOT_SET_UP}
    known |= set().union(*map(tops_of_files, declared))
    undeclared = {
        (path, top)
        for path, _, imported in product()
        for top in tops(imported) - known
        if not OF_ROS.fullmatch(top)
    }
    assert not undeclared


def tops_of_files(name: str) -> set[str]:
    """What a distribution brings to import, by its files: not all have a top_level.txt."""
    return {file.parts[0].removesuffix('.py') for file in distribution(name).files or ()}


def imports_in_texts(code: str) -> Iterator[tuple[str, str]]:
    """(module, name) of each import of our packages in a text of several lines."""
    for block in BLOCK.finditer(code):
        for found in IMPORT.finditer(block[1] or block[2] or ''):
            for name in found[2].split(','):
                yield found[1], name.split()[0]


def is_there(module: str, name: str) -> bool:
    """By the files, so that nothing is imported."""
    package, *inside = module.split('.')
    path = PARTS[package].joinpath(*inside)
    if (path / name).is_dir() or (path / f'{name}.py').is_file():
        return True
    file = path / '__init__.py' if path.is_dir() else path.with_suffix('.py')
    return file.is_file() and name in names_of(file)


def names_of(file: Path) -> set[str]:
    """What a module's own lines define or import."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return found


def test_what_texts_import_is_there() -> None:
    wrong, seen = [], 0
    for folder in ('test', 'bench'):
        for path in sorted((ROOT / folder).rglob('*.py')):
            for module, name in imports_in_texts(path.read_text(encoding='utf-8')):
                seen += 1
                if not is_there(module, name):
                    wrong.append(f'{path.relative_to(ROOT)}: from {module} import {name}')
    assert not wrong
    assert seen > 20, 'such texts are found'


@pytest.mark.parametrize(
    ('line', 'found'),
    [
        ('from bt_executive import cli', True),
        ('from rover_common.config.load import load_config', True),
        ('from rover_common.config.load import load_nothing', False),
        ('from bt_executive.nowhere import cli', False),
    ],
)
def test_an_import_is_looked_up_by_the_files(line: str, found: bool) -> None:
    code = f'"""\n{line}\n"""'
    assert [is_there(*each) for each in imports_in_texts(code)] == [found]
