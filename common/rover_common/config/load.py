"""The one loader of the configuration: YAML files and overrides in, one frozen `Config` out.

Nobody else in this project reads YAML. Every fault is a `ConfigError` that names the file, the
dotted key, the value and what to do; several faults are listed together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
import difflib
from functools import lru_cache
from pathlib import Path
import re
import sys
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
import yaml

from rover_common.config.left_out import fill_in
from rover_common.config.settings import Config, WorldSettings
from rover_common.config.yaml_text import read_yaml, type_below
from rover_common.errors import ConfigError
from rover_common.incoming_text import without_unseen

PACKAGE_SHARE = Path('share', 'bt_executive', 'config')
OPTIONAL = ('curiosity', 'vision')  # files that another robot's folder may leave out
HEARTBEAT = ('executive', 'tick', 'heartbeat_s')
KEEP_OUT = ('executive', 'keep_out')
# For kinds of faults of which pydantic's words do not say what to write.
REMEDIES = {
    'bool_type': 'Write true or false',
    'tuple_type': 'Write it as a list, like [a, b]',
}
_CONTROLS = re.compile('[\0-\x08\x0b\x0c\x0e-\x1f\x7f]')
WORLD = ('curiosity', 'rover', 'world')  # in the file a name, in the tree the world itself


def default_folder() -> Path:
    """The shipped configuration: the source tree's, or the one installed into share/."""
    source = Path(__file__).resolve().parents[3] / 'config'
    if (source / 'topics.yaml').is_file():
        return source
    for prefix in (*Path(__file__).resolve().parents, Path(sys.prefix)):
        if (prefix / PACKAGE_SHARE).is_dir():
            return prefix / PACKAGE_SHARE
    raise ConfigError(
        'The shipped configuration was not found beside the package nor in share/bt_executive: '
        'install the project again, or name a folder with --config DIR.'
    )


def load_config(folder: Path | None = None, overrides: Iterable[str] = ()) -> Config:
    """Reads a configuration folder.

    Args:
        folder: Folder with one YAML file per field of `Config`; the shipped one if absent.
            It may leave out curiosity.yaml, which only Curiosity's own nodes read, and
            vision.yaml, of which the shipped one is taken then.
        overrides: `dotted.key=value` strings; the value is YAML. A key may start with the name
            of its file (`thresholds.trace.buffer_size=50`).

    Raises:
        ConfigError: Anything in the files or overrides is missing, unknown or of a wrong type.
    """
    folder = default_folder() if folder is None else folder
    if not folder.is_dir():
        raise ConfigError(f'Configuration folder {str(folder)!r} does not exist: check --config.')
    raw = {
        name: _read_yaml(_file_of(name, folder), field.annotation)
        for name, field in Config.model_fields.items()
    }
    parsed = [(*_parse_override(override), override) for override in overrides]
    for path, value, override in parsed:
        if path == WORLD:
            _assign(raw, path, value, override)
    origins: dict[tuple[str, ...], str] = {WORLD: _put_world(raw, folder)}
    for path, value, override in parsed:
        if path != WORLD:
            _assign(raw, path, value, override)
            origins[path] = f'--set {override!r:.200}'
    fill_in(raw, _shipped)
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(error, raw, folder, origins)) from None
    _check_zones(config, origins.get(KEEP_OUT, str(folder / 'executive.yaml')))
    _check_heartbeat(config, origins.get(HEARTBEAT, str(folder / 'executive.yaml')))
    return config


def _shipped(name: str) -> dict[str, Any]:
    return _read_yaml(default_folder() / f'{name}.yaml', Config.model_fields[name].annotation)


def _file_of(name: str, folder: Path) -> Path:
    """The file of a section. A folder of another robot may leave out some of them."""
    path = folder / f'{name}.yaml'
    return default_folder() / path.name if name in OPTIONAL and not path.exists() else path


def _check_zones(config: Config, source: str) -> None:
    """A zone that crosses itself has no inside that two programs would agree on."""
    if not config.executive.keep_out:
        return
    from rover_common.geometry.zones import check_zones  # a library that most commands do not need

    try:
        check_zones(config.executive.keep_out)
    except ValueError as error:
        raise ConfigError(f"{source}: 'keep_out': {error}.") from None


def _check_heartbeat(config: Config, source: str) -> None:
    beat, limit = config.executive.tick.heartbeat_s, config.curiosity.deadman.timeout_s
    if beat >= limit:
        raise ConfigError(
            f"{source}: 'tick.heartbeat_s' is {beat:g}: it must be below deadman.timeout_s "
            f'({limit:g}), or the adapter stops every motion.'
        )


@lru_cache(maxsize=64)
def _parse(text: str, section: Any) -> Any:
    """What a text says. Reading takes milliseconds, and a replay or a test reads it many times."""
    return read_yaml(text, section)


def _read_yaml(path: Path, section: Any) -> dict[str, Any]:
    try:
        text = path.read_text(encoding='utf-8')
        # YAML refuses controls, with the place where they stand.
        text = text if _CONTROLS.search(text) else without_unseen(text)
        content = deepcopy(_parse(text, section))
    except FileNotFoundError:
        raise ConfigError(
            f'{path}: file is missing; copy it from {default_folder()} and adapt it.'
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f'{path}: not UTF-8 text ({error.reason}); save it as UTF-8.') from None
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read ({error.strerror}).') from None
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        where = f':{mark.line + 1}:{mark.column + 1}' if mark else ''
        problem = getattr(error, 'problem', None) or str(error)
        raise ConfigError(f'{path}{where}: not valid YAML: {problem}.') from None
    if not isinstance(content, dict):
        raise ConfigError(
            f'{path}: a mapping of keys is expected at the top, found {type(content).__name__}.'
        )
    return content


def _put_world(raw: dict[str, Any], folder: Path) -> str:
    """Puts the world that is named in place of its name; returns its file."""
    rover = raw['curiosity'].get('rover')
    named = rover.get('world') if isinstance(rover, dict) else None
    if not isinstance(named, (str, int, float)):
        return str(folder / 'curiosity.yaml')
    named = str(named)
    path = _world_file(named, folder)
    rover['world'] = {'name': path.stem, **_read_yaml(path, WorldSettings)}
    return str(path)


def _world_file(name: str, folder: Path) -> Path:
    if name.endswith('.yaml'):
        return Path(name)
    folders = [folder / 'worlds', default_folder() / 'worlds']
    for path in (place / f'{name}.yaml' for place in folders):
        if path.is_file():
            return path
    known = sorted({path.stem for place in folders for path in place.glob('*.yaml')})
    raise ConfigError(
        f"'rover.world' is {name!r}: there is no such world{_did_you_mean(name, known) or '.'} "
        f'There are {", ".join(known)}. Or give the path of a file that ends in .yaml.'
    )


def _parse_override(override: str) -> tuple[tuple[str, ...], Any]:
    key, equals, text = without_unseen(override).partition('=')
    if not equals or not key.strip():
        raise ConfigError(f'--set {override!r:.200}: write it as dotted.key=value.')
    path = _resolve(tuple(key.strip().split('.')), override)
    try:
        return path, read_yaml(text, type_below(Config, path))
    except yaml.YAMLError as error:
        problem = getattr(error, 'problem', None) or str(error)
        raise ConfigError(
            f'--set {override!r:.200}: the value {text!r:.100} is not valid YAML: {problem}.'
        ) from None


def _resolve(key: tuple[str, ...], override: str) -> tuple[str, ...]:
    """The key with its file's name in front."""
    if key[0] in Config.model_fields and _accepts(Config, key):
        return key
    matches = [(file, *key) for file in Config.model_fields if _accepts(Config, (file, *key))]
    if len(matches) == 1:
        return matches[0]
    dotted = '.'.join(key)
    if matches:
        choices = ' or '.join('.'.join(match) for match in matches)
        raise ConfigError(f'--set {override!r:.200}: {dotted!r} is ambiguous; write {choices}.')
    raise ConfigError(f'--set {override!r:.200}: {_unknown(dotted)}')


def _unknown(dotted: str) -> str:
    known = {'.'.join(path[1:end]) for path in _paths(Config) for end in range(2, len(path) + 1)}
    hint = _did_you_mean(dotted, known)
    return f'unknown key {dotted!r}{hint or f"; the keys are those of {default_folder()}/*.yaml."}'


def _accepts(model: Any, key: tuple[str, ...]) -> bool:
    if not key:
        return True
    if get_origin(model) is dict:
        return _accepts(get_args(model)[1], key[1:])
    if isinstance(model, type) and issubclass(model, BaseModel):
        field = model.model_fields.get(key[0])
        return field is not None and _accepts(field.annotation, key[1:])
    return model is Any


def _paths(model: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(model, type) and issubclass(model, BaseModel):
        for name, field in model.model_fields.items():
            yield from _paths(field.annotation, (*prefix, name))
    else:
        yield prefix


def _assign(raw: dict[str, Any], path: tuple[str, ...], value: Any, override: str) -> None:
    node = raw
    for part in path[:-1]:
        node = node.setdefault(part, {})
        if not isinstance(node, dict):
            raise ConfigError(
                f'--set {override!r:.200}: {part!r} is a single value, not a section.'
            )
    node[path[-1]] = value


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'; did you mean {close[0]!r}?' if close else ''


def _explain(
    error: ValidationError, raw: Any, folder: Path, origins: Mapping[tuple[str, ...], str]
) -> str:
    lines = []
    for fault in error.errors(include_url=False):
        location = _keys_on_the_way(raw, fault)
        source = next(
            (origins[path] for path in reversed(list(origins)) if location[: len(path)] == path),
            str(folder / f'{location[0]}.yaml'),
        )
        lines.append(f'{source}: {fault_sentence(location[1:], fault)}')
    return '\n'.join(lines)


def _keys_on_the_way(raw: Any, fault: Any) -> tuple[str, ...]:
    """The keys of a fault's place, without the names of alternatives that pydantic adds."""
    keys = []
    for part in fault['loc']:
        known = range(len(raw)) if isinstance(raw, (list, tuple)) else raw
        if isinstance(known, (dict, range)) and part in known:
            raw = raw[part]
        elif fault['type'] != 'missing' or part != fault['loc'][-1]:
            continue
        keys.append(str(part))
    return tuple(keys)


def fault_sentence(key: tuple[str, ...], fault: Any) -> str:
    """Returns what is wrong with the value of a key, from an error of pydantic."""
    dotted = '.'.join(key) or 'the file'
    if fault['type'] == 'missing':
        return f'key {dotted!r} is missing; add it.'
    if fault['type'] == 'extra_forbidden':
        return _unknown(dotted)
    message = REMEDIES.get(fault['type']) or fault['msg'].removeprefix('Value error, ')
    return f'{dotted!r} is {fault["input"]!r:.200}: {message[0].lower()}{message[1:]}.'
