"""Wheels of interface packages: found where they are ready, compiled once where they are not.

Each is kept under a name of what it is made of: the files of its package, the Python and the
processor. It is looked for in dist/ and in ${XDG_CACHE_HOME:-~/.cache}/bt_executive/wheels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
import hashlib
from itertools import chain
import os
from pathlib import Path
import platform
import shutil
import sys
import sysconfig
import tempfile
from threading import Event

from rover_common.process.user_paths import user_cache
from rover_common.wheels.pip_and_uv import Installer
from rover_common.wheels.running_commands import CommandError, Progress, wait_for_lock

TAG = f'cp{sys.version_info[0]}{sys.version_info[1]}-{platform.machine()}'
COMPILERS = ('c++', 'g++', 'clang++')
FIRST = ('setuptools', 'wheel')  # what builds those of the other tools that are no wheels


@dataclass(frozen=True)
class InterfaceWheels:
    """The wheels of the packages in one folder.

    `root`: has the packages in `interfaces/`, and perhaps wheels in a folder `dist` beside it.
    `tools`: what the packages need to compile, as requirements: the generators, and the interfaces
    that they use.
    """

    root: Path
    tools: Sequence[str]

    @property
    def dist(self) -> Path:
        """Where wheels for machines without a compiler are."""
        return self.root / 'dist'

    def packages(self, names: Iterable[str] | None = None) -> list[Path]:
        """Return the folders of these packages (None: of all), the slowest to compile first."""
        manifests = self.root.glob('interfaces/**/package.xml')
        found = {path.parent.name: path.parent for path in manifests}
        wanted = [found[name] for name in (found if names is None else names)]
        return sorted(wanted, key=lambda path: (-len([*path.glob('*/*')]), path.name))

    def content(self, package: Path) -> str:
        """Returns a name for what the wheel of a package is made of."""
        digest = hashlib.sha256(TAG.encode())
        interfaces = self.root / 'interfaces'
        for path in sorted((*package.rglob('*'), *interfaces.glob('cmake/*'))):
            if path.is_file():
                digest.update(path.relative_to(interfaces).as_posix().encode() + b'\0')
                digest.update(path.read_bytes() + b'\0')
        return digest.hexdigest()[:16]

    def kept(self, package: Path) -> Path:
        """Returns the folder where the cache keeps the wheel of a package as it is now."""
        return cache(os.environ) / f'{package.name}-{TAG}-{self.content(package)}'

    def ready(self, package: Path) -> Path | None:
        """Returns the wheel of a package as it is now; None if it has to be compiled."""
        mark = self.dist / f'{package.name}-{TAG}.content'
        is_in_dist = mark.is_file() and mark.read_text('utf-8').strip() == self.content(package)
        folder = self.dist if is_in_dist else self.kept(package)
        return next(folder.glob(f'{package.name}-*-{TAG.split("-")[0]}-*.whl'), None)

    def to_compile(self, wanted: Iterable[Path]) -> list[Path]:
        """Returns those of these packages of which no wheel is ready."""
        return [package for package in wanted if self.ready(package) is None]

    def wheels(self, installs: Installer, logs: Path, *levels: Sequence[Path]) -> list[Path]:
        """Returns the wheels of these packages; those not ready are compiled into the cache.

        `levels`: a package uses interfaces of packages in earlier levels only.

        Raises:
            CommandError: A package cannot be compiled; the reason has been printed.
        """
        wanted = [*chain(*levels)]
        if self.to_compile(wanted):
            with _only_one(cache(os.environ) / f'{TAG}.lock', installs.progress):
                if self.to_compile(wanted):  # no other process has compiled them meanwhile
                    self._compile_into_cache(levels, installs, logs)
        if missing := [package.name for package in self.to_compile(wanted)]:
            installs.progress.print_line(f'no wheel has come of {", ".join(missing)}: see {logs}')
            raise CommandError(missing[0])
        return [wheel for package in wanted if (wheel := self.ready(package))]

    def _compile_into_cache(
        self, levels: Sequence[Sequence[Path]], installs: Installer, logs: Path
    ) -> None:
        names = ', '.join(package.name for package in self.to_compile(chain(*levels)))
        installs.progress.print_line(
            f'Compiling ROS interfaces, once, into {cache(os.environ)}: {names}'
        )
        with tempfile.TemporaryDirectory(prefix='bt_executive-') as temporary:
            venv = Path(temporary, 'venv')
            environment = self._build_environment(venv, installs, logs)
            for level, packages in enumerate(levels):
                if left := self.to_compile(packages):
                    self._compile(left, venv, installs.progress, logs, environment)
                if level + 1 < len(levels):  # the next one includes their headers
                    ready = [wheel for package in packages if (wheel := self.ready(package))]
                    what, log = ('--no-deps', *ready), logs / 'used.log'
                    installs.install('interfaces in use', what, log, venv / 'bin' / 'python')

    def _build_environment(self, venv: Path, installs: Installer, logs: Path) -> dict[str, str]:
        """Installs the tools that compile; returns the environment in which they are found."""
        log = logs / 'tools.log'
        create = [sys.executable, '-m', 'venv', venv]
        installs.progress.run('compiler tools', create, logs / 'venv.log', os.environ)
        python = venv / 'bin' / 'python'
        first = [each for each in self.tools if each.startswith(FIRST)]
        installs.install('compiler tools', first, log, python)
        what = ('--no-build-isolation', *self.tools)
        installs.install('compiler tools', what, log, python)
        inherited = {key: each for key, each in os.environ.items() if key != 'PYTHONPATH'}
        return {
            **inherited,
            'PATH': f'{venv / "bin"}{os.pathsep}{os.environ["PATH"]}',
            'CMAKE_PREFIX_PATH': str(venv),
            'AMENT_PREFIX_PATH': str(venv),
            'CMAKE_BUILD_PARALLEL_LEVEL': '2',
        }

    def _compile(
        self,
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
                into.rename(self.kept(package))
            except BaseException:
                failed.set()
                shutil.rmtree(into, ignore_errors=True)
                raise

        with ThreadPoolExecutor(2) as workers:
            compiled = [workers.submit(compile_one, package) for package in left]
        for each in compiled:
            each.result()  # raises what has ended it


def cache(environment: Mapping[str, str]) -> Path:
    """Returns the folder of all wheels in the user's cache."""
    return user_cache(environment) / 'wheels'


def missing_build_tools(otherwise: str) -> str:
    """Return what this machine lacks for compiling, as one sentence; empty if nothing.

    `otherwise`: what can be done instead of installing a compiler.
    """
    compilers = (os.environ.get('CXX', ''), *COMPILERS)
    if not any(name and shutil.which(name) for name in compilers):
        return (
            'no C++ compiler found, without which ROS interfaces cannot be compiled: install one, '
            f"for example with 'apt-get install g++'{otherwise}."
        )
    if not Path(sysconfig.get_path('include'), 'Python.h').exists():
        name = f'python3.{sys.version_info[1]}-dev'
        return (
            f'{sys.executable} lacks its C headers, without which ROS interfaces cannot be '
            f"compiled: install them, for example with 'apt-get install {name}'."
        )
    return ''


@contextmanager
def _only_one(path: Path, progress: Progress) -> Iterator[None]:
    """Wait until no other set-up compiles; the lock ends with its process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open('w') as file:
        wait_for_lock(file.fileno(), progress, 'set-up that compiles')
        yield
