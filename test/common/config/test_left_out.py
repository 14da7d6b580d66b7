"""A folder that was written before a key was there loads, and means what it meant then."""

from __future__ import annotations

from pathlib import Path
import shutil
from typing import Any

import pytest
import yaml

from rover_common.config.load import default_folder, load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(default_folder(), tmp_path / 'config'))


def without(folder: Path, file: str, *keys: tuple[str, ...]) -> Config:
    """Loads the folder without these keys of a file; `*` is every key."""
    path = folder / f'{file}.yaml'
    content = yaml.safe_load(path.read_text(encoding='utf-8'))
    for key in keys:
        remove(content, key)
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding='utf-8')
    return load_config(folder)


def remove(content: Any, key: tuple[str, ...]) -> None:
    first, *rest = key
    if not isinstance(content, dict):
        return
    for name in list(content) if first == '*' else [first]:
        if rest:
            remove(content.get(name), tuple(rest))
        else:
            content.pop(name, None)


OF_PARTS = (('parts',), ('preconditions',), ('moving_resources',))
OF_WORDS = (('skills', '*', 'command'), ('skills', '*', 'motion', 'by_hand'))


def test_parts_conditions_and_commands_were_built_in(folder: Path) -> None:
    assert without(folder, 'skills', *OF_PARTS, *OF_WORDS) == load_config()


def test_a_folder_that_names_parts_of_its_own_has_no_others(folder: Path) -> None:
    skills = without(folder, 'skills', ('moving_resources',)).skills
    assert skills.moving_resources == skills.resources
    assert without(folder, 'skills', ('preconditions',)).skills.preconditions == {}


def test_a_resource_that_the_folder_lacks_moves_nothing(folder: Path) -> None:
    path = folder / 'skills.yaml'
    text = path.read_text(encoding='utf-8').replace(
        'resources: [base, mast, camera]', 'resources: [base]'
    )
    path.write_text(text, encoding='utf-8')
    assert without(folder, 'skills', *OF_PARTS).skills.moving_resources == ('base',)


def test_a_command_of_the_folder_stands_alone(folder: Path) -> None:
    skills = without(folder, 'skills', ('skills', 'capture_and_score', 'command')).skills.skills
    assert skills['capture_and_score'].command is None
    assert skills['move_nudge'].command is not None


def test_no_journal_was_kept_and_no_model_asked(folder: Path) -> None:
    shipped = load_config().executive
    executive = without(folder, 'executive', ('journal',), ('memory',)).executive
    assert executive.journal == shipped.journal.model_copy(update={'on_fault': 'memory_only'})
    assert executive.memory.model_dump(exclude={'embedding', 'model'}) == (
        shipped.memory.model_dump(exclude={'embedding', 'model'})
    )
    for model in (executive.memory.embedding, executive.memory.model):
        assert (model.provider, model.max_tokens) == ('offline', 200_000)


def test_a_memory_without_models_asks_none(folder: Path) -> None:
    memory = without(folder, 'executive', ('memory', 'model')).executive.memory
    assert (memory.model.provider, memory.embedding) == (
        'offline',
        load_config().executive.memory.embedding,
    )


@pytest.mark.parametrize(
    ('keys', 'tool'),
    [
        ((('battery', 'before_rest'),), 'mast_close'),
        ((('battery', 'before_rest'), ('guards', 'resolve_by', 'mast_closed')), ''),
    ],
)
def test_what_is_done_before_a_rest_was_what_makes_the_robot_ready_to_drive(
    folder: Path, keys: Any, tool: str
) -> None:
    assert without(folder, 'executive', *keys).executive.battery.before_rest == tool


def test_two_tools_with_one_command_are_refused(folder: Path) -> None:
    path = folder / 'skills.yaml'
    text = path.read_text(encoding='utf-8').replace('word: nudge', 'word: cap')
    path.write_text(text, encoding='utf-8')
    with pytest.raises(
        ConfigError, match="capture_and_score and move_nudge have the same command 'cap'"
    ):
        load_config(folder)
