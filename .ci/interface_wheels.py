"""Wheels of the interface packages: found where they are ready, compiled once where they are not.

They are named by what they are made of: the files in interfaces/, the Python and the processor. So
they are looked for in dist/ and in the cache, ${XDG_CACHE_HOME:-~/.cache}/bt_executive/wheels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
import fcntl
import hashlib
import os
from pathlib import Path
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from threading import Thread

from progress import CommandError, Progress
from requirements import BUILD, requirements

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / 'dist'
TAG = f'cp{sys.version_info[0]}{sys.version_info[1]}-{platform.machine()}'
TOOLS = ('c++', 'g++', 'clang++')


def packages() -> list[Path]:
    """The folders of the interface packages, those that take longest first."""
    found = [path.parent for path in (ROOT / 'interfaces').glob('**/package.xml')]
    return sorted(found, key=lambda path: (-len([*path.glob('*/*')]), path.name))


def content() -> str:
    """A name for what the wheels are made of."""
    digest = hashlib.sha256(TAG.encode())
    for path in sorted((ROOT / 'interfaces').rglob('*')):
        if path.is_file():
            digest.update(path.relative_to(ROOT).as_posix().encode() + b'\0')
            digest.update(path.read_bytes() + b'\0')
    return digest.hexdigest()[:16]


def cache(environment: Mapping[str, str]) -> Path:
    """The folder of this content in the user's cache."""
    home = environment.get('XDG_CACHE_HOME') or Path(environment.get('HOME', '/tmp'), '.cache')
    return Path(home, 'bt_executive', 'wheels', f'{TAG}-{content()}')


def ready(environment: Mapping[str, str]) -> Path | None:
    """A folder with wheels of this content; None if they have to be compiled."""
    mark = DIST / f'{TAG}.content'
    if mark.is_file() and mark.read_text(encoding='utf-8').strip() == content():
        return DIST
    folder = cache(environment)
    return folder if folder.is_dir() else None


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


def compile_all(progress: Progress, logs: Path) -> Path:
    """Compiles every package and puts the wheels into the cache; returns their folder.

    Raises:
        CommandError: A package cannot be compiled; the reason has been printed.
    """
    folder = cache(os.environ)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(folder, progress):
        if not folder.is_dir():  # nobody else has compiled it meanwhile
            _compile_into(folder, progress, logs)
    return folder


@contextmanager
def _only_one(folder: Path, progress: Progress) -> Iterator[None]:
    """Waits until no other set-up compiles the same; the lock goes with its process."""
    with folder.with_suffix('.lock').open('w') as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say('Waiting for another set-up that compiles the same')
            with progress.under_way('waiting for the other set-up'):
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _compile_into(folder: Path, progress: Progress, logs: Path) -> None:
    with tempfile.TemporaryDirectory(prefix='bt_executive-') as temporary:
        environment = _build_environment(Path(temporary), progress, logs)
        made = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            _compile(Path(temporary, 'venv'), made, progress, logs, environment)
            made.chmod(0o755)
            made.rename(folder)
        except BaseException:
            shutil.rmtree(made)
            raise


def _build_environment(folder: Path, progress: Progress, logs: Path) -> dict[str, str]:
    """Installs the tools that compile; returns the environment in which they are found."""
    venv = folder / 'venv'
    subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
    ros = [each for each in requirements(ROOT / 'setup.cfg', []) if each.startswith('ros-')]
    tools = requirements(ROOT / 'setup.cfg', [BUILD], base=False)
    install = [venv / 'bin' / 'python', '-m', 'pip', 'install', '--no-compile']
    first = [each for each in tools if each.startswith(('setuptools', 'wheel'))]
    progress.run('compiler tools', [*install, *first], logs / 'tools.log', os.environ)
    command = [*install, '--no-build-isolation', *ros, *tools]
    progress.run('compiler tools', command, logs / 'tools.log', os.environ)
    inherited = {key: each for key, each in os.environ.items() if key != 'PYTHONPATH'}
    return {
        **inherited,
        'PATH': f'{venv / "bin"}{os.pathsep}{os.environ["PATH"]}',
        'CMAKE_PREFIX_PATH': str(venv),
        'AMENT_PREFIX_PATH': str(venv),
        'CMAKE_BUILD_PARALLEL_LEVEL': '2',
    }


def _compile(
    venv: Path, into: Path, progress: Progress, logs: Path, environment: Mapping[str, str]
) -> None:
    """Compiles the packages, two at a time: configuring one uses a single core."""
    left = packages()
    faults: list[str] = []

    def work() -> None:
        while left and not faults:
            package = left.pop(0)
            command = [
                *(venv / 'bin' / 'python', '-m', 'pip', 'wheel', '--verbose'),
                *('--no-build-isolation', '--no-deps', '--wheel-dir', into, package),
            ]
            title = f'compiling {package.name}'
            try:
                progress.run(title, command, logs / f'{package.name}.log', environment)
            except CommandError as error:
                faults.append(str(error))

    workers = [Thread(target=work) for _ in range(2)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    if faults:
        raise CommandError(', '.join(faults))
