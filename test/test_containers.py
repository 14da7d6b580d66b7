"""docker/ and overlay_ws/scripts, as far as they can be tried without containers."""

from __future__ import annotations

import os
from pathlib import Path
import re
import subprocess
from typing import Any

from papers import ROOT
import pytest
import yaml

SCRIPTS = ROOT / 'overlay_ws' / 'scripts'
STAND_IN = '#!/bin/bash\necho "$(basename "$0") $*" >> "$CALLED"\n'


class DemoContainer:
    """The Demo container's home, with an underlay, and programs that note how they are called."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / 'home'
        self.programs = folder / 'bin'
        self.called = folder / 'called'
        self.programs.mkdir()
        for name in ('colcon', 'ros2', 'python3'):
            (self.programs / name).write_text(STAND_IN)
            (self.programs / name).chmod(0o755)
        self.workspace = self.home / 'overlay_ws'
        (self.workspace / 'src').mkdir(parents=True)
        (self.workspace / 'src' / 'bt_executive').symlink_to(ROOT)
        self.setup_file(self.home / 'curiosity_ws', 'underlay')

    def setup_file(self, workspace: Path, name: str) -> None:
        """A workspace that is built: its setup file reads a variable that is not set."""
        (workspace / 'install').mkdir(parents=True)
        text = f'echo "source {name} $COLCON_TRACE" >> "$CALLED"\n'
        (workspace / 'install' / 'setup.bash').write_text(text)

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a script as `docker compose exec` does, by its path in the mounted source."""
        path = self.workspace / 'src' / 'bt_executive' / 'overlay_ws' / 'scripts' / script
        return subprocess.run(
            [path, *arguments],
            env={
                'PATH': f'{self.programs}:/usr/bin:/bin',
                'HOME': str(self.home),
                'CALLED': str(self.called),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def calls(self) -> list[str]:
        """What was sourced and called."""
        return self.called.read_text().splitlines() if self.called.exists() else []


@pytest.fixture
def container(tmp_path: Path) -> DemoContainer:
    return DemoContainer(tmp_path)


@pytest.mark.process
def test_the_overlay_is_built_on_the_underlay(container: DemoContainer) -> None:
    done = container.run('build_overlay.sh', '--packages-select', 'bt_executive')
    assert done.returncode == 0, done.stderr
    source = container.workspace / 'src' / 'bt_executive'
    sourced, colcon = container.calls()
    assert sourced.strip() == 'source underlay'
    assert colcon.startswith(f'colcon build --symlink-install --base-paths {source} {source}/')
    for name in ('bt_executive_interfaces', 'curiosity_rosa_demo'):
        assert f' {source}/interfaces/{name} ' in colcon
    assert colcon.endswith(' --packages-select bt_executive')


@pytest.mark.process
@pytest.mark.parametrize(
    ('arguments', 'command'),
    [
        (('--plain',), 'ros2 run bt_executive bt-executive up --no-rover --plain'),
        (('--launch', 'variant:=A'), 'ros2 launch bt_executive curiosity.launch.py variant:=A'),
    ],
)
def test_the_demo_is_run_on_overlay_and_underlay(
    container: DemoContainer, arguments: tuple[str, ...], command: str
) -> None:
    container.setup_file(container.workspace, 'overlay')
    done = container.run('run_demo.sh', *arguments)
    assert done.returncode == 0, done.stderr
    assert [call.strip() for call in container.calls()] == [
        'source underlay',
        'source overlay',
        command,
    ]


@pytest.mark.process
def test_the_tests_of_the_container_are_those_without_ros(container: DemoContainer) -> None:
    container.setup_file(container.workspace, 'overlay')
    assert container.run('test_overlay.sh', '-x').returncode == 0
    doctor, tests = container.calls()[2:]
    assert doctor == 'ros2 run bt_executive bt-executive doctor'
    assert tests == 'python3 -m pytest -m not ros and not process and not system and not long -x'


@pytest.mark.process
@pytest.mark.parametrize('script', ['run_demo.sh', 'test_overlay.sh'])
def test_what_is_not_built_yet_is_said(container: DemoContainer, script: str) -> None:
    done = container.run(script)
    assert done.returncode == 1
    assert 'run build_overlay.sh first' in done.stderr


@pytest.mark.process
def test_outside_the_container_one_sentence_says_what_is_missing(container: DemoContainer) -> None:
    (container.workspace / 'src' / 'bt_executive').unlink()
    done = subprocess.run(
        [SCRIPTS / 'build_overlay.sh'],
        env={'PATH': os.environ['PATH'], 'HOME': str(container.home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (sentence,) = done.stderr.splitlines()
    assert 'there is no bt_executive in' in sentence


def compose() -> Any:
    text = (ROOT / 'docker' / 'compose.override.yml').read_text(encoding='utf-8')
    return yaml.safe_load(text)['services']


def test_the_override_changes_the_demo_container_alone_and_mounts_the_source() -> None:
    (name,) = compose()
    service = compose()[name]
    assert name == 'curiosity_demo'  # as in the demo's own file
    assert 'command' not in service  # the demo's own nodes start as before
    (mount,) = service['volumes']
    assert mount.endswith(':/home/spaceros-user/overlay_ws/src/bt_executive')
    assert (ROOT / service['build']['dockerfile']).is_file()


@pytest.mark.parametrize('name', ['overlay.Dockerfile', 'rover.Dockerfile'])
def test_what_an_image_copies_is_there(name: str) -> None:
    text = (ROOT / 'docker' / name).read_text(encoding='utf-8')
    copied = re.findall(r'^COPY (?!--)(.+) \S+$', text, re.MULTILINE)
    assert copied
    assert not [each for line in copied for each in line.split() if not (ROOT / each).exists()]
