"""Who may import what: the folders of the design, and nothing that is not declared."""

import ast
from configparser import ConfigParser
from importlib.metadata import distribution
from pathlib import Path
import re
import sys

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    'bt_executive': ROOT / 'bt_executive',
    'curiosity_adapter': ROOT / 'adapter' / 'curiosity_adapter',
    'curiosity_sim': ROOT / 'sim' / 'curiosity_sim',
    'curiosity_viz': ROOT / 'viz' / 'curiosity_viz',
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
PROVIDERS = ('anthropic', 'ollama')  # extras, imported only if they are configured
# Interface packages and tf2 come with ROS; on PyPI each has a distribution of its own.
OF_ROS = re.compile(
    r'rclpy|curiosity_rosa_demo|.*_(msgs|srvs|interfaces)|tf2_ros|py_trees_ros|ament_index_python'
    r'|launch|launch_ros'
)


def modules():
    """Every module as (its path below the root, its dotted name, all dotted names it imports)."""
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob('*.py')):
            inside = path.relative_to(folder).with_suffix('').parts
            name = '.'.join((package, *inside)).removesuffix('.__init__')
            yield path.relative_to(ROOT).as_posix(), name, imports_of(path)


def imports_of(path):
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}: relative imports are not used here'
            found |= {f'{node.module}.{alias.name}' for alias in node.names}
    return found


MODULES = list(modules())


def tops(imported):
    return {name.split('.')[0] for name in imported}


def breaking(rule):
    """Modules that a rule (path, name, imports → broken) finds at fault."""
    return [path for path, name, imported in MODULES if rule(path, name, imported)]


def is_border(path):
    return path.startswith('bt_executive/ros/') or path.endswith('_node.py')


def is_pure(path):
    return not is_border(path) and not path.startswith('bt_executive/planner/')


def test_only_the_borders_import_ros():
    assert not breaking(
        lambda path, _, imported: not is_border(path) and 'rclpy' in tops(imported)
    )


def test_only_the_planner_knows_language_models():
    assert not breaking(
        lambda path, _, imported: (
            not path.startswith('bt_executive/planner/') and tops(imported) & LANGUAGE_MODELS
        )
    )


def test_only_the_simulation_handles_pictures():
    assert not breaking(
        lambda path, _, imported: not path.startswith('sim/') and 'cv2' in tops(imported)
    )


@pytest.mark.parametrize(
    ('importer', 'forbidden'),
    [
        ('bt_executive', {'curiosity_adapter', 'curiosity_sim', 'curiosity_viz'}),
        ('curiosity_adapter', {'curiosity_sim', 'curiosity_viz'}),
        ('curiosity_sim', {'curiosity_viz', 'curiosity_adapter'}),
        ('curiosity_viz', {'curiosity_sim', 'curiosity_adapter'}),
    ],
)
def test_the_packages_do_not_know_each_other(importer, forbidden):
    assert not breaking(
        lambda _, name, imported: name.startswith(importer) and tops(imported) & forbidden
    )


def test_the_pure_parts_reach_no_border():
    """The command line and the doctor may: they start things, and do so when asked only."""
    starters = {'bt_executive/cli.py', 'bt_executive/console/doctor.py'}
    assert not breaking(
        lambda path, name, imported: (
            name.startswith('bt_executive')
            and is_pure(path)
            and path not in starters
            and any(each.startswith('bt_executive.ros') for each in imported)
        )
    )


def test_the_kernel_rests_on_nothing_but_itself():
    upper = ('behaviours', 'console', 'planner', 'ros', 'cli', 'executive')
    assert not breaking(
        lambda path, _, imported: (
            path.startswith('bt_executive/kernel/')
            and any(
                each.split('.')[1:2]
                and each.split('.')[1] in upper
                and each.startswith('bt_executive.')
                for each in imported
            )
        )
    )


def test_nobody_imports_the_console_but_what_starts_the_system():
    starters = ('console/', 'cli.py', 'ros/console', 'ros/launching/')
    assert not breaking(
        lambda path, _, imported: (
            any(n.startswith('bt_executive.console') for n in imported)
            and not path.startswith(tuple(f'bt_executive/{each}' for each in starters))
        )
    )


def test_everything_imported_is_declared():
    setup = ConfigParser()
    setup.read(ROOT / 'setup.cfg', encoding='utf-8')
    extras = setup['options.extras_require']
    lines = setup['options']['install_requires'].strip().splitlines()
    lines += [line for name in PROVIDERS for line in extras[name].split()]
    declared = {re.split(r'[\[<>=~]', line)[0] for line in lines}
    known = {*sys.stdlib_module_names, *PACKAGES}.union(*map(tops_of_files, declared))
    undeclared = {
        (path, top)
        for path, _, imported in MODULES
        for top in tops(imported) - known
        if not OF_ROS.fullmatch(top)
    }
    assert not undeclared


def tops_of_files(name):
    """What a distribution brings to import, by its files: not all have a top_level.txt."""
    return {file.parts[0].removesuffix('.py') for file in distribution(name).files}
