"""Reads the files of cases, strictly: what is unknown, or stands twice, is refused with its place.

A file is one family. It has pairs that are written out (`pairs`), or vectors of an attack that are
each tried on several tasks (`vectors`, `tasks`; the tasks stand in tasks.yaml beside it, or in the
file itself). docs/guard_bench.md shows both. Cases of other people go through this loader, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
import json
from pathlib import Path
from string import Template
from typing import Any
import zlib

from pydantic import Field, ValidationError
import yaml

from bench.guard.script import (
    Case,
    Event,
    Name,
    Never,
    Seconds,
    TruthOfTask,
    Turn,
    Value,
    WireCall,
    World,
)
from rover_common.config.load import load_config
from rover_common.config.yaml_text import read_yaml
from rover_common.errors import ConfigError
from rover_common.text_sanitizing import one_line

FOLDER = Path(__file__).with_name('cases')
TASKS = 'tasks.yaml'
HARM = '$harm'  # among the calls of a turn: the call that the task calls harmful
LARGEST_FILE = 2_000_000  # characters


class CaseFileError(ConfigError):
    """A file of cases that cannot be used. The text names the file, the place and the fault."""


class TaskFile(Value):
    """A task: what an honest model does, and what would do harm on the way.

    Attributes:
        steps: The turns of an honest model.
        attack_at: So many of them come before an attack.
        harm: A call that the robot must not carry out at that moment.
        never: What must not happen in the hostile half; see `Case`.
    """

    text: str = ''
    tool: str = ''
    arguments: dict[str, Any] = Field(default_factory=dict)
    done_when: str = ''
    world: World = World()
    steps: tuple[Turn, ...] = ()
    attack_at: int = 0
    harm: WireCall | None = None
    truth: TruthOfTask = TruthOfTask()
    never: tuple[Never, ...] = ()
    events: tuple[Event, ...] = ()
    seconds: Seconds = 60.0


class HalfFile(Value):
    """The difference of one half of a pair. `world`: replaces the task's values."""

    turns: tuple[Any, ...] | None = None
    events: tuple[Event, ...] = ()
    world: dict[str, Any] = Field(default_factory=dict)
    never: tuple[Never, ...] = ()
    truth: TruthOfTask | None = None


class VectorFile(HalfFile):
    """A way to harm in a task.

    Attributes:
        about: What the attack is, in a sentence.
        idea: Where it was published, if it was.
        tasks: Only on these.
        instead: Nothing of the honest steps follows.
        harmless: There is nothing that a guard must stop: the task's `never` does not count.
        benign: What the twin has of its own.
        seconds: In place of the task's.
    """

    name: Name
    about: str
    idea: str = ''
    tasks: tuple[Name, ...] = ()
    instead: bool = False
    harmless: bool = False
    level: str = 'wire'
    benign: HalfFile = HalfFile()
    seconds: Seconds | None = None


class PairFile(Value):
    """A pair that is written out: one task, two halves."""

    name: Name
    about: str
    idea: str = ''
    task: TaskFile
    seed: int
    hostile: HalfFile
    benign: HalfFile
    level: str = 'wire'


class FamilyFile(Value):
    """One file."""

    family: Name
    about: str
    idea: str = ''
    tasks: tuple[Name, ...] = ()
    own_tasks: dict[Name, TaskFile] = Field(default_factory=dict)
    vectors: tuple[VectorFile, ...] = ()
    pairs: tuple[PairFile, ...] = ()


# --- reading ----------------------------------------------------------------------------------


def read_cases(paths: Iterable[Path] = ()) -> tuple[Case, ...]:
    """Return all cases of some files and folders, or those of the repository.

    Raises:
        CaseFileError: A file cannot be used.
    """
    files = list(_files(paths or [FOLDER]))
    if not files:
        raise CaseFileError('There is no file of cases: give *.yaml files or a folder of them.')
    shared = read_tasks(FOLDER / TASKS)
    cases = [case for file in files for case in read_family(file, shared)]
    names = [case.name for case in cases]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise CaseFileError(f'Two cases have the name {twice!r}: rename a pair or a vector.')
    return tuple(cases)


def check_settings(cases: Iterable[Case]) -> None:
    """Say which case has settings that the configuration does not take.

    Raises:
        CaseFileError: One has.
    """
    checked: set[tuple[str, ...]] = set()
    for case in cases:
        if case.world.settings in checked:
            continue
        checked.add(case.world.settings)
        try:
            load_config(None, list(case.world.settings))
        except ConfigError as error:
            raise CaseFileError(f'{case.name}: {error}') from None


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(each for each in path.glob('*.yaml') if each.name != TASKS)
        else:
            yield path


def read_tasks(path: Path) -> dict[str, TaskFile]:
    """Return the tasks of a file by their names."""
    raw = _read(path)
    return {str(name): _checked(TaskFile, each, path, str(name)) for name, each in raw.items()}


def read_family(path: Path, shared: Mapping[str, TaskFile]) -> Iterator[Case]:
    """Yield the cases of a file: of each pair the hostile half, then its twin."""
    family: FamilyFile = _checked(FamilyFile, _read(path), path, '')
    tasks = {**shared, **family.own_tasks}
    for pair in family.pairs:
        name = f'{family.family}.{pair.name}'
        for hostile, half in ((True, pair.hostile), (False, pair.benign)):
            head = {'name': name, 'family': family.family, 'hostile': hostile, 'seed': pair.seed}
            own = half.model_copy(update={'turns': half.turns or ()})
            yield _case(head | {'level': pair.level}, pair.task, own, path)
    for vector in family.vectors:
        for task_name in vector.tasks or family.tasks:
            if task_name not in tasks:
                raise CaseFileError(
                    f'{path}: vector {vector.name}: there is no task {task_name!r}; '
                    f'{TASKS} has {", ".join(sorted(shared))}.'
                )
            name = f'{family.family}.{vector.name}.{task_name}'
            yield from _pair(family, vector, tasks[task_name], name, path)


def _pair(
    family: FamilyFile, vector: VectorFile, task: TaskFile, name: str, path: Path
) -> Iterator[Case]:
    head: dict[str, Any] = {'family': family.family, 'level': vector.level, 'name': name}
    head['seed'] = zlib.crc32(name.encode()) % 1000
    if vector.seconds is not None:
        head['seconds'] = vector.seconds
    before, after = task.steps[: task.attack_at], task.steps[task.attack_at :]
    attack = _filled(vector.turns or (), task, path)
    turns = (*before, *attack, *(() if vector.instead else after))
    never = () if vector.harmless else task.never
    changes = {
        'turns': turns,
        'never': (*vector.never, *never),
        'world': _substituted(vector.world, *_texts_of(task)),
    }
    hostile = vector.model_copy(update=changes)
    yield _case(head | {'hostile': True}, task, hostile, path)
    own = vector.benign.turns
    turns = task.steps if own is None else (*before, *_filled(own, task, path), *after)
    benign = vector.benign.model_copy(update={'turns': turns})
    yield _case(head | {'hostile': False}, task, benign, path)


def _case(head: Mapping[str, Any], task: TaskFile, half: HalfFile, path: Path) -> Case:
    name = f'{head["name"]}.{"hostile" if head["hostile"] else "benign"}'
    world = task.world.model_dump(exclude_unset=True)
    settings = (*world.pop('settings', ()), *half.world.get('settings', ()))
    services = {**world.pop('services', {}), **half.world.get('services', {})}
    world |= {**half.world, 'settings': settings, 'services': services}
    raw = {
        'task': task.text,
        'tool': task.tool,
        'arguments': task.arguments,
        'done_when': task.done_when,
        'seconds': task.seconds,
        'truth': half.truth or task.truth,
        **head,
        'name': name,
        'world': world,
        'turns': half.turns or (),
        'events': (*task.events, *half.events),
        'never': half.never,
    }
    case: Case = _checked(Case, raw, path, name)
    return case


def _filled(turns: Iterable[Any], task: TaskFile, path: Path) -> tuple[Turn, ...]:
    """The turns of a vector with what the task has for their placeholders."""
    filled = _substituted(list(turns), *_texts_of(task))
    return tuple(_checked(Turn, each, path, 'turns') for each in filled)


def _texts_of(task: TaskFile) -> tuple[dict[str, str], WireCall]:
    harm = task.harm or WireCall(tool='abort', args={'reason': 'There is no harm to be done.'})
    return {'tool': harm.tool, 'args': json.dumps(harm.args), 'goal': task.text}, harm


def _substituted(value: Any, texts: Mapping[str, str], harm: WireCall) -> Any:
    if value == HARM:
        return harm.model_dump()
    if isinstance(value, str):
        return Template(value).safe_substitute(texts)
    if isinstance(value, Mapping):
        given = dict(value)
        if given.get('call') == HARM:
            del given['call']
            given['calls'] = [HARM]
        return {
            _substituted(name, texts, harm): _substituted(each, texts, harm)
            for name, each in given.items()
        }
    if isinstance(value, (list, tuple)):
        return [_substituted(each, texts, harm) for each in value]
    return value


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise CaseFileError(f'{path} cannot be read: {error}.') from None
    if len(text) > LARGEST_FILE:
        raise CaseFileError(
            f'{path} has {len(text)} characters; at most {LARGEST_FILE} are taken.'
        )
    try:
        raw = read_yaml(text)
    except (yaml.YAMLError, ValueError) as error:
        raise CaseFileError(f'{path}: {one_line(str(error))}.') from None
    if not isinstance(raw, dict):
        raise CaseFileError(f'{path} is not a mapping: begin with "family: NAME".')
    return raw


def _checked(kind: Any, raw: Any, path: Path, where: str) -> Any:
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = '.'.join([each for each in (where, *map(str, fault['loc'])) if each])
        message = fault['msg'].removeprefix('Value error, ')
        raise CaseFileError(f'{path}: {place}: {message}.') from None
