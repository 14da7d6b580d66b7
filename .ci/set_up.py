"""Fills the virtual environment that runs it, or dist/, and says what it is doing.

set_up.py demo       what the demo needs
set_up.py test       the same with every extra, and so what the tests need: all in one go
set_up.py extras     some extras more
set_up.py wheels     dist/: wheels of the interface packages and of the project
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
import hashlib
import os
from pathlib import Path
import shutil
import sys
import tempfile

from requirements import BUILD, all_extras, own_packages, requirements

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'common'))

from rover_common.wheels.interface_wheels import TAG, InterfaceWheels, cache, missing_build_tools  # noqa: E402
from rover_common.wheels.pip_and_uv import PIP, Installer, installer  # noqa: E402
from rover_common.wheels.running_commands import INTERRUPTED, CommandError, Progress  # noqa: E402

SETUP = ROOT / 'setup.cfg'
OF_ROS = [each for each in requirements(SETUP, []) if each.startswith('ros-')]
OURS = InterfaceWheels(ROOT, [*OF_ROS, *requirements(SETUP, [BUILD], base=False)])
LOGS = Path(sys.prefix) / 'logs'
COPY_DIST = ', or copy dist/ from a machine where `make wheels` has run with the same Python'
OF_DEMO = ['rosa', 'rover']  # the extras that the demo needs
EDITABLE = ('setuptools>=64,<80', 'wheel')
# Bytecode is made for what is loaded, once: of all it would be 100 MB more.
MAKE_BYTECODE = (
    'import bt_executive.ros.executive_node, bt_executive.planner.configured_planner, '
    'bt_executive.ros.client.executive_client, bt_executive.cli, curiosity_sim.rover_node, '
    'curiosity_adapter.adapter_node, curiosity_sim.simulator_node, curiosity_viz.visualizer_node; '
    'from bt_executive.planner.rosa_planner import load_libraries; load_libraries(lambda: None)'
)


def main() -> int:
    """Does what the command line names; returns the exit code."""
    what, names = sys.argv[1], sys.argv[2:]
    try:
        with Progress() as progress:
            progress.print_line(f'Setting up: {" ".join([what, *names])}')
            _choose_cache(progress)
            with installer(progress, LOGS) as installs:
                if what == 'extras':
                    extras(progress, installs, names)
                elif what == 'wheels':
                    release(progress, installs)
                else:
                    set_up(progress, installs, OF_DEMO if what == 'demo' else all_extras(SETUP))
    except CommandError:
        return 1
    return 0


def _choose_cache(progress: Progress) -> None:
    """Has everything cached below .venv where the user's cache cannot be written."""
    folder = cache(os.environ)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        own = str(Path(sys.prefix) / 'cache')
        progress.print_line(f'{folder} cannot be written ({error.strerror}): the cache is {own}')
        os.environ.setdefault('PIP_CACHE_DIR', own)  # uv gets it from pip's settings
        if OURS.to_compile(OURS.packages()):  # else the wheels that are there can be read
            os.environ['XDG_CACHE_HOME'] = own


def set_up(progress: Progress, installs: Installer, names: list[str]) -> None:
    """Base with these extras, interfaces and project; they are installed while others compile."""
    wanted = OURS.packages(own_packages(SETUP, names))
    _demand_wheels_or_compiler(wanted)

    def install() -> None:
        # Some are no wheels: what builds them is installed once, not once for each of them.
        _install(installs, 'dependencies', EDITABLE)
        _install(installs, 'dependencies', ('--no-build-isolation', *requirements(SETUP, names)))

    _install_interfaces(installs, _beside(install, lambda: OURS.wheels(installs, LOGS, wanted)))
    editable = ('--no-build-isolation', '--no-deps', '--editable', ROOT)
    _install(installs, 'bt_executive', editable)
    share_files(Path(sys.prefix))
    forget_what_is_not_run(Path(sys.prefix))
    command = [sys.executable, '-c', MAKE_BYTECODE]
    progress.run('making bytecode', command, LOGS / 'bytecode.log', os.environ)
    progress.print_line('.venv is ready')


def extras(progress: Progress, installs: Installer, names: list[str]) -> None:
    """The optional parts of these names."""
    wanted = OURS.packages(own_packages(SETUP, names, base=False))
    _demand_wheels_or_compiler(wanted)

    def install() -> None:
        # With those of the base: what an extra brings has to suit them, too.
        _install(installs, f'extras {" ".join(names)}', requirements(SETUP, [*OF_DEMO, *names]))

    _install_interfaces(installs, _beside(install, lambda: OURS.wheels(installs, LOGS, wanted)))
    progress.print_line(f'.venv has {", ".join(names)}, too')


def release(progress: Progress, installs: Installer) -> None:
    """All that a machine without a compiler needs beside PyPI."""
    wanted = OURS.packages()
    _demand_wheels_or_compiler(wanted)
    OURS.dist.mkdir(exist_ok=True)
    for package, wheel in zip(wanted, OURS.wheels(installs, LOGS, wanted), strict=True):
        if wheel.parent != OURS.dist:
            shutil.copy2(wheel, OURS.dist)
        mark = OURS.dist / f'{package.name}-{TAG}.content'
        mark.write_text(OURS.content(package) + '\n', encoding='utf-8')
    command = [*PIP, 'wheel', '--no-deps', '--wheel-dir', OURS.dist, ROOT]
    progress.run('wheel of bt_executive', command, LOGS / 'wheel.log', os.environ)
    for wheel in sorted(OURS.dist.glob('*.whl')):
        progress.print_line(f'dist/{wheel.name}')


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
    """Removes C++ headers, other packages' tests, and the bytecode of what only installs.

    And 12 MB of zstandard's way for PyPy, which CPython never takes. The tests of numpy stay:
    `numpy.testing` of 2.2, the last one for Python 3.10, imports one, and scipy imports that.
    """
    (packages,) = venv.glob('lib/python3*/site-packages')
    for path in (
        *venv.glob('include/*'),
        *(each for each in packages.glob('[!_]*/**/tests') if 'numpy' not in each.parts),
        *packages.glob('zstandard/_cffi.*.so'),
        *(
            bytecode
            for tool in ('pip', 'setuptools', 'pkg_resources')
            for bytecode in packages.glob(f'{tool}/**/__pycache__')
        ),
    ):
        if path.is_file():
            path.unlink()
        elif path.is_dir() and not path.name.startswith('python'):
            shutil.rmtree(path)


def _demand_wheels_or_compiler(wanted: Sequence[Path]) -> None:
    if OURS.to_compile(wanted) and (fault := missing_build_tools(COPY_DIST)):
        raise SystemExit(f'bt_executive: {fault}')


def _beside(install: Callable[[], None], compiling: Callable[[], list[Path]]) -> list[Path]:
    """Both at once; the wheels that were compiled, or found ready."""
    with ThreadPoolExecutor(1) as beside:
        installing = beside.submit(install)
        found = compiling()
    installing.result()  # raises what has ended it
    return found


def _install(installs: Installer, title: str, what: Sequence[object]) -> None:
    installs.install(title, what, LOGS / f'{title.partition(" ")[0]}.log')


def _install_interfaces(installs: Installer, found: Sequence[Path]) -> None:
    if found:
        _install(installs, 'ROS interfaces', ('--no-deps', '--force-reinstall', *found))


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
