"""Every command of README and docs is typed as it stands there, in the shell of its reader.

Measurements take minutes: of these, only their names are tried. `make test` is what runs this.
Of each command's forms one is started from nothing, as `make demo` is; the others are forked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
import re
import shutil

from forked_program import FORKED
from model_server import ModelServer
from papers import Block, blocks, spans
import pytest
from readers_clone import ReadersClone, demo_of_the_reader

from bench.__main__ import names

pytestmark = [pytest.mark.ros, pytest.mark.system, pytest.mark.timeout(400)]
# The runs of which the pages speak.
RUN, NEXT_RUN = 'runs/20260101-120000', 'runs/20260101-121500'
OWN_SERVER = 'http://127.0.0.1:8000'  # the pages' address for a model server of one's own
MODELS = ('gpt-4.1-mini', 'qwen3:8b', 'my-model')
EXPORT = re.compile(r'export (\w+)=(\S+)')
# Ways of naming a program that are no command to type.
TYPED = re.compile(r'(\.venv/bin/\S+|make) \S')
BENCH = re.compile(r'make bench(?: ARGS=(\w+))?')


def _commands() -> Iterator[str]:
    """What is to be typed, in blocks and in sentences, each once."""
    shells = [block for block in blocks() if block.kind == 'sh' and not block.distribution]
    typed = [command.split('  #')[0].strip() for each in shells for command in each.commands]
    typed += [span.text for span in spans() if TYPED.match(span.text)]
    yield from dict.fromkeys(each for each in typed if not each.startswith('export '))


def _exports(command: str) -> dict[str, str]:
    """What the block of a command exported before it."""
    mine: list[Block] = [each for each in blocks() if command in each.text]
    return dict(match for block in mine for match in EXPORT.findall(block.text))


CONSOLE = '.venv/bin/bt-executive console'
UP = '.venv/bin/bt-executive up'  # typed in GOAL
GOAL = rf"printf 'demo_ground_texture\n:quit\n' | {UP}"
UP_WITH_PAGE = f'{UP} --web'  # typed for CONSOLE
# What would differ ends with 1, and is looked at in test_replay.py.
OTHERS = [
    each
    for each in _commands()
    if not (each.startswith('make ') or '--what-if' in each or each in (UP, UP_WITH_PAGE))
]
# From nothing by `make demo`, the last line of it, and an activated .venv.
STARTED_ANYWAY = ('up', 'report', 'doctor')
FROM_NOTHING = {  # the last of its forms, which is none with a model
    words[1]: each
    for each in OTHERS
    if (words := each.split())[0].endswith('/bt-executive') and words[1] not in STARTED_ANYWAY
}
SERVE = {  # until they are interrupted: what they say first
    '.venv/bin/bt-executive web': 'http://127.0.0.1:',
    '.venv/bin/bt-executive foxglove': 'ws://127.0.0.1:',
    '.venv/bin/python test/support/tiny_robot.py': '[tiny_robot]: Ready',
}


@pytest.fixture(scope='module')
def clone(tmp_path_factory: pytest.TempPathFactory) -> ReadersClone:
    return ReadersClone(tmp_path_factory.mktemp('clone'))


@pytest.fixture(scope='module')
def demo(clone: ReadersClone, tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> str:
    """What `make demo` prints; its run stands for those of which the pages speak.

    Afterwards the reader's rover begins in the light: the way there has been shown.
    """
    demo = demo_of_the_reader(tmp_path_factory, testrun_uid)
    for name in (demo.run.name, Path(RUN).name, Path(NEXT_RUN).name):
        shutil.copytree(demo.run, clone.folder / 'runs' / name, dirs_exist_ok=True)
    clone.change('config/robot.yaml', 'start:\n      x: null', 'start:\n      x: 5.0')
    return demo.printed


@contextmanager
def model_server(clone: ReadersClone, command: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Puts our model server where a command looks for its own; gives command and environment."""
    server = ModelServer(models=MODELS)
    hosted = '--set planner.provider=openai' in command and OWN_SERVER not in command
    there = ('base_url: ""', f'base_url: "{server.url}/v1"')
    if hosted:
        clone.change('config/executive.yaml', *there)
    try:
        yield command.replace(OWN_SERVER, server.url), {'OLLAMA_HOST': server.url}
    finally:
        if hosted:
            clone.change('config/executive.yaml', *reversed(there))
        server.close()


@contextmanager
def system(clone: ReadersClone, command: str) -> Iterator[dict[str, str]]:
    """A system in another terminal, for a command that attaches to one; gives the environment."""
    if not command.startswith(CONSOLE):
        yield {}
        return
    terminal = clone.begin(UP_WITH_PAGE)
    try:
        yield {'ROS_DOMAIN_ID': terminal.domain}
    finally:
        terminal.end(':quit\n')


def test_the_pages_name_what_is_typed_for_another_command() -> None:
    assert {CONSOLE, UP_WITH_PAGE, GOAL, UP} <= set(_commands())


@pytest.mark.usefixtures('demo')
@pytest.mark.parametrize('command', OTHERS)
def test_a_command_does_what_the_page_says(clone: ReadersClone, command: str) -> None:
    if (said := SERVE.get(' '.join(command.split()[:2]))) is not None:
        assert said in clone.serve(command)
        return
    with model_server(clone, command) as (there, environment), system(clone, command) as beside:
        offline = {'PIP_NO_INDEX': '1', 'PIP_DISABLE_PIP_VERSION_CHECK': '1'}
        started = {} if command in FROM_NOTHING.values() else FORKED
        there_is = offline | environment | beside | started | _exports(command)
        clone.run(there, ':quit\n', **there_is)


def test_the_last_line_of_the_demo_names_a_command_that_works(
    clone: ReadersClone, demo: str
) -> None:
    command = demo.splitlines()[-1].partition('as a page: ')[2]
    page = clone.run(command).strip()
    assert (clone.folder / page).read_text(encoding='utf-8').startswith('<!')


def test_what_readme_shows_of_the_demo_is_said_in_this_order(demo: str) -> None:
    (shown,) = [each for each in blocks() if each.text.startswith('   0.5s  sees')]
    lines = shown.text.partition('\n\n')[0].splitlines()
    wanted = [_without_numbers(line) for line in lines if line.strip() != '…']
    said = iter([_without_numbers(line) for line in demo.splitlines()])
    missing = [line for line in wanted if line not in said]
    assert not missing, demo


def test_activated_the_path_may_be_left_out(clone: ReadersClone) -> None:
    (activate,) = {span.text for span in spans() if span.text.startswith('source .venv')}
    shown = clone.run(f'{activate} && bt-executive doctor')
    assert 'planner' in shown


def test_make_has_what_the_pages_name(clone: ReadersClone) -> None:
    named = [each for each in _commands() if each.startswith('make ')]
    assert {'make demo', 'make test'} <= set(named)
    for command in named:
        clone.run(f'{command} --dry-run')
        bench = BENCH.fullmatch(command)
        assert not (bench and bench[1]) or bench[1] in names(), command


def _without_numbers(line: str) -> str:
    """What a line says, without when and how much."""
    return re.sub(r'\d+(\.\d+)?', '#', line.strip())
