"""The arguments of the launch files, and the overrides of the configuration by their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
import shlex

from rover_common.errors import UsageError

ON_OFF = ('true', 'false')
PROVIDERS = ('offline', 'openai', 'azure', 'anthropic', 'ollama', 'llamacpp', 'recorded')


@dataclass(frozen=True)
class Argument:
    """A launch argument.

    Attributes:
        default: Empty: as configured.
        key: Of the configuration; a value that is not empty overrides it.
    """

    default: str
    description: str
    choices: Sequence[str] = ()
    key: str = ''


def _override(key: str, description: str, choices: Sequence[str] = ()) -> Argument:
    return Argument(
        '', f'{description}; empty: as configured', ('', *choices) if choices else (), key
    )


ARGUMENTS: Mapping[str, Argument] = {
    'namespace': Argument('', 'namespace of all nodes, so that robots can share one graph'),
    'variant': _override(
        'executive.variant', 'rules of spec 2 on the parts: A (none) or B', ('A', 'B')
    ),
    'planner': _override('planner.provider', 'whose model plans', PROVIDERS),
    'use_sim_time': _override('executive.use_sim_time', 'take the time from /clock', ON_OFF),
    'config': Argument('', 'configuration folder; empty: the shipped one'),
    'set': Argument('', 'other keys, such as "light_model.x_good=8 approval.mode=always"'),
    'run_dir': Argument('', 'folder of the run; empty: a fresh one below ./runs'),
    'journal': _override('journal.file', 'journal of the executive, a file'),
    'fresh': Argument('false', 'resume no goal that is open in the journal', ON_OFF),
    'memory': Argument('true', 'start the spatial memory', ON_OFF),
    'vision': Argument('true', 'start the process vision, with its port for clients', ON_OFF),
    'record': Argument('false', 'also write all topics to an MCAP file', ON_OFF),
    'rviz': Argument('false', 'open RViz with the preset', ON_OFF),
    'log_level': Argument('info', 'of our nodes', ('debug', 'info', 'warn', 'error', 'fatal')),
}
ROVER_ARGUMENTS: Mapping[str, Argument] = {
    'rover': Argument('true', 'start the embedded rover and its control nodes', ON_OFF),
    'world': _override('rover.world', 'world of the embedded rover: a name or a .yaml file'),
}


def overrides(values: Mapping[str, str], arguments: Mapping[str, Argument]) -> Iterator[str]:
    """Yield the arguments of `--set` for the values of launch arguments.

    Raises:
        UsageError: `set` ends within quotes.
    """
    for name, argument in arguments.items():
        if argument.key and values[name]:
            yield f'{argument.key}={values[name]}'
    try:
        yield from shlex.split(values['set'])
    except ValueError:
        raise UsageError(f'set is {values["set"]!r}: a quotation mark has no partner.') from None
