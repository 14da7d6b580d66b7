"""Pages, comments and docstrings name files and configuration keys that there are."""

from __future__ import annotations

from functools import cache
from pathlib import Path
import re

from papers import ROOT
import pytest
from references import (
    DECISION,
    FILE,
    FOLDER,
    KEY,
    LINK,
    WRITTEN,
    Files,
    files,
    is_key,
    keys,
    written_for_people,
)

FOREIGN = {
    'tf2_ros/transform_listener.py',  # of tf2
    'page.html',  # an output that a command of docs/recordings.md names
    'whole.mcap',
    'skills.yaml',  # of earlier versions
    'curiosity.yaml',
    'top_level.txt',  # of an installed package
    'recording-2.mcap',
    'report.json',  # what `bt-executive guard-bench` writes
    'report.md',
    'report.svg',
}
ELSEWHERE = {
    'runs/',
    'guard-bench/',
    'pictures/',
    'config/',
    'logs/',
    'folder/config/',
    '.venv/bin/',
    'keystore/private/',
}


@cache
def there() -> list[Path]:
    """Every file of the repository. To look for them takes too long for each process of pytest."""
    return files()


@cache
def texts() -> list[tuple[Path, int, str]]:
    """Where something is written for people, and what."""
    return [
        (path, line, text)
        for path in there()
        if path.suffix in WRITTEN
        for line, text in written_for_people(path)
    ]


def of_a_run() -> set[str]:
    """The files in the table of docs/recordings.md."""
    table = (ROOT / 'docs' / 'recordings.md').read_text(encoding='utf-8').split('\n\n')[2]
    return set(re.findall(r'`([\w.]+)`', table))


@pytest.mark.slow
def test_files_that_are_named_are_there() -> None:
    known = Files(there(), of_a_run() | FOREIGN)
    missing = [
        f'{path}:{line}: {name}'
        for path, line, text in texts()
        for name in FILE.findall(text)
        if not known.has(name, path)
    ]
    assert not missing, '\n'.join(missing)


@pytest.mark.slow
def test_folders_links_and_decisions_that_are_named_are_there() -> None:
    known = Files(there(), set())
    missing = []
    for path, line, text in texts():
        missing += [
            f'{path}:{line}: {name}'
            for name in FOLDER.findall(text)
            if not known.has_folder(name, path) and name not in ELSEWHERE
        ]
        if path.suffix == '.md':
            links = [
                link for link in LINK.findall(text) if not (ROOT / path.parent / link).exists()
            ]
            missing += [f'{path}: {link}' for link in links]
        missing += [
            f'{path}:{line}: decision {number}'
            for number in DECISION.findall(text)
            if not list((ROOT / 'docs' / 'decisions').glob(f'{number}-*.md'))
        ]
    assert not missing, '\n'.join(missing)


@pytest.mark.slow
def test_keys_that_are_named_are_there() -> None:
    known = keys()
    sections = {key for key in known if '.' not in key}
    modules = {
        '.'.join(path.with_suffix('').parts[1:]) for path in there() if path.suffix == '.py'
    }
    endings = {path.suffix for path in there()} | {'.jsonl', '.mcap', '.sqlite'}
    missing = [
        f'{path}:{line}: {name}'
        for path, line, text in texts()
        for name in KEY.findall(text)
        if name.split('.')[0] in sections and Path(name).suffix not in endings
        if not is_key(name, known) and name not in modules
    ]
    assert not missing, '\n'.join(missing)


@pytest.mark.parametrize(
    ('name', 'named_in'),
    [
        ('docs/decisions/0001-import-rules.md', 'pyproject.toml'),
        ('templates/chart.svg', 'bt_executive/report/chart.py'),
        (
            'injected_faults.py',
            'sim/curiosity_sim/rover_node.py',
        ),  # two of them, none of the simulation
        ('*.toml2', 'README.md'),
    ],
)
def test_what_is_not_there_is_found(name: str, named_in: str) -> None:
    paths = [
        Path('a/faults.py'),
        Path('b/faults.py'),
        Path('report/chart.html'),
        Path('x.toml'),
    ]
    assert not Files(paths, set()).has(name, Path(named_in))


@pytest.mark.parametrize(
    'name', ['page.md', '../page.md', 'docs/page.md', 'guides/page.md', '*.md']
)
def test_what_is_there_is_found(name: str) -> None:
    paths = [Path('docs/guides/page.md'), Path('docs/page.md'), Path('other/page.md')]
    assert Files(paths, set()).has(name, Path('docs/guides/other.md'))


def test_a_key_with_a_star_stands_for_any() -> None:
    assert is_key('goal.*', {'goal.max_wall_s'})
    assert not is_key('goal.max_walls', {'goal.max_wall_s'})


@pytest.mark.slow
def test_pages_that_messages_name_are_there() -> None:
    missing = [
        f'{path}: {page}'
        for path in there()
        if path.suffix == '.py' and path.parts[0] != 'test'
        for page in re.findall(r'\bdocs/[\w/-]+\.md', (ROOT / path).read_text(encoding='utf-8'))
        if not (ROOT / page).is_file()
    ]
    assert not missing, '\n'.join(missing)
