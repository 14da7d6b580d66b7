"""The suite in several processes: every test is run once, and what became of it is told."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.process
SUPPORT = Path(__file__).parent / 'support'
TESTS = """
import os
from pathlib import Path
import signal
from forked import end_hooks
import pytest

end_hooks.append(lambda: Path(f'ended-{os.getpid()}').touch())

@pytest.mark.parametrize('number', range(40))
def test_passes(number, tmp_path):
    (tmp_path / 'file').touch()
    assert len(list(tmp_path.iterdir())) == 1

def test_fails(worker_id):
    assert worker_id == os.environ['PYTEST_XDIST_WORKER'] == 'nobody'

def test_kills_its_process():
    os.kill(os.getpid(), signal.SIGKILL)

def test_after_that():
    pass

def test_is_skipped():
    pytest.skip('not today')
"""
SHARING = """
import os
import pytest

@pytest.fixture(scope='module')
def made():
    return []

@pytest.mark.parametrize('number', range(60))
def test_in_one_process(made, number):
    made.append(os.getpid())
    assert set(made) == {os.getpid()}
    assert len(made) == number + 1
"""


def test_a_suite_in_three_processes(tmp_path: Path) -> None:
    (tmp_path / 'test_all.py').write_text(TESTS)
    (tmp_path / 'test_sharing.py').write_text(SHARING)
    report = tmp_path / 'report.xml'
    plugins = ('-p', 'xdist', '-p', 'forked', '-p', 'no:cacheprovider')  # whose fixtures are used
    options = (*plugins, '--forks', '3', '--junit-xml', str(report))
    command = [sys.executable, '-m', 'pytest', '--rootdir', str(tmp_path), *options, str(tmp_path)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, 'PYTHONPATH': str(SUPPORT), 'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1'},
    )
    assert done.returncode == 1, done.stdout + done.stderr
    cases = list(ElementTree.parse(report).iter('testcase'))
    assert len({case.get('name') for case in cases}) == len(cases) == 40 + 4 + 60
    failed = {case.get('name') for case in cases if case.find('failure') is not None}
    assert failed == {'test_fails', 'test_kills_its_process'}
    assert 'which ran this test, ended with -9' in done.stdout
    assert len(list(tmp_path.glob('ended-*'))) == 3  # those that no test has killed
    assert [case.get('name') for case in cases if case.find('skipped') is not None] == [
        'test_is_skipped'
    ]
