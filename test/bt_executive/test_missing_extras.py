"""In a base environment each command that needs an extra says so in one sentence, with a command.

What that command is, and that it can be typed, is tested by test/common/test_extras.py.
"""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys
from typing import Any

import pytest

from rover_common.extras import EXTRAS, how_to_install

pytestmark = pytest.mark.process
THINGS = """graph [
  node [ id 0 label "a" level 0 position [ x 0.0 y 0.0 z 0.0 ] ]
  node [ id 1 label "b" level 0 position [ x 1.0 y 0.0 z 0.0 ] ]
]"""
LLAMA = ('--set', 'planner.provider=llamacpp', '--set', 'planner.model=a.gguf')
# What is typed → the extras that it needs.
COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ('demo',): ('rover',),
    ('foxglove',): ('foxglove',),
    ('guard-bench',): ('rosa',),
    ('mcp',): ('mcp',),
    ('mcp', '--http', '18080'): ('mcp',),
    ('memory', 'import', 'things.gml'): ('memory',),
    ('model-bench',): ('rosa',),
    ('node', 'memory'): ('memory',),
    ('node', 'rover'): ('rover',),
    ('node', 'vision'): ('vision',),
    ('up',): ('rover',),
    ('up', '--no-rover', *LLAMA): ('local', 'rosa'),
    ('vision-client',): ('vision',),
    ('web',): ('web',),
    ('web', '--robots', 'a,b'): ('web',),
}
# Extras for which no command of ours asks: who writes a graph, or drives with Nav2, imports them.
BY_IMPORT = {'langgraph', 'nav2'}
# Their sentences are tested where they arise: a provider each, a page, a store, a cluster.
ELSEWHERE = {'anthropic', 'ollama', 'memory-page', 'memory-postgres', 'ray'}
TYPE = """
import contextlib, io, json, sys
left_out, commands = json.loads(sys.argv[1])
class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in left_out:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, LeftOut())
from bt_executive.cli import main
for command in commands:
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            main(command)
    except SystemExit as ended:
        print(json.dumps([ended.code, told.getvalue()]))
"""


def typed(commands: list[tuple[str, ...]], folder: Path) -> list[tuple[int, str]]:
    """The exit codes and what was written to standard error, where no extra is installed."""
    left_out = sorted({each.partition('.')[0] for modules in EXTRAS.values() for each in modules})
    told: Any = json.dumps([left_out, commands])
    done = subprocess.run(
        [sys.executable, '-c', TYPE, told], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = (each for each in done.stdout.splitlines() if each.startswith('['))
    return [tuple(json.loads(each)) for each in lines]


def test_each_command_names_what_it_needs_and_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'things.gml').write_text(THINGS, encoding='utf-8')
    commands = list(COMMANDS)
    for command, (code, told) in zip(commands, typed(commands, tmp_path), strict=True):
        extras = COMMANDS[command]
        names = f'extra{"s" * (len(extras) > 1)} {" and ".join(extras)}'
        *others, last = told.splitlines()
        assert code == 2, (command, told)
        assert names in last, (command, told)
        assert how_to_install(*extras) in last, (command, told)
        assert all('is left out: it needs the extra' in each for each in others), (command, told)


def test_every_extra_is_asked_for_here_or_elsewhere() -> None:
    asked = {extra for extras in COMMANDS.values() for extra in extras}
    assert asked | BY_IMPORT | ELSEWHERE == set(EXTRAS)
