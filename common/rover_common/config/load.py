"""The one loader of the configuration: YAML files and overrides in, one frozen `Config` out.

Nobody else in this project reads YAML. Every fault is a `ConfigError` that names the file, the
dotted key, the value and what to do; several faults are listed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
import difflib
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
import yaml

from rover_common.config.robot_file import (
    EXAMPLE_FILES,
    ROBOT,
    Layer,
    default_folder,
    defaults,
    example_files,
    layers_of,
    merged,
    read_file,
)
from rover_common.config.settings import Config, WorldSettings
from rover_common.config.settings.world import NO_WORLD
from rover_common.config.yaml_text import is_text_type, read_yaml, type_below, types_of
from rover_common.errors import ConfigError
from rover_common.incoming_text import without_unseen
from rover_common.printable import printable

# With these YAML begins what is no plain text: a comment, an anchor, a tag, a block, a directive.
NO_TEXT_IN_YAML = tuple('#&*!|>%@`')
SLIP = 0.85  # likeness of a key with a slip of the pen
HEARTBEAT = ('executive', 'tick', 'heartbeat_s')
KEEP_OUT = ('executive', 'keep_out')
# For kinds of faults of which pydantic's words do not say what to write.
REMEDIES = {
    'bool_type': 'Write true or false',
    'tuple_type': 'Write it as a list, like [a, b]',
    'dict_type': 'Write keys with values, like { a: b }',
    'model_type': 'Write keys with values, like { a: b }',
    'string_type': 'Write a text',
    'finite_number': 'Write a finite number',
}
WORLD = ('curiosity', 'rover', 'world')  # in the file a name, in the tree the world itself
_kept: dict[tuple[Path | None, tuple[str, ...]], Config] = {}


def keep_config(robot: Path | None, overrides: Iterable[str]) -> Config:
    """Reads a configuration once for this process and all that are forked from it.

    A run has one configuration: also a process that is started again gets it as it was.
    Arguments and errors are those of `load_config`.
    """
    key = robot, tuple(overrides)
    if key not in _kept:
        _kept[key] = _read(*key)
    return _kept[key]


def load_config(robot: Path | None = None, overrides: Iterable[str] = ()) -> Config:
    """Reads the configuration of a robot, unless it is kept.

    Args:
        robot: A folder with a robot.yaml, or the path of such a file; the shipped Curiosity if
            absent. What it leaves out is as in the robot that it extends, and in the defaults.
        overrides: `dotted.key=value` strings; the value is YAML, or a text as it is typed where
            a text is wanted (`planner.base_url=`, `planner.model=@cf/llama`). A key may start with
            the name of its section (`thresholds.trace.buffer_size=50`).

    Raises:
        ConfigError: Anything in the files or overrides is missing, unknown or of a wrong type.
    """
    key = robot, tuple(overrides)
    return _kept.get(key) or _read(*key)


def _read(robot: Path | None, overrides: Sequence[str]) -> Config:
    own = layers_of(robot)
    layers = (*own, *(each for each in defaults() if not _is_among(each, own)))
    raw = merged(layers)
    if isinstance(raw[ROBOT], dict):
        raw[ROBOT][EXAMPLE_FILES] = example_files(own)
    if not any('curiosity' in each.sections for each in own):
        raw = _over_world(raw)
    parsed = [(*_parse_override(override), override) for override in overrides]
    for path, value, override in parsed:
        if path == WORLD:
            _assign(raw, path, value, override)
    origins = _Origins(layers)
    _put_world(raw, layers[0].path.parent, origins)
    for path, value, override in parsed:
        if path != WORLD:
            _assign(raw, path, value, override)
            origins.set(path, f'--set {override!r:.200}')
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(error, raw, origins)) from None
    check_texts(raw, origins.of)
    _check_zones(config, origins.of(KEEP_OUT)[0])
    _check_heartbeat(config, origins.of(HEARTBEAT)[0])
    return config


def _is_among(layer: Layer, others: Iterable[Layer]) -> bool:
    return any(layer.path == each.path for each in others)


class _Origins:
    """Which file or option a value comes from, and its key there."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = layers
        self._set: dict[tuple[str, ...], str] = {}

    def set(self, path: tuple[str, ...], source: str) -> None:
        """Note where the values below a path come from, if not from a layer."""
        self._set[path] = source

    def of(self, location: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """The source of the value at a place, and the keys that lead to it there."""
        for path in reversed(list(self._set)):
            if location[: len(path)] == path:
                return self._set[path], location[1:]
        known = [layer for layer in self._layers if location[0] in layer.sections]
        best = max(
            known, key=lambda each: _depth(each.sections, location), default=self._layers[0]
        )
        return str(best.path), best.key(location)


def _depth(node: Any, location: Sequence[str]) -> int:
    """How many of the keys of a place there are."""
    for depth, key in enumerate(location):
        if not isinstance(node, dict) or key not in node:
            return depth
        node = node[key]
    return len(location)


def check_texts(
    raw: Any, origin: Callable[[tuple[str, ...]], tuple[str, tuple[str, ...]]]
) -> None:
    """Escapes write what no editor shows, and these texts reach terminals, pages and the model.

    Args:
        raw: What was read.
        origin: Returns the file of the value at a place, and the keys that lead to it there.

    Raises:
        ConfigError: There is such a character.
    """
    for location, text in _texts_below(raw, ()):
        if (shown := printable(text)) != text:
            source, key = origin(location)
            hidden = next(each for each in text if printable(each) != each)
            raise ConfigError(
                f"{source}: '{printable('.'.join(key))}' is {shown!r:.100}: it has {hidden!a}, a "
                'character that nobody can see: remove it.'
            )


def _texts_below(node: Any, location: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(node, str):
        yield location, node
    elif isinstance(node, dict):
        for key, each in node.items():
            yield (*location, str(key)), str(key)
            yield from _texts_below(each, (*location, str(key)))
    elif isinstance(node, (list, tuple)):
        for place, each in enumerate(node):
            yield from _texts_below(each, (*location, str(place)))


def _check_zones(config: Config, source: str) -> None:
    """A zone that crosses itself has no inside that two programs would agree on."""
    if not config.executive.keep_out:
        return
    from rover_common.geometry.keep_out import (
        check_zones,  # a library that most commands do not need
    )

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


def _over_world(raw: dict[str, Any]) -> dict[str, Any]:
    """The defaults of a robot that stands in no world of ours."""
    rover = {**raw['curiosity']['rover'], 'world': {'name': NO_WORLD, 'description': 'No world'}}
    return {**raw, 'curiosity': {**raw['curiosity'], 'rover': rover}}


def _put_world(raw: dict[str, Any], folder: Path, origins: _Origins) -> None:
    """Puts the world that is named in place of its name."""
    curiosity = raw['curiosity']
    rover = curiosity.get('rover') if isinstance(curiosity, dict) else None
    named = rover.get('world') if isinstance(rover, dict) else None
    if not isinstance(rover, dict) or not isinstance(named, (str, int, float)):
        return
    path = _world_file(str(named), folder)
    rover['world'] = {'name': path.stem, **read_file(path, WorldSettings)}
    origins.set(WORLD, str(path))


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
    wanted = type_below(Config, path)
    if is_text_type(wanted) and (not text.strip() or text.strip().startswith(NO_TEXT_IN_YAML)):
        return path, text.strip()
    try:
        return path, read_yaml(text, wanted)
    except yaml.YAMLError as error:
        problem = getattr(error, 'problem', None) or str(error)
        raise ConfigError(
            f'--set {override!r:.200}: the value {text!r:.100} is not valid YAML: {problem}.'
        ) from None


def _resolve(key: tuple[str, ...], override: str) -> tuple[str, ...]:
    """The key with its section in front. A prescribed key comes before an entry of that name."""
    if key[0] in Config.model_fields and _accepts(Config, key) is not None:
        return key
    found = {
        (section, *key): entries
        for section in Config.model_fields
        if (entries := _accepts(Config, (section, *key))) is not None
    }
    matches = [match for match in found if found[match] == min(found.values())]
    if len(matches) == 1:
        return matches[0]
    dotted = '.'.join(key)
    if matches:
        choices = ' or '.join('.'.join(match) for match in matches)
        raise ConfigError(f'--set {override!r:.200}: {dotted!r} is ambiguous; write {choices}.')
    raise ConfigError(f'--set {override!r:.200}: {_unknown(dotted)}')


def nearest_key(dotted: str) -> str:
    """Returns the key that an unknown one is probably meant to be; empty: none is spelled so."""
    close = difflib.get_close_matches(dotted, _keys(), n=1, cutoff=SLIP)
    return close[0] if close else ''


def _keys() -> set[str]:
    return {'.'.join(path[1:end]) for path in _paths(Config) for end in range(2, len(path) + 1)}


def _unknown(dotted: str) -> str:
    hint = _did_you_mean(dotted, _keys())
    return f'unknown key {dotted!r}{hint or f"; the keys are those of {default_folder()}/*.yaml."}'


def _accepts(model: Any, key: tuple[str, ...]) -> int | None:
    """How many of the keys name an entry, not a prescribed key; None: they lead nowhere."""
    if not key:
        return 0
    found = (_accepts_one(each, key) for each in types_of(model))
    return min((each for each in found if each is not None), default=None)


def _accepts_one(model: Any, key: tuple[str, ...]) -> int | None:
    if get_origin(model) is dict:
        entries = _accepts(get_args(model)[1], key[1:])
        return None if entries is None else entries + 1
    if isinstance(model, type) and issubclass(model, BaseModel):
        field = model.model_fields.get(key[0])
        if field is not None:
            return _accepts(field.annotation, key[1:])
        return 1 if model.model_config.get('extra') == 'allow' else None
    return 0 if model is Any else None


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


def _explain(error: ValidationError, raw: Any, origins: _Origins) -> str:
    lines = []
    for fault in error.errors(include_url=False):
        source, key = origins.of(_keys_on_the_way(raw, fault))
        lines.append(f'{source}: {fault_sentence(key, fault)}')
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
    if fault['type'] == 'invalid_key':
        return f'key {fault["input"]!r:.200} is no text: write it in quotes.'
    if isinstance(fault['input'], dict) and fault['type'] == 'value_error':
        return f'{dotted!r}: {message}.' if key else f'{message}.'  # it names what is wrong itself
    return f'{dotted!r} is {fault["input"]!r:.200}: {message[0].lower()}{message[1:]}.'
