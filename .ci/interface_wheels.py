"""Wheels of the interface packages: found where they are ready, compiled once where they are not.

Each is kept under a name of what it is made of: the files of its package, the Python and the
processor. It is looked for in dist/ and in ${XDG_CACHE_HOME:-~/.cache}/bt_executive/wheels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
import hashlib
import os
from pathlib import Path
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from threading import Event

from installer import Installer
from lock import wait_for_lock
from progress import CommandError, Progress
from requirements import BUILD, requirements

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / 'dist'
TAG = f'cp{sys.version_info[0]}{sys.version_info[1]}-{platform.machine()}'
TOOLS = ('c++', 'g++', 'clang++')


def packages(names: Iterable[str] | None = None) -> list[Path]:
    """The folders of these interface packages (None: of all), those that take longest first."""
    found = {path.parent.name: path.parent for path in ROOT.glob('interfaces/**/package.xml')}
    wanted = [found[name] for name in (found if names is None else names)]
    return sorted(wanted, key=lambda path: (-len([*path.glob('*/*')]), path.name))


def content(package: Path) -> str:
    """A name for what the wheel of a package is made of."""
    digest = hashlib.sha256(TAG.encode())
    interfaces = ROOT / 'interfaces'
    for path in sorted((*package.rglob('*'), *interfaces.glob('cmake/*'))):
        if path.is_file():
            digest.update(path.relative_to(interfaces).as_posix().encode() + b'\0')
            digest.update(path.read_bytes() + b'\0')
    return digest.hexdigest()[:16]


def cache(environment: Mapping[str, str]) -> Path:
    """The folder of all wheels in the user's cache."""
    home = environment.get('XDG_CACHE_HOME') or Path(environment.get('HOME', '/tmp'), '.cache')
    return Path(home, 'bt_executive', 'wheels')


def kept(package: Path, environment: Mapping[str, str]) -> Path:
    """Where the cache keeps the wheel of a package as it is now: a folder."""
    return cache(environment) / f'{package.name}-{TAG}-{content(package)}'


def ready(package: Path, environment: Mapping[str, str]) -> Path | None:
    """The wheel of a package as it is now; None if it has to be compiled."""
    mark = DIST / f'{package.name}-{TAG}.content'
    is_in_dist = mark.is_file() and mark.read_text(encoding='utf-8').strip() == content(package)
    folder = DIST if is_in_dist else kept(package, environment)
    return next(folder.glob(f'{package.name}-*-{TAG.split("-")[0]}-*.whl'), None)


def to_compile(wanted: Iterable[Path], environment: Mapping[str, str]) -> list[Path]:
    """Those of these packages of which no wheel is ready."""
    return [package for package in wanted if ready(package, environment) is None]


def lacking() -> str:
    """What this machine lacks for compiling, as one sentence; empty if nothing."""
    compilers = (os.environ.get('CXX', ''), *TOOLS)
    if not any(name and shutil.which(name) for name in compilers):
        return (
            'no C++ compiler found, and no ready wheels of the ROS interfaces in dist/: install '
            "one, for example with 'apt-get install g++', or copy dist/ from a machine where "
            '`make wheels` has run with the same Python.'
        )
    if not Path(sysconfig.get_path('include'), 'Python.h').exists():
        name = f'python3.{sys.version_info[1]}-dev'
        return (
            f'{sys.executable} lacks its C headers, without which the ROS interfaces cannot be '
            f"compiled: install them, for example with 'apt-get install {name}'."
        )
    return ''


def wheels(installs: Installer, logs: Path, wanted: Sequence[Path]) -> list[Path]:
    """The wheels of these packages; those that are not ready are compiled into the cache.

    Raises:
        CommandError: A package cannot be compiled; the reason has been printed.
    """
    if to_compile(wanted, os.environ):
        with _only_one(cache(os.environ) / f'{TAG}.lock', installs.progress):
            left = to_compile(wanted, os.environ)  # nobody else has compiled them meanwhile
            if left:
                _compile_into_cache(left, installs, logs)
    if missing := [package.name for package in to_compile(wanted, os.environ)]:
        installs.progress.say(f'no wheel has come of {", ".join(missing)}: see {logs}')
        raise CommandError(missing[0])
    return [wheel for package in wanted if (wheel := ready(package, os.environ))]


@contextmanager
def _only_one(path: Path, progress: Progress) -> Iterator[None]:
    """Waits until no other set-up compiles; the lock goes with its process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open('w') as file:
        wait_for_lock(file.fileno(), progress, 'set-up that compiles')
        yield


def _compile_into_cache(left: Sequence[Path], installs: Installer, logs: Path) -> None:
    names = ', '.join(package.name for package in left)
    installs.progress.say(f'Compiling ROS interfaces, once, into {cache(os.environ)}: {names}')
    with tempfile.TemporaryDirectory(prefix='bt_executive-') as temporary:
        environment = _build_environment(Path(temporary), installs, logs)
        _compile(left, Path(temporary, 'venv'), installs.progress, logs, environment)


def _build_environment(folder: Path, installs: Installer, logs: Path) -> dict[str, str]:
    """Installs the tools that compile; returns the environment in which they are found."""
    venv = folder / 'venv'
    subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
    ros = [each for each in requirements(ROOT / 'setup.cfg', []) if each.startswith('ros-')]
    tools = requirements(ROOT / 'setup.cfg', [BUILD], base=False)
    python = venv / 'bin' / 'python'
    first = [each for each in tools if each.startswith(('setuptools', 'wheel'))]
    log = logs / 'tools.log'
    installs.install('compiler tools', first, log, python)
    installs.install('compiler tools', ('--no-build-isolation', *ros, *tools), log, python)
    inherited = {key: each for key, each in os.environ.items() if key != 'PYTHONPATH'}
    return {
        **inherited,
        'PATH': f'{venv / "bin"}{os.pathsep}{os.environ["PATH"]}',
        'CMAKE_PREFIX_PATH': str(venv),
        'AMENT_PREFIX_PATH': str(venv),
        'CMAKE_BUILD_PARALLEL_LEVEL': '2',
    }


def _compile(
    left: Sequence[Path],
    venv: Path,
    progress: Progress,
    logs: Path,
    environment: Mapping[str, str],
) -> None:
    """Compiles the packages, two at a time: configuring one uses a single core."""
    failed = Event()

    def compile_one(package: Path) -> None:
        if failed.is_set():
            return
        into = Path(tempfile.mkdtemp(dir=cache(os.environ)))
        command = [
            *(venv / 'bin' / 'python', '-m', 'pip', 'wheel', '--verbose'),
            *('--no-build-isolation', '--no-deps', '--wheel-dir', into, package),
        ]
        try:
            log = logs / f'{package.name}.log'
            progress.run(f'compiling {package.name}', command, log, environment)
            into.chmod(0o755)
            into.rename(kept(package, os.environ))
        except BaseException:
            failed.set()
            shutil.rmtree(into, ignore_errors=True)
            raise

    with ThreadPoolExecutor(2) as workers:
        compiled = [workers.submit(compile_one, package) for package in left]
    for each in compiled:
        each.result()  # raises what has ended it
