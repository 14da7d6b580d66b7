"""How the tools of a robot are asked for: by its robot.yaml, and by examples.yaml beside it.

These files are no part of the configuration, which every process has: they are thousands of
sentences, and only a process that understands goals reads them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rover_common.config.dotted_keys import fault_sentence
from rover_common.config.load import check_texts
from rover_common.config.robot_file import read_file
from rover_common.config.settings import Robot
from rover_common.config.settings.skills import FurtherExamples, SkillExample
from rover_common.errors import ConfigError

MODEL_SUFFIX = '.npz'  # of a model file beside the examples


@dataclass(frozen=True)
class RobotExamples:
    """Example requests for each tool of a robot, and requests that no tool covers.

    Attributes:
        model: File of a model that was fitted to wordings for these tools; empty: there is none.
    """

    tools: Mapping[str, tuple[SkillExample, ...]]
    no_tool: tuple[str, ...] = ()
    model: str = ''

    @property
    def content(self) -> dict[str, Any]:
        """The content of a file with these examples."""
        tools = {
            name: [_written(each) for each in sentences] for name, sentences in self.tools.items()
        }
        return {'no_tool': list(self.no_tool), 'tools': tools}


def robot_examples(robot: Robot) -> RobotExamples:
    """Return the examples of a robot's tools, its own file's sentences first.

    Examples of tools that the robot does not have are left out.

    Raises:
        ConfigError: A file cannot be read, or is no such file.
    """
    files = [further_examples(each.path) for each in robot.example_files]
    tools = {
        name: _each_once([skill.examples, *(each.tools.get(name, ()) for each in files)])
        for name, skill in robot.tools.items()
    }
    lists = (robot.no_tool, *(each.no_tool for each in files))
    models = (Path(each.path).with_suffix(MODEL_SUFFIX) for each in robot.example_files)
    model = next((str(each) for each in models if each.is_file()), '')
    return RobotExamples(tools, tuple(dict.fromkeys(chain.from_iterable(lists))), model)


def further_examples(path: str) -> FurtherExamples:
    """Return the content of one of these files.

    Raises:
        ConfigError: It cannot be read, or is no such file.
    """
    try:
        changed = Path(path).stat()
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read ({error.strerror}).') from None
    return _read(path, (changed.st_mtime_ns, changed.st_size))


@lru_cache(maxsize=8)
def _read(path: str, _changed: tuple[int, int]) -> FurtherExamples:
    """The start needs it for the planner, for what reads goals, and for the run's copy."""
    raw = read_file(Path(path), FurtherExamples)
    check_texts(raw, lambda key: (path, key))
    try:
        return FurtherExamples.model_validate(raw)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        lines = [fault_sentence(tuple(map(str, each['loc'])), each) for each in faults]
        raise ConfigError('\n'.join(f'{path}: {each}' for each in lines)) from None


def _each_once(lists: Sequence[Sequence[SkillExample]]) -> tuple[SkillExample, ...]:
    found: dict[str, SkillExample] = {}
    for each in chain.from_iterable(lists):
        found.setdefault(each.say, each)
    return tuple(found.values())


def _written(example: SkillExample) -> str | dict[str, Any]:
    content = example.model_dump(mode='json', exclude_defaults=True)
    return example.say if content.keys() == {'say'} else content


MOST_SHOWN = 6


def first_of_each_kind(kinds: Mapping[str, Hashable]) -> list[str]:
    """Return the first tool of each kind, in order. `kinds`: parts and arguments, by tool."""
    first: dict[Hashable, str] = {}
    for name, kind in kinds.items():
        first.setdefault(kind, name)
    return list(first.values())
