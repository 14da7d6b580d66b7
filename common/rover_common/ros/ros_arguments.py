"""ROS arguments, checked and put into the form that rcl reads as we do. Without ROS.

rcl reads the values of parameters by rules of its own: `020` is 16 and `yes` is true for it, and
a parameter that is a number with a fraction refuses `25`. So each value is read as everywhere in
this project (`rover_common.config.yaml_text`), by the type of the key that it is for, and handed
on in a form that rcl cannot take for anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
import difflib
import json
import math
from pathlib import Path
import re
import tempfile
from typing import Any

from pydantic import TypeAdapter, ValidationError
import yaml

from rover_common.config.dotted_keys import fault_sentence, nearest_key
from rover_common.config.settings import Config
from rover_common.config.yaml_text import (
    NO_TYPE,
    KeyTypes,
    is_number_type,
    problem_of,
    read_yaml,
    type_below,
)
from rover_common.errors import UsageError

BEGIN, END = '--ros-args', '--'
ASSIGNS = ':='
NAMESPACE = re.compile(r'/|(/[A-Za-z_][A-Za-z0-9_]*)+')
NODE_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_]*')
REMAPPED = re.compile(r'[A-Za-z0-9_/~{}*.:$\\]+')
LEVELS = ('debug', 'info', 'warn', 'error', 'fatal', 'unset')
SWITCHES = tuple(
    f'--{on}-{what}'
    for on in ('enable', 'disable')
    for what in ('rosout-logs', 'stdout-logs', 'external-lib-logs')
)
LARGEST_INTEGER = 2**63 - 1
PARAMETERS = 'ros__parameters'
# The requirement documents name these parameters without a section.
PREFIXES: Mapping[tuple[str, ...], str] = {('executive', 'agent'): 'agent_'}


@contextmanager
def usable_ros_arguments(arguments: Sequence[str]) -> Iterator[list[str]]:
    """Return the arguments in the form for rcl, which has to read them within the context.

    Raises:
        UsageError: One of them cannot be used; the message names it, and the correct form.
    """
    with ExitStack() as files:
        yield _Rewriting(files).of(arguments)


def split_ros_arguments(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return a program's own arguments, and those of ROS behind them."""
    where = arguments.index(BEGIN) if BEGIN in arguments else len(arguments)
    return arguments[:where], arguments[where:]


def check_ros_arguments(arguments: Sequence[str]) -> None:
    """Raises UsageError if one of these ROS arguments cannot be used."""
    with usable_ros_arguments(arguments):
        pass


class _Rewriting:
    """Puts arguments into the form for rcl. Files that this needs go with `files`."""

    def __init__(self, files: ExitStack) -> None:
        self._files = files
        self._flags: dict[str, Callable[[str], str]] = {
            **dict.fromkeys(('-r', '--remap'), _remapping),
            **dict.fromkeys(('-p', '--param'), _parameter),
            '--params-file': self._parameters_file,
            **dict.fromkeys(('-e', '--enclave'), _anything),
            '--log-level': _log_level,
            '--log-config-file': _existing_file,
            '--log-file-name': _anything,
        }

    def of(self, arguments: Sequence[str]) -> list[str]:
        """Returns all arguments, those that are not for ROS as they are."""
        found: list[str] = []
        left, for_ros = iter(arguments), False
        for argument in left:
            if argument in (BEGIN, END) and (for_ros or argument == BEGIN):
                for_ros = argument == BEGIN
            elif for_ros and argument in self._flags:
                found.append(argument)
                argument = self._checked(argument, next(left, None))
            elif for_ros and argument not in SWITCHES:
                raise _unknown(argument, [*self._flags, *SWITCHES])
            found.append(argument)
        return found

    def _checked(self, flag: str, value: str | None) -> str:
        if value is None:
            raise UsageError(f'The ROS argument {flag} needs a value after it.')
        try:
            return self._flags[flag](value)
        except ValueError as error:
            raise UsageError(
                f"The ROS argument '{flag} {value:.200}' cannot be used: {error}."
            ) from None

    def _parameters_file(self, name: str) -> str:
        try:
            content = read_yaml(Path(name).read_text(encoding='utf-8'), _NODES)
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f'the file cannot be read ({_why(error)})') from None
        except yaml.YAMLError as error:
            raise ValueError(f'it is not valid YAML ({problem_of(error)})') from None
        if not isinstance(content, dict) or not content:
            raise ValueError('write it as `ros2 param dump` does: node, ros__parameters, keys')
        text = _written(content, _NODES)
        try:
            folder = self._files.enter_context(tempfile.TemporaryDirectory())
            file = Path(folder, 'parameters.yaml')
            file.write_text(text + '\n', encoding='utf-8')
        except OSError as error:
            raise ValueError(f'no temporary file can be written ({_why(error)})') from None
        return str(file)


# --- the values of the flags: each in its form for rcl; ValueError says what is wrong ------------


def _parameter(text: str) -> str:
    name, assigns, value = text.partition(ASSIGNS)
    if not assigns or not name or not value:
        raise ValueError('write it as NAME:=VALUE, such as battery.low_pct:=25')
    key = name.rpartition(':')[2]
    if not _is_config_key(key) and (near := nearest_key(key)):
        raise ValueError(f'there is no key {key!r:.100}; did you mean {near!r}?')
    wanted = _Parameters().type_of(key)
    try:
        content = read_yaml(value, wanted)
    except yaml.YAMLError as error:
        raise ValueError(f'{value!r:.100} is not valid YAML ({problem_of(error)})') from None
    if isinstance(content, dict):
        raise ValueError('a parameter is a single value or a list')
    _check_type(name, content, wanted)
    return f'{name}{ASSIGNS}{_written(content, wanted)}'


def _check_type(name: str, content: Any, wanted: Any) -> None:
    """Raises ValueError if a value has another type than its key."""
    if wanted is Any or isinstance(wanted, KeyTypes):
        return
    try:
        TypeAdapter(wanted).validate_json(json.dumps(content), strict=True)
    except ValidationError as error:
        raise ValueError(fault_sentence((name,), error.errors()[0]).rstrip('.')) from None


def _remapping(text: str) -> str:
    old, assigns, new = text.partition(ASSIGNS)
    if not assigns or not old or not new or ASSIGNS in new:
        raise ValueError('write it as OLD:=NEW, such as __ns:=/rover_2')
    kind = old.rpartition(':')[2]
    if kind == '__ns' and not NAMESPACE.fullmatch(new):
        raise ValueError(
            'a namespace begins with / and consists of letters, digits and underscores, such as '
            '/rover_2; no part of it begins with a digit'
        )
    if kind in ('__node', '__name') and not NODE_NAME.fullmatch(new):
        raise ValueError(
            'the name of a node consists of letters, digits and underscores and does not begin '
            'with a digit'
        )
    bad = next((each for each in (old, new) if not REMAPPED.fullmatch(each)), None)
    if bad is not None:
        raise ValueError(f'{bad!r:.100} is no name of ROS')
    return text


def _log_level(text: str) -> str:
    if text.rpartition(ASSIGNS)[2].lower() not in LEVELS:
        raise ValueError(f'a level is one of {", ".join(LEVELS)}')
    return text


def _existing_file(name: str) -> str:
    if not Path(name).is_file():
        raise ValueError('there is no such file')
    return name


def _anything(text: str) -> str:
    if not text:
        raise ValueError('it is empty')
    return text


def _unknown(argument: str, known: Sequence[str]) -> UsageError:
    close = difflib.get_close_matches(argument, known, n=1)
    hint = f' Did you mean {close[0]}?' if close else f' There are {", ".join(known)}.'
    return UsageError(f'There is no ROS argument {argument!r:.100}.{hint}')


def _is_config_key(key: str) -> bool:
    """Whether a key of the configuration has that name; others may be of another's node."""
    if any(key.startswith(prefix) for prefix in PREFIXES.values()):
        return True
    return any(
        type_below(Config, (file, *key.split('.'))) is not NO_TYPE for file in Config.model_fields
    )


@dataclass(frozen=True)
class _Parameters:
    """The keys below `ros__parameters`: as after `--set`, dotted or as sections."""

    above: tuple[str, ...] = ()

    def type_of(self, key: str) -> Any:
        """Returns the type of a parameter, or the keys of a section of them."""
        path = (*self.above, *key.split('.'))
        for section, prefix in PREFIXES.items():
            if len(path) == 1 and key.startswith(prefix):
                return type_below(Config, (*section, key.removeprefix(prefix)))
        types = [
            each
            for file in Config.model_fields
            if (each := type_below(Config, (file, *path))) is not NO_TYPE
        ]
        if any(isinstance(each, type) and hasattr(each, 'model_fields') for each in types):
            return _Parameters(path)
        return types[0] if types and all(each == types[0] for each in types) else Any


class _Nodes:
    """The keys of a params file above `ros__parameters`: namespaces, names, wildcards."""

    def type_of(self, key: str) -> Any:
        """Returns the keys below one of them."""
        return _Parameters() if key == PARAMETERS else self


_NODES = _Nodes()


def _written(value: Any, wanted: Any) -> str:
    """A value as YAML that rcl reads as what it is."""
    if isinstance(value, dict):
        parts = (
            f'{json.dumps(str(key), ensure_ascii=False)}: {_written(each, _below(wanted, key))}'
            for key, each in value.items()
        )
        return '{' + ', '.join(parts) + '}'
    if isinstance(value, list):
        mixed = {type(each) for each in value} == {int, float}
        of_each = float if mixed or is_number_type(wanted, in_list=True) else Any
        return '[' + ', '.join(_written(each, of_each) for each in value) + ']'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and is_number_type(wanted):
        value = float(value)
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        raise ValueError(f'{value} is larger than ROS has integers')
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'.{value}'.replace('.-', '-.')
    return 'null' if value is None else json.dumps(value, ensure_ascii=False)


def _below(wanted: Any, key: Any) -> Any:
    return wanted.type_of(str(key)) if isinstance(wanted, KeyTypes) else Any


def _why(error: Exception) -> str:
    return str(getattr(error, 'strerror', None) or 'it is not UTF-8 text')


_GIVEN_NAMESPACE = re.compile(r'__ns:=(\S+)')
HIGHEST_DOMAIN = 232  # of the DDS standard's port numbers


def namespace_of(arguments: Sequence[str]) -> str:
    """The namespace that ROS arguments give to every node."""
    found = [match[1] for each in arguments if (match := _GIVEN_NAMESPACE.fullmatch(each))]
    return '/' + found[-1].strip('/') if found else '/'


def domain_of(environment: Mapping[str, str]) -> int:
    """The ROS domain id; 0 where none is set, as rcl has it."""
    given = environment.get('ROS_DOMAIN_ID', '')
    if not given:
        return 0
    if not given.isdecimal() or int(given) > HIGHEST_DOMAIN:
        raise UsageError(
            f'ROS_DOMAIN_ID is {given!r}: set it to a number from 0 to {HIGHEST_DOMAIN}.'
        )
    return int(given)
