"""What the doctor shows of parts that are missing, and what it ends with."""

from __future__ import annotations

from pathlib import Path
import sys
from types import SimpleNamespace

import pytest

from bt_executive.console import doctor
from bt_executive.console.doctor import print_findings
from bt_executive.launching.start_checks import Finding
from bt_executive.launching.system_processes import ROVER, node_named
from rover_common.config.load import load_config
from rover_common.extras import how_to_install
from rover_common.ros import installed_definitions

NODES = [node_named(name) for name in (ROVER, 'memory', 'executive')]


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        'bt_executive.launching.system_processes.missing_modules', lambda extra: (extra,)
    )


@pytest.mark.usefixtures('nothing_installed')
def test_a_process_without_its_packages_is_left_out_and_the_rover_is_missed() -> None:
    rover, memory = doctor._left_out(NODES)
    assert (rover.title, rover.is_fault) == (ROVER, True)
    assert (memory.title, memory.is_fault) == ('memory', False)
    assert how_to_install('memory') in str(memory.remedy)


def test_messages_of_another_version_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {each.title: each for each in doctor._packages()}['bt_executive_interfaces']
    monkeypatch.setattr(installed_definitions, 'DIGEST', 'another')
    others = {each.title: each for each in doctor._packages()}['bt_executive_interfaces']
    assert (ours.is_fault, others.is_fault) == (False, True)
    assert 'another version' in str(others.remedy)


@pytest.mark.parametrize(
    ('hinders', 'mark', 'code'), [(True, 'missing', 1), (False, 'left out', 0)]
)
def test_only_a_fault_decides_how_it_ends(
    capsys: pytest.CaptureFixture[str], hinders: bool, mark: str, code: int
) -> None:
    found = [Finding('python', 'here'), Finding('memory', 'not here', 'type this', hinders)]
    assert print_findings(found) == code
    shown = capsys.readouterr().out
    assert mark in shown
    assert 'memory: type this.' in shown


@pytest.mark.parametrize('place', ['file', 'x' * 300])  # pathlib raises OSError for the second
def test_a_journal_that_cannot_be_made_is_a_fault_with_its_place(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file, and where this user may not look."""
    (tmp_path / 'file').touch()
    monkeypatch.setattr('os.access', lambda *_: place == 'file')  # to root all is open
    found = doctor._journal(load_config(), {'XDG_STATE_HOME': str(tmp_path / place)})
    assert 'is no folder to write to' in found.text
    assert found.is_fault


@pytest.mark.parametrize(
    ('environment', 'words'),
    [
        ({}, 'let UDP through on the loopback'),
        ({'ROS_DISCOVERY_SERVER': 'h:1'}, 'unset or correct ROS_DISCOVERY_SERVER (h:1); else let'),
    ],
)
def test_nodes_that_do_not_meet_are_a_fault_with_what_was_set(
    environment: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All seems well otherwise, and a system would wait for its executive until it gives up."""
    monkeypatch.setattr('os.environ', environment)
    probe = SimpleNamespace(folder='', rmw='', nodes=())
    graph = SimpleNamespace(probe_ros=lambda: probe, nodes_meet=lambda: False)
    monkeypatch.setitem(sys.modules, 'rover_common.ros.graph_probe', graph)
    (fault,) = (each for each in doctor._ros(environment, tuple) if each.is_fault)
    assert fault.title == 'discovery'
    assert str(fault.remedy).startswith(words)
