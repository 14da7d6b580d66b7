"""Every process of ours writes every text in every encoding, and reads every byte."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import re
import subprocess
import sys

import pytest
from warm import warm_run

from bt_executive.cli import make_parser
from bt_executive.commands.node_vision_client_and_bench_commands import BENCHES

pytestmark = pytest.mark.process
ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ('adapter', 'bt_executive', 'common', 'memory', 'sim', 'vision', 'viz')
STARTED = re.compile(r"^if __name__ == '__main__':", re.MULTILINE)
TEXT = '→ 地面 \ud800 é'
SAYS_IT = f"""
import sys
from rover_common.process.standard_streams import accept_every_text
accept_every_text()
print({TEXT!r})
print({TEXT!r}, file=sys.stderr)
print(ascii(sys.stdin.read()))
"""

# A command of the bench replaces the process; here it is run in it, and all is loaded once.
ASKS_FOR_HELP = """
import os, runpy, sys
from bt_executive.cli import main

def become(_program, command, _environment):
    sys.argv = command[2:]
    runpy.run_module(command[2], run_name='__main__', alter_sys=True)

os.execve = become
for name in sys.argv[1:]:
    try:
        main([name, '--help'])
    except SystemExit as end:
        assert end.code == 0, name
"""


def programs() -> Iterator[str]:
    """The modules that are run as processes."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob('*.py'):
            if STARTED.search(path.read_text(encoding='utf-8')):
                parts = path.relative_to(ROOT).with_suffix('').parts
                own = parts if folder == 'bt_executive' else parts[1:]
                yield '.'.join(own).removesuffix('.__main__')


@pytest.mark.parametrize('encoding', ['ascii', 'latin-1', 'utf-8'])
def test_what_the_encoding_lacks_is_written_as_its_number(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, '-c', SAYS_IT],
        env={**os.environ, 'PYTHONIOENCODING': encoding},
        input='→ é'.encode() + b'\xff',
        capture_output=True,
        check=True,
    )
    first, read = done.stdout.decode(encoding).splitlines()
    expected = TEXT.encode(encoding, 'backslashreplace').decode(encoding)
    assert first == done.stderr.decode(encoding).strip() == expected
    assert read == ascii('→ é\ufffd')


@pytest.mark.parametrize('closed', ['<&-', '>&-', '2>&-', '<&- >&- 2>&-'])
def test_a_closed_stream_is_nothing_and_its_number_no_file(closed: str, tmp_path: Path) -> None:
    program = f"""
import sys
from rover_common.process.standard_streams import accept_every_text
accept_every_text()
with open({str(tmp_path / 'file')!r}, 'w') as file:
    print(file.fileno(), sys.stdout.encoding != '', file=file)
print('text')
"""
    command = ['sh', '-c', f'exec "$0" -c "$1" {closed}', sys.executable, program]
    done = subprocess.run(command, input=b'', capture_output=True, check=True)
    assert done.stderr == b''
    assert int((tmp_path / 'file').read_text().split()[0]) > 2


def test_every_program_calls_it() -> None:
    """Its own source, or the command line, `run_node` or `run_writing` to which it hands over."""
    for name in programs():
        path = next(
            each
            for folder in ('.', *FOLDERS)
            for suffix in ('.py', '/__main__.py')
            if (each := ROOT / folder / (name.replace('.', '/') + suffix)).is_file()
        )
        text = path.read_text(encoding='utf-8')
        assert re.search(
            r'accept_every_text\(\)|run_node\(|run_writing\(|bt_executive\.cli', text
        ), name


def test_the_help_of_every_command_can_be_written_in_ascii() -> None:
    """So it can be in every encoding of a terminal."""
    parser = make_parser()
    (commands,) = [each.choices for each in parser._actions if isinstance(each.choices, dict)]
    assert set(BENCHES) < set(commands)
    done = warm_run(
        [sys.executable, '-c', ASKS_FOR_HELP, *commands],
        env={**os.environ, 'PYTHONIOENCODING': 'ascii:strict'},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b'usage: bt-executive') == len(commands)
    assert not re.findall(rb'.*\\[ux].*', done.stdout), 'written as a number'
