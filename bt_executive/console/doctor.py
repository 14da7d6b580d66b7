"""`bt-executive doctor` and `check`: what is installed, what is missing, and the remedies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
import os
from pathlib import Path
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bt_executive.launching.model_checks_of_parts import part_models
from bt_executive.launching.start_checks import Finding, are_good, start_findings
from bt_executive.launching.system_processes import NODES, ROVER, NodeProcess, children_environment
from bt_executive.planner.configured_planner import check_provider
from bt_executive.planner.rosa_planner import why_not_installed
from bt_executive.store.journal_location import journal_file
from bt_executive.store.sqlite_opening_and_faults import (
    FILE_ERRORS,
    find_damage,
    is_older,
    reading,
)
from bt_executive.store.store_schema import is_empty
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config, PlannerSettings
from rover_common.errors import ConfigError, JournalError, UsageError
from rover_common.extras import needs_extra
from rover_common.llm.providers.catalogue import CATALOGUE, LOCAL, access
from rover_common.ros.installed_definitions import PACKAGE as OWN_MESSAGES
from rover_common.ros.installed_definitions import other_definitions
from rover_common.text_sanitizing import one_line


def run_check(
    config: Config,
    checks: Mapping[str, str],
    live: Callable[[], Iterable[Finding]] | None,
) -> int:
    """Prints the report; returns 0 if nothing prevents a start, else 1.

    `checks`: as of `start_findings`. `live`: checks the running robot; None: it is not checked.
    It is not called if the configuration is refused.
    """
    findings = [*start_findings(config, checks)]
    if live is not None and are_good(findings):
        findings += live()
    return print_findings(findings)


SETUP = 'run `make setup` (or, on a ROS distribution, `pip install .` beside it)'
INTERFACES = 'run `make setup`, or build them with colcon and source install/setup.bash'
ANOTHER = 'make it usable, or name another file with --journal FILE or journal.file'
ROS = 'run `make setup`, or source a ROS 2 distribution'
LOOPBACK = 'let UDP through on the loopback interface, and see that it is up (`ip link show lo`)'
# What decides which other nodes a node can find.
DISCOVERY = (
    'ROS_AUTOMATIC_DISCOVERY_RANGE',
    'ROS_STATIC_PEERS',
    'ROS_DISCOVERY_SERVER',
    'ROS_SUPER_CLIENT',
    'FASTRTPS_DEFAULT_PROFILES_FILE',
    'FASTDDS_DEFAULT_PROFILES_FILE',
    'CYCLONEDDS_URI',
)

# import name: (name of the distribution on PyPI, remedy)
PACKAGES = {
    'py_trees': ('py_trees', SETUP),
    'numpy': ('numpy', SETUP),
    'pydantic': ('pydantic', SETUP),
    'jsonschema': ('jsonschema', SETUP),
    'yaml': ('PyYAML', SETUP),
    'prompt_toolkit': ('prompt_toolkit', SETUP),
    'rich': ('rich', SETUP),
    'psutil': ('psutil', SETUP),
    'shapely': ('shapely', SETUP),
    'rclpy': ('ros-rclpy', ROS),
    'sensor_msgs': ('ros-sensor-msgs', ROS),
    'std_srvs': ('ros-std-srvs', ROS),
    'trajectory_msgs': ('ros-trajectory-msgs', ROS),
    'visualization_msgs': ('ros-visualization-msgs', ROS),
    'tf2_msgs': ('tf2_msgs', INTERFACES),
    'curiosity_rosa_demo': ('curiosity_rosa_demo', INTERFACES),
    OWN_MESSAGES: (OWN_MESSAGES, INTERFACES),
}


Parts = Callable[[], Sequence[tuple[str, str]]]


def run_doctor(
    config: Config,
    environment: Mapping[str, str],
    parts_in_use: Parts,
    nodes: Sequence[NodeProcess],
    try_provider: bool = False,
) -> int:
    """Prints the report; returns 0 if nothing is missing, else 1.

    Args:
        config: The configuration.
        environment: Environment variables.
        parts_in_use: Returns title and description of the alternative parts of ROS; raises
            ImportError where ROS cannot be used.
        nodes: The processes of the configuration, also those that lack their packages.
        try_provider: Whether the configured model is called for a few tokens.
    """
    checks = {node.name: node.check for node in nodes if not node.missing()}
    findings = [
        *_system(),
        *_packages(),
        *_ros(environment, parts_in_use),
        *_configuration(config),
        *start_findings(config, checks),
        *_left_out(nodes),
    ]
    findings.append(_journal(config, environment))
    findings.append(_provider(config.executive.planner, environment, try_provider))
    for model in part_models(config, environment, nodes):
        findings.append(Finding(model.title, model.description, model.fault.rstrip('.') or None))
    return print_findings(findings)


def print_findings(findings: Sequence[Finding]) -> int:
    """Prints a line for each, then the remedies of the faults; returns 1 if there are faults."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow='fold')
    for finding in findings:
        table.add_row(_mark(finding), finding.title, Text(finding.text))
    console = Console(highlight=False)
    console.print(table)
    for finding in findings:
        if finding.remedy is not None:
            colour = 'red' if finding.is_fault else 'yellow'
            console.print(Text(f'{finding.title}: {finding.remedy}.', colour), soft_wrap=True)
    return 0 if are_good(findings) else 1


def _mark(finding: Finding) -> Text:
    if finding.is_fault:
        return Text('missing', 'bold red')
    return Text('ok', 'green') if finding.remedy is None else Text('left out', 'yellow')


def _system() -> Iterator[Finding]:
    description = f'{sys.version.split()[0]} ({sys.executable})'
    supported = (3, 10) <= sys.version_info[:2] < (3, 13)
    yield Finding(
        'python', description, None if supported else 'install Python 3.10, 3.11 or 3.12'
    )


def _packages() -> Iterator[Finding]:
    for module, (distribution, remedy) in PACKAGES.items():
        spec = find_spec(module)
        if spec is None:
            yield Finding(module, 'cannot be imported', remedy)
        else:
            problem = other_definitions() if module == OWN_MESSAGES else ''
            where = _version(distribution) or f'of {_folder(spec.origin)}'
            yield Finding(module, where, problem or None)


def _ros(environment: Mapping[str, str], parts_in_use: Parts) -> Iterator[Finding]:
    separated = _separated(environment)
    children = children_environment(environment)
    os.environ.update(children)
    yield Finding('discovery range', children['ROS_AUTOMATIC_DISCOVERY_RANGE'])
    yield Finding('domain id', children.get('ROS_DOMAIN_ID', '0'))
    try:
        parts = parts_in_use()
        from rover_common.ros.graph_probe import nodes_meet, probe_ros
    except ImportError as error:
        yield Finding('ROS 2', f'cannot be used: {error}', ROS)
        return
    try:
        probe, meets = probe_ros(), nodes_meet()
    except UsageError as error:
        yield Finding('ROS 2', 'lets no node in', str(error).rstrip('.'))
        return
    wheel = _version('ros-rclpy') is not None
    distro = children.get('ROS_DISTRO', '')
    source = 'wheels of PyPI' if wheel else f'distribution {distro}'.strip()
    yield Finding('ROS 2', f'{source} ({_folder(probe.folder)})')
    yield Finding('middleware', probe.rmw)
    if not meets:
        yield separated
    for title, description in parts:
        yield Finding(title, description)
    names = {node.name for node in NODES}
    running = [name for name in probe.nodes if name.rsplit('/', 1)[-1] in names]
    yield Finding('running now', ', '.join(running) or 'none of our nodes')


def _separated(environment: Mapping[str, str]) -> Finding:
    """Return that nodes of this machine do not meet, with what the user has set about it."""
    found = [f'{name} ({environment[name]})' for name in DISCOVERY if environment.get(name)]
    unset = f'unset or correct {" and ".join(found)}; else ' if found else ''
    return Finding('discovery', 'no node here finds another one', f'{unset}{LOOPBACK}')


def _configuration(config: Config) -> Iterator[Finding]:
    yield Finding('shipped configuration', str(default_folder()))
    yield Finding('variant', config.executive.variant)


def _left_out(nodes: Sequence[NodeProcess]) -> Iterator[Finding]:
    """Yield the configured nodes that are not installed; `up` requires only the rover."""
    for node in nodes:
        if node.missing():
            description = f'not installed: {", ".join(node.missing())}'
            remedy = needs_extra(node.purpose, node.extra).rstrip('.')
            yield Finding(node.name, description, remedy, hinders=node.name == ROVER)


def _journal(config: Config, environment: Mapping[str, str]) -> Finding:
    """Return whether the executive's journal can be written, without writing anything."""
    path = journal_file(config, environment)
    if not os.path.exists(path) or is_empty(path):  # or this user may not look there
        folder = next(parent for parent in path.parents if os.path.exists(parent))
        if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
            return Finding('journal', f'{path} (the first start makes it)')
        return Finding(
            'journal', f'{path} cannot be made: {folder} is no folder to write to', ANOTHER
        )
    try:
        if path.is_file() and os.access(path, os.R_OK) and is_older(path):
            aside = f'{path} (of an older version; the first start sets it aside)'
            return Finding('journal', aside)
        with reading(path) as connection:
            damage = find_damage(connection)
    except (JournalError, *FILE_ERRORS) as error:
        return Finding('journal', 'cannot be read', f'{str(error).rstrip(".")}; {ANOTHER}')
    if damage:
        return Finding('journal', f'{path} is damaged: {one_line(damage[0])}', ANOTHER)
    if not os.access(path, os.W_OK):
        return Finding('journal', f'{path} is read-only', ANOTHER)
    return Finding('journal', str(path))


def _provider(settings: PlannerSettings, environment: Mapping[str, str], try_it: bool) -> Finding:
    """Return whether the planner's model can be used, by a call of it only if `try_it`."""
    if settings.plugin:
        return Finding('planner', f'plug-in {settings.plugin}')
    description: str = settings.provider
    try:
        if settings.provider in CATALOGUE:
            where = access(settings, environment)
            description = f'{settings.provider}, {settings.model} at {where.url}'
        if why := why_not_installed():
            return Finding('planner', description, why.rstrip('.'))
        if try_it:
            from bt_executive.planner.configured_planner import smoke_test

            return Finding('planner', smoke_test(settings, environment))
        if settings.provider == LOCAL:
            description = check_provider(settings, environment).sentence
    except ConfigError as error:
        return Finding('planner', settings.provider, str(error).rstrip('.'))
    return Finding('planner', description)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _folder(origin: str | None) -> str:
    return str(Path(origin).parent) if origin else 'an unknown place'
