"""Fills the virtual environment that runs it, or dist/, and says what it is doing.

set_up.py demo       what the demo needs
set_up.py test       the extras and what the tests need as well
set_up.py wheels     dist/: wheels of the interface packages and of the project
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
import shutil
import sys
from threading import Thread

from interface_wheels import DIST, ROOT, TAG, cache, compile_all, content, lacking, ready
from progress import CommandError, Progress
from requirements import all_extras, requirements

SETUP = ROOT / 'setup.cfg'
LOGS = Path(sys.prefix) / 'logs'
PIP = (sys.executable, '-m', 'pip')
# Bytecode is made for what is loaded, once, by MAKE_BYTECODE: of all it would be 100 MB more.
INSTALL = (*PIP, 'install', '--no-compile')
EDITABLE = ('setuptools>=64,<80', 'wheel')
MAKE_BYTECODE = (
    'import bt_executive.ros.executive_node, bt_executive.planner.factory, '
    'bt_executive.ros.client.client, bt_executive.cli, curiosity_sim.rover_node, '
    'curiosity_adapter.adapter_node, curiosity_sim.simulator_node, curiosity_viz.visualizer_node'
)


def main() -> int:
    """Does what the command line names; returns the exit code."""
    what, names = sys.argv[1], sys.argv[2:]
    try:
        with Progress() as progress:
            if what in ('extras', 'test'):
                extras(progress, names if what == 'extras' else all_extras(SETUP))
            else:
                {'demo': demo, 'wheels': wheels}[what](progress)
    except CommandError:
        return 1
    return 0


def demo(progress: Progress) -> None:
    """Base, interfaces and project; dependencies are installed while the interfaces compile."""
    _demand_wheels_or_compiler()
    failures: list[CommandError] = []
    installing = Thread(target=_install_base, args=(progress, failures))
    installing.start()
    try:
        folder = _interfaces(progress)
    finally:
        installing.join()
    if failures:
        raise failures[0]
    found = sorted(folder.glob(f'*-{TAG.split("-")[0]}-*.whl'))
    command = [*INSTALL, '--no-deps', '--force-reinstall', *found]
    progress.run('ROS interfaces', command, LOGS / 'interfaces.log', os.environ)
    command = [*INSTALL, '--no-build-isolation', '--no-deps', '--editable', ROOT]
    progress.run('bt_executive', command, LOGS / 'project.log', os.environ)
    share_files(Path(sys.prefix))
    forget_what_is_not_run(Path(sys.prefix))
    command = [sys.executable, '-c', MAKE_BYTECODE]
    progress.run('making bytecode', command, LOGS / 'bytecode.log', os.environ)
    progress.say('.venv is ready')


def extras(progress: Progress, names: list[str]) -> None:
    """The optional parts of these names."""
    wanted = requirements(SETUP, names)
    progress.run(f'extras {" ".join(names)}', [*INSTALL, *wanted], LOGS / 'extras.log', os.environ)
    progress.say(f'.venv has {", ".join(names)}, too')


def wheels(progress: Progress) -> None:
    """All that a machine without a compiler needs beside PyPI."""
    _demand_wheels_or_compiler()
    folder = _interfaces(progress)
    DIST.mkdir(exist_ok=True)
    if folder != DIST:
        for wheel in folder.glob('*.whl'):
            shutil.copy2(wheel, DIST)
        (DIST / f'{TAG}.content').write_text(content() + '\n', encoding='utf-8')
    command = [*PIP, 'wheel', '--no-deps', '--wheel-dir', DIST, ROOT]
    progress.run('wheel of bt_executive', command, LOGS / 'wheel.log', os.environ)
    for wheel in sorted(DIST.glob('*.whl')):
        progress.say(f'dist/{wheel.name}')


def share_files(venv: Path) -> None:
    """Makes equal libraries one file with several names.

    The wheels of ROS carry each library under every name that it has and once for every package.
    """
    first: dict[bytes, Path] = {}
    for path in sorted(venv.glob('lib/**/*.so*')):
        if path.is_symlink() or not path.is_file():
            continue
        other = first.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
        if not path.samefile(other):
            new = path.with_name(f'{path.name}.new')
            os.link(other, new)
            new.replace(path)


def forget_what_is_not_run(venv: Path) -> None:
    """Removes C++ headers, the tests of other packages, and the bytecode of what only installs."""
    for folder in (
        *venv.glob('include/*'),
        *venv.glob('lib/python3*/site-packages/[!_]*/**/tests'),
        *(
            bytecode
            for tool in ('pip', 'setuptools', 'pkg_resources')
            for bytecode in venv.glob(f'lib/python3*/site-packages/{tool}/**/__pycache__')
        ),
    ):
        if folder.is_dir() and not folder.name.startswith('python'):
            shutil.rmtree(folder)


def _demand_wheels_or_compiler() -> None:
    if ready(os.environ) is None and (fault := lacking()):
        raise SystemExit(f'bt_executive: {fault}')


def _interfaces(progress: Progress) -> Path:
    folder = ready(os.environ)
    if folder is None:
        progress.say(f'Compiling the ROS interfaces, once, into {cache(os.environ)}')
        return compile_all(progress, LOGS)
    progress.say(f'Ready wheels of the ROS interfaces: {folder}')
    return folder


def _install_base(progress: Progress, failures: list[CommandError]) -> None:
    try:
        # Some are no wheels: what builds them is installed once, not once for each of them.
        command = [*INSTALL, *EDITABLE]
        progress.run('dependencies', command, LOGS / 'setuptools.log', os.environ)
        command = [*INSTALL, '--no-build-isolation', *requirements(SETUP, [])]
        progress.run('dependencies', command, LOGS / 'dependencies.log', os.environ)
    except CommandError as error:
        failures.append(error)


if __name__ == '__main__':
    sys.exit(main())
