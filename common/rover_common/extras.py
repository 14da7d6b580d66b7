"""The parts that the base does not bring, and what to type for each, wherever this is installed.

The one table of them: whatever needs an extra says so with `needs_extra`. The packages and
their versions are those of setup.cfg, from the metadata of the installed project.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
import os
from pathlib import Path
import re
import shlex
import sys

PROJECT = 'bt_executive'
# Extra of setup.cfg → the modules by which it is known to be installed.
EXTRAS: Mapping[str, tuple[str, ...]] = {
    'anthropic': ('langchain_anthropic',),
    'foxglove': ('foxglove',),
    'langgraph': ('langgraph.checkpoint.sqlite',),
    'local': ('xllamacpp',),
    'mcp': ('mcp', 'mcp_types', 'starlette', 'uvicorn'),
    'memory': ('networkx', 'scipy', 'vision_msgs'),
    'memory-page': ('plotly',),
    'memory-postgres': ('psycopg',),
    'nav2': ('nav2_msgs',),
    'ollama': ('langchain_ollama',),
    'ray': ('ray',),
    'rosa': ('langchain', 'langchain_core', 'langchain_openai', 'langsmith', 'rosa'),
    'rover': ('cv2',),
    'vision': ('cv2', 'mss', 'starlette', 'uvicorn', 'websockets'),
    'web': ('anyio', 'starlette', 'uvicorn', 'websockets'),
}
ROOT = Path(__file__).resolve().parents[2]  # of a source checkout
OURS = re.compile(r'([\w.-]+)==\S+\+bt$')  # an interface package of this repository
OF_EXTRA = re.compile(r';\s*extra\s*==\s*[\'"]([\w-]+)[\'"]')
WHEELS = 'dist'


def missing_modules(extra: str) -> tuple[str, ...]:
    """Returns the modules of an extra that are not installed."""
    return tuple(module for module in EXTRAS[extra] if not is_installed(module))


def how_to_install(*extras: str) -> str:
    """Returns the command that installs extras here, as the end of a sentence."""
    if is_checkout():
        folder = '' if Path.cwd() == ROOT else f'-C {shlex.quote(str(ROOT))} '
        return f'run `make {folder}extras NAMES={shlex.quote(" ".join(extras))}`'
    wanted = list(dict.fromkeys(each for extra in extras for each in requirements_of(extra)))
    own = [match[1] for each in wanted if (match := OURS.match(each))]
    pip = f'{shlex.quote(sys.executable)} -m pip install'
    if not is_distribution():
        links, where = (f'--find-links {WHEELS} ', _WHERE) if own else ('', '')
        return f"run `{pip} {links}'{PROJECT}[{','.join(extras)}]'`{where}"
    distro = os.environ.get('ROS_DISTRO', 'jazzy')
    apt = ' '.join(f'ros-{distro}-{name.replace("_", "-")}' for name in own)
    rest = ' '.join(shlex.quote(each) for each in wanted if not OURS.match(each))
    commands = [f'sudo apt install {apt}'] * bool(apt) + [f'{pip} {rest}'] * bool(rest)
    return f'run `{" && ".join(commands)}`{_MANAGED if rest and _is_managed() else ""}'


def needs_extra(what: str, *extras: str, error: object = '') -> str:
    """Returns the sentence by which a part without its packages is refused.

    `error`: the message of an import error, if there was one.
    """
    why = f' ({error})' if error else ''
    names = f'the extra{"s" * (len(extras) > 1)} {" and ".join(extras)}'
    return f'{what} needs {names}{why}: {how_to_install(*extras)}.'


_WHERE = f', where {WHEELS} is the folder of our wheels (docs/installation.md)'
_MANAGED = (
    ' (here pip refuses that outside a virtual environment: docs/installation.md says how to make '
    'one)'
)


def is_checkout() -> bool:
    """Returns whether this runs from a source checkout, in the environment that its make keeps."""
    return (ROOT / '.ci' / 'set_up.py').is_file() and Path(sys.prefix) == ROOT / '.venv'


def is_distribution() -> bool:
    """Returns whether ROS is that of a distribution, not of wheels."""
    try:
        version('ros-rclpy')
    except PackageNotFoundError:
        return True
    return False


def _is_managed() -> bool:
    """Whether pip refuses to install into this Python (PEP 668)."""
    library = Path(os.__file__).parent
    return sys.prefix == sys.base_prefix and (library / 'EXTERNALLY-MANAGED').is_file()


def requirements_of(extra: str = '') -> list[str]:
    """Returns the requirements of an extra, without those of the base; of the base if empty."""
    found = [
        each.partition(';')[0].strip()
        for each in all_requirements()
        if ((match := OF_EXTRA.search(each)) and match[1] == extra) or not (match or extra)
    ]
    return found or list(EXTRAS.get(extra, ()))


def all_requirements() -> list[str]:
    """Returns the requirements of the base and of every extra; none where it is not installed."""
    try:
        return requires(PROJECT) or []
    except PackageNotFoundError:
        return []


def is_installed(module: str) -> bool:
    """Returns whether a module can be imported; imports nothing but the package that it is in."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package that it is in
        return False
