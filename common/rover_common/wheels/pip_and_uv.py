"""What installs packages: uv, in a third of the time of pip; where it cannot be had, pip.

pip's settings (index, folder of wheels, constraints, certificate, from its files and its
environment) hold for uv, which does not read them. With a setting that has no counterpart here pip
itself is taken.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
import os
from pathlib import Path
import subprocess
import sys
import tempfile
import threading

from rover_common.wheels.running_commands import CommandError, Progress

UV = 'uv>=0.6,<1'
PIP = (sys.executable, '-m', 'pip')
# Indexes may hold a password, and every user of the machine can read a command line: they are
# passed in uv's environment. To each the separator of what pip separates by blanks.
LISTS = {
    'constraint': ('UV_CONSTRAINT', ' '),
    'index-url': ('UV_DEFAULT_INDEX', ' '),
    'extra-index-url': ('UV_INDEX', ' '),
    'find-links': ('UV_FIND_LINKS', ','),
    'trusted-host': ('UV_INSECURE_HOST', ' '),
}
NO_INDEX = 'no-index'
YES = ('1', 'on', 't', 'true', 'y', 'yes')
SECTIONS = ('global', 'install', ':env:')  # of pip's settings, the strongest last
ALIASES = {'default-timeout': 'timeout'}
VARIABLES = {
    'cert': 'SSL_CERT_FILE',
    'timeout': 'UV_HTTP_TIMEOUT',
}
CACHE_DIR, NO_CACHE_DIR = 'cache-dir', 'no-cache-dir'
# These change what pip prints, or what it warns of.
OF_NO_CONCERN = {
    'break-system-packages',
    'config-file',
    'disable-pip-version-check',
    'no-color',
    'no-input',
    'no-warn-script-location',
    'progress-bar',
    'retries',
    'root-user-action',
}
# As pip does: of all indexes the best version is taken, not the first index that has any.
LIKE_PIP = ('--index-strategy', 'unsafe-best-match')


@dataclass(frozen=True)
class Uv:
    """uv, and the options and variables with which it does what pip is set to."""

    program: Path
    options: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


def no_uv() -> None:
    """Where pip installs."""


class Installer:
    """Installs packages, also from several threads at once.

    `get_uv`: called once, before the first package is installed; with None, pip installs.
    """

    def __init__(self, progress: Progress, get_uv: Callable[[], Uv | None] = no_uv) -> None:
        self.progress = progress
        self._get_uv = get_uv
        self._lock = threading.Lock()
        self._got: list[Uv | None] = []

    def uv(self) -> Uv | None:
        """What installs; None: pip does."""
        with self._lock:
            if not self._got:
                self._got.append(self._get_uv())
            return self._got[0]

    def install(
        self, title: str, what: Sequence[object], log: Path, python: Path | str = sys.executable
    ) -> None:
        """Installs requirements, among options of pip, for a Python.

        Bytecode is not compiled: it is made for what is loaded (`set_up.py`).

        Raises:
            CommandError: Both uv and pip failed; the end of their output has been printed.
        """
        if uv := self.uv():
            command = [uv.program, 'pip', 'install', '--python', python, *uv.options, *what]
            try:
                self.progress.run(title, command, log, {**os.environ, **uv.variables})
            except CommandError:
                self.progress.print_line('uv could not do it: pip tries')
                log = log.with_name(f'{log.stem}_by_pip{log.suffix}')  # that of uv is kept
            else:
                return
        command = [python, '-m', 'pip', 'install', '--no-compile', *what]
        self.progress.run(title, command, log, os.environ)


@contextmanager
def installer(progress: Progress, logs: Path) -> Iterator[Installer]:
    """Gives what installs with uv, which is kept in a temporary folder until the end; or pip."""
    with tempfile.TemporaryDirectory(prefix='bt_executive-') as folder:
        yield Installer(progress, lambda: get_uv(Path(folder), progress, logs))


def get_uv(folder: Path, progress: Progress, logs: Path) -> Uv | None:
    """Puts uv into a folder; None, and a line that says why, if pip has to install."""
    of_pip = settings_of_pip()
    counterparts = {*LISTS, *VARIABLES, NO_INDEX, CACHE_DIR, NO_CACHE_DIR}
    unknown = of_pip.keys() - counterparts - OF_NO_CONCERN
    if ',' in of_pip.get('find-links', ''):
        unknown.add('find-links')  # uv would parse it as two
    if unknown:
        progress.print_line(f'pip installs: its setting {sorted(unknown)[0]!r} is for pip alone')
        return None
    title, program = 'uv, which installs', folder / 'bin' / 'uv'
    get = [*PIP, 'install', '--no-compile', '--target', folder, UV]
    try:
        progress.run(title, get, logs / 'uv.log', os.environ)
        # It cannot be run, for example, from a file system that is mounted noexec.
        progress.run(title, [program, '--version'], logs / 'uv_version.log', os.environ)
    except CommandError:
        progress.print_line('uv cannot be had: pip installs, which takes longer')
        return None
    return Uv(program, *of_uv(of_pip))


def settings_of_pip() -> dict[str, str]:
    """What `pip install` is set to, by name: as in pip, what is empty is not set."""
    listed = subprocess.run(
        [*PIP, 'config', 'list'], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    found: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in listed:
        key, _, value = line.partition('=')
        section, _, name = key.partition('.')
        if section in found and (text := str(literal_eval(value))):
            found[section][ALIASES.get(name, name)] = text
    return {name: text for section in SECTIONS for name, text in found[section].items()}


def of_uv(settings: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Options and variables with which uv does what pip does with these settings."""
    no_index = ['--no-index'] if settings.get(NO_INDEX, '').lower() in YES else []
    variables = {VARIABLES[name]: settings[name] for name in settings.keys() & VARIABLES}
    for name, (variable, separator) in LISTS.items():
        if values := settings.get(name, '').split():
            variables[variable] = separator.join(values)
    if NO_CACHE_DIR in settings:  # pip accepts any value, even `false`, as yes
        variables['UV_NO_CACHE'] = '1'
    elif CACHE_DIR in settings:
        variables['UV_CACHE_DIR'] = os.path.expanduser(f'{settings[CACHE_DIR]}/uv')
    return [*LIKE_PIP, *no_index], variables
