"""The one loader of the configuration: YAML files and overrides in, one frozen `Config` out.

Nobody else in this project reads YAML. Every fault is a `ConfigError` that names the file, the
dotted key, the value and what to do; several faults are listed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rover_common.config.dotted_keys import assign, did_you_mean, fault_sentence, parse_override
from rover_common.config.endpoints import motion_name_faults
from rover_common.config.robot_file import (
    EXAMPLE_FILES,
    ROBOT,
    Layer,
    default_folder,
    default_layers,
    example_files,
    layers_of,
    merge_layers,
    read_file,
)
from rover_common.config.settings import Config, WorldSettings
from rover_common.config.settings.world import NO_WORLD
from rover_common.errors import ConfigError
from rover_common.text_sanitizing import printable

WORLD = ('curiosity', 'rover', 'world')  # in the file a name, in the tree the world itself


def without_world(raw: dict[str, Any]) -> dict[str, Any]:
    """The defaults of a robot without a simulated world."""
    rover = {**raw['curiosity']['rover'], 'world': {'name': NO_WORLD, 'description': 'No world'}}
    return {**raw, 'curiosity': {**raw['curiosity'], 'rover': rover}}


def world_file(name: str, folder: Path) -> Path:
    """Return the file of the world of this name, or at this path; `folder`: of the robot."""
    if name.endswith('.yaml'):
        return Path(name)
    folders = [folder / 'worlds', default_folder() / 'worlds']
    for path in (place / f'{name}.yaml' for place in folders):
        if path.is_file():
            return path
    names = sorted({path.stem for place in folders for path in place.glob('*.yaml')})
    raise ConfigError(
        f"'rover.world' is {name!r}: there is no such world{did_you_mean(name, names) or '.'} "
        f'There are {", ".join(names)}. Or give the path of a file that ends in .yaml.'
    )


HEARTBEAT = ('executive', 'tick', 'heartbeat_s')
KEEP_OUT = ('executive', 'keep_out')
TOOLS = (ROBOT, 'tools')
_kept: dict[tuple[Path | None, tuple[str, ...]], Config] = {}


def cache_config(robot: Path | None, overrides: Iterable[str]) -> Config:
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
            a text is wanted (`planner.base_url=`, `vision.folder=/data/run #2`), unless it begins
            with a quotation mark. A key may start with the name of its section
            (`thresholds.trace.buffer_size=50`).

    Raises:
        ConfigError: Anything in the files or overrides is missing, unknown or of a wrong type.
    """
    key = robot, tuple(overrides)
    return _kept.get(key) or _read(*key)


def _read(robot: Path | None, overrides: Sequence[str]) -> Config:
    own = layers_of(robot)
    layers = (*own, *(each for each in default_layers() if not _is_among(each, own)))
    raw = merge_layers(layers)
    if isinstance(raw[ROBOT], dict):
        raw[ROBOT][EXAMPLE_FILES] = example_files(own)
    if not any('curiosity' in each.sections for each in own):
        raw = without_world(raw)
    parsed = [(*parse_override(override), override) for override in overrides]
    origins = _Origins(layers)
    for path, value, override in parsed:
        if path == WORLD:
            assign(raw, path, value, override)
            origins.set(path, f'--set {override!r:.200}')
    _put_world(raw, layers[0].path.parent, origins)
    for path, value, override in parsed:
        if path != WORLD:
            assign(raw, path, value, override)
            origins.set(path, f'--set {override!r:.200}')
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(error, raw, origins)) from None
    check_texts(raw, origins.of)
    _check_zones(config, origins.of(KEEP_OUT)[0])
    _check_heartbeat(config, origins.of(HEARTBEAT)[0])
    _check_motion_names(config, origins.of(TOOLS)[0])
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
        """Return the source of the value at a location, and its keys there."""
        for path in reversed(list(self._set)):
            if location[: len(path)] == path:
                return self._set[path], location[1:]
        below = [self._set[path] for path in self._set if path[: len(location)] == location]
        candidates = [layer for layer in self._layers if location[0] in layer.sections]
        best = max(
            candidates, key=lambda each: _depth(each.sections, location), default=self._layers[0]
        )
        return ', '.join([str(best.path), *below]), best.key(location)


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
        origin: Returns the file of the value at a location, and its keys there.

    Raises:
        ConfigError: There is such a character.
    """
    if found := _hiding(raw):
        location, text = found
        source, key = origin(location)
        hidden = next(each for each in text if printable(each) != each)
        raise ConfigError(
            f"{source}: '{printable('.'.join(key))}' is {printable(text)!r:.100}: it has "
            f'{hidden!a}, a character that nobody can see: remove it.'
        )


def _hiding(node: Any) -> tuple[tuple[str, ...], str] | None:
    """Return the first text below a node with such a character, and its keys."""
    if isinstance(node, str):
        return None if printable(node) == node else ((), node)
    if isinstance(node, dict):
        for key, value in node.items():
            name = str(key)
            if printable(name) != name:
                return (name,), name
            if isinstance(value, (str, dict, list, tuple)) and (found := _hiding(value)):
                return (name, *found[0]), found[1]
    elif isinstance(node, (list, tuple)):
        for place, item in enumerate(node):
            if found := _hiding(item):
                return (str(place), *found[0]), found[1]
    return None


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
    heartbeat, limit = config.executive.tick.heartbeat_s, config.curiosity.deadman.timeout_s
    if heartbeat >= limit:
        raise ConfigError(
            f"{source}: 'tick.heartbeat_s' is {heartbeat:g}: it must be below deadman.timeout_s "
            f'({limit:g}), or the adapter stops every motion.'
        )


def _check_motion_names(config: Config, source: str) -> None:
    faults = [f'{source}: {fault}' for fault in motion_name_faults(config)]
    if faults:
        raise ConfigError('\n'.join(faults))


def _put_world(raw: dict[str, Any], folder: Path, origins: _Origins) -> None:
    """Puts the world that is named in place of its name."""
    curiosity = raw['curiosity']
    rover = curiosity.get('rover') if isinstance(curiosity, dict) else None
    if not isinstance(rover, dict) or isinstance(named := rover.get('world', {}), dict):
        return
    if not isinstance(named, (str, int, float)):
        source, key = origins.of(WORLD)
        raise ConfigError(
            f"{source}: '{'.'.join(key)}' is {named!r:.200}: write the name of a world, or the "
            'path of a file that ends in .yaml.'
        )
    path = world_file(str(named), folder)
    rover['world'] = {'name': path.stem, **read_file(path, WorldSettings)}
    origins.set(WORLD, str(path))


def _explain(error: ValidationError, raw: Any, origins: _Origins) -> str:
    lines = []
    for fault in error.errors(include_url=False):
        source, key = origins.of(_keys_of_fault(raw, fault))
        lines.append(f'{source}: {fault_sentence(key, fault)}')
    return '\n'.join(lines)


def _keys_of_fault(raw: Any, fault: Any) -> tuple[str, ...]:
    """The keys of a fault's place, without the names of alternatives that pydantic adds."""
    keys = []
    for part in fault['loc']:
        candidates = range(len(raw)) if isinstance(raw, (list, tuple)) else raw
        if isinstance(candidates, (dict, range)) and part in candidates:
            raw = raw[part]
        elif fault['type'] != 'missing' or part != fault['loc'][-1]:
            continue
        keys.append(str(part))
    return tuple(keys)
