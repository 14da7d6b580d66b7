"""Who may import what: the folders of the design, and nothing that is not declared."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from configparser import ConfigParser
from importlib.metadata import distribution
from pathlib import Path
import re
import sys

import pytest
from source_facts import Source, facts_of
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


def product(sources: list[Source]) -> list[Source]:
    """The modules of our packages: without `bench` and `launch`."""
    return [each for each in sources if each.package in PACKAGES]


def tops(imported: set[str]) -> set[str]:
    return {name.split('.')[0] for name in imported}


def importing(sources: list[Source], *packages: str) -> list[str]:
    """The paths of modules that import any of some packages."""
    return [each.path for each in product(sources) if not tops(each.imported).isdisjoint(packages)]


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


def test_only_the_borders_import_ros(sources: list[Source]) -> None:
    assert not [path for path in importing(sources, 'rclpy') if not is_border(path)]


@pytest.mark.parametrize(
    ('packages', 'allowed'),
    [
        (LANGUAGE_MODELS, ('bt_executive/planner/', 'common/rover_common/llm/')),
        (('langgraph',), ('bt_executive/store/langgraph_saver.py',)),
        (('cv2',), ('sim/', 'vision/')),
    ],
)
def test_a_library_is_known_to_its_folders_alone(
    sources: list[Source], packages: Iterable[str], allowed: tuple[str, ...]
) -> None:
    found = importing(sources, *packages)
    assert found
    assert not [path for path in found if not path.startswith(allowed)]


def test_every_module_stands_in_a_folder_of_a_floor(sources: list[Source]) -> None:
    assert not [each.path for each in sources if not box_of(each.path)]


def test_no_import_is_relative(sources: list[Source]) -> None:
    assert not [each.path for each in sources if any(name[0] == '.' for name in each.imported)]


def test_imports_go_to_lower_floors_only(sources: list[Source]) -> None:
    files = {each.name: each.path for each in sources}
    boxes = {path: box_of(path) for path in files.values()}
    wrong = [
        f'{each.path}:{line} imports {imported}: {other} is on floor {FLOORS[other]}, {box} on '
        f'floor {FLOORS[box]}, and imports go downwards only'
        for each in sources
        for line, imported in lines_of(each, files)
        if (box := boxes[each.path])
        and (other := boxes[imported]) not in (None, box)
        and FLOORS[other] >= FLOORS[box]
    ]
    assert not wrong, '\n'.join(wrong)


def test_every_folder_says_what_it_is_for(sources: list[Source]) -> None:
    packages = [each for each in sources if each.path.endswith('/__init__.py')]
    assert packages
    assert not [each.path for each in packages if not each.has_docstring]


def box_of(path: str) -> str | None:
    """The folder of FLOORS in which a file stands; None for what is not ours."""
    found = [box for box in FLOORS if path == box or path.startswith(f'{box}/')]
    return max(found, key=len, default=None)


def lines_of(source: Source, files: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Line and file of each import of our own modules; `files` by module."""
    for line, names, module in source.imports:
        if found := next((files[name] for name in (*names, module) if name in files), None):
            yield line, found


def test_everything_imported_is_declared(sources: list[Source]) -> None:
    setup = ConfigParser()
    setup.read(ROOT / 'setup.cfg', encoding='utf-8')
    extras = setup['options.extras_require']
    lines = setup['options']['install_requires'].strip().splitlines()
    lines += [line for name in OPTIONAL for line in extras[name].split()]
    declared = {re.split(r'[\[<>=~]', line)[0] for line in lines}
    known = {*sys.stdlib_module_names, *PACKAGES, *NOT_SET_UP}
    known |= set().union(*map(tops_of_files, declared))
    undeclared = {
        (each.path, top)
        for each in product(sources)
        for top in tops(each.imported) - known
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
    imports, defined = facts_of(ast.parse(file.read_text(encoding='utf-8')))
    return {name for name, _ in defined} | {
        name.rpartition('.')[2] for each in imports for name in each.names
    }


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
