"""What installs packages: uv, in a third of the time of pip; where it cannot be had, pip.

pip's settings (index, folder of wheels, certificate, from its files and its environment) hold for
uv, which does not read them. With a setting that has no counterpart here pip itself is taken.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
import os
from pathlib import Path
import subprocess
import sys
import tempfile

from progress import CommandError, Progress

UV = 'uv>=0.6,<1'
PIP = (sys.executable, '-m', 'pip')
# Indexes may hold a password, and every user of the machine can read a command line: they are
# passed in uv's environment. To each the separator of what pip separates by blanks.
LISTS = {
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
# These change what pip prints, where it caches, or what it warns of.
OF_NO_CONCERN = {
    'break-system-packages',
    'cache-dir',
    'config-file',
    'disable-pip-version-check',
    'no-cache-dir',
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
class Installer:
    """Installs packages. `program`: uv with its options and variables; empty: pip does it."""

    progress: Progress
    program: str = ''
    options: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    def install(
        self, title: str, what: Sequence[object], log: Path, python: Path | str = sys.executable
    ) -> None:
        """Installs requirements, among options of pip, for a Python.

        Bytecode is not compiled: it is made for what is loaded (`set_up.py`).

        Raises:
            CommandError: Neither uv nor pip can; the end of what they said has been printed.
        """
        if self.program:
            command = [self.program, 'pip', 'install', '--python', python, *self.options, *what]
            try:
                self.progress.run(title, command, log, {**os.environ, **self.variables})
            except CommandError:
                self.progress.say('uv could not do it: pip tries')
            else:
                return
        command = [python, '-m', 'pip', 'install', '--no-compile', *what]
        self.progress.run(title, command, log, os.environ)


@contextmanager
def installer(progress: Progress, logs: Path) -> Iterator[Installer]:
    """Gives uv, in a temporary folder, as long as it is needed; or pip."""
    known = settings_of_pip()
    unknown = known.keys() - LISTS.keys() - VARIABLES.keys() - OF_NO_CONCERN - {NO_INDEX}
    if ',' in known.get('find-links', ''):
        unknown.add('find-links')  # uv would take it for two
    with tempfile.TemporaryDirectory(prefix='bt_executive-') as folder:
        if unknown:
            progress.say(f'pip installs: its setting {sorted(unknown)[0]!r} is for pip alone')
        if unknown or not _get_uv(Path(folder), progress, logs):
            yield Installer(progress)
        else:
            uv = Path(folder, 'bin', 'uv')
            yield Installer(progress, str(uv), *of_uv(known))


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
    return [*LIKE_PIP, *no_index], variables


def _get_uv(folder: Path, progress: Progress, logs: Path) -> bool:
    title = 'uv, which installs'
    get = [*PIP, 'install', '--no-compile', '--target', folder, UV]
    # It cannot be run, for example, from a file system that is mounted noexec.
    try_it = [folder / 'bin' / 'uv', '--version']
    try:
        progress.run(title, get, logs / 'uv.log', os.environ)
        progress.run(title, try_it, logs / 'uv_version.log', os.environ)
    except CommandError:
        progress.say('uv cannot be had: pip installs, which takes longer')
        return False
    return True
