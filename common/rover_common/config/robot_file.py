"""The files of a robot: its robot.yaml, those that it extends, and the sections beside them.

Each file is a layer; the layers of one robot are merged key by key, the robot's own above all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
import os
from pathlib import Path
import pickle
import re
import sys
from typing import Any, TypeAlias

import yaml

from rover_common.config.settings import Config, Robot
from rover_common.config.settings.topics import TfFrames
from rover_common.config.yaml_text import problem_of, read_yaml
from rover_common.errors import ConfigError
from rover_common.text_sanitizing import without_invisible

ROBOT_FILE = 'robot.yaml'
EXAMPLES_FILE = 'examples.yaml'  # beside it: `robot_examples` reads it
EXAMPLE_FILES = 'example_files'  # the robot's field with their paths
ROBOT = 'robot'  # the field of Config, and the key with the robot's name
SECTIONS = tuple(name for name in Config.model_fields if name != ROBOT)
FILES_OF_THEIR_OWN = tuple(name for name in SECTIONS if name != 'curiosity')
FOR_EVERY_ROBOT = 'any_robot'  # what a robot extends by default
SHIPPED_FOR_ALL = (
    'executive',
    'thresholds',
    'vision',
    'curiosity',
)  # as the shipped folder has them
# Sections of robot.yaml with entries that a robot can remove by null.
OPEN = ('tools', 'guards', 'state', 'gates')
BEFORE = {'skills.yaml': 'tools, state and guards', 'curiosity.yaml': 'settings of Curiosity'}
PACKAGE_SHARE = Path('share', 'bt_executive', 'config')
SHIPPED_NAME = re.compile(r'[a-z][a-z0-9_]*')
LARGEST_FILE = 2_000_000  # bytes
LONGEST_CHAIN = 10  # robots that extend each other
_CONTROLS = re.compile('[\0-\x08\x0b\x0c\x0e-\x1f\x7f]')
Raw: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Layer:
    """The content of one file, by section.

    Attributes:
        path: The file.
        sections: Section → its content; `robot` has what is the robot's own.
        own_file: The one section whose keys are at the top of the file; empty: robot.yaml.
    """

    path: Path
    sections: Raw
    own_file: str = ''

    def key(self, location: Sequence[str]) -> tuple[str, ...]:
        """The keys in the file of a location in the configuration."""
        if location[:2] == (ROBOT, 'name'):
            return (ROBOT,)
        if location[:2] == ('topics', 'tf') and len(location) == 3 and not self.own_file:
            return 'frames', location[2].removesuffix('_frame')
        return tuple(location[1:] if location[0] in (ROBOT, self.own_file) else location)


def location_of(key: tuple[str, ...]) -> tuple[str, ...]:
    """The location in the configuration of a key of robot.yaml; others are as they are."""
    if key == (ROBOT,):
        return ROBOT, 'name'
    if key in (('frames', 'world'), ('frames', 'base')):
        return 'topics', 'tf', f'{key[1]}_frame'
    return key


class _TypesOfKeys:
    """Which type the value of each key at the top of robot.yaml has."""

    def type_of(self, key: str) -> Any:
        """Returns the type of the value of a key, Any if none is prescribed."""
        if key in (ROBOT, 'extends'):
            return str
        if key == 'frames':
            return TfFrames
        field = Config.model_fields.get(key) or Robot.model_fields.get(key)
        return field.annotation if field else Any


_TYPES_OF_KEYS = _TypesOfKeys()


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
        'install the project again, or name a robot with --config.'
    )


def layers_of(given: Path | None) -> tuple[Layer, ...]:
    """The layers of a robot, the robot's own first; the shipped Curiosity if None.

    `given`: a folder with a robot.yaml, or the path of such a file under any name.

    Raises:
        ConfigError: A file is missing or cannot be read, or robots extend each other.
    """
    path: Path | None = _file_of(default_folder() if given is None else given)
    found, chain = list[Layer](), list[Path]()
    while path is not None:
        real = Path(os.path.realpath(path))  # `resolve` takes no ring of links
        if real in chain:
            raise ConfigError(
                f'{path}: it extends itself, by way of {chain[-1]}: remove one `extends`.'
            )
        if len(chain) == LONGEST_CHAIN:
            raise ConfigError(f'{path}: more than {LONGEST_CHAIN} robots extend each other.')
        chain.append(real)
        content = read_file(path, _TYPES_OF_KEYS)
        extends = content.pop('extends', None)
        found.append(Layer(path, _sections(content, path)))
        found.extend(_beside(path))
        path = _extended(extends, path)
    return tuple(found)


def example_files(layers: Sequence[Layer]) -> list[dict[str, Any]]:
    """Return the files with examples beside the robot.yaml of each layer, its own first."""
    robots = (each.path for each in layers if each.path.name == ROBOT_FILE)
    beside = (each.with_name(EXAMPLES_FILE) for each in robots)
    own = layers[0].path.with_name(EXAMPLES_FILE)
    return [
        {'path': str(each.resolve()), 'is_own': each == own} for each in beside if each.is_file()
    ]


def has_own_section(given: Path | None, section: str) -> bool:
    """Return whether a robot defines a section itself, instead of the default."""
    return any(section in layer.sections for layer in layers_of(given))


def has_gates(given: Path | None) -> bool:
    """Return whether a robot has gates."""
    robot = merge_layers(layers_of(given))[ROBOT]
    return isinstance(robot, dict) and bool(robot.get('gates'))


def default_layers() -> tuple[Layer, ...]:
    """The lowest layers: the shipped files for every robot."""
    shipped = default_folder()
    robot = _sections(read_file(shipped / ROBOT_FILE, _TYPES_OF_KEYS), shipped / ROBOT_FILE)
    files = tuple(_beside(shipped / ROBOT_FILE))
    wanted = (Layer(shipped / ROBOT_FILE, robot), *files)
    return tuple(
        Layer(each.path, kept, each.own_file)
        for each in wanted
        if (kept := {name: each.sections[name] for name in _defaulted(each)})
    )


def merge_layers(layers: Sequence[Layer]) -> Raw:
    """Section → content of all layers, the first above all; lists replace each other."""
    raw: Raw = {}
    for layer in layers:
        raw = _over(layer.sections, raw)
    raw = {name: raw.get(name, {}) for name in Config.model_fields}
    for name in OPEN:
        entries = raw[ROBOT].get(name) if isinstance(raw[ROBOT], dict) else None
        if isinstance(entries, dict):
            raw[ROBOT][name] = {key: each for key, each in entries.items() if each is not None}
    return raw


def read_file(path: Path, wanted: Any) -> Raw:
    """The content of a YAML file with a mapping at the top.

    Raises:
        ConfigError: It is missing, no text, no YAML, too large, or no mapping.
    """
    content = _content(path, wanted)
    if not isinstance(content, dict):
        raise ConfigError(
            f'{path}: a mapping of keys is expected at the top, found {type(content).__name__}.'
        )
    return content


def _file_of(given: Path) -> Path:
    try:
        is_folder, is_there = given.is_dir(), given.exists()
    except OSError as error:  # such as a name that is too long
        raise ConfigError(f'{str(given)!r:.100}: cannot be read ({error.strerror}).') from None
    if is_folder:
        return given / ROBOT_FILE
    if not is_there and given.suffix not in ('.yaml', '.yml'):
        raise ConfigError(f'Configuration folder {str(given)!r} does not exist: check --config.')
    return given


def _beside(path: Path) -> Iterator[Layer]:
    """The sections in files of their own, in the folder of a robot.yaml."""
    if path.name != ROBOT_FILE:
        return
    for name, content in BEFORE.items():
        if (path.parent / name).exists():
            raise ConfigError(
                f'{path.parent / name}: {content} stand in {ROBOT_FILE} now: move them there '
                '(docs/skills.md) and remove this file.'
            )
    for name in FILES_OF_THEIR_OWN:
        file = path.parent / f'{name}.yaml'
        if file.exists():
            yield Layer(file, {name: read_file(file, Config.model_fields[name].annotation)}, name)


def _sections(content: Raw, path: Path) -> Raw:
    """The content of a robot.yaml by section. `frames` are those of `topics.tf`."""
    found = {name: content.pop(name) for name in SECTIONS if name in content}
    if isinstance(topics := found.get('topics'), dict):
        absolute = {key: _with_absolute(each) for key, each in topics.items() if key != 'tf'}
        found['topics'] = {**topics, **absolute}
    if 'frames' in content:
        frames = content.pop('frames')
        if not isinstance(frames, dict) or set(frames) - {'world', 'base'}:
            raise ConfigError(
                f"{path}: 'frames' is {frames!r:.200}: write {{ world: map, base: base_link }}."
            )
        tf = {f'{key}_frame': each for key, each in frames.items()}
        found['topics'] = _over({'tf': tf}, found.get('topics', {}))
    if 'name' in content:
        raise ConfigError(f"{path}: unknown key 'name'; did you mean 'robot'?")
    if EXAMPLE_FILES in content:
        raise ConfigError(
            f'{path}: unknown key {EXAMPLE_FILES!r}: further examples stand in {EXAMPLES_FILE} '
            f'beside {ROBOT_FILE}.'
        )
    if ROBOT in content:
        content['name'] = content.pop(ROBOT)
    return found | {ROBOT: content}


def _with_absolute(topics: Any) -> Any:
    """Names of a robot.yaml, where one that begins with a slash is not in the namespace."""
    if isinstance(topics, str):
        return f'/{topics}' if topics.startswith('/') else topics
    if not isinstance(topics, dict):
        return topics
    if isinstance(name := topics.get('name'), str):
        return {**topics, 'own': False} if name.startswith('/') else topics
    return {key: _with_absolute(each) for key, each in topics.items()}


def _extended(extends: Any, path: Path) -> Path | None:
    """The file of the robot that a robot extends; None: none."""
    shipped = default_folder()
    every = shipped / 'robots' / FOR_EVERY_ROBOT / ROBOT_FILE
    if extends == '' or os.path.realpath(path) == os.path.realpath(every):
        return None
    if extends is None:
        return every
    name = str(extends)
    if SHIPPED_NAME.fullmatch(name):
        if name == 'curiosity':
            return shipped / ROBOT_FILE
        if (shipped / 'robots' / name / ROBOT_FILE).is_file():
            return shipped / 'robots' / name / ROBOT_FILE
    elif name.startswith(('./', '../')) and '\0' not in name:
        return _file_of(path.parent / name)
    names = sorted(each.parent.name for each in (shipped / 'robots').glob(f'*/{ROBOT_FILE}'))
    raise ConfigError(
        f"{path}: 'extends' is {name!r:.200}: write the name of a shipped robot (curiosity, "
        f'{", ".join(names)}), or a path that begins with ./ or ../'
    )


def _defaulted(layer: Layer) -> Iterator[str]:
    """The sections of a shipped file that are every robot's; Curiosity's others are its own."""
    of_all = SHIPPED_FOR_ALL if layer.own_file else ('curiosity',)
    return (name for name in of_all if name in layer.sections)


def _over(below: Any, above: Any) -> Any:
    """Merge two layers; the keys of the upper one come first."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    own = {key: _over(below[key], each) if key in below else each for key, each in above.items()}
    return own | {key: each for key, each in below.items() if key not in own}


@lru_cache(maxsize=64)
def _parse(text: str, section: Any) -> bytes:
    """The parsed text, pickled: each reader gets a copy of its own, and `deepcopy` is slow.

    Parsing takes milliseconds, and a replay or a test reads the same text many times.
    """
    # YAML refuses control characters, with their position.
    text = text if _CONTROLS.search(text) else without_invisible(text)
    return pickle.dumps(read_yaml(text, section))


def _content(path: Path, wanted: Any) -> Any:
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f'{path}: no file: name a robot.yaml or its folder.')
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ConfigError(
                f'{path}: {size} bytes are too large for a configuration, which may have '
                f'{LARGEST_FILE}.'
            )
        return pickle.loads(_parse(path.read_text(encoding='utf-8'), wanted))
    except FileNotFoundError:
        raise ConfigError(
            f'{path}: file is missing: docs/your_robot.md leads through one.'
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f'{path}: not UTF-8 text ({error.reason}); save it as UTF-8.') from None
    except (OSError, ValueError) as error:
        raise ConfigError(f'{path}: cannot be read ({error}).') from None
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        where = f':{mark.line + 1}:{mark.column + 1}' if mark else ''
        raise ConfigError(f'{path}{where}: not valid YAML: {problem_of(error)}.') from None
